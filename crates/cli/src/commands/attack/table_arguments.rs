//! A table of people, a file or a made-up town; and the price of counts from it.

use std::path::PathBuf;

use pointillist_attack::AttackError;
use pointillist_attack::linkage::ReleasePrice;
use pointillist_attack::linkage::examples::{TOWN_PEOPLE, named_town};
use pointillist_attack::records::NamedRecords;

use crate::failure::Failure;

/// Where the people come from.
#[derive(clap::Args)]
pub struct TableArguments {
    /// A CSV file with a header [default: a made-up town of 600 people]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A made-up town of so many people in place of a file
    #[arg(long, value_name = "PEOPLE", conflicts_with = "file")]
    town: Option<usize>,
}

impl TableArguments {
    /// Reads the file, or makes up the town.
    pub fn read(&self) -> Result<NamedRecords, AttackError> {
        match &self.file {
            Some(path) => NamedRecords::open(path),
            None => Ok(named_town(self.town.unwrap_or(TOWN_PEOPLE))),
        }
    }
}

/// What one release of counts costs.
#[derive(clap::Args)]
pub struct PriceArguments {
    /// The price of our release, for one more or one fewer person
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    /// The probability with which a rare combination may show, where combinations are not public
    #[arg(long, value_name = "D", default_value = "1e-6")]
    delta: String,
}

impl PriceArguments {
    /// Reads the price.
    pub fn read(&self) -> Result<ReleasePrice, Failure> {
        ReleasePrice::parse(&self.epsilon, &self.delta).map_err(Failure::request)
    }
}
