//! Odometers: how much was lost so far, at any time, with no budget set in advance.
//!
//! **Guarantee.** Releases are (εᵢ, δᵢ)-differentially private given the answers before them, all chosen
//! adaptively. With probability at least `1 − δ' − δ''` the privacy loss is at most the reading at *every*
//! time at once, δ' being the slack and δ'' a bound on `Σδᵢ` that the odometer enforces. Hence the releases
//! up to a time chosen in any way, in the light of the answers even, are (reading, δ' + δ'')-differentially
//! private whenever the reading at that time is bounded in advance.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Whitehouse, Ramdas, Rogers, Wu (2023), arXiv:2203.05481.
//! **Proof.** Failures are taken out beforehand: an (ε, δ) release is, but for a part of weight δ, ε-close. Then, given the
//! past, the loss `Lᵢ` lies in `[−εᵢ, εᵢ]`, and its mean `mᵢ = E[Lᵢ | past]`, a Kullback-Leibler divergence, is at most
//! `εᵢ·tanh(εᵢ/2) ≤ εᵢ²/2` (`conversion/pure.rs`). With `V = Σεᵢ²` and `M = Σ(Lᵢ − mᵢ)`, by Hoeffding's lemma
//! `exp(λM − λ²V/2)` is a supermartingale for every real λ: centred at its own mean a loss is as good as its negative.
//! (Centred at `εᵢ²/2` it would be one for λ ≥ 0 alone, and the mixture below, half of which has λ < 0, would not follow.) So
//! is every mixture over λ that does not depend on the past, and with probability `1 − δ'` none ever passes `1/δ'`
//! (Ville's inequality):
//! * *line*, one λ = √(2·ln(1/δ')/y): `M ≤ ½√(2y·ln(1/δ')) + ½√(2·ln(1/δ')/y)·V`, tightest at `V = y`. To
//!   be tightest where the reading is ε, `y = (√(2·ln(1/δ') + 2ε) − √(2·ln(1/δ')))²`.
//! * *mixture*, λ from the normal law of mean zero and variance 1/γ: the mixture is `√(γ/(V + γ))·exp(M²/(2(V + γ)))`, so that
//!   `M ≤ √(2(V + γ)·ln(√((V + γ)/γ)/δ'))`.
//!
//! Since `Σmᵢ ≤ ½V`, `ΣLᵢ ≤ M + ½V`.
//!
//! The reading adds `½V`, and is never above `Σεᵢ`, which bounds the loss for certain.
//! **Exactness.** Certified enclosures, rounded up; the free parameters y and γ are exact numbers, and any
//! is valid.
//! **Not covered.** The stitched odometer of the same paper: its constants were not checked.

use pointillist_numbers::{Enclosure, Rational};

use super::Refusal;
use super::account::Account;
use super::advanced::{square_upper, squares_lower};
use crate::conversion::claim::{PRECISION, epsilon_from_upper, positive_delta};
use crate::parameter::rounded_up;
use crate::{Delta, Epsilon, EpsilonDelta, ParameterError};

/// An odometer that is good at all times: within a logarithm of the best bound for every total.
#[derive(Clone, Debug)]
pub struct MixtureOdometer {
    trip: Trip,
    delta_slack: Delta,
    gamma: Rational,
}

impl MixtureOdometer {
    /// `gamma` is the `Σε²` around which the odometer is best; any positive number is valid.
    ///
    /// # Errors
    /// When γ or the slack is not positive.
    pub fn new(gamma: Rational, delta_slack: Delta, delta_failures: Delta) -> Result<Self, ParameterError> {
        positive_delta(&delta_slack)?;
        // The least γ that still leaves the quotient (V + γ)/γ a number of moderate length.
        let least = Rational::power_of_two(-128);
        if gamma < least {
            return Err(ParameterError::TooSmall {
                parameter: "gamma",
                given: crate::parameter::shortened(&gamma.to_string()),
                least: "2.94e-39".to_owned(),
                example: "0.05",
            });
        }
        let trip = Trip::new(&delta_failures);
        Ok(Self { trip, delta_slack, gamma })
    }

    /// Adds a release.
    ///
    /// # Errors
    /// When the failures would add up to more than δ''. Then nothing changes.
    pub fn charge(&mut self, cost: &EpsilonDelta) -> Result<(), Refusal> {
        self.trip.charge(cost)
    }

