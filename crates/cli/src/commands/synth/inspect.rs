//! `pointillist synth inspect`: what a file is, and whether it is as it was signed.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_curator::words::laid_out;
use pointillist_publication::{SanitizedFile, Trusted};
use pointillist_render::terminal_style::TerminalStyle;

use crate::commands::query::print_notes;
use crate::commands::release::trusted;
use crate::failure::Failure;
use crate::terminal::print_json;

/// Which file, and whom to trust.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth inspect table.json
  pointillist synth inspect table.json --key publisher.pub --json

Nothing private is read: everything about the table is in its file. Exit code 1 if the file was changed after it was signed.")]
pub struct Arguments {
    /// What was released
    #[arg(value_name = "TABLE.json")]
    table: PathBuf,
    /// The key that must have signed it: a file, or the text that begins with pointillist-ed25519:
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
    /// The catalog whose key is compared [default: pointillist.toml, where there is one and no key is given]
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints what is in the file.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = SanitizedFile::read(&arguments.table)?;
    let (key, home) = trusted(arguments.key.as_deref(), arguments.catalog.as_deref())?;
    let signer = file.signer(Trusted { key: key.as_ref(), home: home.as_ref() })?;
    let fitted = file.fitted()?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        print_json(&mut out, &file.to_json(signer, &fitted))?;
        return Ok(out.flush()?);
    }
    for line in laid_out(&file.lines(signer, &fitted), TerminalStyle::for_stdout()) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    print_notes(&file.privacy().notes);
    Ok(())
}
