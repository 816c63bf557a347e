//! What is left of a person's ratings when items and their own habit are taken off: computed from released numbers and that
//! person's ratings, and never released.
//!
//! Where the unit is a person, every rating counts as much for the habit as its item is known. Where the unit is a rating, all count
//! alike and are cut before they are averaged, because then the average moves little when one is added (`covariance.rs`).

#[cfg(test)]
use super::grid::POINT;
use super::grid::steps_of;
use super::item_effects::ItemEffects;
use super::{CovarianceSettings, Rating, Settings, Unit};

/// Bits behind the point of a precision.
const PRECISION_ONE: f64 = 65_536.0;

/// Released numbers that residuals are computed with, in whole steps.
#[derive(Clone, Debug)]
pub(super) struct Centring {
    mean: i64,
    effects: Vec<i64>,
    precisions: Vec<i64>,
    own_precision: i64,
    bound: i64,
    unit: Unit,
    drawn_by: i64,
}

impl Centring {
    /// From the released mean and effects.
    pub fn new(mean: i64, items: &ItemEffects, settings: &Settings, covariance: &CovarianceSettings) -> Self {
        let precision =
            |variance: f64| (PRECISION_ONE / (settings.rating_variance + variance)).round() as i64;
        Self {
            mean,
            // No effect is larger than the scale.
            effects: items.effects.iter().map(|effect| steps_of(effect.clamp(-10.0, 10.0))).collect(),
            precisions: items.variances.iter().map(|variance| precision(*variance)).collect(),
            own_precision: (PRECISION_ONE / settings.person_variance).round() as i64 + 1,
            bound: steps_of(covariance.bound),
            unit: settings.unit,
            drawn_by: covariance.centring.into(),
        }
    }

    /// Where residuals are cut, in steps.
    pub fn bound(&self) -> i64 {
        self.bound
    }

    /// What is left of each rating, in steps, cut at the bound.
    pub fn residuals<'r>(&'r self, ratings: &'r [Rating]) -> impl Iterator<Item = (u32, i64)> + 'r {
        let habit = self.habit(ratings);
        ratings.iter().map(move |rating| {
            (rating.item, (self.beyond_item(rating) - habit).clamp(-self.bound, self.bound))
        })
    }

    /// A rating less mean and item; cut where the unit is a rating.
    fn beyond_item(&self, rating: &Rating) -> i64 {
        let beyond = rating.points.steps() - self.mean - self.effects[rating.item as usize];
        match self.unit {
            Unit::Person => beyond,
            Unit::Rating => beyond.clamp(-self.bound, self.bound),
        }
    }

    /// How much more than others this person likes things, in steps; cut towards zero.
    fn habit(&self, ratings: &[Rating]) -> i64 {
        match self.unit {
            Unit::Person => {
                let precision = |rating: &Rating| self.precisions[rating.item as usize];
                let weighted = |own: &Rating| i128::from(precision(own)) * i128::from(self.beyond_item(own));
                let total: i128 = ratings.iter().map(weighted).sum();
                let weight: i128 = ratings.iter().map(|own| i128::from(precision(own))).sum();
                // A mean of what is within the scale is within the scale.
                (total / (weight + i128::from(self.own_precision))) as i64
            }
            Unit::Rating => {
                let total: i64 = ratings.iter().map(|rating| self.beyond_item(rating)).sum();
                total / (ratings.len() as i64 + self.drawn_by)
            }
        }
    }
}

#[cfg(test)]
impl Centring {
    /// Without effects of items, for tests of bounds.
    pub fn plain(items: usize, unit: Unit, bound: i64, drawn_by: i64) -> Self {
        Self {
            mean: 5 * POINT,
            effects: vec![0; items],
            precisions: vec![PRECISION_ONE as i64; items],
            own_precision: PRECISION_ONE as i64,
            bound,
            unit,
            drawn_by,
        }
    }
}
