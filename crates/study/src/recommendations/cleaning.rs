//! Factors of items from a noisy triangle: what stands out of the noise, and no more. Post-processing, at no price.
//!
//! The triangle is scaled so that its noise is about even. Whatever eigenvalues are negative are noise, so the most negative one says where
//! noise ends on the other side too: no model of the noise is needed. Of the eigenvectors above that edge the diagonal that
//! was never released is filled in, four times over; then every factor of every item is shrunk by how much of it is noise.

use faer::{Mat, Side};

use super::CovarianceSettings;
use super::covariance::row_start;

/// How often the diagonal is filled in.
const ROUNDS: usize = 4;

/// Factors of chosen items, one row each.
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    /// How many factors there are.
    pub rank: usize,
    /// Factors of the first item, then of the second.
    pub rows: Vec<f64>,
}

/// What is known of a released triangle.
pub(super) struct Triangle<'a> {
    /// Σ w·e_i·e_j with noise, in points.
    pub sums: &'a [f64],
    /// The deviation of the noise.
    pub sigma: f64,
    /// Σ w over all pairs, both orders.
    pub weight: f64,
    /// About how often each item was rated.
    pub counts: &'a [f64],
}

/// The factors whose products are about the covariances.
pub(super) fn factors(triangle: &Triangle<'_>, settings: &CovarianceSettings) -> Factors {
    let Triangle { sums, sigma, weight, counts } = triangle;
    let size = counts.len();
    let total: f64 = counts.iter().sum();
    let pairs = total * total - counts.iter().map(|n| n * n).sum::<f64>();
    if size < 2 || pairs <= 0.0 || *weight <= 0.0 {
        return Factors::default();
    }
    // How often two items were rated by one person is not released: as if items were chosen independently.
    let alpha = weight / pairs;
    let average = 2.0 * sums.iter().sum::<f64>() / weight;
    let spread: Vec<f64> =
        counts.iter().map(|n| (sigma * sigma + alpha * settings.product_variance * n * n).sqrt()).collect();
    let entry = |i: usize, j: usize| {
        let (i, j) = (i.min(j), i.max(j));
        let sum = sums[row_start(i, size) + j - i - 1] - average * alpha * counts[i] * counts[j];
        sum / (spread[i] * spread[j]).sqrt()
    };
    let mut scaled = Mat::from_fn(size, size, |i, j| if i == j { 0.0 } else { entry(i, j) });
    let mut edge = 0.0;
    let mut kept: Vec<(f64, Vec<f64>)> = Vec::new();
    for round in 0..=ROUNDS {
        let Ok(eigen) = scaled.self_adjoint_eigen(Side::Lower) else { return Factors::default() };
        let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
        if round == 0 {
            edge = settings.edge * values[0].abs();
        }
        let above = (0..size).rev().take_while(|at| values[*at] > edge).take(settings.rank);
        kept = above.map(|at| (values[at], (0..size).map(|row| eigen.U()[(row, at)]).collect())).collect();
        for at in 0..size {
            scaled[(at, at)] =
                kept.iter().map(|(value, vector)| beyond(*value, edge) * vector[at].powi(2)).sum();
        }
    }
    let mut factors = Factors { rank: kept.len(), rows: vec![0.0; size * kept.len()] };
    for (factor, (value, vector)) in kept.iter().enumerate() {
        let eta = beyond(*value, edge);
        let scale = |at: usize| spread[at] / (alpha * counts[at] * counts[at]);
        let raw: Vec<f64> = (0..size).map(|at| (scale(at) * eta).sqrt() * vector[at]).collect();
        let noise: Vec<f64> =
            (0..size).map(|at| edge * edge / (4.0 * size as f64) * scale(at) * eta / value.powi(2)).collect();
        let (mut signal, mut known) = (0.0, 0.0);
        for (raw, noise) in raw.iter().zip(&noise) {
            let weight = noise.max(f64::MIN_POSITIVE.sqrt()).powi(-2);
            signal += weight * (raw * raw - noise);
            known += weight;
        }
        let variance = (signal / known).max(0.0);
        for at in 0..size {
            let shrunk = if variance > 0.0 { raw[at] * variance / (variance + noise[at]) } else { 0.0 };
            factors.rows[at * factors.rank + factor] = shrunk;
        }
    }
    factors
}

/// What is left of an eigenvalue without the noise below it.
fn beyond(value: f64, edge: f64) -> f64 {
    (value * value - edge * edge).max(0.0).sqrt()
}

impl Factors {
    /// The factors of one item.
    pub fn of(&self, position: usize) -> &[f64] {
        &self.rows[position * self.rank..(position + 1) * self.rank]
    }
}
