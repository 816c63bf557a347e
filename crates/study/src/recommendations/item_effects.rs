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
/// The smallest count, as a part of the mean count.
const LEAST: f64 = 0.1;
/// How many different counts are told apart.
const COUNTS: usize = 64;
/// How often their law is made more likely.
const ROUNDS: usize = 60;

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
        let counts = posterior_counts(&raw, sigma / count_scale);
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

/// What noisy counts are on average, given all of them: which true counts there are is estimated first, as the law that makes the noisy ones most
/// likely (Kiefer and Wolfowitz, by expectation and maximisation over a grid), and then each count by its posterior mean.
fn posterior_counts(raw: &[f64], sigma: f64) -> Vec<f64> {
    let mean = (raw.iter().sum::<f64>() / raw.len().max(1) as f64).max(f64::MIN_POSITIVE);
    let least = LEAST * mean;
    if sigma <= 0.0 {
        return raw.iter().map(|count| count.max(least)).collect();
    }
    let most = raw.iter().copied().fold(2.0 * least, f64::max);
    // Nothing, then counts of equal ratios.
    let ratio = (most / least).powf(1.0 / (COUNTS - 2) as f64);
    let grid: Vec<f64> =
        (0..COUNTS).map(|at| if at == 0 { 0.0 } else { least * ratio.powi(at as i32 - 1) }).collect();
    let likelihoods: Vec<[f64; COUNTS]> = raw
        .iter()
        .map(|count| {
            let square: [f64; COUNTS] = std::array::from_fn(|at| ((count - grid[at]) / sigma).powi(2) / 2.0);
            let nearest = square.iter().copied().fold(f64::INFINITY, f64::min);
            square.map(|square| (nearest - square).exp())
        })
        .collect();
    let mut law = [1.0 / COUNTS as f64; COUNTS];
    for _ in 0..ROUNDS {
        let mut next = [0.0; COUNTS];
        for likelihood in &likelihoods {
            let total: f64 = law.iter().zip(likelihood).map(|(law, likelihood)| law * likelihood).sum();
            let scale = 1.0 / total.max(f64::MIN_POSITIVE);
            next.iter_mut().enumerate().for_each(|(at, next)| *next += scale * law[at] * likelihood[at]);
        }
        let total: f64 = next.iter().sum();
        law = next.map(|next| next / total.max(f64::MIN_POSITIVE));
    }
    let posterior = |likelihood: &[f64; COUNTS]| {
        let (mut count, mut total) = (0.0, 0.0);
        for at in 0..COUNTS {
            let weight = law[at] * likelihood[at];
            (count, total) = (count + weight * grid[at], total + weight);
        }
        (count / total.max(f64::MIN_POSITIVE)).max(least)
    };
    likelihoods.iter().map(posterior).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: counts with noise are drawn to where counts are: far closer to the truth than the noisy ones, never negative, and without noise
    /// they are what they are.
    #[test]
    fn counts_are_estimated_from_all_of_them() {
        let truth: Vec<f64> = (1..=1000).map(|rank| 2000.0 / f64::from(rank)).collect();
        // Noise of deviation 20 without chance: the same eight values, over and over.
        let noise = |at: usize| [-30.0, 14.0, -10.0, 2.0, 24.0, -17.0, 31.0, -14.0][at * 7 % 8];
        let raw: Vec<f64> = truth.iter().enumerate().map(|(at, count)| count + noise(at)).collect();
        let estimated = posterior_counts(&raw, 20.0);
        let error = |counts: &[f64]| -> f64 {
            let squares = counts.iter().zip(&truth).map(|(count, truth)| (count - truth).powi(2));
            (squares.sum::<f64>() / 1000.0).sqrt()
        };
        assert!(error(&estimated) < 0.5 * error(&raw), "{} {}", error(&estimated), error(&raw));
        assert!(estimated.iter().all(|count| *count > 0.0));
        assert_eq!(posterior_counts(&truth, 0.0)[..500], truth[..500]);
        assert!(posterior_counts(&[-3.0, -5.0], 2.0).iter().all(|count| *count >= 0.0 && count.is_finite()));
    }
}
