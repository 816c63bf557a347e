//! The area under the ROC curve from noisy counts: the interval of `score_histogram.rs`.

use pointillist_mechanisms::AdditiveNoise;

use crate::evaluation::linear_tail;

/// Areas that are tried.
const STEPS: u32 = 2048;

/// The probability that a positive row has a higher score than a negative one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The estimate; one half where noise hides everything.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The share of pairs in one bucket, estimated: a finer score could be half of it away.
    pub ties: f64,
}

/// The area of these noisy counts.
pub(super) fn of(positives: &[i64], negatives: &[i64], noise: &AdditiveNoise, beta: f64) -> Area {
    let floats = |counts: &[i64]| -> Vec<f64> { counts.iter().map(|count| *count as f64).collect() };
    let (p, n) = (floats(positives), floats(negatives));
    let (p_total, n_total): (f64, f64) = (p.iter().sum(), n.iter().sum());
    // Mn: negatives below, and half of those beside. Mᵀp: positives above, and half of those beside.
    let below = running(n.iter());
    let mut above = running(p.iter().rev());
    above.reverse();
    let pairs: f64 = p.iter().zip(&below).map(|(p, below)| p * below).sum();
    let all = p_total * n_total;
    let share = |part: f64| if p_total > 0.0 && n_total > 0.0 { (part / all).clamp(0.0, 1.0) } else { 0.5 };
    let root = (p.len() as f64).sqrt();
    let logarithm = (8.0 / beta).ln();
    let each = linear_tail::bound(noise, root, 1.0, (8.0 * p.len() as f64 / beta).ln());
    let both = linear_tail::bound(noise, root * each, each, logarithm);
    let step = 1.0 / f64::from(STEPS);
    // Whether some area within a step of this one is possible.
    let possible = |area: f64| {
        let tail = |sums: &[f64], total: f64| {
            let slack = step * total.abs();
            let away = || sums.iter().map(|sum| (sum - area * total).abs() + slack);
            let norm = away().map(|value| value * value).sum::<f64>().sqrt();
            linear_tail::bound(noise, norm, away().fold(0.0, f64::max), logarithm)
        };
        let bound = tail(&below, n_total) + tail(&above, p_total) + both;
        (pairs - area * all).abs() <= bound + step * all.abs()
    };
    let areas = || (0..=STEPS).map(|at| f64::from(at) * step).filter(|area| possible(*area));
    let estimate = share(pairs);
    let low = areas().next().map_or(estimate, |area| (area - step).max(0.0)).min(estimate);
    let high = areas().next_back().map_or(estimate, |area| (area + step).min(1.0)).max(estimate);
    let ties = share(p.iter().zip(&n).map(|(p, n)| p.max(0.0) * n.max(0.0)).sum());
    Area { estimate, low, high, ties }
}

/// The sum of everything before, and half of what is here.
fn running<'a>(counts: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let mut next = |count: &f64| {
        sum += count;
        sum - count / 2.0
    };
    counts.map(&mut next).collect()
}
