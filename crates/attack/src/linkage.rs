//! Linkage: rows without names, joined with a public list that has them.
//!
//! Columns such as birthday, sex and postcode are no names, and together they are one for most people:
//! Sweeney (1997) found a governor's hospital record with the voters' list.
//!
//! | file | its idea |
//! | --- | --- |
//! | [`link`](mod@link) | rows that get a name from a public list |
//! | [`unique`] | who is alone on which columns |
//! | [`from_counts`] | the same people, guessed from counts with noise |
//! | [`guesses`] | how guesses from rows, from counts and from nothing compare |
//! | [`release_price`] | what one release of counts costs |
//! | [`examples`] | made-up tables to try it all on |

pub mod examples;
pub mod from_counts;
pub mod guesses;
pub mod link;
pub mod release_price;
pub mod unique;

use std::collections::HashMap;

use crate::records::Records;

pub use guesses::Guesses;
pub use link::{Identified, Linked, link};
pub use release_price::ReleasePrice;
pub use unique::{Uniqueness, uniqueness};

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
