//! Mondrian: a large table cut at medians again and again, each part published with the ranges it covers.
//!
//! **Claim.** Every row of the result agrees with at least k − 1 others on the given columns.
//! **Method.** LeFevre, DeWitt and Ramakrishnan (2006), strict form: a part is cut in the column whose values spread
//! farthest (as a share of the whole table's spread) at its median, as long as both halves keep k rows; columns whose
//! values are all numbers are cut by size, others in the order of their texts. What is published in place of a value
//! is the range of its part: `30–44`, or `flu|heart` for up to four texts, and a star beyond.

use std::collections::BTreeSet;

use super::suppression::{STAR, check};
use crate::AttackError;
use crate::records::Records;

/// Sets of texts longer than this are published as a star.
const LISTED_MAX: usize = 4;

/// The table with the given columns generalized so that it is k-anonymous.
pub fn mondrian(records: &Records, columns: &[&str], k: usize) -> Result<Records, AttackError> {
    check(records.rows().len(), k)?;
    let columns = columns.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
    let axes: Vec<Axis> = columns.iter().map(|column| Axis::new(records, *column)).collect();
    let mut rows = records.rows().to_vec();
    let mut parts = vec![(0..rows.len()).collect::<Vec<usize>>()];
    while let Some(part) = parts.pop() {
        match cut(&axes, &part, k) {
            Some((low, high)) => parts.extend([low, high]),
            None => {
                for axis in &axes {
                    let range = axis.range(records, &part);
                    part.iter().for_each(|row| rows[*row][axis.column].clone_from(&range));
                }
            }
        }
    }
    Records::new(records.columns().to_vec(), rows)
}

/// A column whose values are ranks: 0 for the least.
struct Axis {
    column: usize,
    ranks: Vec<usize>,
    spread: usize,
    numbers: bool,
}

impl Axis {
    fn new(records: &Records, column: usize) -> Self {
        let texts: BTreeSet<&str> = records.rows().iter().map(|row| row[column].as_str()).collect();
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers = texts.iter().all(|text| number(text).is_some());
        let mut ordered: Vec<&str> = texts.into_iter().collect();
        if numbers {
            ordered.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
        }
        let rank: std::collections::HashMap<&str, usize> =
            ordered.iter().enumerate().map(|(rank, text)| (*text, rank)).collect();
        let ranks = records.rows().iter().map(|row| rank[row[column].as_str()]).collect();
        Self { column, ranks, spread: ordered.len().saturating_sub(1), numbers }
    }

    fn ends(&self, part: &[usize]) -> (usize, usize) {
        let ranks = part.iter().map(|row| self.ranks[*row]);
        ranks.fold((usize::MAX, 0), |(low, high), rank| (low.min(rank), high.max(rank)))
    }

    /// What is published for a part.
    fn range(&self, records: &Records, part: &[usize]) -> String {
        let at = |rank: usize| {
            let row = part.iter().find(|row| self.ranks[**row] == rank);
            row.map_or(STAR, |row| records.rows()[*row][self.column].as_str()).trim()
        };
        let (low, high) = self.ends(part);
        if low == high {
            return at(low).to_owned();
        }
        if self.numbers {
            return format!("{}–{}", at(low), at(high));
        }
        let ranks: BTreeSet<usize> = part.iter().map(|row| self.ranks[*row]).collect();
        if ranks.len() > LISTED_MAX {
            return STAR.to_owned();
        }
        ranks.into_iter().map(at).collect::<Vec<_>>().join("|")
    }
}

/// The two halves of a part, in the column that spreads farthest of those that can be cut.
fn cut(axes: &[Axis], part: &[usize], k: usize) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut order: Vec<(f64, &Axis)> = axes
        .iter()
        .map(|axis| {
            let (low, high) = axis.ends(part);
            ((high - low) as f64 / axis.spread.max(1) as f64, axis)
        })
        .filter(|(spread, _)| *spread > 0.0)
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.iter().find_map(|(_, axis)| {
        let mut ranks: Vec<usize> = part.iter().map(|row| axis.ranks[*row]).collect();
        ranks.sort_unstable();
        let median = ranks[(ranks.len() - 1) / 2];
        // Equal values stay together: the cut is behind the median's value, or before it.
        [median + 1, median].into_iter().find_map(|bound| {
            let (low, high): (Vec<usize>, Vec<usize>) =
                part.iter().partition(|row| axis.ranks[**row] < bound);
            (low.len() >= k && high.len() >= k).then_some((low, high))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymity::measure;
    use crate::records::testing::records;

    #[test]
    fn every_row_hides_among_k() {
        let rows: Vec<String> = (0..500)
            .map(|person| {
                format!("{},{},{},{}", person * 7 % 83, person % 2, 1000 + person * 13 % 97, person % 5)
            })
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let table = records("age,sex,zip,illness", &rows);
        for k in [1, 2, 5, 20, 250, 500] {
            let published = mondrian(&table, &["age", "sex", "zip"], k).unwrap();
            let found = measure(&published, &["age", "sex", "zip"], Some("illness")).unwrap();
            assert!(found.k >= k, "k = {k}: {found:?}");
            assert!(k >= 250 || found.classes > 500 / (8 * k), "k = {k}: {found:?}");
            assert!(published.rows().iter().zip(table.rows()).all(|(after, before)| after[3] == before[3]));
        }
    }

    #[test]
    fn ranges_cover_their_values() {
        let table = records("age,town", &["30,a", "44,b", "31,a", "60,c", "70,d", "65,c"]);
        let published = mondrian(&table, &["age", "town"], 3).unwrap();
        assert_eq!(published.rows()[0], ["30–44", "a|b"]);
        assert_eq!(published.rows()[4], ["60–70", "c|d"]);
        assert!(mondrian(&table, &["age"], 7).unwrap_err().to_string().contains("larger than the table"));
        assert!(mondrian(&table, &["height"], 2).is_err());
    }
}
