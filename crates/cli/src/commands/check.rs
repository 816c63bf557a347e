//! `pointillist check`: what a catalog declares, who is protected, what looks risky.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_catalog::{Finding, Severity};
use pointillist_curator::{Check, Home};

use crate::failure::Failure;
use crate::terminal::print_json;
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to, as those of `explain`.
const WIDTH: usize = 92;

/// Which catalog.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist check
  pointillist check --catalog hospital/pointillist.toml --json

The report is for the owner. Risks and notes do not fail the command. A catalog that is wrong does, and so does a table
that nobody could ask about as it is (marked `error`): exit code 2.")]
pub struct Arguments {
    /// The catalog
    #[arg(long, value_name = "PATH", default_value = "pointillist.toml")]
    catalog: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Checks and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let check = Home::open(&arguments.catalog)?.check()?;
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments.json {
        true => print_json(&mut out, &check)?,
        false => print(&check, &mut out)?,
    }
    out.flush()?;
    match check.errors {
        0 => Ok(()),
        _ => Err(Failure::Told(2, String::new())),
    }
}

fn print(check: &Check, out: &mut impl Write) -> io::Result<()> {
    for (heading, statements) in
        [("Who is protected", &check.protected), ("What analysts can name and spend", &check.visible)]
    {
        writeln!(out, "{heading}")?;
        for statement in statements {
            writeln!(out, "  {}", statement.place)?;
            write_wrapped(out, "", &statement.words)?;
        }
        writeln!(out)?;
    }
    match check.findings.is_empty() {
        true => writeln!(out, "Nothing to look at again")?,
        false => writeln!(out, "What to look at again")?,
    }
    for Finding { severity, place, words, advice } in &check.findings {
        writeln!(out, "  {}: {place}", severity.word())?;
        write_wrapped(out, "", words)?;
        write_wrapped(out, "hint: ", advice)?;
    }
    let read = if check.data_read { "The data was read" } else { "Nothing was read but the catalog" };
    let errors = match check.errors {
        0 => String::new(),
        errors => format!("{}: nobody can ask about that yet; ", counted(errors, "error")),
    };
    let (risks, notes) = (counted(check.risks, "risk"), counted(check.count(Severity::Note), "note"));
    writeln!(out, "\n{errors}{risks}, {notes}. {read}.")
}

/// Lines below a place, all as far in as the first word behind the label.
fn write_wrapped(out: &mut impl Write, label: &str, words: &str) -> io::Result<()> {
    for (index, line) in wrapped(words, WIDTH - 4 - label.len()).iter().enumerate() {
        let margin = if index == 0 { label } else { "" };
        writeln!(out, "    {margin:width$}{line}", width = label.len())?;
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
