//! Guarantees: one statement that a mechanism claims about its release, and what follows from it.
//!
//! A [`Guarantee`] is a single claim; everything that is proven of a release together is its [`Loss`](crate::Loss).

use std::fmt;

use pointillist_numbers::{Rational, short_decimal_upper};

use crate::{Delta, Epsilon, Rho};

/// The significant digits of a loss that people read; rounded up.
const DIGITS: usize = 6;

/// One statement about the output distributions `P` and `Q` of a release on any two neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Guarantee {
    /// `P(E) ≤ e^ε·Q(E)` for every event.
    Pure {
        /// The loss.
        epsilon: Epsilon,
    },
    /// `P(E) ≤ e^ε·Q(E) + δ` for every event.
    Approximate {
        /// The loss.
        epsilon: Epsilon,
        /// The probability of failure.
        delta: Delta,
    },
    /// The Rényi divergence of every order α > 1 is at most `α·ρ` (Bun and Steinke 2016, arXiv:1605.02065,
    /// Definition 1.1 with ξ = 0).
    ZeroConcentrated {
        /// The loss.
        rho: Rho,
    },
    /// The same once `P` and `Q` are conditioned on events of probability at least `1 − δ` (the same paper,
    /// Definition 8.1).
    ApproximateZeroConcentrated {
        /// The loss.
        rho: Rho,
        /// The probability of failure.
        delta: Delta,
    },
    /// `ln(P(y)/Q(y))` varies by at most η over all outputs `y` (Durfee and Rogers 2019, arXiv:1905.04273).
    /// Since both distributions sum to one, the log-ratio is nowhere above η or below −η: it is also pure ε =
    /// η.
    BoundedRange {
        /// The range.
        eta: Epsilon,
    },
}

impl Guarantee {
    /// The same guarantee without a δ that is zero.
    pub(crate) fn simplified(self) -> Self {
        match self {
            Self::Approximate { epsilon, delta } if delta.is_zero() => Self::Pure { epsilon },
            Self::ApproximateZeroConcentrated { rho, delta } if delta.is_zero() => {
                Self::ZeroConcentrated { rho }
            }
            other => other,
        }
    }

    /// The pure ε that follows, if any.
    pub fn pure_epsilon(&self) -> Option<&Epsilon> {
        match self {
            Self::Pure { epsilon } | Self::BoundedRange { eta: epsilon } => Some(epsilon),
            Self::Approximate { epsilon, delta } if delta.is_zero() => Some(epsilon),
            _ => None,
        }
    }

    /// The ρ that follows, if any: ρ itself, `ε²/2` or `η²/8`. None when the result would pass the range of
    /// [`Rho`].
    pub fn rho(&self) -> Option<Rho> {
        match self {
            Self::ZeroConcentrated { rho } => Some(rho.clone()),
            Self::ApproximateZeroConcentrated { rho, delta } if delta.is_zero() => Some(rho.clone()),
            Self::BoundedRange { eta } => Rho::from_bounded_range(eta).ok(),
            other => Rho::from_pure(other.pure_epsilon()?).ok(),
        }
    }
}

/// The guarantee in a line, numbers rounded up to six significant digits.
impl fmt::Display for Guarantee {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure { epsilon } => write!(out, "ε = {} (pure)", short(epsilon.value())),
            Self::Approximate { epsilon, delta } => {
                write!(out, "(ε = {}, δ = {})", short(epsilon.value()), short(delta.value()))
            }
            Self::ZeroConcentrated { rho } => write!(out, "ρ = {} (zCDP)", short(rho.value())),
            Self::ApproximateZeroConcentrated { rho, delta } => {
                write!(out, "(ρ = {}, δ = {}) (approximate zCDP)", short(rho.value()), short(delta.value()))
            }
            Self::BoundedRange { eta } => write!(out, "η = {} (bounded range, pure)", short(eta.value())),
        }
    }
}

/// A decimal that is short to read: six digits, rounded up.
pub(crate) fn short(value: &Rational) -> String {
    short_decimal_upper(value, DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    #[test]
    fn guarantees_read_like_sentences() {
        let cases = [
            (Guarantee::Pure { epsilon: epsilon("0.5") }, "ε = 0.5 (pure)"),
            (Guarantee::Approximate { epsilon: epsilon("1"), delta: delta("1e-6") }, "(ε = 1, δ = 1e-6)"),
            (Guarantee::ZeroConcentrated { rho: rho("0.125") }, "ρ = 0.125 (zCDP)"),
            (
                Guarantee::ApproximateZeroConcentrated { rho: rho("1/3"), delta: delta("1.5e-9") },
                "(ρ = 0.333334, δ = 1.5e-9) (approximate zCDP)",
            ),
            (Guarantee::BoundedRange { eta: epsilon("2") }, "η = 2 (bounded range, pure)"),
        ];
        for (guarantee, words) in cases {
            assert_eq!(guarantee.to_string(), words);
        }
    }

    #[test]
    fn short_decimals_parse_back_to_no_less() {
        for text in ["0", "0.1", "0.001", "0.0001234567891", "0.00012", "1e-6", "1e-60", "999999.9999", "1/3"]
        {
            let exact = Rational::parse(text).unwrap();
            let shown = Rational::parse(&short(&exact)).unwrap();
            assert!(shown >= exact, "{text}");
            assert!(&shown - &exact <= &exact * &Rational::parse("1e-5").unwrap(), "{text}");
        }
        assert_eq!(short(&Rational::parse("0.0001").unwrap()), "1e-4");
        assert_eq!(short(&Rational::parse("0.00025").unwrap()), "2.5e-4");
    }

    #[test]
    fn consequences_follow_their_theorems() {
        let range = Guarantee::BoundedRange { eta: epsilon("1") };
        assert_eq!(range.pure_epsilon(), Some(&epsilon("1")));
        assert_eq!(range.rho(), Some(rho("0.125")));
        assert_eq!(Guarantee::Pure { epsilon: epsilon("1") }.rho(), Some(rho("0.5")));
        let concentrated = Guarantee::ZeroConcentrated { rho: rho("2") };
        assert_eq!((concentrated.pure_epsilon(), concentrated.rho()), (None, Some(rho("2"))));
        let failing = Guarantee::Approximate { epsilon: epsilon("1"), delta: delta("0.1") };
        assert_eq!((failing.pure_epsilon(), failing.rho()), (None, None));
    }
}
