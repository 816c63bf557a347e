//! `pointillist learn inspect`: what a model file is, and whether it is as it was signed.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use pointillist_curator::words::laid_out;
use pointillist_publication::{ModelFile, Trusted};
use pointillist_render::terminal_style::TerminalStyle;

use super::print;
use crate::commands::query::print_notes;
use crate::commands::release::trusted;
use crate::failure::Failure;
use crate::output_file::check_output;
use crate::terminal::print_json;

/// Which model, and whom to trust.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn inspect model.json
  pointillist learn inspect model.json --key publisher.pub --json
  pointillist learn inspect model.json --sql

Nothing private is read: everything about a model is in its file. With --sql the model is printed as an expression over its columns:
its value is above zero for the second class, or is the number that the model predicts. Exit code 1 if the file was changed after it was signed.")]
pub struct Arguments {
    /// The model
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// The key that must have signed it: a file, or the text that begins with pointillist-ed25519:
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
    /// The catalog whose key is compared [default: pointillist.toml, where there is one and no key is given]
    #[arg(long, value_name = "PATH")]
    catalog: Option<PathBuf>,
    /// Print the model as an expression of SQL
    #[arg(long, conflicts_with = "json")]
    sql: bool,
    /// Draw the largest numbers of the model into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints what is in the file.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.plot.as_deref().map_or(Ok(()), check_output)?;
    let file = ModelFile::read(&arguments.model)?;
    let (key, home) = trusted(arguments.key.as_deref(), arguments.catalog.as_deref())?;
    let signer = file.signer(Trusted { key: key.as_ref(), home: home.as_ref() })?;
    let answer = file.table();
    if let Some(path) = &arguments.plot {
        print::draw(&answer, &file.privacy().price, path)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.sql {
        writeln!(out, "{}", file.sql()?)?;
        return Ok(out.flush()?);
    }
    if arguments.json {
        print_json(&mut out, &file.to_json(signer))?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    for line in laid_out(&file.lines(signer), style).into_iter().chain(answer.table().lines("", style)) {
        writeln!(out, "{line}")?;
    }
    if io::stdout().is_terminal() {
        print::bars(&answer).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    out.flush()?;
    print_notes(&answer.notes);
    Ok(())
}
