//! `pointillist synth link`: made-up people and made-up rows that are theirs, from two files.

use std::path::PathBuf;

use pointillist_publication::{SanitizedFile, link};
use pointillist_render::decimals::grouped_count;

use crate::failure::Failure;
use crate::message::say;
use crate::progress;

/// Of which files, by which number, and where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth fit --rows \"SELECT age, least(n, 5) AS visits FROM (SELECT patient_id, max(age) AS age, count(*) AS n FROM visits GROUP BY patient_id) AS patients\" --epsilon 1 --output people.json
  pointillist synth fit --rows \"SELECT age, cost FROM visits\" --epsilon 1 --output costs.json
  pointillist synth link people.json costs.json --number visits --key patient --output people.csv --linked costs.csv

The first file has one row a person and a column with how many rows that person has; like every column it was counted with noise. The
second has the rows. A row goes to a person who agrees with it in the columns that both files have, as far as there is one. It costs nothing,
and the same files give the same rows.")]
pub struct Arguments {
    /// One row a person
    #[arg(value_name = "PEOPLE.json")]
    people: PathBuf,
    /// Their rows
    #[arg(value_name = "ROWS.json")]
    rows: PathBuf,
    /// The column of the first that says how many rows a person has
    #[arg(long, value_name = "COLUMN")]
    number: String,
    /// The name of the column that both tables get
    #[arg(long, value_name = "NAME", default_value = "person")]
    key: String,
    /// How many people [default: about as many as there were]
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Where people are written, a new file: Parquet if its name ends so, CSV otherwise
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where their rows are written, likewise
    #[arg(long, value_name = "FILE")]
    linked: PathBuf,
}

/// Links and writes.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { people, rows, number, key, count, output, linked } = arguments;
    let (people, rows) = (SanitizedFile::read(people)?, SanitizedFile::read(rows)?);
    let waiting = progress::spinner("making people up …");
    let tables = link(&people.fitted()?, &rows.fitted()?, number, key, *count);
    waiting.finish_and_clear();
    let tables = tables
        .map_err(|why| Failure::wrong(why, "`pointillist synth inspect FILE` shows the columns of a file"))?;
    tables.people.write(output)?;
    tables.rows.write(linked)?;
    say(format_args!(
        "wrote {}: {} made-up people; {}: {} rows of theirs",
        output.display(),
        grouped_count(tables.people.count() as u64),
        linked.display(),
        grouped_count(tables.rows.count() as u64)
    ));
    say(match tables.shared.as_slice() {
        [] => "note: the files have no column in common, so rows went to people by chance".to_owned(),
        shared => format!(
            "{:.1} % of the rows agree with their person in {}",
            100.0 * tables.agreeing,
            shared.join(", ")
        ),
    });
    Ok(())
}
