//! Global sensitivity: how far one person can move an answer, in closed form and by trying everything.
//!
//! **Guarantee.** Each closed form is the largest distance, in its norm, between the answers on any two
//! neighbours, when each person contributes what the function says. [`brute_force`] is the largest distance
//! among small data sets: equal to the global one for answers that are decided by a few rows, and a lower
//! bound for all.
//! **Neighbours.** Given to every function.
//! **Source.** Dwork, Roth (2014), Definition 3.1, and for each function the argument at its side; tests
//! compare each with all data sets of up to four rows over up to six values.
//! **Not covered.** Persons with more rows than stated: bound contributions first. Values outside the bounds:
//! clamp first, and treat NaN and nothing as a value inside the bounds. Sums in floats, which move by more:
//! use integers.
//!
//! | answer | add/remove L1 | replace-one L1 |
//! | --- | --- | --- |
//! | how many rows satisfy a condition | 1 | 1 |
//! | sum of integers in [L, U] | max(\|L\|, \|U\|) | U − L |
//! | mean of n values in [L, U], n public | n is not public | (U − L)/n |
//! | histogram, each person in at most g cells | g | 2g |
//! | k counting queries | k | k |

use pointillist_numbers::Rational;
use pointillist_privacy::{Neighbours, SensitivityL1, SensitivityL2, SensitivityLInf};

use crate::MechanismError;

/// Trying everything stops being quick beyond this many data sets.
const DATASETS_MAX: usize = 1_000_000;

/// The sensitivity of one answer or one vector of answers, in the three norms that mechanisms ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalSensitivity {
    /// In the sum of absolute differences: for the geometric and Laplace mechanisms.
    pub l1: SensitivityL1,
    /// In Euclidean norm: for the Gaussian mechanisms.
    pub l2: SensitivityL2,
    /// In the largest coordinate: for selection.
    pub l_inf: SensitivityLInf,
}

impl GlobalSensitivity {
    /// Of a vector of which at most `coordinates` coordinates move, by at most `each`.
    fn of_coordinates(each: Rational, coordinates: u64) -> Result<Self, MechanismError> {
        let l_inf = SensitivityLInf::new(each)?;
        let l1 = SensitivityL1::from_linf(&l_inf, coordinates)?;
        let l2 = SensitivityL2::from_linf(&l_inf, coordinates)?;
        Ok(Self { l1, l2, l_inf })
    }
}

/// How many rows satisfy a condition, one row a person: a row enters, leaves or changes its mind, always by
/// one.
pub fn count(neighbours: Neighbours) -> Result<GlobalSensitivity, MechanismError> {
    counting_queries(1, neighbours)
}

/// The sum of integers clamped to [lower, upper], one a person. A row that comes or goes brings at most its
/// own magnitude; a row that is replaced moves from one bound to the other at most.
pub fn bounded_sum(
    lower: i64,
    upper: i64,
    neighbours: Neighbours,
) -> Result<GlobalSensitivity, MechanismError> {
    in_order(&Rational::from(lower), &Rational::from(upper))?;
    let each = match neighbours {
        Neighbours::AddRemove => Rational::from(lower.unsigned_abs().max(upper.unsigned_abs())),
        Neighbours::ReplaceOne => Rational::from(i128::from(upper) - i128::from(lower)),
    };
    GlobalSensitivity::of_coordinates(each, 1)
}

/// The mean of `n` values clamped to [lower, upper], one a person, for a public n: the sum's `U − L`,
/// divided. When rows may come or go n is private and there is no such mean: release a sum and a count.
pub fn bounded_mean(
    lower: &Rational,
    upper: &Rational,
    n: u64,
    neighbours: Neighbours,
) -> Result<GlobalSensitivity, MechanismError> {
    in_order(lower, upper)?;
    let Some(share) = Rational::from(n).reciprocal() else {
        return Err(MechanismError::invalid(
            "a mean of no values",
            "give the public number of values, at least one",
        ));
    };
    if neighbours == Neighbours::AddRemove {
        return Err(MechanismError::invalid(
            "the number of rows is private when rows may be added or removed",
            "release a sum and a count, or declare the number public and use replace one",
        ));
    }
    GlobalSensitivity::of_coordinates((upper - lower) * share, 1)
}

