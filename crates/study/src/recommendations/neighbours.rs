//! Predictions from the items that are most alike: k nearest neighbours, on the person's own side.
//!
//! How alike two items are are the products of their factors, which follow from released numbers. For somebody's ratings e beyond items and
//! habit, an item gets habit + Σ s·e/(Σ|s| + 1) over the items most like it among those that the person rated.

use super::{Model, Rating};

/// How many neighbours count.
const NEAREST: usize = 30;
/// Predictions are drawn to the habit as by a neighbour of this likeness.
const DRAWN_BY: f64 = 1.0;

/// What a model says to one person, by nearest neighbours.
pub struct Neighbours<'m> {
    model: &'m Model,
    habit: f64,
    /// Factors of what the person rated, and how much they liked it beyond item and habit.
    rated: Vec<(&'m [f64], f64)>,
}

impl<'m> Neighbours<'m> {
    /// For somebody with these ratings.
    pub fn new(model: &'m Model, own: &[Rating]) -> Self {
        let habit = model.habit(own);
        let with_factors = |rating: &Rating| {
            Some((model.factors_of(rating.item as usize)?, model.beyond_item(rating) - habit))
        };
        Self { model, habit, rated: own.iter().filter_map(with_factors).collect() }
    }

    /// How much the person will like an item, in points.
    pub fn predict(&self, item: usize) -> f64 {
        let model = self.model;
        let factors = model.factors_of(item).unwrap_or_default();
        let alike = |(other, liked): &(&[f64], f64)| {
            (factors.iter().zip(*other).map(|(a, b)| a * b).sum::<f64>(), *liked)
        };
        let mut nearest: Vec<(f64, f64)> = self.rated.iter().map(alike).collect();
        nearest.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        nearest.truncate(NEAREST);
        let total: f64 = nearest.iter().map(|(alike, liked)| alike * liked).sum();
        let weight: f64 = nearest.iter().map(|(alike, _)| alike.abs()).sum();
        let own = self.habit + total / (weight + DRAWN_BY);
        (model.mean() + model.effect(item) + own).clamp(0.0, 10.0)
    }
}
