//! A count that is cut at a threshold, the threshold chosen privately: what edges, flows, stars and patterns
//! share.
//!
//! **Guarantee.** ε-differentially private: a part of ε for the threshold ([`ThresholdChoice`]), the rest for
//! discrete Laplace noise on the count at that threshold. The index of the threshold and the noisy count
//! leave, nothing else.
//! **Neighbours.** Those for which the bounds of the values hold.
//! **Proof.** Once a threshold is chosen, the count at it moves by at most its rise or its fall, whichever is
//! larger, and noise of that over the rest of ε is the geometric mechanism. Losses of a choice and of a
//! release that depends on it add up.
//! **Constants.** A [`Tuning`] is public and the same for all graphs. Prices are counted in rises over ε: a
//! threshold is needless where a smaller one lacks less than that. Handicaps grow with the logarithm of the
//! noise, by more than `ln 2` for each doubling, so that thresholds far above any need add little to the mean
//! error. Constants for degrees were chosen by the mean errors of edge counts on eight graphs at ε = ½, 1 and
//! 2; on eleven other graphs errors fall by as much against the constants we began with. Those for packings
//! were chosen on six graphs, and five others agree.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use super::choice::{Candidate, ThresholdChoice};
use crate::{Answer, Draw, Estimate, Figure, GraphError};

/// How a threshold is chosen: public constants.
#[derive(Clone, Debug)]
pub(crate) struct Tuning {
    /// The part of ε that the choice may cost.
    pub choice_share: Rational,
    /// How many rises, over ε, a larger threshold must gain to be worth its noise.
    pub price: u32,
    /// How many of the first thresholds have no handicap.
    pub unhandicapped: usize,
    /// The handicap of a doubling of the noise.
    pub handicap: Rational,
}

impl Tuning {
    /// For thresholds of the degree. 1, 2, 4, 8 and 16 have no handicap: for tiny ε handicaps alone would
    /// choose.
    pub fn of_degrees() -> Self {
        let (choice_share, handicap) = (Rational::ratio(2, 5), Rational::ratio(7, 5));
        Self { choice_share, price: 18, unhandicapped: 5, handicap }
    }

    /// For degrees of forests, from 8 on; 8 and 16 have no handicap. The constants are those of degrees.
    pub fn of_forests() -> Self {
        Self { unhandicapped: 2, ..Self::of_degrees() }
    }

    /// For thresholds of the number of copies at a node, where the choice is harder and noise costs less
    /// beside it.
    pub fn of_packings() -> Self {
        let (choice_share, handicap) = (Rational::ratio(1, 2), Rational::ratio(21, 20));
        Self { choice_share, price: 12, unhandicapped: 1, handicap }
    }
}

/// What is public about the count at one threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The threshold.
    pub threshold: u64,
    /// By how much the count can rise when a node comes.
    pub rise_max: u128,
    /// By how much it can fall.
    pub fall_max: u128,
}

/// A count at a threshold chosen privately, plus noise.
#[derive(Clone, Debug)]
pub(crate) struct ThresholdedCount {
    thresholds: Vec<u64>,
    choice: ThresholdChoice,
    noises: Vec<GeometricMechanism>,
    loss: Loss,
}

/// What was released.
pub(crate) struct Released {
    /// The threshold.
    pub threshold: u64,
    /// The noisy count.
    pub count: i128,
    /// The true count at the threshold is below the noisy one by more than this with probability at most 5 %.
    pub excess_95: f64,
}

impl ThresholdedCount {
    /// The count at these levels, from small to large thresholds.
    pub fn new(levels: &[Level], tuning: &Tuning, epsilon: &Epsilon) -> Result<Self, GraphError> {
        let epsilon_choice = Epsilon::new(epsilon.value() * &tuning.choice_share)?;
        let epsilon_count = Epsilon::new(epsilon.value() - epsilon_choice.value())?;
        let price_of_one = Rational::from(tuning.price) / epsilon.value().clone();
        let candidate = |(index, level): (usize, &Level)| Candidate {
            rise_max: level.rise_max,
            fall_max: level.fall_max,
            allowance: Rational::zero(),
            price: &price_of_one * &Rational::from(level.rise_max),
            handicap: &tuning.handicap * &Rational::from((index + 1).saturating_sub(tuning.unhandicapped)),
        };
        let choice =
            ThresholdChoice::new(levels.iter().enumerate().map(candidate).collect(), &epsilon_choice)?;
        let noise = |level: &Level| {
            let sensitivity = SensitivityL1::new(Rational::from(level.rise_max.max(level.fall_max)))?;
            Ok::<_, GraphError>(GeometricMechanism::new(&sensitivity, &epsilon_count)?)
        };
        let noises = levels.iter().map(noise).collect::<Result<_, _>>()?;
        let loss = choice.loss().then(&Loss::pure(epsilon_count)).unwrap_or(Loss::pure(epsilon.clone()));
        Ok(Self { thresholds: levels.iter().map(|level| level.threshold).collect(), choice, noises, loss })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The thresholds.
    pub fn thresholds(&self) -> &[u64] {
        &self.thresholds
    }

    /// The choice, whose law tests compute.
    #[cfg(test)]
    pub fn choice(&self) -> &ThresholdChoice {
        &self.choice
    }

    /// How much the exponent of the count's law falls when the count moves by this, for tests.
    #[cfg(test)]
    pub fn exponent(&self, index: usize, moved: i128) -> f64 {
        moved.unsigned_abs() as f64 / self.noises[index].scale().to_f64_upper()
    }

    /// Draws the index of a threshold and the noisy count at it. The scores of the thresholds are computed once.
    pub fn counted<'a>(&'a self, values: Vec<i128>, floors: &[u64]) -> Draw<'a> {
        let scores = self.choice.scores(&values, floors);
        Box::new(move |bits| {
            let index = self.choice.release_scored(&scores, bits);
            vec![index as i128, self.noises[index].release(values[index], bits)]
        })
    }

    /// What released integers mean; `None` if they are not of this mechanism.
    pub fn read(&self, released: &[i128]) -> Option<Released> {
        let [index, count] = *released else { return None };
        let index = usize::try_from(index).ok().filter(|index| *index < self.noises.len())?;
        // Noise reaches the bound on either side with probability 10 %, so on one side with 5 %.
        let ten_percent = FailureProbability::parse("0.1").expect("a probability");
        let excess_95 = self.noises[index].error_bound(&ten_percent) as f64 - 1.0;
        Some(Released { threshold: self.thresholds[index], count, excess_95 })
    }
}

impl Released {
    /// The answer for a count that is never above the truth: known from below, and open above.
    pub fn answer(&self, note: String) -> Answer {
        let lower = self.count as f64 - self.excess_95;
        let value = Figure::Whole(self.count);
        Answer {
            estimates: vec![Estimate { degree: None, value, lower, upper: f64::INFINITY }],
            notes: vec![note],
        }
    }
}

/// Powers of two with these exponents.
pub(crate) fn powers_of_two(exponents: std::ops::RangeInclusive<u32>) -> Vec<u64> {
    exponents.map(|exponent| 1 << exponent).collect()
}
