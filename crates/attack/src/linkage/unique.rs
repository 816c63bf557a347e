//! Who is alone on which columns, and which combinations appear in counts with noise.

mod page;

use std::collections::HashMap;

use pointillist_noise::SecureBits;
use pointillist_render::page::Page;
use serde::Serialize;

use super::from_counts::{Surviving, surviving};
use super::release_price::ReleasePrice;
use crate::records::{NamedRecords, Records};
use crate::{AttackError, Comparison};

/// More columns than this have too many subsets.
const COLUMNS_MAX: usize = 12;

/// How many rows are alone on some columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uniqueness {
    /// The columns that an outsider knows.
    pub columns: Vec<String>,
    /// Rows that no other row agrees with on all of them.
    pub unique: usize,
    /// The share of all rows.
    pub share: f64,
}

/// For every subset of the columns, how many rows are unique; most revealing first.
pub fn uniqueness(records: &Records, columns: &[&str]) -> Result<Vec<Uniqueness>, AttackError> {
    let places = columns.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
    if places.is_empty() || places.len() > COLUMNS_MAX {
        return Err(AttackError::new(
            format!("{} columns were given", places.len()),
            format!("name 1 to {COLUMNS_MAX} columns that an outsider may know"),
        ));
    }
    // Texts as numbers, so that rows are compared and hashed quickly.
    let coded: Vec<Vec<u32>> = places
        .iter()
        .map(|place| {
            let mut codes: HashMap<&str, u32> = HashMap::new();
            let code = |row: &'_ Vec<String>| row[*place].as_str().to_owned();
            let texts: Vec<String> = records.rows().iter().map(code).collect();
            let mut coded = Vec::with_capacity(texts.len());
            for text in &texts {
                let next = codes.len() as u32;
                coded.push(*codes.entry(text.as_str()).or_insert(next));
            }
            coded
        })
        .collect();
    let rows = records.rows().len();
    let mut found: Vec<Uniqueness> = (1u32..1 << places.len())
        .map(|subset| {
            let chosen: Vec<usize> = (0..places.len()).filter(|column| subset >> column & 1 == 1).collect();
            let mut counts: HashMap<Vec<u32>, usize> = HashMap::new();
            let key = |row: usize| chosen.iter().map(|column| coded[*column][row]).collect();
            (0..rows).for_each(|row| *counts.entry(key(row)).or_default() += 1);
            let unique = counts.values().filter(|count| **count == 1).count();
            Uniqueness {
                columns: chosen.iter().map(|column| columns[*column].to_owned()).collect(),
                unique,
                share: unique as f64 / rows.max(1) as f64,
            }
        })
        .collect();
    found.sort_by(|a, b| b.unique.cmp(&a.unique).then(a.columns.len().cmp(&b.columns.len())));
    Ok(found)
}

/// A table and what an outsider may know of it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The table, one row a person.
    pub table: NamedRecords,
    /// The columns that an outsider may know.
    pub columns: Vec<String>,
    /// The price of our counts.
    pub price: ReleasePrice,
}

/// How many people are alone, and how many of them appear in our release.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "unique")]
pub struct Outcome {
    /// Rows of the table.
    pub rows: usize,
    /// For every set of columns, most revealing first.
    pub subsets: Vec<Uniqueness>,
    /// The price of our counts.
    #[serde(flatten)]
    pub price: ReleasePrice,
    /// Combinations of all columns together, counted exactly and in a release.
    pub cells: Surviving,
    #[serde(skip)]
    table_name: String,
    #[serde(skip)]
    columns: Vec<String>,
}

/// Counts who is alone, and releases counts of the same combinations.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { table, columns, price } = settings;
    let known: Vec<&str> = columns.iter().map(String::as_str).collect();
    let subsets = uniqueness(&table.records, &known)?;
    let cells = surviving(&table.records, &known, &price.epsilon, &price.delta, bits)?;
    Ok(Outcome { rows: table.records.rows().len(), subsets, price, cells, table_name: table.name, columns })
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        format!(
            "Exact counts of every combination of {} have {} cells, and {} of them ({:.0} % of {} \
             people) are of one person.",
            self.columns.join(", "),
            self.cells.classes,
            self.cells.alone,
            100.0 * self.cells.alone as f64 / self.rows.max(1) as f64,
            self.rows
        )
    }

    fn with(&self) -> String {
        let found = &self.cells;
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
            self.price, found.threshold
        )
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::linkage::examples::{hospital_and_voters, named_town};

    #[test]
    fn few_columns_are_enough() {
        let (hospital, _) = hospital_and_voters();
        let found = uniqueness(&hospital, &["born", "sex", "zip"]).unwrap();
        assert_eq!(found.len(), 7);
        assert_eq!((found[0].columns.as_slice(), found[0].unique), (&["born".to_owned()][..], 4));
        let sex = found.iter().find(|found| found.columns == ["sex"]).unwrap();
        assert_eq!(sex.unique, 0);
    }

    #[test]
    fn no_columns_are_refused() {
        assert!(uniqueness(&hospital_and_voters().0, &[]).is_err());
    }

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let columns = ["born", "sex", "zip"].map(str::to_owned).to_vec();
        let price = ReleasePrice::parse("1", "1e-6").unwrap();
        let outcome = run(Settings { table: named_town(40), columns, price }, &mut seeded(1)).unwrap();
        let found = serde_json::to_value(&outcome).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(names, ["attack", "cells", "delta", "epsilon", "rows", "subsets"]);
        assert_eq!((&found["attack"], &found["rows"]), (&"unique".into(), &40.into()));
        assert_eq!((&found["epsilon"], &found["delta"]), (&"1".into(), &"1e-6".into()));
        let cells: Vec<&String> = found["cells"].as_object().unwrap().keys().collect();
        let expected =
            ["exact", "exact_of_one", "released", "released_of_one", "smallest_released", "threshold"];
        assert_eq!(cells, expected);
        let subset: Vec<&String> = found["subsets"][0].as_object().unwrap().keys().collect();
        assert_eq!(subset, ["columns", "share", "unique"]);
    }
}
