//! A table of people: a file, or a made-up town.

use std::path::PathBuf;

use pointillist_attack::linkage::examples::town;
use pointillist_attack::records::Records;

use super::shown;
use crate::failure::Failure;

/// People of the town, unless somebody says otherwise: enough for classes in which everybody has the same illness.
const PEOPLE: usize = 600;

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
    /// The table.
    pub fn read(&self) -> Result<Records, Failure> {
        match (&self.file, self.town) {
            (Some(path), _) => shown::records(path),
            (None, Some(people)) => Ok(town(people)),
            (None, None) => Ok(town(PEOPLE)),
        }
    }

    /// What to call it.
    pub fn name(&self) -> String {
        match (&self.file, self.town) {
            (Some(path), _) => path.display().to_string(),
            (None, people) => format!("a made-up town of {} people", people.unwrap_or(PEOPLE)),
        }
    }
}
