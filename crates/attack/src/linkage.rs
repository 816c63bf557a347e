//! Linkage: rows without names, joined with a public list that has them.
//!
//! Columns such as birthday, sex and postcode are no names, and together they are one for most people:
//! Sweeney (1997) found a governor's hospital record with the voters' list. [`uniqueness`] counts who is
//! alone on which columns; [`link`] joins; [`from_counts`] tries the same on counts with noise; [`examples`]
//! are tables to try it all on.

pub mod examples;
pub mod from_counts;

use std::collections::HashMap;

use crate::AttackError;
use crate::records::Records;

/// More columns than this have too many subsets.
const COLUMNS_MAX: usize = 12;

/// How many rows are alone on some columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniqueness {
    /// The columns.
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

/// What a join with a public list gives away.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// Rows of the table without names.
    pub rows: usize,
    /// Rows that match exactly one person, who matches exactly one row.
    pub identified: Vec<Identified>,
    /// Rows that match several people.
    pub ambiguous: usize,
    /// Rows that match nobody.
    pub unmatched: usize,
}

/// A row that has a name now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identified {
    /// The row of the table without names, from zero.
    pub row: usize,
    /// The row of the public list, from zero.
    pub person: usize,
}

/// Joins a table without names with a public list on columns of the same names.
pub fn link(secret: &Records, public: &Records, on: &[&str]) -> Result<Linked, AttackError> {
    if on.is_empty() {
        return Err(AttackError::new("no column to join on", "name the columns that both tables have"));
    }
    let ours = on.iter().map(|name| secret.column(name)).collect::<Result<Vec<_>, _>>()?;
    let theirs = on.iter().map(|name| public.column(name)).collect::<Result<Vec<_>, _>>()?;
    let people = index(public, &theirs);
    let rows = index(secret, &ours);
    let mut found = Linked { rows: secret.rows().len(), identified: Vec::new(), ambiguous: 0, unmatched: 0 };
    for (row, key) in keys(secret, &ours).enumerate() {
        match (people.get(&key).map(Vec::as_slice), rows[&key].len()) {
            (None, _) => found.unmatched += 1,
            (Some([person]), 1) => found.identified.push(Identified { row, person: *person }),
            (Some(_), _) => found.ambiguous += 1,
        }
    }
    Ok(found)
}

fn keys<'r>(records: &'r Records, columns: &'r [usize]) -> impl Iterator<Item = Vec<&'r str>> {
    records.rows().iter().map(move |row| columns.iter().map(|column| row[*column].trim()).collect())
}

fn index<'r>(records: &'r Records, columns: &'r [usize]) -> HashMap<Vec<&'r str>, Vec<usize>> {
    let mut index: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    for (row, key) in keys(records, columns).enumerate() {
        index.entry(key).or_default().push(row);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::examples::hospital_and_voters;
    use super::*;

    #[test]
    fn the_governor_is_found_in_the_hospital() {
        let (hospital, voters) = hospital_and_voters();
        let found = link(&hospital, &voters, &["born", "sex", "zip"]).unwrap();
        assert_eq!(found.identified.len(), 3);
        assert_eq!((found.ambiguous, found.unmatched, found.rows), (2, 1, 6));
        let governor = &found.identified[0];
        assert_eq!(voters.rows()[governor.person][0], "William W.");
        assert_eq!(hospital.rows()[governor.row][3], "collapse");
    }

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
    fn columns_that_are_missing_are_named() {
        let (hospital, voters) = hospital_and_voters();
        assert!(link(&hospital, &voters, &["height"]).unwrap_err().to_string().contains("`height`"));
        assert!(link(&hospital, &voters, &[]).is_err());
        assert!(uniqueness(&hospital, &[]).is_err());
    }
}
