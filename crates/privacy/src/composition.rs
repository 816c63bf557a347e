//! How losses add up when several releases are made from the same data.
//!
//! **The experiment.** An adversary plays `k` rounds. In round `i` it names two neighbouring data sets
//! `x⁰ᵢ`, `x¹ᵢ` and a mechanism, and receives its output on `xᵇᵢ`, the same secret bit `b` in every round.
//! It may choose data sets and mechanisms in the light of everything it saw. Its views `V⁰` and `V¹`, its
//! own coins included, must be close; a composition theorem says how close. The experiment is played out
//! exactly in this module's tests.
//!
//! | function | theorem | releases |
//! |---|---|---|
//! | [`basic_upper`] | sums | any, and the losses may be adaptive too |
//! | [`advanced_upper`] | Dwork, Rothblum, Vadhan | equal (ε, δ) |
//! | [`advanced_mixed_upper`] | Kairouz, Oh, Viswanath | any (ε, δ) |
//! | [`OptimalComposition`] | Kairouz, Oh, Viswanath; Murtagh, Vadhan | any (ε, δ); nothing smaller is true |
//! | [`parallel`] | McSherry | about disjoint parts of the data |
//!
//! Losses chosen in the light of earlier answers need a [`crate::filter`]: apart from the basic one, these
//! theorems fix the list of losses before the first answer. ρ and Rényi curves add up by themselves
//! ([`crate::Rho::plus`], [`crate::conversion::RenyiCurve::then`]); groups of units are the business of
//! [`crate::Loss::group`].
//!
//! **Post-processing.** Whatever is computed from released answers, without another look at the data, costs
//! nothing: if `P(E) ≤ e^ε·Q(E) + δ` for every event `E`, the same holds for the events `f⁻¹(E)`. There is
//! no function for it because there is nothing to compute.

mod advanced;
mod basic;
mod batch;
pub(crate) mod binomial;
mod enumeration;
mod loss_grid;
mod optimal;
mod parallel;
mod repetition;

pub use advanced::{
    MixedBounds, advanced_epsilon_upper, advanced_mixed_upper, advanced_upper, mixed_bounds_upper,
};
pub use basic::basic_upper;
pub use batch::Batch;
pub use optimal::OptimalComposition;
pub use parallel::parallel;

#[cfg(test)]
mod experiment;
