//! `pointillist man`: the manual, one page a command, from the same words as `--help`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap_mangen::Man;

use crate::command_line;
use crate::failure::Failure;
use crate::message::say;

/// Where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist man | man -l -                                the page of the whole command
  pointillist man --output ~/.local/share/man/man1          all pages: man pointillist-query")]
pub struct Arguments {
    /// A folder to write all pages to; without it the first page is printed
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Prints the page, or writes all of them.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut command = command_line().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.output else {
        let mut out = io::stdout().lock();
        out.write_all(page(&command)?.as_bytes())?;
        return Ok(out.flush()?);
    };
    let failed = |error: io::Error| {
        Failure::outside(
            format!("{} could not be written: {error}", folder.display()),
            "name a folder of yours",
        )
    };
    fs::create_dir_all(folder).map_err(failed)?;
    write_pages(&command, folder).map_err(failed)?;
    say(format_args!("wrote the pages to {}", folder.display()));
    Ok(())
}

/// The page of a command and of every command below it, each under the name that `man` looks for.
fn write_pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, folder)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    fs::write(folder.join(format!("{name}.1")), page(command)?)
}

/// One page, with our version at its foot, and no hyphen in an option that somebody copies.
fn page(command: &clap::Command) -> io::Result<String> {
    let version = concat!("pointillist ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(command.clone()).source(version).manual("Pointillist").render(&mut page)?;
    let page = String::from_utf8(page).map_err(io::Error::other)?;
    Ok(page
        .replacen("\n.SH NAME\n", "\n.nh\n.ad l\n.SH NAME\n", 1)
        .replacen("\n.SH EXTRA\nExamples:\n", "\n.SH EXAMPLES\n", 1)
        .replacen("\n.SH EXTRA\n", "\n.SH NOTES\n", 1))
}
