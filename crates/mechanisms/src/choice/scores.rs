//! Scores: the shared vocabulary of selecting the best of several candidates.
//!
//! **Guarantee.** [`Scores`] holds exactly the numbers it was given, at least one, all finite; the exponents
//! `γ(i) = rate·(max − u(i))` are exact and never negative, and the rate is the largest for which two exponents
//! move by at most ε against each other between neighbours.
//! **Neighbours.** Whichever the sensitivity was computed for: `|u(x, i) − u(x′, i)| ≤ Δ` for every candidate
//! `i` and all neighbours `x`, `x′`.
//! **Proof.** Let `d(i) = u(x, i) − u(x′, i)`. In general `d(i) − d(j)` lies in `[−2Δ, 2Δ]`, and the rate is
//! `ε/(2Δ)`. If all scores move in one direction, every `d` lies in `[0, Δ]` or every `d` lies in `[−Δ, 0]`;
//! the difference lies in `[−Δ, Δ]`, and the rate is `ε/Δ`: half the noise for the same loss.
//! **Exactness.** Rationals throughout. A float is taken at its exact dyadic value; NaN and infinities are
//! refused.
//! **Not covered.** Whether the sensitivity is true, and whether the scores are monotone, is the caller's to
//! prove. A refused float tells that the score was not finite: clamp scores before they come here, row by row.

use std::fmt;

use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Neighbours, SensitivityLInf};

use crate::MechanismError;

/// The bits behind the point of an error bound before it is rounded up.
const BOUND_PRECISION: usize = 64;

/// How the scores of all candidates move between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Movement {
    /// Each score may rise or fall, whatever the others do.
    General,
    /// Between any two neighbours either no score falls or no score rises.
    Monotone,
}

impl Movement {
    /// How counts, and other sums of nonnegative contributions, move: in one direction when a unit is added or
    /// removed, in any direction when a unit is exchanged.
    pub fn of_counts(neighbours: Neighbours) -> Self {
        match neighbours {
            Neighbours::AddRemove => Self::Monotone,
            Neighbours::ReplaceOne => Self::General,
        }
    }

    /// How many sensitivities the difference of two scores can move between neighbours.
    pub(crate) fn spread(self) -> u64 {
        match self {
            Self::General => 2,
            Self::Monotone => 1,
        }
    }

    /// By how much one unit of score weighs in the exponent: `ε/(2Δ)`, and `ε/Δ` for monotone scores.
    pub fn rate(self, sensitivity: &SensitivityLInf, epsilon: &Epsilon) -> Rational {
        epsilon.value() / &(sensitivity.value() * &Rational::from(self.spread()))
    }
}

/// The score of every candidate, exactly; higher is better. Never empty.
#[derive(Clone, PartialEq, Eq)]
pub struct Scores {
    values: Vec<Rational>,
}

impl Scores {
    /// Takes exact scores.
    pub fn new(values: Vec<Rational>) -> Result<Self, MechanismError> {
        if values.is_empty() {
            return Err(MechanismError::NoCandidates);
        }
        Ok(Self { values })
    }

    /// Takes whole numbers, such as counts.
    pub fn from_integers(values: &[i64]) -> Result<Self, MechanismError> {
        Self::new(values.iter().map(|value| Rational::from(*value)).collect())
    }

    /// Takes the exact dyadic values of floats.
    ///
    /// # Errors
    /// When a score is NaN or infinite.
    pub fn from_f64(values: &[f64]) -> Result<Self, MechanismError> {
        let exact =
            |(index, value): (usize, &f64)| exact_f64(*value).ok_or(MechanismError::ScoreNotFinite { index });
        Self::new(values.iter().enumerate().map(exact).collect::<Result<_, _>>()?)
    }

    /// The scores, one for each candidate.
    pub fn values(&self) -> &[Rational] {
        &self.values
    }

    /// How many candidates there are, at least one.
    #[expect(clippy::len_without_is_empty, reason = "scores are never empty")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The highest score.
    pub fn best(&self) -> &Rational {
        self.values.iter().max().expect("there is at least one candidate")
    }

    /// `γ(i) = rate·(max − u(i))` for every candidate: nonnegative, and zero for the best.
    pub fn exponents(&self, rate: &Rational) -> Vec<Rational> {
        let best = self.best();
        self.values.iter().map(|score| rate * &(best - score)).collect()
    }
}

/// Scores are private, and stay out of logs.
impl fmt::Debug for Scores {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Scores").field("candidates", &self.len()).finish_non_exhaustive()
    }
}

/// The exact value of any finite float. Subnormals, which [`Rational::from_f64`] leaves out, are scaled into
/// its range: refusing them would make an error depend on how small a score is.
fn exact_f64(value: f64) -> Option<Rational> {
    if value.is_subnormal() {
        let scaled =
            Rational::from_f64(value * 2f64.powi(200)).expect("a scaled subnormal is a normal number");
        return Some(scaled * Rational::power_of_two(-200));
    }
    Rational::from_f64(value).ok()
}

