//! A question, as the rest of the system sees it: what is read, how people are bounded, what is released at
//! which price, and what happens to the released numbers.
//!
//! **Guarantee.** A [`PrivatePlan`] is a function of the SQL, the catalog and the price options alone. Between
//! two sets of rows that differ in one person, the groups of its [`Aggregation`] move, in at most
//! `bound.groups_max()` groups, by at most [`Measure::person_bounds`] each; [`Release`] holds the noise, or the choice, for
//! exactly that, and `loss` what all noises and the choice of keys lose together. Everything in [`AnswerPlan`]
//! is computed from released numbers.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_mechanisms::EarnedKeys;
use pointillist_mechanisms::MechanismError;
use pointillist_mechanisms::WeightedQuantile;
use pointillist_privacy::{Loss, Price, Spend};

use crate::{Aggregation, AnswerPlan, Measure, Quantity, Type};

/// A question that can be answered privately.
#[derive(Clone, Debug)]
pub struct PrivatePlan {
    /// The population whose budget pays.
    pub scope: String,
    /// What the engine computes.
    pub aggregation: Aggregation,
    /// How each measure of the aggregation is released, in the same order.
    pub releases: Vec<Release>,
    /// How keys are earned, where they are not public.
    pub selection: Option<EarnedKeys>,
    /// What is proven of the whole answer, exactly: what all noises and the choice of keys lose together.
    pub loss: Loss,
    /// The same in the currency of the scope, rounded up: what the ledger takes.
    pub price: Price,
    /// What is computed from the released numbers.
    pub answer: AnswerPlan,
    /// Whether the price was found for an error: numbers with a larger one are then no answer, however dear they were.
    pub by_error: bool,
    /// What the asker should know, in words; nothing in them comes from data.
    pub notes: Vec<String>,
}

impl PrivatePlan {
    /// The types of the columns that the answer's expressions count: keys, then aggregates.
    pub fn answer_types(&self) -> Vec<Type> {
        let keys = self.aggregation.keys.iter().map(|key| key.kind);
        keys.chain(self.answer.aggregates.iter().map(|aggregate| aggregate.kind)).collect()
    }
}

/// How one measure is released.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its part of what is spent, exactly.
    pub spend: Spend,
    /// What is drawn for every group.
    pub draw: Draw,
}

/// What is drawn for a group.
#[derive(Clone, Debug)]
pub enum Draw {
    /// Noise, which is added to what people add up to.
    Noise(AdditiveNoise),
    /// A grid point, from where people's values lie.
    Choice(WeightedQuantile),
}

impl Release {
    /// What is bought for a measure.
    pub fn new(aggregation: &Aggregation, measure: &Measure, spend: Spend) -> Result<Self, MechanismError> {
        let draw = match &measure.quantity {
            Quantity::Quantile { grid, rank, .. } => {
                let (rows, groups) = (aggregation.bound.rows_max(), aggregation.groups_moved().max(1));
                Draw::Choice(WeightedQuantile::new(grid.last_index(), rank, rows, groups, &spend)?)
            }
            _ => {
                let (l1, l2) = aggregation.sensitivities(measure)?;
                Draw::Noise(AdditiveNoise::for_spend(&l1, &l2, &spend)?)
            }
        };
        Ok(Self { spend, draw })
    }

    /// The noise of a measure that adds up.
    ///
    /// # Panics
    /// For quantiles: the formulas of sums, means and moments are made of measures that add up, by the planner.
    pub fn noise(&self) -> &AdditiveNoise {
        match &self.draw {
            Draw::Noise(noise) => noise,
            Draw::Choice(_) => panic!("a quantile is chosen, and has no noise"),
        }
    }

    /// The choice of a quantile.
    pub fn choice(&self) -> Option<&WeightedQuantile> {
        match &self.draw {
            Draw::Noise(_) => None,
            Draw::Choice(choice) => Some(choice),
        }
    }
}
