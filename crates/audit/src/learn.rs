//! Trained models under audit: every trainer of `pointillist-learn` on tables that differ in one person.
//!
//! **Neighbours.** Pairs are those that are hardest for each proof: a person with as many rows as are allowed, each as long
//! as is allowed, alone, against a crowd of the other class, and where nobody else is; rows that are too long, targets that
//! are none. For trainers of n public rows, one row is exchanged.
//! **Seen.** Every released integer, and what an adversary who knows the newcomer's row computes from them first: the score
//! of that row and the length of the model.
//! **Parameters.** Rows of norm up to 2 and two rows a person where nothing else is said, so that R, R² and k all tell; two
//! features and a few steps, so that a fit takes microseconds.
//!
//! | file | its idea |
//! | --- | --- |
//! | `worlds.rs` | small tables with and without somebody, and what is seen of a model |
//! | `classifiers.rs` | minimisers of a loss, with noise in the objective or on the output |
//! | `sums.rs` | sums that are released once: Gram matrices, least eigenvalues, naive Bayes |
//! | `iterations.rs` | sums that are released again and again: descent, boosting, clusters |
//! | `planted.rs` | trainers that are broken on purpose |

mod classifiers;
mod iterations;
mod planted;
mod sums;
mod worlds;

use pointillist_learn::LearnError;
use pointillist_privacy::{Delta, Epsilon, Rho};

use crate::{AuditError, Subject};

pub(crate) use planted::planted;

/// The δ of trainers that have one: rare, and common enough to be counted.
const DELTA: &str = "0.02";
/// The norm bound of rows: R² and R differ.
const RADIUS: f64 = 2.0;

/// What several subjects are made of, or why they cannot be.
type Subjects = Result<Vec<Box<dyn Subject>>, AuditError>;

/// The price in every currency.
struct Terms {
    epsilon: Epsilon,
    rho: Rho,
    delta: Delta,
}

/// One subject or more for every trainer, at this price. Trainers that are paid in ρ get ε²/2, those with a δ get 0.02. All
/// names begin with `learn`.
///
/// # Errors
/// When a trainer refuses the price.
pub fn learn(epsilon: &Epsilon) -> Result<Vec<Box<dyn Subject>>, AuditError> {
    let terms =
        Terms { epsilon: epsilon.clone(), rho: Rho::from_pure(epsilon)?, delta: Delta::parse(DELTA)? };
    let mut all = classifiers::subjects(&terms)?;
    all.extend(sums::subjects(&terms)?);
    all.extend(iterations::subjects(&terms)?);
    Ok(all)
}

/// The trainer's own words; rows and sizes are constants here, so that only the price can be at fault.
impl From<LearnError> for AuditError {
    fn from(error: LearnError) -> Self {
        Self::new(error.to_string(), "audit at another price, such as 1")
    }
}

#[cfg(test)]
mod tests;