/// `factor·ln(count/β)`, rounded up, and zero where that is negative: how far the largest of `count` variables
/// with tails `exp(−t/factor)` goes, but for a probability of β.
pub(crate) fn tail_bound_upper(factor: &Rational, count: &Rational, beta: &FailureProbability) -> Rational {
    let odds = count / beta.value();
    if odds <= Rational::one() {
        return Rational::zero();
    }
    let logarithm = Enclosure::ln_of(&odds, BOUND_PRECISION).expect("the odds are positive");
    (factor * &logarithm.upper()).round_up_significant(BOUND_PRECISION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn sensitivity(text: &str) -> SensitivityLInf {
        SensitivityLInf::parse(text).unwrap()
    }

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    #[test]
    fn nothing_to_choose_from_is_refused() {
        for refused in [Scores::new(vec![]), Scores::from_integers(&[]), Scores::from_f64(&[])] {
            assert_eq!(refused, Err(MechanismError::NoCandidates));
        }
        let text = MechanismError::NoCandidates.explanation().text();
        assert!(text.contains("hint:"), "{text}");
    }

    #[test]
    fn a_score_that_is_no_number_is_refused_by_its_place_and_not_its_value() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = Scores::from_f64(&[0.5, bad]).unwrap_err();
            assert_eq!(error, MechanismError::ScoreNotFinite { index: 1 });
            let text = error.explanation().text();
            assert!(text.contains("hint:") && !text.contains("0.5") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn scores_stay_out_of_logs() {
        let shown = format!("{:?}", Scores::from_integers(&[4711, 42]).unwrap());
        assert_eq!(shown, "Scores { candidates: 2, .. }");
    }

    #[test]
    fn every_finite_float_keeps_its_exact_value() {
        for value in [0.1, -0.0, 1e300, -1e300, f64::MIN_POSITIVE, f64::MIN_POSITIVE / 8.0, -5e-324, f64::MAX]
        {
            let scores = Scores::from_f64(&[value]).unwrap();
            assert_eq!(scores.best().to_f64_upper(), value);
            assert_eq!(scores.best().to_f64_lower(), value);
        }
        assert!(*Scores::from_f64(&[0.1]).unwrap().best() > Rational::ratio(1, 10));
    }

    #[test]
    fn exponents_are_exact_and_zero_for_the_best() {
        let scores = Scores::from_integers(&[3, -1, 3]).unwrap();
        let general = Movement::General.rate(&sensitivity("2"), &epsilon("0.3"));
        assert_eq!(general, Rational::ratio(3, 40));
        assert_eq!(scores.exponents(&general), [0, 3, 0].map(|tenths| Rational::ratio(tenths, 10)));
        let monotone = Movement::Monotone.rate(&sensitivity("2"), &epsilon("0.3"));
        assert_eq!(scores.exponents(&monotone), [0, 6, 0].map(|tenths| Rational::ratio(tenths, 10)));
    }

    /// Specification: for all scores in {0, 1, 2}³ and all moves by at most one, two exponents move by at most
    /// ε against each other; the move that uses it up exists, so the rate could not be larger.
    #[test]
    fn exponents_move_by_epsilon_and_no_more() {
        let budget = epsilon("0.7");
        let cube = |values: [i64; 3]| -> Vec<Vec<i64>> {
            let first = values.iter().map(|a| vec![*a]);
            let extend = |all: Vec<Vec<i64>>| {
                all.iter().flat_map(|row| values.map(|a| [row.as_slice(), &[a]].concat())).collect::<Vec<_>>()
            };
            extend(extend(first.collect()))
        };
        for (movement, moves) in [
            (Movement::General, cube([-1, 0, 1])),
            (Movement::Monotone, cube([0, 1, 1])),
            (Movement::Monotone, cube([0, -1, -1])),
        ] {
            let rate = movement.rate(&sensitivity("1"), &budget);
            let mut largest = Rational::zero();
            for before in cube([0, 1, 2]) {
                for step in &moves {
                    let after: Vec<i64> = before.iter().zip(step).map(|(a, b)| a + b).collect();
                    let exponents = |scores: &[i64]| Scores::from_integers(scores).unwrap().exponents(&rate);
                    let change: Vec<Rational> =
                        exponents(&before).iter().zip(&exponents(&after)).map(|(a, b)| a - b).collect();
                    let range = change.iter().max().unwrap() - change.iter().min().unwrap();
                    largest = largest.max(range);
                }
            }
            assert_eq!(largest, *budget.value(), "{movement:?}");
        }
    }

    #[test]
    fn counts_are_monotone_only_when_units_come_and_go() {
        assert_eq!(Movement::of_counts(Neighbours::AddRemove), Movement::Monotone);
        assert_eq!(Movement::of_counts(Neighbours::ReplaceOne), Movement::General);
    }

    #[test]
    fn tail_bounds_round_up() {
        let beta = FailureProbability::parse("0.05").unwrap();
        let bound = tail_bound_upper(&Rational::from(2), &Rational::from(10), &beta);
        let expected = 2.0 * 200f64.ln();
        assert!(bound.to_f64_upper() >= expected && bound.to_f64_upper() < expected * (1.0 + 1e-12));
        for count in 1..200 {
            let (factor, count) = (Rational::ratio(count, 7), Rational::from(count));
            let closer = Enclosure::ln_of(&(&count / beta.value()), 300).unwrap().lower();
            assert!(tail_bound_upper(&factor, &count, &beta) >= &factor * &closer);
        }
        assert!(tail_bound_upper(&Rational::from(2), &Rational::ratio(1, 20), &beta).is_zero());
        assert!(tail_bound_upper(&Rational::from(2), &Rational::zero(), &beta).is_zero());
    }
}
