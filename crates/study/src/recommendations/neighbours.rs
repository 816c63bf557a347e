//! Predictions from the items that are most alike: k nearest neighbours, on the person's own side.
//!
//! How alike two items are are the products of their factors, which follow from released numbers. For somebody's ratings e beyond items and
//! habit, an item gets habit + Σ s·e/(Σ|s| + 1) over those of its nearest neighbours that the person rated.

use super::{Model, Rating};

/// How many neighbours an item has.
const NEAREST: usize = 30;
/// Predictions are drawn to zero as by a neighbour of this likeness.
const DRAWN_BY: f64 = 1.0;

/// The nearest neighbours of every item.
pub struct Neighbours<'m> {
    model: &'m Model,
    /// In the order of items; none for items without factors.
    nearest: Vec<Vec<(u32, f64)>>,
}

impl<'m> Neighbours<'m> {
    /// From the factors of a model.
    pub fn new(model: &'m Model, items: usize) -> Self {
        let with_factors: Vec<(u32, &[f64])> =
            (0..items).filter_map(|item| Some((item as u32, model.factors_of(item)?))).collect();
        let mut nearest = vec![Vec::new(); items];
        for (item, own) in &with_factors {
            let others = with_factors.iter().filter(|(other, _)| other != item);
            let alike = |(other, factors): &(u32, &[f64])| {
                (*other, own.iter().zip(*factors).map(|(a, b)| a * b).sum::<f64>())
            };
            let mut all: Vec<(u32, f64)> = others.map(alike).collect();
            all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            all.truncate(NEAREST);
            all.sort_unstable_by_key(|(other, _)| *other);
            nearest[*item as usize] = all;
        }
        Self { model, nearest }
    }

    /// How much somebody with these ratings will like an item, in points.
    pub fn predict(&self, own: &[Rating], item: usize) -> f64 {
        let model = self.model;
        let habit = model.habit(own);
        let (mut total, mut weight) = (0.0, DRAWN_BY);
        for (other, alike) in &self.nearest[item] {
            if let Ok(at) = own.binary_search_by_key(other, |rating| rating.item) {
                total += alike * (model.beyond_item(&own[at]) - habit);
                weight += alike.abs();
            }
        }
        (model.mean() + model.effect(item) + habit + total / weight).clamp(0.0, 10.0)
    }
}
