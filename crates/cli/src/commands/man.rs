//! `pointillist man`: the manual, one page a command, from the same words as `--help`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

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
    let command = command_line();
    let Some(folder) = &arguments.output else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        let mut out = io::stdout().lock();
        out.write_all(&page)?;
        return Ok(out.flush()?);
    };
    let failed = |error: io::Error| {
        Failure::outside(
            format!("{} could not be written: {error}", folder.display()),
            "name a folder of yours",
        )
    };
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    say(format_args!("wrote the pages to {}", folder.display()));
    Ok(())
}
