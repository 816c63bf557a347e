//! `pointillist attack unique`.

mod page;

use pointillist_attack::linkage::from_counts::{Surviving, surviving};
use pointillist_attack::linkage::{Uniqueness, uniqueness};
use pointillist_attack::records::Records;
use serde_json::{Value, json};

use super::release::{PriceArguments, ReleasePrice};
use super::shown;
use super::town::TableArguments;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::report_arguments::ReportArguments;
use crate::table::{Side, Table, Tone};

/// Rows that a screen shows.
const ROWS: usize = 20;

/// A table and what an outsider may know of it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack unique
  pointillist attack unique --town 5000 --report unique.html
  pointillist attack unique people.csv --columns born,sex,zip --json")]
pub struct Arguments {
    #[command(flatten)]
    table: TableArguments,
    /// The columns that an outsider may know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    columns: Vec<String>,
    #[command(flatten)]
    price: PriceArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// What was found.
struct Found<'a> {
    arguments: &'a Arguments,
    price: ReleasePrice,
    table: Records,
    subsets: Vec<Uniqueness>,
    /// Of all columns together.
    surviving: Surviving,
}

/// Counts who is alone.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let found = arguments.found()?;
    arguments.report.write(|| Ok(found.page()))?;
    if arguments.json {
        found.print_json();
    } else {
        found.print();
    }
    Ok(())
}

impl Arguments {
    fn found(&self) -> Result<Found<'_>, Failure> {
        let price = self.price.read()?;
        let table = self.table.read()?;
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let subsets = uniqueness(&table, &columns)?;
        let surviving = shown::drawn(|bits| surviving(&table, &columns, &price.epsilon, &price.delta, bits))?;
        Ok(Found { arguments: self, price, table, subsets, surviving })
    }
}

impl Found<'_> {
    fn columns(&self) -> String {
        self.arguments.columns.join(", ")
    }

    fn without(&self) -> String {
        let rows = self.table.rows().len();
        format!(
            "Exact counts of every combination of {} have {} cells, and {} of them ({:.0} % of {rows} \
             people) are of one person.",
            self.columns(),
            self.surviving.classes,
            self.surviving.alone,
            100.0 * self.surviving.alone as f64 / rows.max(1) as f64
        )
    }

    fn with(&self) -> String {
        let found = &self.surviving;
        let released = match (found.released, found.smallest) {
            (1, Some(people)) => format!("one of the cells appears, of {people} people"),
            (cells, Some(people)) => {
                let alone = found.released_alone;
                format!("{cells} of the cells appear, {alone} of one person, the smallest of {people}")
            }
            (_, None) => "none of the cells appears".to_owned(),
        };
        format!(
            "In a release at {}, {released}. A cell has to count {} with its noise, and a person who is \
             alone in one appears with a probability of at most δ.",
            self.price.with_threshold(),
            found.threshold
        )
    }

    fn print(&self) {
        let mut table = Table::new();
        let rows = &self.subsets[..self.subsets.len().min(ROWS)];
        table.filled_column(
            "columns",
            Side::Left,
            Tone::Plain,
            rows.iter().map(|row| row.columns.join(", ").into()),
        );
        table.filled_column(
            "unique",
            Side::Right,
            Tone::Plain,
            rows.iter().map(|row| row.unique.to_string().into()),
        );
        let share = rows.iter().map(|row| format!("{:.1} %", 100.0 * row.share).into());
        table.filled_column("of all rows", Side::Right, Tone::Accent, share);
        for line in table.lines("", Ink::for_stdout()) {
            println!("{line}");
        }
        shown::side_by_side(&self.without(), &self.with());
    }

    fn print_json(&self) {
        let subsets: Value = self
            .subsets
            .iter()
            .map(|found| json!({ "columns": found.columns, "unique": found.unique, "share": found.share }))
            .collect();
        let found = &self.surviving;
        shown::json([
            ("attack", json!("unique")),
            ("rows", json!(self.table.rows().len())),
            ("subsets", subsets),
            ("epsilon", self.price.epsilon_json()),
            ("delta", self.price.delta_json()),
            (
                "cells",
                json!({
                    "exact": found.classes,
                    "exact_of_one": found.alone,
                    "released": found.released,
                    "released_of_one": found.released_alone,
                    "smallest_released": found.smallest,
                    "threshold": found.threshold as i64,
                }),
            ),
        ]);
    }
}
