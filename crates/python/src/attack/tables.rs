//! Tables of people: columns that Python holds, files, and towns that are made up.

use std::path::PathBuf;

use pointillist_attack::AttackError;
use pointillist_attack::condition::Condition;
use pointillist_attack::linkage::examples::{TOWN_PEOPLE, named_town};
use pointillist_attack::records::{NamedRecords, Records};
use pyo3::prelude::*;

/// Where a table comes from.
#[derive(FromPyObject)]
pub enum Table {
    /// Its name, its columns and its rows, all texts.
    Held(String, Vec<String>, Vec<Vec<String>>),
    /// A made-up town of so many people.
    #[pyo3(transparent)]
    Town(usize),
    /// A CSV file with a header.
    #[pyo3(transparent)]
    File(PathBuf),
}

impl Table {
    /// The table, read.
    pub fn read(self) -> Result<NamedRecords, AttackError> {
        match self {
            Self::Held(name, columns, rows) => {
                let records = Records::new(columns, rows).map_err(|error| error.about(&name))?;
                Ok(NamedRecords { name, records })
            }
            Self::Town(people) => Ok(named_town(people)),
            Self::File(path) => NamedRecords::open(&path),
        }
    }

    /// The made-up town, where nobody says which table.
    pub fn or_town(table: Option<Self>) -> Self {
        table.unwrap_or(Self::Town(TOWN_PEOPLE))
    }
}

/// Conditions from columns and their values.
pub fn conditions(given: &[(String, String)]) -> Vec<Condition> {
    given.iter().map(|(column, value)| Condition::new(column, value)).collect()
}
