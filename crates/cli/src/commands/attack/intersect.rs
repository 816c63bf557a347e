//! `pointillist attack intersect`.

use std::path::PathBuf;

use pointillist_attack::anonymity::intersect;
use pointillist_attack::linkage::examples::two_hospitals;

use super::output::{OutputArguments, draw, records};
use super::table_arguments::PriceArguments;
use crate::failure::Failure;

/// Two tables that share people.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack intersect
  pointillist attack intersect west.csv east.csv --person name --known born,sex,zip --sensitive illness --k 5
  pointillist attack intersect west.csv east.csv --person id --published --report intersect.html

Each table is made k-anonymous on its own (Mondrian), as two hospitals would that do not know of
each other; with --published they are taken as they are. The attacker knows in which class of each
table a person is, which is what the known columns tell, and not which row is theirs. The column
--person is for finding who is in both, and the attacker does not see it; without it, people are
those rows that alone have the same known columns in both tables.")]
pub struct Arguments {
    /// The first table, a CSV file with a header [default: a made-up hospital of a made-up town]
    #[arg(value_name = "A.csv", requires = "second")]
    first: Option<PathBuf>,
    /// The second table [default: another hospital of the town]
    #[arg(value_name = "B.csv")]
    second: Option<PathBuf>,
    /// The columns that outsiders know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    known: Vec<String>,
    /// The columns that outsiders know of the second table [default: the same]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    known_second: Option<Vec<String>>,
    /// The column that they want, which both tables have
    #[arg(long, value_name = "COLUMN", default_value = "illness")]
    sensitive: String,
    /// The column that says who is who, which both tables have
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,
    /// How many rows must look alike in each table
    #[arg(long, value_name = "K", default_value_t = 5)]
    k: usize,
    /// The tables are k-anonymous as they are
    #[arg(long, requires_all = ["first", "person"], conflicts_with = "k")]
    published: bool,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// Publishes twice, and intersects.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let price = arguments.price.read()?;
    let (first, second, person) = match (&arguments.first, &arguments.second) {
        (Some(first), Some(second)) => (records(first)?, records(second)?, arguments.person.clone()),
        _ => {
            let (first, second) = two_hospitals();
            (first, second, Some("name".to_owned()))
        }
    };
    let settings = intersect::Settings {
        first,
        second,
        known: arguments.known.clone(),
        known_second: arguments.known_second.as_ref().unwrap_or(&arguments.known).clone(),
        sensitive: arguments.sensitive.clone(),
        person,
        k: (!arguments.published).then_some(arguments.k),
        price,
    };
    arguments.output.show(&draw("intersecting the tables", |bits| intersect::run(settings, bits))?)
}