/// A histogram to which each person adds one in at most `cells_per_unit_max` cells. A replacement empties up
/// to that many cells by one and fills up to as many others.
pub fn histogram(
    cells_per_unit_max: u64,
    neighbours: Neighbours,
) -> Result<GlobalSensitivity, MechanismError> {
    let moved = match neighbours {
        Neighbours::AddRemove => Some(cells_per_unit_max),
        Neighbours::ReplaceOne => cells_per_unit_max.checked_mul(2),
    };
    let Some(moved) = moved else {
        return Err(MechanismError::invalid(
            format!("{cells_per_unit_max} cells a person are too many"),
            "bound in how many cells a person may be",
        ));
    };
    GlobalSensitivity::of_coordinates(Rational::one(), moved)
}

/// A vector of counts, one row a person, each of which a person may be in or not: a person moves every one of
/// them by one at most, whether entering, leaving or changing.
pub fn counting_queries(queries: u64, _neighbours: Neighbours) -> Result<GlobalSensitivity, MechanismError> {
    GlobalSensitivity::of_coordinates(Rational::one(), queries)
}

/// The largest distance between the answers on neighbours, among all data sets of at most `rows_max` rows
/// over the alphabet, in every order. A query that never moves is refused like any sensitivity of zero.
pub fn brute_force<T: Clone>(
    alphabet: &[T],
    rows_max: u32,
    neighbours: Neighbours,
    query: impl Fn(&[T]) -> Vec<Rational>,
) -> Result<GlobalSensitivity, MechanismError> {
    let datasets = alphabet.len().checked_pow(rows_max).filter(|number| *number <= DATASETS_MAX);
    if datasets.is_none() || alphabet.is_empty() {
        return Err(MechanismError::invalid(
            format!("{} values in {rows_max} rows cannot all be tried", alphabet.len()),
            "give between one and a million data sets, such as six values in four rows",
        ));
    }
    let mut largest = [Rational::zero(), Rational::zero(), Rational::zero()];
    let mut longest: Vec<Vec<T>> = vec![Vec::new()];
    for _ in 0..rows_max {
        longest = longest.iter().flat_map(|rows| alphabet.iter().map(|row| appended(rows, row))).collect();
        for rows in &longest {
            let answer = query(rows);
            for position in 0..rows.len() {
                for other in changed(rows, position, alphabet, neighbours) {
                    raise(&mut largest, &distances(&answer, &query(&other))?);
                }
            }
        }
    }
    let [l1, l2_squared, l_inf] = largest;
    Ok(GlobalSensitivity {
        l1: SensitivityL1::new(l1)?,
        l2: SensitivityL2::from_squared(l2_squared)?,
        l_inf: SensitivityLInf::new(l_inf)?,
    })
}

fn in_order(lower: &Rational, upper: &Rational) -> Result<(), MechanismError> {
    if lower > upper {
        return Err(MechanismError::BoundsReversed { lower: lower.to_string(), upper: upper.to_string() });
    }
    Ok(())
}

fn appended<T: Clone>(rows: &[T], row: &T) -> Vec<T> {
    [rows, std::slice::from_ref(row)].concat()
}

/// The neighbours that differ at one position. Removals are enough: each addition is a removal seen from its
/// neighbour.
fn changed<T: Clone>(rows: &[T], position: usize, alphabet: &[T], neighbours: Neighbours) -> Vec<Vec<T>> {
    match neighbours {
        Neighbours::AddRemove => vec![[&rows[..position], &rows[position + 1..]].concat()],
        Neighbours::ReplaceOne => {
            let replaced =
                |row: &T| [&rows[..position], std::slice::from_ref(row), &rows[position + 1..]].concat();
            alphabet.iter().map(replaced).collect()
        }
    }
}

/// The L1 distance, the squared L2 distance and the L∞ distance.
fn distances(left: &[Rational], right: &[Rational]) -> Result<[Rational; 3], MechanismError> {
    if left.len() != right.len() {
        return Err(MechanismError::invalid(
            "the number of answers depends on the data",
            "return the same number of answers for every data set",
        ));
    }
    let mut distances = [Rational::zero(), Rational::zero(), Rational::zero()];
    for (a, b) in left.iter().zip(right) {
        let moved = (a - b).abs();
        distances[0] = &distances[0] + &moved;
        distances[1] = &distances[1] + &moved.squared();
        distances[2] = distances[2].clone().max(moved);
    }
    Ok(distances)
}

fn raise(largest: &mut [Rational; 3], candidate: &[Rational; 3]) {
    for (most, new) in largest.iter_mut().zip(candidate) {
        if new > most {
            most.clone_from(new);
        }
    }
}

#[cfg(test)]
mod tests;
