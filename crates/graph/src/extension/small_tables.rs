//! All tables of at most a few rows, each a whole number; neighbours are a table and the same table without one of its
//! rows. The order of rows does not matter.
//!
//! Distances among them are those among all tables, as for graphs: rows go before rows come.

use std::collections::BTreeMap;

use super::DataSets;

/// The tables, and which of them are neighbours.
pub(super) struct SmallTables {
    /// The values of every table, in rising order.
    pub tables: Vec<Vec<u32>>,
    pub data_sets: DataSets,
}

impl SmallTables {
    /// Every table of at most so many rows whose values are from 0 to the largest.
    pub fn all(rows: usize, largest: u32) -> Self {
        let mut tables: Vec<Vec<u32>> = vec![Vec::new()];
        let mut begin = 0;
        for _ in 0..rows {
            let end = tables.len();
            for place in begin..end {
                let table = tables[place].clone();
                let from = table.last().copied().unwrap_or_default();
                tables.extend((from..=largest).map(|value| [&table[..], &[value]].concat()));
            }
            begin = end;
        }
        let places: BTreeMap<&[u32], usize> =
            tables.iter().enumerate().map(|(place, table)| (table.as_slice(), place)).collect();
        let mut neighbours = Vec::new();
        for (place, table) in tables.iter().enumerate() {
            for row in 0..table.len() {
                // Of equal rows one stands for all.
                if row == 0 || table[row] != table[row - 1] {
                    let rest = [&table[..row], &table[row + 1..]].concat();
                    neighbours.push((place, places[rest.as_slice()]));
                }
            }
        }
        Self { data_sets: DataSets::new(tables.len(), neighbours), tables }
    }
}
