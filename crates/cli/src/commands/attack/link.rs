//! `pointillist attack link`.

use std::path::PathBuf;

use pointillist_attack::linkage::examples::{hospital_and_voters, patients_and_voters};
use pointillist_attack::linkage::link;
use pointillist_attack::records::Records;

use super::output::{OutputArguments, draw, records};
use super::table_arguments::PriceArguments;
use crate::failure::Failure;

/// Two tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack link
  pointillist attack link --town 1000 --epsilon 0.5 --report link.html
  pointillist attack link --secret patients.csv --public voters.csv --on born,sex,zip --json")]
pub struct Arguments {
    /// The table without names [default: a made-up hospital]
    #[arg(long, value_name = "PATH", requires = "public")]
    secret: Option<PathBuf>,
    /// The public list with names [default: made-up voters]
    #[arg(long, value_name = "PATH", requires = "secret")]
    public: Option<PathBuf>,
    /// A made-up town of so many people, all voters, two thirds of whom were in hospital
    #[arg(long, value_name = "PEOPLE", conflicts_with_all = ["secret", "public"])]
    town: Option<usize>,
    /// The columns that both have
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    on: Vec<String>,
    /// The column that the attacker wants [default: the first of the table without names that is not joined
    /// on]
    #[arg(long, value_name = "COLUMN")]
    sensitive: Option<String>,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// Joins, and tries the same on counts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let epsilon = arguments.price.read()?.epsilon;
    let (secret, public) = arguments.tables()?;
    let (on, sensitive) = (arguments.on.clone(), arguments.sensitive.clone());
    let settings = link::Settings { secret, public, on, sensitive, epsilon };
    arguments.output.show(&draw("guessing from counts with noise", |bits| link::run(settings, bits))?)
}

impl Arguments {
    fn tables(&self) -> Result<(Records, Records), Failure> {
        match (&self.secret, &self.public, self.town) {
            (Some(secret), Some(public), _) => Ok((records(secret)?, records(public)?)),
            (_, _, Some(people)) => Ok(patients_and_voters(people)),
            _ => Ok(hospital_and_voters()),
        }
    }
}
