//! `pointillist synth publish`: a signed release of made-up rows, which SQL then knows as a public table.

use std::io;
use std::path::PathBuf;

use pointillist_catalog::calendar;
use pointillist_publication::{
    PublishOptions, SANITIZED_TABLE, SanitizedFile, publish_sanitized, releases_folder,
};
use pointillist_render::decimals::grouped_count;
use serde_json::json;

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::message::say;
use crate::progress;
use crate::report_arguments::today;
use crate::terminal::print_json;

/// What is published, and under which name.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth publish table.json --name visits_synthetic
  pointillist query \"SELECT region, count(*) FROM visits_synthetic_rows GROUP BY region\"

It costs nothing: the price was paid when the table was fitted. Every door that opens the home from then on has the public table
NAME_rows; `pointillist release verify` checks the folder as that of every release.")]
pub struct Arguments {
    /// What was released, signed by this home
    #[arg(value_name = "TABLE.json")]
    table: PathBuf,
    /// The name of the release: small letters, digits and underscores
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The folder to write; it must not exist yet [default: NAME in the folder of releases of the catalog]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// The day before which it is not to be shown to others, as 2026-12-01
    #[arg(long, value_name = "DATE")]
    not_before: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    home: HomeArguments,
}

/// Publishes.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(day) = arguments.not_before.as_deref().filter(|day| calendar::parse_date(day).is_none()) {
        return Err(Failure::wrong(format!("`{day}` is no day"), "write it as 2026-12-01"));
    }
    let file = SanitizedFile::read(&arguments.table)?;
    let home = arguments.home.open()?;
    let folder = arguments.output.clone().unwrap_or_else(|| releases_folder(&home).join(&arguments.name));
    let options = PublishOptions { not_before: arguments.not_before.clone(), released_on: today() };
    let waiting = progress::spinner("making rows up …");
    let published = publish_sanitized(&home, &file, &arguments.name, &folder, &options);
    waiting.finish_and_clear();
    let fitted = published?;
    let table = format!("{}_{SANITIZED_TABLE}", arguments.name);
    if arguments.json {
        let object = json!({ "folder": folder, "table": table, "rows": fitted.total() });
        return Ok(print_json(&mut io::stdout().lock(), &object)?);
    }
    say(format_args!(
        "wrote {}: {} made-up rows; SQL knows them as {table}; report.html is for people",
        folder.display(),
        grouped_count(fitted.total())
    ));
    Ok(())
}
