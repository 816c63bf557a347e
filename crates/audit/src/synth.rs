//! Sanitized tables under audit: every synthesizer of `pointillist-synth` on tables that differ in one person.
//!
//! **Neighbours.** Pairs are those that are hardest for the proofs: a person with as many rows as are allowed, all alike, so that one cell
//! moves by all of them; alone, in a crowd, with values that nobody else has, and with codes beyond the lists.
//! **Seen.** Every released integer, which marginals were chosen, which codes were merged; and what an adversary who knows everybody else's
//! rows computes from them first: the likelihood of the noise with the newcomer against that without.
//! **Parameters.** Three columns of two and three values, and few steps of the model between choices, so that a fit takes microseconds. A
//! model is post-processing, however many steps it takes.
//!
//! | file | its idea |
//! | --- | --- |
//! | `worlds.rs` | small tables with and without somebody |
//! | `evidence.rs` | what an adversary makes of released numbers |
//! | `synthesizers.rs` | every method, and bins that follow from data |
//! | `crowds.rs` | many people with a value of their own, and one run |
//! | `planted.rs` | synthesizers that are broken on purpose |

mod crowds;
mod evidence;
mod planted;
mod synthesizers;
mod worlds;

use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_synth::SynthError;

use crate::{AuditError, Canaries, Subject};

pub(crate) use planted::planted;

/// What several subjects are made of, or why they cannot be.
type Subjects = Result<Vec<Box<dyn Subject>>, AuditError>;

/// One subject or more for every method, at this price; in ρ it is ε²/2. All names begin with `synth`.
///
/// # Errors
/// When a synthesizer refuses the price.
pub fn synth(epsilon: &Epsilon) -> Result<Vec<Box<dyn Subject>>, AuditError> {
    let pure = Spend::Pure(epsilon.clone());
    let concentrated = Spend::Concentrated(Rho::from_pure(epsilon)?);
    synthesizers::subjects(&pure, &concentrated)
}

/// Every method in one run with many canaries, at this price; in ρ it is what is (ε, 1e-9)-private.
///
/// # Errors
/// When a synthesizer refuses the price.
pub fn synth_canaries(epsilon: &Epsilon) -> Result<Vec<Box<dyn Canaries>>, AuditError> {
    crowds::canaries(epsilon)
}

/// The synthesizer's own words; columns and settings are constants here, so that only the price can be at fault.
impl From<SynthError> for AuditError {
    fn from(error: SynthError) -> Self {
        Self::new(error.to_string(), "audit at another price, such as 1")
    }
}

#[cfg(test)]
mod tests;