    /// The reading: an ε that bounds the loss so far, rounded up.
    pub fn epsilon_upper(&self) -> Result<Epsilon, ParameterError> {
        let bound = mixture_upper(&self.trip.squares, &self.gamma, self.delta_slack.value());
        self.trip.reading(bound)
    }
}

/// An odometer that is best when the total is near an ε chosen in advance.
#[derive(Clone, Debug)]
pub struct LineOdometer {
    trip: Trip,
    delta_slack: Delta,
    /// The `Σε²` at which the line is tightest.
    tuned: Rational,
}

impl LineOdometer {
    /// Tightest when the reading is `tuned_at`, where it equals the advanced filter's bound.
    ///
    /// # Errors
    /// When the slack is zero.
    pub fn new(
        tuned_at: &Epsilon,
        delta_slack: Delta,
        delta_failures: Delta,
    ) -> Result<Self, ParameterError> {
        let tuned = squares_lower(tuned_at, &delta_slack)?;
        Ok(Self {
            trip: Trip::new(&delta_failures),
            delta_slack,
            tuned: tuned.max(Rational::power_of_two(-250)),
        })
    }

    /// Adds a release.
    ///
    /// # Errors
    /// When the failures would add up to more than δ''. Then nothing changes.
    pub fn charge(&mut self, cost: &EpsilonDelta) -> Result<(), Refusal> {
        self.trip.charge(cost)
    }

    /// The reading: an ε that bounds the loss so far, rounded up.
    pub fn epsilon_upper(&self) -> Result<Epsilon, ParameterError> {
        let bound = line_upper(&self.trip.squares, &self.tuned, self.delta_slack.value());
        self.trip.reading(bound)
    }
}

/// What was charged.
#[derive(Clone, Debug)]
struct Trip {
    sum: Rational,
    squares: Rational,
    failures: Account,
}

impl Trip {
    fn new(delta_failures: &Delta) -> Self {
        Self {
            sum: Rational::zero(),
            squares: Rational::zero(),
            failures: Account::new(delta_failures.value().clone()),
        }
    }

    fn charge(&mut self, cost: &EpsilonDelta) -> Result<(), Refusal> {
        if !self.failures.admits(cost.delta.value()) {
            return Err(Refusal::Exhausted {
                asked: cost.text(),
                remaining: format!("δ = {}", self.failures.remaining_text()),
            });
        }
        self.failures.charge(cost.delta.value());
        self.sum = rounded_up(&self.sum + cost.epsilon.value());
        self.squares = rounded_up(&self.squares + &square_upper(&cost.epsilon));
        Ok(())
    }

    fn reading(&self, bound: Rational) -> Result<Epsilon, ParameterError> {
        epsilon_from_upper(bound.min(self.sum.clone()))
    }
}

/// `½V + √(2(V + γ)·ln(√((V + γ)/γ)/δ'))`, rounded up.
fn mixture_upper(squares: &Rational, gamma: &Rational, slack: &Rational) -> Rational {
    let shifted = squares + gamma;
    let ln = |value: &Rational| Enclosure::ln_of(value, PRECISION).expect("positive");
    let logarithm = &ln(&(&shifted / gamma)).scale_by_power_of_two(-1) - &ln(slack);
    let root = (&Enclosure::of(&shifted, PRECISION) * &logarithm).mul_integer(2).sqrt();
    squares * &Rational::ratio(1, 2) + root.upper()
}

