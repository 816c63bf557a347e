//! Words that cannot be wrong: the vocabulary of differential privacy as types.
//!
//! An [`Epsilon`], a [`Delta`], a [`Rho`], a sensitivity or a noise [`Scale`] that exists is valid: it is an
//! exact rational inside a stated range, so nothing downstream needs to check or warn. A [`Loss`] says what
//! one release costs, in every currency proven for it, and knows how losses add up and what they mean for
//! groups of people.
//!
//! **How much.** One vocabulary from a mechanism's parameter to the ledger and the screen:
//!
//! | word | what it says | exact, or rounded |
//! |---|---|---|
//! | [`Epsilon`], [`Delta`], [`Rho`] | one number of a claim | exact |
//! | [`EpsilonDelta`] | an ε and a δ said together: a loss, or how a loss in ρ reads | exact |
//! | [`Guarantee`] | one statement that a mechanism claims of its output distributions | exact |
//! | [`Loss`] | everything that is proven of a release: one guarantee or several | exact; sums up past 256 bits |
//! | [`Spend`] | what the noise of one release is bought with; it splits into parts | exact |
//! | [`Currency`] | what a budget counts: ρ and δ, or ε and δ | |
//! | [`Amount`] | a pair of sums, in whole units of 10⁻²⁴ | whole units |
//! | [`Price`] | what one answer costs: an amount in a currency, never nothing | up, once |
//! | [`Budget`] | what may be lost in all, or is a person's share of it: an amount in a currency | down, once |
//!
//! A planner splits a `Spend` over the parts of an answer, adds up what they lose to a `Loss`, and makes a `Price` of it;
//! a ledger takes the price from a `Budget` by the rule of [`filter::BudgetFilter`].
//!
//! **Exactness.** Values are rationals; 0.1 ten times is 1. Where a result would need more than 256 bits
//! behind the point it is rounded up, towards a larger loss, and the method says so.
//! **Neighbours.** A loss is always a statement about a [`PrivacyUnit`] and a [`Neighbours`] relation; the
//! caller keeps the three together.

#[macro_use]
mod parameter;

pub mod account;
pub mod amplification;
pub mod calculator;
pub mod composition;
pub mod conversion;
pub mod filter;
pub mod pld;

mod amount;
mod budget;
mod currency;
mod delta;
mod epsilon;
mod epsilon_delta;
mod error;
mod failure;
mod group;
mod guarantee;
mod loss;
mod neighbours;
mod price;
mod rho;
mod scale;
mod sensitivity;
mod spend;
mod unit;

pub use amount::Amount;
pub use budget::Budget;
pub use currency::Currency;
pub use delta::Delta;
pub use epsilon::Epsilon;
pub use epsilon_delta::EpsilonDelta;
pub use error::ParameterError;
pub use failure::FailureProbability;
pub use guarantee::Guarantee;
pub use loss::Loss;
pub use neighbours::Neighbours;
pub use price::Price;
pub use rho::Rho;
pub use scale::{Scale, laplace_scale_upper};
pub use sensitivity::{SensitivityL1, SensitivityL2, SensitivityLInf};
pub use spend::Spend;
pub use unit::PrivacyUnit;

#[cfg(test)]
mod hostile;

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
