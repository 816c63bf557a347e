//! From counted reports to shares of people, with honest intervals.
//!
//! **Two intervals.** The *normal* one takes the estimate to be normally distributed with the variance at the
//! estimated share: good for many reports, and no guarantee. The *guaranteed* one holds in at least 95 of 100
//! surveys, however many reports there are and whoever holds what. Both are for one value at a time, and
//! about the people asked.
//!
//! **Guarantee of the second.** Let C be the sum of N independent trials with success probabilities of mean
//! μ. Then `P[C/N ≥ x] ≤ exp(−N·kl(x, μ))` for x > μ, and the same below,
//! `kl(x, μ) = x·ln(x/μ) + (1−x)·ln((1−x)/(1−μ))`. Proof: for t > 0,
//! `P[C ≥ N·x] ≤ e^{−tNx}·Π(1 + μᵢ(e^t − 1)) ≤ e^{−tNx}·(1 + μ(e^t − 1))^N`, the last by the concavity of the
//! logarithm; the best t gives kl (Hoeffding 1963, Theorem 1). So all μ with `N·kl(C/N, μ) ≤ ln(2/0.05)` form
//! an interval that holds the true mean with probability at least 0.95, and `μ = q + share·(p − q)` carries
//! it over to the share.

use serde::Serialize;

use crate::Rates;

/// How often an interval may miss.
pub const MISS: f64 = 0.05;
/// The 97.5 % point of the normal distribution.
pub(crate) const NORMAL_975: f64 = 1.959_963_984_540_054;
/// A bisection halves this often; floats have 53 bits.
const HALVINGS: usize = 60;

/// What reports say about one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: u64,
    /// How many people hold it: unbiased, and so neither clipped nor rounded.
    pub count: f64,
    /// Which share of the people hold it: unbiased.
    pub share: f64,
    /// The variance of the share, at the estimated share clipped to [0, 1].
    pub variance_share: f64,
    /// The share between 0 and 1, by normal approximation, 95 %: no guarantee.
    pub normal: Interval,
    /// The share between 0 and 1, in at least 95 of 100 surveys.
    pub guaranteed: Interval,
}

/// Two bounds; for programs a list of the two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "[f64; 2]")]
pub struct Interval {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Interval {
    /// Whether a number lies between the bounds.
    pub fn contains(&self, number: f64) -> bool {
        self.lower <= number && number <= self.upper
    }

    /// Half the width.
    pub fn radius(&self) -> f64 {
        (self.upper - self.lower) / 2.0
    }

