//! The fewest stars that make a small table k-anonymous, exactly.
//!
//! **Claim.** Among all tables that come from the given one by replacing cells with stars and in which every
//! row occurs at least k times (a star equals a star and nothing else), [`fewest_stars`] finds one with the
//! fewest stars.
//! **Proof.** Rows that are published alike form a class, and in a column where two of them differ all have a
//! star. So a class of rows S costs |S| times the number of columns in which S is not constant, and what is
//! sought is the cheapest partition into classes of at least k. A class of 2k or more splits into two of at
//! least k whose columns vary no more, so classes of k to 2k − 1 suffice. The cheapest partition of a set is
//! that of its first row's class and the cheapest one of the rest: dynamic programming over sets of rows.
//! **Limits.** NP-hard for k ≥ 3 (Meyerson and Williams 2004), so at most [`ROWS_MAX`] rows. For k = 2 there
//! is a polynomial algorithm: `fewest_for_two.rs`.

use crate::AttackError;
use crate::records::Records;

/// What stands for a cell that is not published.
pub const STAR: &str = "*";
/// More rows than this take too many sets.
pub const ROWS_MAX: usize = 20;

/// A partition of rows into classes, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// Cells that become stars.
    pub stars: usize,
    /// The rows of every class.
    pub classes: Vec<Vec<usize>>,
}

/// The partition with the fewest stars over these columns.
pub fn fewest_stars(records: &Records, columns: &[usize], k: usize) -> Result<Suppressed, AttackError> {
    let rows = records.rows().len();
    check(rows, k)?;
    if rows > ROWS_MAX {
        return Err(AttackError::new(
            format!("the fewest stars of {rows} rows cannot be found: the problem is NP-hard"),
            format!("use at most {ROWS_MAX} rows, or Mondrian for large tables"),
        ));
    }
    let full = (1usize << rows) - 1;
    let mut best: Vec<Option<(usize, usize)>> = vec![None; full + 1];
    best[0] = Some((0, 0));
    for done in 0..full {
        let Some((cost, _)) = best[done] else { continue };
        let first = (!done).trailing_zeros() as usize;
        let left: Vec<usize> = (first + 1..rows).filter(|row| done >> row & 1 == 0).collect();
        let mut class = vec![first];
        extend(&left, &mut class, 2 * k - 1, &mut |class| {
            if class.len() < k {
                return;
            }
            let next = class.iter().fold(done, |set, row| set | 1 << row);
            let total = cost + class_stars(records, columns, class);
            if best[next].is_none_or(|(known, _)| total < known) {
                best[next] = Some((total, done));
            }
        });
    }
    let (stars, _) = best[full].expect("all rows form a class when there are k of them");
    let mut classes = Vec::new();
    let mut set = full;
    while set != 0 {
        let before = best[set].expect("on the way to the best").1;
        classes.push((0..rows).filter(|row| (set & !before) >> row & 1 == 1).collect());
        set = before;
    }
    classes.reverse();
    Ok(Suppressed { stars, classes })
}

/// The table that a partition publishes.
pub fn publish(records: &Records, columns: &[usize], classes: &[Vec<usize>]) -> Records {
    let mut rows = records.rows().to_vec();
    for class in classes {
        for column in columns.iter().filter(|column| varies(records, class, **column)) {
            class.iter().for_each(|row| rows[*row][*column] = STAR.to_owned());
        }
    }
    Records::new(records.columns().to_vec(), rows).expect("as many fields as before")
}

/// The stars of one class.
pub(super) fn class_stars(records: &Records, columns: &[usize], class: &[usize]) -> usize {
    class.len() * columns.iter().filter(|column| varies(records, class, **column)).count()
}

fn varies(records: &Records, class: &[usize], column: usize) -> bool {
    let rows = records.rows();
    class[1..].iter().any(|row| rows[*row][column] != rows[class[0]][column])
}

/// Whether a table of this many rows can be k-anonymous at all.
pub(super) fn check(rows: usize, k: usize) -> Result<(), AttackError> {
    if k == 0 {
        return Err(AttackError::new("k = 0 means nothing", "write k = 2 or more"));
    }
    if rows < k {
        return Err(AttackError::new(
            format!("k = {k} is larger than the table, which has {rows} rows"),
            format!("write k = {} or less", rows.max(1)),
        ));
    }
    Ok(())
}

/// Visits the class and all its extensions by rows of `left`, up to a size.
fn extend(left: &[usize], class: &mut Vec<usize>, size_max: usize, visit: &mut dyn FnMut(&[usize])) {
    visit(class);
    if class.len() == size_max {
        return;
    }
    for (position, row) in left.iter().enumerate() {
        class.push(*row);
        extend(&left[position + 1..], class, size_max, visit);
        class.pop();
    }
}

#[cfg(test)]
mod tests;
