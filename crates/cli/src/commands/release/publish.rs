//! `pointillist release PLAN -o FOLDER`: pays, measures, writes and signs.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_catalog::calendar;
use pointillist_publication::{PlanFile, PublishOptions, STATEMENT};
use pointillist_render::terminal_style::TerminalStyle;
use serde_json::{Value, json};

use super::Common;
use crate::failure::Failure;
use crate::message::say;
use crate::report_arguments::today;
use crate::terminal::print_json;
use pointillist_curator::words::laid_out;

/// What is released, and where to.
#[derive(clap::Args)]
pub struct PublishArguments {
    /// The plan
    #[arg(value_name = "PLAN.toml", required = true)]
    plan: Option<PathBuf>,
    /// The folder to write; it must not exist yet, or be empty
    #[arg(short, long, value_name = "FOLDER", required = true)]
    output: Option<PathBuf>,
    /// The day before which it is not to be shown to others, as 2026-12-01
    #[arg(long, value_name = "DATE")]
    not_before: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Releases, and says what it cost.
pub fn run(arguments: &PublishArguments) -> Result<(), Failure> {
    let (Some(plan), Some(folder)) = (&arguments.plan, &arguments.output) else {
        return Err(Failure::wrong("a plan and a folder are needed", "give PLAN.toml -o FOLDER"));
    };
    if let Some(day) = arguments.not_before.as_deref().filter(|day| calendar::parse_date(day).is_none()) {
        return Err(Failure::wrong(format!("`{day}` is no day"), "write it as 2026-12-01"));
    }
    let home = arguments.common.home.open()?;
    let options = PublishOptions { not_before: arguments.not_before.clone(), released_on: today() };
    let published = pointillist_publication::release(&home, &PlanFile::load(plan)?, folder, &options)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        let statement: Option<Value> =
            fs::read(folder.join(STATEMENT)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        print_json(&mut out, &json!({ "folder": folder, "release": statement }))?;
        return Ok(out.flush()?);
    }
    for line in laid_out(&published.lines(), TerminalStyle::for_stdout()) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    let tables = match published.tables.len() {
        1 => "one table".to_owned(),
        tables => format!("{tables} tables"),
    };
    say(format_args!("wrote {}: {tables}; report.html is for people", folder.display()));
    Ok(())
}
