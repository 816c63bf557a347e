//! Effects of items from released sums: empirical Bayes, towards what their genres and periods say. Post-processing, at no price.
//!
//! With sums S and counts n whose noise has deviations σ_S and σ_N, and effects b ~ N(p, t²) behind ratings of variance s²:
//! b = p + n·t²·(S − n·p)/q with q = n²t² + n·s² + σ_S², and the variance that is left is t² − n²t⁴/q. A quotient S/n is never taken:
//! where nobody rated an item, n is noise.

use super::grid::POINT;
use super::small_system;
use super::{Catalogue, Settings};

/// The ridge of the regression on features.
const PRIOR_RIDGE: f64 = 5.0;
/// A count below so many deviations of its noise is drawn to the mean count.
const SURE: f64 = 4.0;
/// The smallest count, as a part of the mean count.
const LEAST: f64 = 0.2;

/// What is known of the items.
#[derive(Clone, Debug)]
pub(super) struct ItemEffects {
    /// About how much weight the ratings of each item have.
    pub counts: Vec<f64>,
    /// How much it is liked beyond the mean, in points.
    pub effects: Vec<f64>,
    /// How far that may be from the truth: a variance.
    pub variances: Vec<f64>,
}

impl ItemEffects {
    /// From released sums, all sums before all counts, whose noise has this deviation; all in steps.
    pub fn new(released: &[i64], sigma: f64, catalogue: &Catalogue, settings: &Settings) -> Self {
        let items = catalogue.len();
        let (half_range, count_step) = settings.item_steps();
        let count_scale = count_step as f64;
        debug_assert!(half_range > 0);
        let sums: Vec<f64> = released[..items].iter().map(|sum| *sum as f64 / POINT as f64).collect();
        let raw: Vec<f64> = released[items..].iter().map(|count| *count as f64 / count_scale).collect();
        let counts = shrunk_counts(&raw, sigma / count_scale);
        let noise = (sigma / POINT as f64).powi(2);
        let (t2, s2) = (settings.item_variance, settings.rating_variance);
        let spread = |n: f64| n * n * t2 + n * s2 + noise;
        let prior = match settings.feature_prior {
            true => feature_prior(catalogue, &sums, &counts, spread),
            false => vec![0.0; items],
        };
        let gain = |at: usize| counts[at] * t2 / spread(counts[at]).max(f64::MIN_POSITIVE);
        let effect = |at: usize| prior[at] + gain(at) * (sums[at] - counts[at] * prior[at]);
        let effects = (0..items).map(effect).collect();
        let variances = (0..items).map(|at| (t2 - gain(at) * counts[at] * t2).max(0.0)).collect();
        Self { counts, effects, variances }
    }
}

/// Counts that are sure as they are; others on a line towards the mean, and none near zero.
fn shrunk_counts(raw: &[f64], sigma: f64) -> Vec<f64> {
    let n = raw.len().max(1) as f64;
    let mean = (raw.iter().sum::<f64>() / n).max(0.0);
    let unsure: Vec<f64> = raw.iter().copied().filter(|count| *count <= SURE * sigma).collect();
    let size = unsure.len().max(1) as f64;
    let centre = unsure.iter().sum::<f64>() / size;
    let variance = unsure.iter().map(|count| (count - centre).powi(2)).sum::<f64>() / size;
    let kept = ((variance - sigma * sigma) / variance.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    raw.iter()
        .map(|count| {
            let count = if *count > SURE * sigma { *count } else { centre + kept * (count - centre) };
            count.max(LEAST * mean)
        })
        .collect()
}

/// What the features of each item say: a regression of all effects, each as far as it is known.
fn feature_prior(
    catalogue: &Catalogue,
    sums: &[f64],
    counts: &[f64],
    spread: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let size = catalogue.features();
    if size == 0 {
        return vec![0.0; catalogue.len()];
    }
    let features: Vec<Vec<usize>> = (0..catalogue.len()).map(|item| catalogue.features_of(item)).collect();
    let (mut matrix, mut right) = (vec![0.0; size * size], vec![0.0; size]);
    (0..size).for_each(|at| matrix[at * size + at] = PRIOR_RIDGE);
    for (item, features) in features.iter().enumerate() {
        let q = spread(counts[item]).max(f64::MIN_POSITIVE);
        let (weight, value) = (counts[item].powi(2) / q, counts[item] * sums[item] / q);
        for a in features {
            right[*a] += value;
            features.iter().for_each(|b| matrix[a * size + b] += weight);
        }
    }
    let beta = small_system::solved(matrix, right);
    features.iter().map(|features| features.iter().map(|at| beta[*at]).sum()).collect()
}