    pub(crate) fn clipped(self, lowest: f64, highest: f64) -> Self {
        Self { lower: self.lower.clamp(lowest, highest), upper: self.upper.clamp(lowest, highest) }
    }
}

impl From<Interval> for [f64; 2] {
    fn from(interval: Interval) -> Self {
        [interval.lower, interval.upper]
    }
}

/// What `support` trials of `n` reports say about a value. Without reports nothing is known: the share is
/// taken as zero and may be anything.
pub(crate) fn estimate(rates: &Rates, value: u64, support: u64, n: u64) -> Estimate {
    if n == 0 {
        let unknown = Interval { lower: 0.0, upper: 1.0 };
        return Estimate {
            value,
            count: 0.0,
            share: 0.0,
            variance_share: f64::INFINITY,
            normal: unknown,
            guaranteed: unknown,
        };
    }
    let people = n as f64;
    let count = rates.count(support, n);
    let share = count / people;
    let variance_share = rates.variance_count(n, share.clamp(0.0, 1.0)) / (people * people);
    let radius = NORMAL_975 * variance_share.sqrt();
    let normal = Interval { lower: share - radius, upper: share + radius }.clipped(0.0, 1.0);
    let trials = n.saturating_mul(rates.trials);
    let mean = mean_interval(support, trials, MISS / 2.0);
    let to_share = |mean: f64| (mean - rates.other) / rates.gap;
    let guaranteed = Interval { lower: to_share(mean.lower), upper: to_share(mean.upper) }.clipped(0.0, 1.0);
    Estimate { value, count, share, variance_share, normal, guaranteed }
}

/// The radius of a normal 95 % interval.
pub(crate) fn normal_radius(variance: f64) -> f64 {
    NORMAL_975 * variance.sqrt()
}

/// Bounds on the mean success probability of independent trials; each is wrong with probability at most
/// `miss_each`.
pub(crate) fn mean_interval(successes: u64, trials: u64, miss_each: f64) -> Interval {
    let frequency = successes as f64 / trials as f64;
    let most = -miss_each.ln() / trials as f64;
    Interval {
        lower: farthest(frequency, 0.0, |mean| divergence(frequency, mean) <= most),
        upper: farthest(frequency, 1.0, |mean| divergence(frequency, mean) <= most),
    }
}

/// `kl(x, μ)`: infinite where μ makes x impossible.
pub(crate) fn divergence(frequency: f64, mean: f64) -> f64 {
    let part = |share: f64, of: f64| if share == 0.0 { 0.0 } else { share * (share / of).ln() };
    part(frequency, mean) + part(1.0 - frequency, 1.0 - mean)
}

/// The first number from `start` towards `end` that is no longer plausible, or `end`.
fn farthest(start: f64, end: f64, plausible: impl Fn(f64) -> bool) -> f64 {
    if plausible(end) {
        return end;
    }
    let (mut inside, mut outside) = (start, end);
    for _ in 0..HALVINGS {
        let middle = (inside + outside) / 2.0;
        if plausible(middle) { inside = middle } else { outside = middle }
    }
    outside
}

/// The shares closest to the estimated ones, in squares, among those that are not negative and sum to one.
/// Usually more accurate than the estimates, and no longer unbiased.
///
/// **Proof.** The nearest point has the form `max(0, share − τ)` for one τ (the Lagrange multiplier of the
/// sum). With shares falling, τ is `(s₁ + … + s_m − 1)/m` for the largest m for which `s_m` stays positive.
pub fn normalised(estimates: &[Estimate]) -> Vec<f64> {
    let mut falling: Vec<f64> = estimates.iter().map(|estimate| estimate.share).collect();
    falling.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut threshold) = (0.0, 0.0);
    for (index, share) in falling.iter().enumerate() {
        sum += share;
        let candidate = (sum - 1.0) / (index as f64 + 1.0);
        if *share > candidate {
            threshold = candidate;
        }
    }
    estimates.iter().map(|estimate| (estimate.share - threshold).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: for every number of successes of trials with two different probabilities, the interval
    /// misses the mean in at most 5 % of all outcomes, by exact sums; and it is not needlessly wide.
    #[test]
    fn the_guaranteed_interval_holds_for_unequal_trials() {
        for (first, p, second, q) in
            [(10, 0.9, 30, 0.1), (0, 0.5, 25, 0.02), (20, 0.5, 20, 0.27), (3, 0.99, 0, 0.5)]
        {
            let trials = first + second;
            let mut law = vec![1.0];
            for index in 0..trials {
                let rate = if index < first { p } else { q };
                let mut next = vec![0.0; law.len() + 1];
                for (successes, mass) in law.iter().enumerate() {
                    next[successes] += mass * (1.0 - rate);
                    next[successes + 1] += mass * rate;
                }
                law = next;
            }
            let mean = (first as f64 * p + second as f64 * q) / trials as f64;
            let missed: f64 = (0..=trials)
                .filter(|successes| {
                    !mean_interval(*successes as u64, trials as u64, MISS / 2.0).contains(mean)
                })
                .map(|successes| law[successes])
                .sum();
            assert!(missed <= MISS, "{first} {second}: {missed}");
        }
        let wide = mean_interval(500, 1000, MISS / 2.0).radius();
        let normal = 1.96 * (0.25f64 / 1000.0).sqrt();
        assert!(wide > normal && wide < 1.5 * normal, "{wide} {normal}");
        assert_eq!(mean_interval(0, 10, 0.025).lower, 0.0);
        assert_eq!(mean_interval(10, 10, 0.025).upper, 1.0);
    }

    #[test]
    fn nothing_is_known_without_reports() {
        let rates =
            Rates { own: 0.75, other: 0.25, gap: 0.5, own_spread: 0.1875, other_spread: 0.1875, trials: 1 };
        let nothing = estimate(&rates, 0, 0, 0);
        assert!(nothing.share == 0.0 && nothing.guaranteed.contains(0.0) && nothing.guaranteed.contains(1.0));
    }

    #[test]
    fn normalised_shares_are_the_nearest_distribution() {
        let of = |shares: &[f64]| {
            let blank = Interval { lower: 0.0, upper: 1.0 };
            let estimates: Vec<Estimate> = shares
                .iter()
                .map(|share| Estimate {
                    value: 0,
                    count: 0.0,
                    share: *share,
                    variance_share: 0.0,
                    normal: blank,
                    guaranteed: blank,
                })
                .collect();
            normalised(&estimates)
        };
        let near = |got: Vec<f64>, want: &[f64]| {
            assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?} {want:?}");
        };
        near(of(&[0.5, 0.25, 0.25]), &[0.5, 0.25, 0.25]);
        near(of(&[0.9, 0.3, -0.2]), &[0.8, 0.2, 0.0]);
        near(of(&[2.0, 0.1]), &[1.0, 0.0]);
        near(of(&[-1.0, -1.0]), &[0.5, 0.5]);
        near(of(&[]), &[]);
        // No other distribution on a grid is nearer.
        let shares = [0.7, 0.45, -0.3];
        let distance = |a: &[f64]| a.iter().zip(shares).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        let best = distance(&of(&shares));
        for i in 0..=100 {
            for j in 0..=100 - i {
                let point = [i, j, 100 - i - j].map(|part| f64::from(part) / 100.0);
                assert!(distance(&point) >= best - 1e-12);
            }
        }
    }
}