/// `½√(2y·ln(1/δ')) + ½√(2·ln(1/δ')/y)·V + ½V`, rounded up.
fn line_upper(squares: &Rational, tuned: &Rational, slack: &Rational) -> Rational {
    let doubled = (-&Enclosure::ln_of(slack, PRECISION).expect("a nonzero δ is positive")).mul_integer(2);
    let tuned = Enclosure::of(tuned, PRECISION);
    let level = (&doubled * &tuned).sqrt();
    let slope = doubled.checked_div(&tuned).expect("at least 2^-250").sqrt();
    let line = &level + &(&slope * &Enclosure::of(squares, PRECISION));
    (line.upper() + squares.clone()) * Rational::ratio(1, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn cost(epsilon: &str) -> EpsilonDelta {
        EpsilonDelta::pure(Epsilon::parse(epsilon).unwrap())
    }

    /// The threat model's vectors: γ = 0.05, δ' = 1e-6.
    #[test]
    fn the_mixture_matches_the_vectors() {
        for (squares, reading) in [("0.1", 2.125_92), ("1", 6.175_33)] {
            let bound = mixture_upper(&rational(squares), &rational("0.05"), &rational("1e-6"));
            assert!((bound.to_f64_upper() - reading).abs() < 6e-6, "{}", bound.to_f64_upper());
        }
    }

    #[test]
    fn the_line_is_tight_where_it_was_tuned() {
        let (at, slack) = (Epsilon::parse("1").unwrap(), delta("1e-6"));
        let tuned = squares_lower(&at, &slack).unwrap();
        let reading = line_upper(&tuned, &tuned, slack.value());
        assert!((reading.to_f64_upper() - 1.0).abs() < 1e-12, "{}", reading.to_f64_upper());
        // Elsewhere it lies above the advanced bound for the same V, which it touches once.
        for squares in ["0.01", "0.03", "0.1", "1"] {
            let squares = rational(squares);
            let root = (2.0 * squares.to_f64_upper() * 1e6f64.ln()).sqrt();
            let line = line_upper(&squares, &tuned, slack.value()).to_f64_upper();
            assert!(line >= squares.to_f64_upper() / 2.0 + root - 1e-12);
        }
    }

    #[test]
    fn readings_rise_and_never_pass_the_sum() {
        let mut mixture = MixtureOdometer::new(rational("0.05"), delta("1e-6"), Delta::zero()).unwrap();
        let mut line =
            LineOdometer::new(&Epsilon::parse("2").unwrap(), delta("1e-6"), Delta::zero()).unwrap();
        let mut last = [0.0; 2];
        for count in 1..=1000u32 {
            mixture.charge(&cost("0.01")).unwrap();
            line.charge(&cost("0.01")).unwrap();
            let readings = [mixture.epsilon_upper(), line.epsilon_upper()].map(|e| e.unwrap().to_f64_upper());
            for (reading, last) in readings.iter().zip(last) {
                assert!(*reading >= last && *reading <= 0.01 * f64::from(count) + 1e-12, "{count}");
            }
            last = readings;
        }
        assert!((last[0] - 2.125_92).abs() < 1e-5, "V = 0.1 again: {}", last[0]);
        assert!(last[1] < last[0], "near its ε the line is better");
    }

    #[test]
    fn failures_past_their_budget_are_refused() {
        let mut odometer = MixtureOdometer::new(rational("1"), delta("1e-6"), delta("1e-6")).unwrap();
        let failing = EpsilonDelta { epsilon: Epsilon::parse("0.1").unwrap(), delta: delta("6e-7") };
        odometer.charge(&failing).unwrap();
        let before = odometer.epsilon_upper().unwrap();
        let message = odometer.charge(&failing).unwrap_err().explanation().text();
        assert!(message.contains("hint:"), "{message}");
        assert_eq!(odometer.epsilon_upper().unwrap(), before);
    }

    #[test]
    fn impossible_odometers_are_refused_with_a_hint() {
        for refusal in [
            MixtureOdometer::new(rational("0"), delta("1e-6"), Delta::zero()).unwrap_err(),
            MixtureOdometer::new(rational("1"), Delta::zero(), Delta::zero()).unwrap_err(),
            LineOdometer::new(&Epsilon::parse("1").unwrap(), Delta::zero(), Delta::zero()).unwrap_err(),
        ] {
            assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
        }
    }

    #[test]
    fn extreme_losses_are_read() {
        for epsilon in ["1e-6", "50", "1e5"] {
            let mut mixture = MixtureOdometer::new(rational("0.05"), delta("1e-15"), Delta::zero()).unwrap();
            let mut line =
                LineOdometer::new(&Epsilon::parse(epsilon).unwrap(), delta("1e-15"), Delta::zero()).unwrap();
            mixture.charge(&cost(epsilon)).unwrap();
            line.charge(&cost(epsilon)).unwrap();
            assert_eq!(mixture.epsilon_upper().unwrap(), cost(epsilon).epsilon);
            assert_eq!(line.epsilon_upper().unwrap(), cost(epsilon).epsilon);
        }
    }
}
