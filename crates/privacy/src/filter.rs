//! Budgets for questions that depend on earlier answers: filters and odometers.
//!
//! **Setting.** Releases are made one after the other. The next mechanism *and its loss* may be chosen in
//! the light of all answers so far; given those, it satisfies the stated bound. A *filter* decides before
//! each release, from the losses alone, whether the budget fixed in advance still holds with that release
//! included; whatever it admits is within the budget. An *odometer* has no budget and says at any time how
//! much was lost. A refused charge changes nothing, and a smaller one may still be admitted.
//!
//! | filter | charges | promise |
//! |---|---|---|
//! | [`BasicFilter`] | (ε, δ), added up | (ε, δ) |
//! | [`AdvancedFilter`] | (ε, δ), squares added up | (ε, δ); better for many small losses |
//! | [`PureFilter`] | pure ε, whichever of the two still holds | (ε, δ) |
//! | [`BudgetFilter`] | a [`Price`](crate::Price): (ρ, δ) or (ε, δ) in whole units of 10⁻²⁴ | approximate zCDP, or (ε, δ); what the ledger enforces |
//! | [`RenyiFilter`] | Rényi divergence at one order | that divergence |
//! | [`GaussianFilter`] | μ-GDP, squares added up | μ-GDP |
//!
//! | odometer | bound after losses with `V = Σε²` |
//! |---|---|
//! | [`MixtureOdometer`] | good at all times |
//! | [`LineOdometer`] | best when the total is near a chosen ε |
//!
//! **Why there is no filter for the tight accountants.** Optimal composition and privacy-loss distributions
//! give the exact loss of a list of losses fixed in advance. Recomputing them from the losses realised so
//! far, and going on while the result fits, is not a filter: after an answer that favours it, an adversary
//! picks the continuation that gains most from there, after any other answer another one, and each of the
//! two lists fits while their mixture does not. The tests of [`crate::composition`] play such an adversary
//! exactly: with a first loss of ln 1.25 and a budget of (ln 4, 1/6) it reaches δ = 0.216
//! (`a_tight_accountant_used_as_a_filter_is_refuted`). In general only families of mechanisms that are
//! totally ordered under composition allow it (Regehr et al. 2026, arXiv:2602.15815). The filters here are
//! proven for adaptive losses. For the same reason [`RenyiFilter`] has one order, fixed in advance: a rule
//! over several orders would need a proof of its own.
//!
//! **Interleaving.** Filters for (ε, δ), for f-DP and for Rényi divergence of one order also hold for
//! interactive mechanisms that are open at the same time (Haney et al. 2023, arXiv:2309.05901). For
//! approximate zCDP that is not shown: account an interactive mechanism in full when it opens, and make
//! other releases wait.

mod account;
mod advanced;
mod basic;
mod budget;
mod compare;
mod gaussian;
mod odometer;
mod pure;
mod refusal;
mod renyi;

pub use advanced::AdvancedFilter;
pub use basic::BasicFilter;
pub use budget::BudgetFilter;
pub use compare::{FilterCount, FilterKind, QuestionLoss, filter_within_rho, filters_within};
pub use gaussian::GaussianFilter;
pub use odometer::{LineOdometer, MixtureOdometer};
pub use pure::PureFilter;
pub use refusal::Refusal;
pub use renyi::RenyiFilter;

/// A budget that holds whatever the charges depend on.
pub trait Filter {
    /// What one release is charged.
    type Cost;
    /// What is left of the budget.
    type Remaining;

    /// Whether the budget holds with this release included.
    fn admits(&self, cost: &Self::Cost) -> bool;

    /// Charges a release, or refuses it and changes nothing.
    fn try_charge(&mut self, cost: &Self::Cost) -> Result<(), Refusal>;

    /// What one more release may cost at most, rounded down.
    fn remaining(&self) -> Self::Remaining;

    /// How many more releases of this cost would be admitted if nothing else were charged; `u64::MAX`
    /// stands for that many or more.
    fn how_many_more(&self, cost: &Self::Cost) -> u64;
}

#[cfg(test)]
mod vectors;
