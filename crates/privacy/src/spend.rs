//! What the noise of one release is bought with: an exact loss, which can be split.
//!
//! **Exactness.** A [`Spend`] is not rounded: its parts add up to the whole, and what a statement's parts lose together
//! is rounded once, when it becomes a [`Price`](crate::Price).

use std::fmt;

use pointillist_numbers::{Enclosure, Rational, decimal_upper};

use crate::{Epsilon, Loss, ParameterError, Rho};

/// Bits behind the point of a root: losses are at least 2^-64.
const PRECISION: usize = 320;

/// What a release may lose, in the currency that also chooses the noise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Spend {
    /// Pure ε: discrete Laplace noise.
    Pure(Epsilon),
    /// ρ of zCDP: discrete Gaussian noise.
    Concentrated(Rho),
}

impl Spend {
    /// Exact shares in proportion to the weights; they add up to the whole.
    pub fn split(&self, weights: &[u64]) -> Result<Vec<Self>, ParameterError> {
        let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        if weights.contains(&0) || total == 0 {
            return Err(ParameterError::ZeroWeight);
        }
        let share = |weight: u64| Rational::from(weight) / Rational::from(total);
        let part = |weight: &u64| match self {
            Self::Pure(epsilon) => Ok(Self::Pure(Epsilon::new(epsilon.value() * &share(*weight))?)),
            Self::Concentrated(rho) => Ok(Self::Concentrated(Rho::new(rho.value() * &share(*weight))?)),
        };
        weights.iter().map(part).collect()
    }

    /// The largest ε whose bounded range this pays for: ε itself, or √(8ρ) rounded down.
    pub fn bounded_range(&self) -> Result<Epsilon, ParameterError> {
        match self {
            Self::Pure(epsilon) => Ok(epsilon.clone()),
            Self::Concentrated(rho) => {
                let square = rho.value() * &Rational::from(8);
                Epsilon::new(Enclosure::of(&square, PRECISION).sqrt().lower().round_down_to_bits(128))
            }
        }
    }

    /// What it costs in ρ: ρ itself, or ε²/2 ([`Rho::from_pure`]).
    pub fn rho(&self) -> Result<Rho, ParameterError> {
        match self {
            Self::Pure(epsilon) => Rho::from_pure(epsilon),
            Self::Concentrated(rho) => Ok(rho.clone()),
        }
    }

    /// What is lost when all of it is spent on one release.
    pub fn loss(&self) -> Loss {
        match self {
            Self::Pure(epsilon) => Loss::pure(epsilon.clone()),
            Self::Concentrated(rho) => Loss::zcdp(rho.clone()),
        }
    }
}

/// In a few characters, rounded up to six digits.
impl fmt::Display for Spend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure(epsilon) => write!(out, "ε = {}", decimal_upper(epsilon.value(), 6)),
            Self::Concentrated(rho) => write!(out, "ρ = {}", decimal_upper(rho.value(), 6)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    #[test]
    fn a_spend_splits_exactly() {
        let spend = Spend::Pure(Epsilon::parse("0.5").unwrap());
        let parts = spend.split(&[1, 2, 4]).unwrap();
        let sum = parts.iter().fold(Rational::zero(), |sum, part| match part {
            Spend::Pure(epsilon) => sum + epsilon.value().clone(),
            Spend::Concentrated(_) => panic!("the currency stays"),
        });
        assert_eq!(sum, Rational::ratio(1, 2));
        assert_eq!(parts[1].to_string(), "ε = 0.142858");
        for weights in [vec![], vec![1, 0]] {
            assert!(spend.split(&weights).unwrap_err().explanation().text().contains("hint:"));
        }
    }

    #[test]
    fn the_bounded_range_of_a_rho_never_costs_more() {
        for text in ["1e-15", "0.001", "0.125", "0.3", "2", "1000"] {
            let rho = Rho::parse(text).unwrap();
            let epsilon = Spend::Concentrated(rho.clone()).bounded_range().unwrap();
            let charged = Rho::from_bounded_range(&epsilon).unwrap();
            assert!(charged <= rho, "{text}");
            assert!(*charged.value() >= rho.value() * &Rational::parse("0.999999999").unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_spent_is_what_is_lost() {
        let pure = Spend::Pure(Epsilon::parse("0.5").unwrap());
        assert_eq!(pure.rho().unwrap(), Rho::parse("0.125").unwrap());
        let rho = Rho::parse("1/3").unwrap();
        let concentrated = Spend::Concentrated(rho.clone());
        assert_eq!((concentrated.rho().unwrap(), concentrated.loss()), (rho.clone(), Loss::zcdp(rho)));
        for spend in [pure, concentrated] {
            assert_eq!(spend.loss().rho(), spend.rho().ok());
        }
    }
}
