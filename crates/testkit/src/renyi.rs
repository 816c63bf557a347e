//! How far apart two finite distributions are: Rényi divergence, log-ratios, hockey sticks.
//!
//! The exact functions take known probabilities; [`renyi_divergence_lower`] takes counts of samples, for
//! tests that a charged ρ covers what was measured (`α·ρ ≥ D_α`).

use crate::bounds::{clopper_pearson_lower, clopper_pearson_upper};

/// The Rényi divergence `D_α(P ‖ Q) = ln(Σ pᵢ^α qᵢ^{1−α}) / (α − 1)`; Kullback-Leibler at order one.
///
/// # Panics
/// When the lengths differ.
pub fn renyi_divergence(p: &[f64], q: &[f64], order: f64) -> f64 {
    let pairs = paired(p, q).filter(|(p, _)| *p > 0.0);
    if order == 1.0 {
        return pairs.map(|(p, q)| p * (p / q).ln()).sum();
    }
    let sum: f64 = pairs.map(|(p, q)| p * (p / q).powf(order - 1.0)).sum();
    sum.ln() / (order - 1.0)
}

/// The smallest ε for which both are ε-close: the largest `|ln(pᵢ/qᵢ)|`, in either direction. Infinite when
/// an outcome is possible on one side only.
pub fn max_log_ratio(p: &[f64], q: &[f64]) -> f64 {
    log_ratios(p, q).map(f64::abs).fold(0.0, f64::max)
}

/// The smallest η for which the pair has bounded range: the largest `ln(pᵢ/qᵢ)` less the smallest.
pub fn log_ratio_range(p: &[f64], q: &[f64]) -> f64 {
    let largest = log_ratios(p, q).fold(f64::NEG_INFINITY, f64::max);
    let smallest = log_ratios(p, q).fold(f64::INFINITY, f64::min);
    (largest - smallest).max(0.0)
}

/// The smallest δ for which `P(E) ≤ e^ε·Q(E) + δ` for every event: `Σ max(pᵢ − e^ε·qᵢ, 0)`. Ask in both
/// directions.
pub fn hockey_stick(p: &[f64], q: &[f64], epsilon: f64) -> f64 {
    paired(p, q).map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
}

/// A number that exceeds `D_α(P ‖ Q)` with probability at most `false_alarm`, from counts of independent
/// draws of both over the same cells, for an order above one.
///
/// Every cell probability is bounded by Clopper-Pearson, from below on the left and from above on the right,
/// at equal shares of the false-alarm rate; as each term of the sum grows with `pᵢ` and falls with `qᵢ`, the
/// bounds bound the sum. Merging outputs into fewer cells beforehand only lowers the divergence, so it stays
/// a lower bound.
///
/// # Panics
/// When the lengths differ, or the order is not above one.
pub fn renyi_divergence_lower(
    left_counts: &[u64],
    right_counts: &[u64],
    order: f64,
    false_alarm: f64,
) -> f64 {
    assert_eq!(left_counts.len(), right_counts.len(), "both sides have the same cells");
    assert!(order > 1.0, "the bound needs an order above one, not {order}");
    let alpha = false_alarm / (2.0 * left_counts.len() as f64);
    let totals = [left_counts.iter().sum(), right_counts.iter().sum()];
    let cells = left_counts.iter().zip(right_counts);
    let sum: f64 = cells
        .map(|(left, right)| {
            let p_lower = clopper_pearson_lower(*left, totals[0], alpha);
            let q_upper = clopper_pearson_upper(*right, totals[1], alpha);
            p_lower * (p_lower / q_upper).powf(order - 1.0)
        })
        .sum();
    (sum.ln() / (order - 1.0)).max(0.0)
}

fn paired<'a>(p: &'a [f64], q: &'a [f64]) -> impl Iterator<Item = (f64, f64)> {
    assert_eq!(p.len(), q.len(), "both distributions have the same cells");
    p.iter().copied().zip(q.iter().copied())
}

fn log_ratios<'a>(p: &'a [f64], q: &'a [f64]) -> impl Iterator<Item = f64> {
    // An outcome impossible on both sides says nothing.
    paired(p, q).filter(|(p, q)| *p > 0.0 || *q > 0.0).map(|(p, q)| (p / q).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded;

    /// Randomized response with ε = ln 3.
    const LEFT: [f64; 2] = [0.75, 0.25];
    const RIGHT: [f64; 2] = [0.25, 0.75];

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-12, "{got} is not {want}");
    }

    #[test]
    fn randomized_response_has_its_known_divergences() {
        near(max_log_ratio(&LEFT, &RIGHT), 3f64.ln());
        near(log_ratio_range(&LEFT, &RIGHT), 2.0 * 3f64.ln());
        near(renyi_divergence(&LEFT, &RIGHT, 1.0), 0.5 * 3f64.ln());
        // 0.75²/0.25 + 0.25²/0.75 = 7/3.
        near(renyi_divergence(&LEFT, &RIGHT, 2.0), (7.0f64 / 3.0).ln());
        near(hockey_stick(&LEFT, &RIGHT, 0.0), 0.5);
        near(hockey_stick(&LEFT, &RIGHT, 2f64.ln()), 0.25);
        near(hockey_stick(&LEFT, &RIGHT, 3f64.ln()), 0.0);
    }

    #[test]
    fn outcomes_possible_on_one_side_only_are_infinitely_far() {
        let (p, q) = ([0.5, 0.5, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(max_log_ratio(&p, &q), f64::INFINITY);
        assert_eq!(max_log_ratio(&q, &p), f64::INFINITY);
        assert_eq!(log_ratio_range(&p, &q), f64::INFINITY);
        assert_eq!(renyi_divergence(&p, &q, 2.0), f64::INFINITY);
        near(renyi_divergence(&q, &p, 2.0), 2f64.ln());
        near(hockey_stick(&p, &q, 5.0), 0.5);
        assert_eq!(max_log_ratio(&p, &p), 0.0);
    }

    #[test]
    fn divergence_grows_with_the_order_towards_the_largest_ratio() {
        let orders = [1.0, 1.5, 2.0, 4.0, 16.0, 256.0];
        let divergences = orders.map(|order| renyi_divergence(&LEFT, &RIGHT, order));
        assert!(divergences.is_sorted());
        assert!(divergences[5] <= max_log_ratio(&LEFT, &RIGHT));
        assert!(divergences[5] > 0.99 * max_log_ratio(&LEFT, &RIGHT));
    }

    /// False alarm: 1e-9. Power: with 100 000 draws the bound comes within 15 % of the truth.
    #[test]
    fn the_measured_divergence_stays_below_the_true_one() {
        let mut words = seeded(5);
        let mut counts = |p: u64| {
            let ones = (0..100_000).filter(|_| words() % 100 < p).count() as u64;
            [ones, 100_000 - ones]
        };
        let (left, right) = (counts(75), counts(25));
        let truth = renyi_divergence(&LEFT, &RIGHT, 2.0);
        let lower = renyi_divergence_lower(&left, &right, 2.0, 1e-9);
        assert!(lower < truth && lower > 0.85 * truth, "{lower} of {truth}");
        assert_eq!(renyi_divergence_lower(&left, &left, 2.0, 1e-9), 0.0);
    }
}
