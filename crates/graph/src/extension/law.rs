//! The law of a mechanism at one data set: exact probabilities of finitely many outcomes.

use pointillist_numbers::Rational;

use super::ExtensionError;

/// Probabilities that are not negative and add up to one, exactly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Law(Vec<Rational>);

impl Law {
    /// These probabilities; refused unless they are a law.
    pub fn new(probabilities: Vec<Rational>) -> Result<Self, ExtensionError> {
        let is_law = total(probabilities.iter().cloned()) == Rational::one()
            && !probabilities.iter().any(Rational::is_negative);
        if is_law { Ok(Self(probabilities)) } else { Err(ExtensionError::NotALaw) }
    }

    /// Probabilities in proportion to these weights.
    pub fn from_weights(weights: Vec<Rational>) -> Result<Self, ExtensionError> {
        let total = total(weights.iter().cloned());
        if total.is_zero() {
            return Err(ExtensionError::NotALaw);
        }
        Self::new(weights.iter().map(|weight| weight / &total).collect())
    }

    /// A whole number with noise that is `factor` times less likely with every unit, all of it between 0 and `largest`: what
    /// lies beyond an end counts at that end. Two numbers that differ by t have laws that differ by `factor^t` at most.
    pub fn of_count(count: usize, largest: usize, factor: &Rational) -> Result<Self, ExtensionError> {
        let weight = |outcome: usize| {
            // All that lies beyond an end adds up to factor/(factor − 1) times the end itself.
            let is_end = outcome == 0 || outcome == largest;
            let beyond = if is_end { factor.clone() } else { factor - &Rational::one() };
            beyond / power(factor, outcome.abs_diff(count))
        };
        Self::from_weights(if largest == 0 {
            vec![Rational::one()]
        } else {
            (0..=largest).map(weight).collect()
        })
    }

    /// How likely every outcome is.
    pub fn probabilities(&self) -> &[Rational] {
        &self.0
    }

    /// How many outcomes there are.
    pub fn outcomes(&self) -> usize {
        self.0.len()
    }
}

/// A number as often times itself.
pub(super) fn power(number: &Rational, exponent: usize) -> Rational {
    (0..exponent).fold(Rational::one(), |product, _| &product * number)
}

/// What numbers add up to.
pub(super) fn total(parts: impl IntoIterator<Item = Rational>) -> Rational {
    parts.into_iter().fold(Rational::zero(), |sum, part| sum + part)
}
