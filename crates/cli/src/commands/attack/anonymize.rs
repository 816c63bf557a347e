//! `pointillist attack anonymize`.

use std::path::PathBuf;

use clap::ValueEnum;
use pointillist_attack::Comparison;
use pointillist_attack::anonymity::anonymize::{self, ROWS_SHOWN};
use pointillist_attack::records::check_new_file;

use super::output::{OutputArguments, draw, paragraph, side_by_side};
use super::table_arguments::{PriceArguments, TableArguments};
use crate::failure::Failure;
use crate::message::say;
use pointillist_render::text::shown;

/// A table, what outsiders know of it and what they want.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack anonymize --k 2
  pointillist attack anonymize --town 300 --k 2 --report anonymous.html
  pointillist attack anonymize people.csv --known age,zip --sensitive illness --k 5 --output safe.csv

Methods: exact tries every way to hide cells behind stars (20 rows at most), matching finds the
fewest stars for k = 2 (2,000 rows at most), mondrian cuts any table into ranges and sets; auto
takes the first that is quick. Columns that are neither known nor sensitive are left out.")]
pub struct Arguments {
    #[command(flatten)]
    table: TableArguments,
    /// The columns that outsiders know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    known: Vec<String>,
    /// The column that they want
    #[arg(long, value_name = "COLUMN", default_value = "illness")]
    sensitive: String,
    /// How many rows must look alike
    #[arg(long, value_name = "K", default_value_t = 2)]
    k: usize,
    /// How rows are made alike
    #[arg(long, value_name = "METHOD", value_enum, default_value = "auto")]
    method: Method,
    /// Write the anonymized table into this file
    #[arg(long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    print: OutputArguments,
}

/// How rows are made alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Whichever is quick: exact, else matching, else mondrian
    Auto,
    /// Stars, as few as there can be: tries everything
    Exact,
    /// Stars, as few as there can be, for k = 2
    Matching,
    /// Ranges and sets
    Mondrian,
}

impl Method {
    fn chosen(self) -> Option<anonymize::Method> {
        match self {
            Self::Auto => None,
            Self::Exact => Some(anonymize::Method::Exact),
            Self::Matching => Some(anonymize::Method::Matching),
            Self::Mondrian => Some(anonymize::Method::Mondrian),
        }
    }
}

/// Anonymizes, measures, attacks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.print.check()?;
    arguments.output.as_deref().map_or(Ok(()), check_new_file)?;
    let settings = anonymize::Settings {
        price: arguments.price.read()?,
        table: arguments.table.read()?,
        known: arguments.known.clone(),
        sensitive: arguments.sensitive.clone(),
        k: arguments.k,
        method: arguments.method.chosen(),
    };
    let working = format!("making every row look like {} others", arguments.k.saturating_sub(1));
    let outcome = draw(working, |bits| anonymize::run(settings, bits))?;
    if let Some(path) = &arguments.output {
        outcome.published.write_new(path)?;
        say(format!("table written to {}", path.display()));
    }
    arguments.print.show_with(&outcome, print)
}

fn print(outcome: &anonymize::Outcome) {
    let published = &outcome.published;
    let rows = published.rows().iter().take(ROWS_SHOWN).map(|row| row.join(", "));
    let mut lines: Vec<String> = std::iter::once(published.columns().join(", ")).chain(rows).collect();
    if let Some(more) = published.rows().len().checked_sub(ROWS_SHOWN + 1) {
        lines.push(format!("… and {} more", more + 1));
    }
    let head: String = lines.iter().map(|line| shown(line) + "\n").collect();
    paragraph(&format!("published: {}", outcome.how()), &head);
    paragraph("measured", &outcome.measures());
    side_by_side(&outcome.without(), &outcome.with());
}
