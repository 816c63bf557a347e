//! `pointillist synth count`: made-up rows that fit, and a bar where it is known.

use std::io;
use std::path::PathBuf;

use pointillist_publication::{MeasuredCount, SanitizedFile, sanitized_count};
use pointillist_render::decimals::grouped;
use serde_json::json;

use crate::failure::Failure;
use crate::terminal::print_json;

/// Of which file, and which rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth count table.json \"age >= 65 AND region = 'north'\"
  pointillist synth count table.json \"cost > 100\" --json

Where the columns of the condition were counted together, the answer has a bar: with 95 % the count of real (bounded) rows is
within it. Where they were not, nothing is known of how far off it is, and that is said.")]
pub struct Arguments {
    /// What was released
    #[arg(value_name = "TABLE.json")]
    table: PathBuf,
    /// Which rows, as an SQL condition over the table's columns
    #[arg(value_name = "CONDITION")]
    condition: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Counts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fitted = SanitizedFile::read(&arguments.table)?.fitted()?;
    let counted = sanitized_count(&fitted, &arguments.condition)?;
    let error = counted.error_95();
    if arguments.json {
        let (estimate, unknown) = match &counted.measured {
            MeasuredCount::Estimate { estimate, .. } => (Some(*estimate), None),
            MeasuredCount::Unknown(why) => (None, Some(*why)),
        };
        let object =
            json!({ "count": counted.count, "error_95": error, "estimate": estimate, "unknown": unknown });
        return Ok(print_json(&mut io::stdout().lock(), &object)?);
    }
    let whole = |number: f64| grouped(&format!("{:.0}", number.ceil()));
    match (&counted.measured, error) {
        (MeasuredCount::Unknown(why), _) => {
            println!("{}, how far off is unknown: {why}", whole(counted.count))
        }
        (_, Some(error)) => println!("{} ± {} with 95 %", whole(counted.count), whole(error)),
        (_, None) => println!("{}", whole(counted.count)),
    }
    Ok(())
}
