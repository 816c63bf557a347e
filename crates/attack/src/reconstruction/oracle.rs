//! Who answers the questions: whatever can count the ones in a subset, or refuse to.

use std::fmt;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{SensitivityL1, SensitivityL2, Spend};

use super::queries::{Subset, packed};
use crate::AttackError;
use crate::deviation::deviation;

/// Somebody who answers "how many of these people have the bit?".
///
/// Everything an adversary learns passes through here, so that the same attack runs on a secret in memory, on
/// published tables and on a curator whose budget ends.
pub trait Oracle {
    /// The count of ones in the subset, with whatever error; `None` is a refusal, after which nothing more is
    /// asked.
    fn answer(&mut self, subset: &Subset<'_>) -> Option<f64>;

    /// The standard deviation of an answer's error, where it is public. Our mechanisms state it; using it is
    /// fair.
    fn error_deviation(&self) -> Option<f64> {
        None
    }
}

/// How a publisher answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// The truth.
    Exact,
    /// The truth and an independent error, uniform between minus and plus this.
    ErrorUpTo(f64),
    /// At this price for all answers together: discrete Laplace noise of scale m/ε for m answers at ε in
    /// total, discrete Gaussian noise of σ² = m/(2ρ) at ρ in total. Neighbours differ in one person's bit,
    /// which moves every answer by at most one: m in L1 and √m in L2.
    Private(Spend),
}

impl fmt::Display for Answers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => out.write_str("exact"),
            Self::ErrorUpTo(error) if *error >= 1e9 => write!(out, "error up to {error:.2e}"),
            Self::ErrorUpTo(error) => write!(out, "error up to {error:.3}"),
            Self::Private(price) => write!(out, "private at {price} in total"),
        }
    }
}

/// A secret in memory and its publisher. Answers as many questions as were provided for and refuses the next.
#[derive(Clone, Debug)]
pub struct SecretOracle {
    secret: Vec<u64>,
    /// The errors of the answers to come, last first. They do not depend on the secret and so are drawn in
    /// advance.
    errors: Vec<f64>,
    deviation: f64,
}

impl SecretOracle {
    /// A publisher of `questions` answers.
    pub fn new(
        secret: &[bool],
        answers: &Answers,
        questions: usize,
        bits: &mut dyn SecureBits,
    ) -> Result<Self, AttackError> {
        super::queries::check_size(secret.len(), questions)?;
        let (errors, deviation) = match answers {
            Answers::Exact => (vec![0.0; questions], 0.0),
            Answers::ErrorUpTo(error) => {
                if !(error.is_finite() && *error >= 0.0) {
                    return Err(AttackError::new(
                        format!("{error} is not a bound on an error"),
                        "write zero or a positive number, such as 2.5",
                    ));
                }
                let errors = (0..questions).map(|_| error * (2.0 * unit(bits) - 1.0)).collect();
                (errors, error / 3f64.sqrt())
            }
            Answers::Private(price) => {
                let questions_total = Rational::from(questions);
                let sensitivity_l1 = SensitivityL1::new(questions_total.clone())?;
                let sensitivity_l2 = SensitivityL2::from_squared(questions_total)?;
                let noise = AdditiveNoise::for_spend(&sensitivity_l1, &sensitivity_l2, price)?;
                let errors = noise.sample_many(questions, bits).into_iter().map(|error| error as f64);
                (errors.collect(), deviation(&noise))
            }
        };
        Ok(Self { secret: packed(secret), errors, deviation })
    }
}

impl Oracle for SecretOracle {
    fn answer(&mut self, subset: &Subset<'_>) -> Option<f64> {
        let error = self.errors.pop()?;
        Some(subset.overlap(&self.secret) as f64 + error)
    }

    fn error_deviation(&self) -> Option<f64> {
        Some(self.deviation)
    }
}

/// A number between zero and one, for errors that promise nothing.
fn unit(bits: &mut dyn SecureBits) -> f64 {
    bits.take(53) as f64 / 2f64.powi(53)
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::seeded;

    use super::*;
    use crate::reconstruction::Queries;

    const SECRET: [bool; 5] = [true, false, true, true, false];

    #[test]
    fn an_exact_oracle_counts_and_then_refuses() {
        let mut bits = seeded(1);
        let queries = Queries::random(5, 30, &mut bits).unwrap();
        let mut oracle = SecretOracle::new(&SECRET, &Answers::Exact, 20, &mut bits).unwrap();
        let answers: Vec<Option<f64>> = queries.subsets().map(|subset| oracle.answer(&subset)).collect();
        for (subset, answer) in queries.subsets().zip(&answers).take(20) {
            assert_eq!(*answer, Some(subset.members().filter(|person| SECRET[*person]).count() as f64));
        }
        assert!(answers[20..].iter().all(Option::is_none));
    }

    #[test]
    fn bounded_errors_are_bounded_and_private_noise_has_the_stated_scale() {
        let mut bits = seeded(2);
        let subset_of = Queries::from_rows(&[vec![true; 5]]).unwrap();
        let everybody = subset_of.subsets().next().unwrap();
        let mut bounded = SecretOracle::new(&SECRET, &Answers::ErrorUpTo(0.5), 1000, &mut bits).unwrap();
        let errors: Vec<f64> = std::iter::from_fn(|| bounded.answer(&everybody)).map(|a| a - 3.0).collect();
        assert!(errors.len() == 1000 && errors.iter().all(|error| error.abs() <= 0.5));
        assert!(errors.iter().any(|error| *error > 0.4) && errors.iter().any(|error| *error < -0.4));
        let epsilon = Spend::Pure(Epsilon::parse("2").unwrap());
        let private = SecretOracle::new(&SECRET, &Answers::Private(epsilon), 100, &mut bits).unwrap();
        assert!((private.error_deviation().unwrap() - 50.0 * 2f64.sqrt()).abs() < 0.01);
        let rho = Spend::Concentrated(Rho::parse("0.5").unwrap());
        let private = SecretOracle::new(&SECRET, &Answers::Private(rho), 100, &mut bits).unwrap();
        assert!((private.error_deviation().unwrap() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn errors_that_are_no_numbers_are_refused() {
        for error in [f64::NAN, f64::INFINITY, -1.0] {
            let refused =
                SecretOracle::new(&SECRET, &Answers::ErrorUpTo(error), 10, &mut seeded(0)).unwrap_err();
            assert!(refused.hint().is_some(), "{refused}");
        }
        assert!(SecretOracle::new(&[], &Answers::Exact, 10, &mut seeded(0)).is_err());
        assert!(SecretOracle::new(&SECRET, &Answers::Exact, 0, &mut seeded(0)).is_err());
    }
}
