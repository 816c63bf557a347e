//! Several releases with the same loss.

use pointillist_numbers::Rational;

use crate::{Delta, Epsilon, ParameterError};

/// The most releases that one total may cover.
const COUNT_MAX: u64 = 10_000_000_000;

/// `count` releases, each (ε, δ)-differentially private on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    epsilon: Epsilon,
    delta: Delta,
    count: u64,
}

impl Batch {
    /// From 1 to 10¹⁰ releases with the same loss.
    pub fn new(epsilon: Epsilon, delta: Delta, count: u64) -> Result<Self, ParameterError> {
        if count == 0 {
            return Err(ParameterError::NothingToCompose);
        }
        if count > COUNT_MAX {
            return Err(ParameterError::TooLarge {
                parameter: "number of releases",
                given: count.to_string(),
                limit: format!("at most {COUNT_MAX}"),
                example: "1000",
            });
        }
        Ok(Self { epsilon, delta, count })
    }

    /// One release.
    pub fn once(epsilon: Epsilon, delta: Delta) -> Self {
        Self { epsilon, delta, count: 1 }
    }

    /// The ε of each.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// The δ of each.
    pub fn delta(&self) -> &Delta {
        &self.delta
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// `count·ε`, exactly.
    pub(crate) fn epsilon_total(&self) -> Rational {
        self.epsilon.value() * &Rational::from(self.count)
    }
}

/// Refuses an empty list.
pub(crate) fn some(batches: &[Batch]) -> Result<&[Batch], ParameterError> {
    if batches.is_empty() {
        return Err(ParameterError::NothingToCompose);
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    #[test]
    fn counts_outside_the_range_are_refused_with_a_hint() {
        let batch = |count| Batch::new(Epsilon::parse("1").unwrap(), Delta::zero(), count);
        assert!(batch(1).is_ok() && batch(COUNT_MAX).is_ok());
        for count in [0, COUNT_MAX + 1, u64::MAX] {
            let message = batch(count).unwrap_err().explanation().text();
            assert!(message.contains("\nhint: "), "{message}");
        }
    }
}
