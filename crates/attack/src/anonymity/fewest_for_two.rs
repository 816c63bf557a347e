//! The fewest stars that make a table 2-anonymous, in polynomial time.
//!
//! **Claim.** [`fewest_stars_for_two`] finds what `fewest_stars` finds for k = 2, for tables of hundreds of
//! rows.
//! **Proof.** Classes of two and three rows suffice (`suppression.rs`: a class of four or more splits). A
//! class costs its size times the columns in which it is not constant: 2·d(u, v) for a pair, d counting the
//! columns in which u and v differ, and 3·d(u, v, w) for a triple. *The simplex condition*, 2·cost(u, v, w) ≥
//! cost(u, v) + cost(v, w) + cost(u, w), holds column by column: a column in which the triple is constant
//! costs nothing on either side; otherwise the left side is 6, and the right side 4 where two of the three
//! agree and 6 where all differ. So the cheapest partition is a simplex matching, which
//! `pairs_and_triples.rs` finds.
//! **Copies.** Of a row that occurs five times or more, two copies may be taken off as a pair, again and
//! again. For let copies x be in classes of the cheapest partition, none of which is {x, x}. Two classes that
//! hold copies can be made into others that cost no more and hold {x, x}: {x, a}, {x, b} into {x, x}, {a, b}
//! (distances obey the triangle inequality); {x, a, b}, {x, c, d} into {x, x}, {a, b}, {c, d}; {x, x, a}, {x,
//! x, b} into two pairs {x, x} and {a, b}; {x, x, a}, {x, b, c} into {x, x}, {x, a}, {b, c}; {x, x, x} and
//! any triple that holds x into {x, x} twice and the rest, which is a pair or, with {x, x, a}, {x, a}. What
//! is left are {x, x, x}, {x, a} and smaller: at most four copies.
//! **Source.** Blocki and Williams (2010), *Resolving the complexity of some data privacy problems*, for
//! 2-anonymity as a simplex matching; the argument about copies is ours.

use std::collections::HashMap;

use super::pairs_and_triples::{Costs, cheapest};
use super::suppression::{Suppressed, check, class_stars};
use crate::AttackError;
use crate::records::Records;

/// Copies of a row beyond this are paired with each other.
const COPIES_MAX: usize = 4;
/// More rows than this, copies taken off, take too long: a minute or more.
pub const ROWS_MAX: usize = 2000;

/// The partition into classes of at least two with the fewest stars over these columns.
pub fn fewest_stars_for_two(records: &Records, columns: &[usize]) -> Result<Suppressed, AttackError> {
    check(records.rows().len(), 2)?;
    let (mut classes, kept) = paired_copies(records, columns);
    if kept.len() > ROWS_MAX {
        return Err(AttackError::new(
            format!("{} rows are too many to match in reasonable time", kept.len()),
            format!("use Mondrian beyond {ROWS_MAX} rows (copies of a row beyond four do not count)"),
        ));
    }
    let found = cheapest(&Stars::new(records, columns, &kept));
    classes.extend(found.iter().map(|class| class.iter().map(|place| kept[*place]).collect::<Vec<_>>()));
    classes.sort_unstable();
    let stars = classes.iter().map(|class| class_stars(records, columns, class)).sum();
    Ok(Suppressed { stars, classes })
}

/// How many rows have to be matched once copies beyond four are paired with each other.
pub fn rows_to_match(records: &Records, columns: &[usize]) -> usize {
    paired_copies(records, columns).1.len()
}

/// Copies that are paired with each other, and the rows that are left: at most four copies of each, and at
/// least two rows.
fn paired_copies(records: &Records, columns: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut copies: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    for (index, row) in records.rows().iter().enumerate() {
        let key = columns.iter().map(|column| row[*column].as_str()).collect();
        copies.entry(key).or_default().push(index);
    }
    let (mut pairs, mut kept) = (Vec::new(), Vec::new());
    for mut rows in copies.into_values() {
        while rows.len() > COPIES_MAX {
            pairs.push(rows.split_off(rows.len() - 2));
        }
        kept.append(&mut rows);
    }
    kept.sort_unstable();
    (pairs, kept)
}

/// What pairs and triples of rows cost in stars.
struct Stars {
    rows: usize,
    columns: i32,
    words: usize,
    /// For every two rows, the columns in which they agree, as bits.
    agree: Vec<u64>,
}

impl Stars {
    fn new(records: &Records, columns: &[usize], kept: &[usize]) -> Self {
        let (rows, words) = (kept.len(), columns.len().div_ceil(64).max(1));
        let mut agree = vec![0; rows * rows * words];
        for (place, column) in columns.iter().enumerate() {
            let mut codes: HashMap<&str, usize> = HashMap::new();
            let mut code = |row: &usize| {
                let next = codes.len();
                *codes.entry(records.rows()[*row][*column].as_str()).or_insert(next)
            };
            let coded: Vec<usize> = kept.iter().map(&mut code).collect();
            for left in 0..rows {
                for right in 0..rows {
                    let same = u64::from(coded[left] == coded[right]);
                    agree[(left * rows + right) * words + place / 64] |= same << (place % 64);
                }
            }
        }
        Self { rows, columns: columns.len() as i32, words, agree }
    }

    fn agreement(&self, left: usize, right: usize) -> &[u64] {
        let start = (left * self.rows + right) * self.words;
        &self.agree[start..start + self.words]
    }
}

impl Costs for Stars {
    fn rows(&self) -> usize {
        self.rows
    }

    fn pair(&self, left: usize, right: usize) -> i32 {
        let same: u32 = self.agreement(left, right).iter().map(|word| word.count_ones()).sum();
        2 * (self.columns - same as i32)
    }

    fn triple(&self, [first, second, third]: [usize; 3]) -> i32 {
        let words = self.agreement(first, second).iter().zip(self.agreement(first, third));
        let same: u32 = words.map(|(one, other)| (one & other).count_ones()).sum();
        3 * (self.columns - same as i32)
    }
}

#[cfg(test)]
mod tests;
