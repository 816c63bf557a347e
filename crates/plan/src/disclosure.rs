//! What a plan's noise is, in numbers that are public: the same before an answer is paid for and beside it afterwards.
//!
//! Everything here is a function of the plan, which is a function of SQL, catalog and options: it leaks nothing.

use pointillist_mechanisms::number::additive_noise::NoiseLaw;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{FailureProbability, Spend};

use crate::describe::{aggregation_columns, measure_text};
use crate::error_bound::error_bound;
use crate::{Draw, Measure, PrivatePlan};

/// Bits behind the point of roots.
const PRECISION: usize = 320;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Noise that is added.
    Noise(NoiseLaw),
    /// A grid point, by the exponential mechanism.
    Choice,
}

impl Law {
    /// The name, for machines to read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noise(law) => law.name(),
            Self::Choice => "exponential_mechanism",
        }
    }
}

/// How one aggregate is released.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateNoise {
    /// The law of its noise.
    pub law: Law,
    /// The noise's σ or scale in the aggregate's own values, rounded up: that of its total, where it is made of several
    /// measures. Of a quantile, in rows: so many of them further off, a point is e times less likely.
    pub scale_upper: Rational,
    /// With 95 % the noise stays within this, in all groups at once where noisy numbers pick among them; `None` for means
    /// and variances, whose noise depends on how many rows there are.
    pub error_95: Option<Rational>,
    /// With 95 % the rank of a released quantile is off by at most this many rows, up to those that share its value.
    pub rank_error_95: Option<Rational>,
    /// The step of the grid that rows' values are rounded to; one, for counts.
    pub step: Rational,
    /// The measures it is computed from, by position.
    pub measures: Vec<usize>,
}

/// How one measure is released.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureNoise {
    /// What is added up.
    pub name: String,
    /// The law of its noise.
    pub law: Law,
    /// The noise's σ or scale in values, rounded up; of a choice, in rows.
    pub scale_upper: Rational,
    /// How far the released numbers move with one person, in values, rounded up: in L2 for Gaussian noise, in L1 for
    /// Laplace. Of a choice, how many rows one person weighs in a group.
    pub sensitivity_upper: Rational,
    /// Its part of what is spent.
    pub spend: Spend,
    /// With 95 % the noise of one group stays within this, in values; the rank of a choice, in rows.
    pub error_95: Rational,
}

/// How keys are earned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyThreshold {
    /// The noisy number of people from which a key is shown.
    pub threshold: i128,
    /// With this many people a key is shown with 95 %.
    pub people_95: i128,
}

impl PrivatePlan {
    /// The noise of every aggregate that the question names, as far as it is known before anything is released.
    pub fn aggregate_noises(&self) -> Vec<AggregateNoise> {
        let at_once = self.answer.bars_at_once_planned(&self.aggregation);
        (0..self.answer.aggregates.len()).map(|aggregate| self.aggregate_noise(aggregate, at_once)).collect()
    }

    /// The noise of an aggregate of which so many bars must hold at once: each then fails more rarely than one alone.
    pub fn aggregate_noise(&self, aggregate: usize, at_once: u64) -> AggregateNoise {
        let share = FailureProbability::new(beta().value() / &Rational::from(at_once.max(1)))
            .expect("a part of a probability is one");
        let measures = &self.aggregation.measures;
        let formula = &self.answer.aggregates[aggregate].formula;
        let used = formula.measures();
        let main = used[0];
        let (law, scale_upper) = match &self.releases[main].draw {
            Draw::Noise(noise) => (Law::Noise(noise.law()), noise.scale_upper() * measures[main].unit()),
            Draw::Choice(choice) => (Law::Choice, choice.scale()),
        };
        AggregateNoise {
            law,
            scale_upper,
            error_95: error_bound(formula, measures, &self.releases, &share),
            rank_error_95: self.releases[main].choice().map(|choice| choice.rank_error(&share)),
            step: step(&measures[main]),
            measures: used,
        }
    }

    /// The noise of every measure that is released.
    pub fn measure_noises(&self) -> Vec<MeasureNoise> {
        let beta = beta();
        let aggregation = &self.aggregation;
        let of_measure = |(measure, release): (&Measure, &crate::Release)| {
            let name = measure_text(measure, aggregation_columns(self));
            let spend = release.spend.clone();
            let noise = match &release.draw {
                Draw::Noise(noise) => noise,
                Draw::Choice(choice) => {
                    return MeasureNoise {
                        name,
                        law: Law::Choice,
                        scale_upper: choice.scale(),
                        sensitivity_upper: Rational::from(aggregation.bound.rows_max()),
                        spend,
                        error_95: choice.rank_error(&beta),
                    };
                }
            };
            let (low, high) = measure.person_bounds(&aggregation.bound);
            let each = Rational::from(high.max(-low));
            let groups = Rational::from(aggregation.groups_moved());
            let sensitivity = match noise.law() {
                NoiseLaw::DiscreteLaplace => each * groups,
                NoiseLaw::DiscreteGaussian => {
                    Enclosure::of(&(each.squared() * groups), PRECISION).sqrt().upper()
                }
            };
            let unit = measure.unit();
            MeasureNoise {
                name,
                law: Law::Noise(noise.law()),
                scale_upper: noise.scale_upper() * unit.clone(),
                sensitivity_upper: sensitivity * unit.clone(),
                spend,
                error_95: Rational::from(noise.error_bound(&beta)) * unit,
            }
        };
        aggregation.measures.iter().zip(&self.releases).map(of_measure).collect()
    }

    /// How many people a key needs, where keys are earned.
    pub fn key_threshold(&self) -> Option<KeyThreshold> {
        self.selection.as_ref().map(|selection| KeyThreshold {
            threshold: selection.threshold(),
            people_95: selection.people_needed(&beta()),
        })
    }
}

/// The probability with which an error bar may be wrong.
fn beta() -> FailureProbability {
    FailureProbability::parse("0.05").expect("a constant probability is valid")
}

fn step(measure: &Measure) -> Rational {
    measure.quantity.grids().last().map_or_else(Rational::one, |(_, grid)| grid.step().clone())
}
