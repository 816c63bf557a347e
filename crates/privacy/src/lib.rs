//! Words that cannot be wrong: the vocabulary of differential privacy as types.
//!
//! An [`Epsilon`], a [`Delta`], a [`Rho`], a sensitivity or a noise [`Scale`] that exists is valid: it is an
//! exact rational inside a stated range, so nothing downstream needs to check or warn. A [`Loss`] says what
//! one release costs, in every currency proven for it, and knows how losses add up and what they mean for
//! groups of people.
//!
//! **Exactness.** Values are rationals; 0.1 ten times is 1. Where a result would need more than 256 bits
//! behind the point it is rounded up, towards a larger loss, and the method says so.
//! **Neighbours.** A loss is always a statement about a [`PrivacyUnit`] and a [`Neighbours`] relation; the
//! caller keeps the three together.

#[macro_use]
mod parameter;

pub mod account;
pub mod amplification;
pub mod composition;
pub mod conversion;
pub mod filter;
pub mod pld;

mod delta;
mod epsilon;
mod error;
mod failure;
mod group;
mod guarantee;
mod loss;
mod neighbours;
mod rho;
mod scale;
mod sensitivity;
mod unit;

pub use delta::Delta;
pub use epsilon::Epsilon;
pub use error::ParameterError;
pub use failure::FailureProbability;
pub use guarantee::Guarantee;
pub use loss::Loss;
pub use neighbours::Neighbours;
pub use rho::Rho;
pub use scale::{Scale, laplace_scale_upper};
pub use sensitivity::{SensitivityL1, SensitivityL2, SensitivityLInf};
pub use unit::PrivacyUnit;

#[cfg(test)]
mod hostile;
