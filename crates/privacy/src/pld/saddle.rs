//! Where the interesting part of a sum of losses lies: its cumulants under exponential tilting.
//!
//! The tail of a sum at ε is best looked at after multiplying its law by e^(λL) with the λ that puts the mean at ε: then
//! the tail's probability is not small any more, and rounding errors of a convolution stay small against it.

use super::lattice::Lattice;

/// The lattices of a composition, each with how often it is used.
pub(crate) type Parts = [(Lattice, u64)];

/// The cumulant generating function of the sum and its first two derivatives at λ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cumulants {
    pub value: f64,
    pub mean: f64,
    pub variance: f64,
}

/// Cumulants of the tilted sum.
pub(crate) fn cumulants(parts: &Parts, tilt: f64) -> Cumulants {
    let mut sum = Cumulants::default();
    for (lattice, count) in parts {
        let one = cumulants_of(lattice, tilt);
        let count = *count as f64;
        sum.value += count * one.value;
        sum.mean += count * one.mean;
        sum.variance += count * one.variance;
    }
    sum
}

/// Cumulants of one tilted law.
pub(crate) fn cumulants_of(lattice: &Lattice, tilt: f64) -> Cumulants {
    let loss = |index: usize| lattice.offset + (lattice.first + index as i64) as f64 * lattice.step;
    // The exponent of the largest term is taken out, so that nothing overflows: usually that of an end, but an end may
    // weigh nothing.
    let end = if tilt >= 0.0 { loss(lattice.masses.len() - 1) } else { loss(0) };
    let found = cumulants_around(lattice, tilt, end);
    if found.value.is_finite() && found.mean.is_finite() {
        return found;
    }
    let exponent = |index: usize| lattice.masses[index].ln() + tilt * loss(index);
    let heaviest =
        (0..lattice.masses.len()).max_by(|a, b| exponent(*a).total_cmp(&exponent(*b))).unwrap_or(0);
    cumulants_around(lattice, tilt, loss(heaviest))
}

fn cumulants_around(lattice: &Lattice, tilt: f64, top: f64) -> Cumulants {
    let loss = |index: usize| lattice.offset + (lattice.first + index as i64) as f64 * lattice.step;
    let (mut zeroth, mut first, mut second) = (0.0, 0.0, 0.0);
    for (index, mass) in lattice.masses.iter().enumerate() {
        let distance = loss(index) - top;
        let weight = mass * (tilt * distance).exp();
        zeroth += weight;
        first += weight * distance;
        second += weight * distance * distance;
    }
    let mean = first / zeroth;
    Cumulants {
        value: zeroth.ln() + tilt * top,
        mean: mean + top,
        variance: (second / zeroth - mean * mean).max(0.0),
    }
}

/// The tilt at which the sum's tail weighs about `delta`, and where that tail begins.
pub(crate) fn tilt_for_delta(parts: &Parts, delta: f64, tilt_max: f64) -> f64 {
    bisect(tilt_max, |tilt| {
        let at = cumulants(parts, tilt);
        // ln δ ≈ K(λ) − λK'(λ) − ln(1 + λ(1 + λ)·√(2πK'')), which falls in λ.
        let width = (2.0 * std::f64::consts::PI * at.variance).sqrt();
        at.value - tilt * at.mean - (tilt * (1.0 + tilt) * width).ln_1p() > delta.ln()
    })
}

/// The tilt that puts the mean of the sum at ε.
pub(crate) fn tilt_for_epsilon(parts: &Parts, epsilon: f64, tilt_max: f64) -> f64 {
    bisect(tilt_max, |tilt| cumulants(parts, tilt).mean < epsilon)
}

/// The largest tilt in [0, tilt_max], on a geometric scale, at which the question is still answered with yes.
fn bisect(tilt_max: f64, mut too_small: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = ((tilt_max * 1e-14).ln(), tilt_max.ln());
    if !too_small(low.exp()) {
        return low.exp();
    }
    if too_small(tilt_max) {
        return tilt_max;
    }
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if too_small(middle.exp()) { low = middle } else { high = middle }
    }
    low.exp()
}

/// How far a tilted sum reaches on one side, and the direction of the Chernoff bound that shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub distance: f64,
    pub direction: f64,
}

/// How far left or right of its mean the tilted sum reaches but for the probability e^(−exponent): Chernoff's bound,
/// minimised over a few directions.
pub(crate) fn reach(parts: &Parts, tilt: f64, at: Cumulants, exponent: f64, sign: f64) -> Reach {
    let mut best =
        Reach { distance: f64::INFINITY, direction: sign / at.variance.sqrt().max(f64::MIN_POSITIVE) };
    for direction in directions(parts, tilt, at, sign) {
        let moved = cumulants(parts, tilt + direction);
        let distance = (moved.value - at.value - direction * at.mean + exponent) / direction.abs();
        if distance < best.distance {
            best = Reach { distance, direction };
        }
    }
    best
}

/// Chernoff's bound in one direction on the probability that the tilted sum lies beyond `point`.
pub(crate) fn tail_upper(parts: &Parts, tilt: f64, at: Cumulants, point: f64, direction: f64) -> f64 {
    let bound = (cumulants(parts, tilt + direction).value - at.value - direction * point).exp();
    // The cumulants are sums of positive terms with a relative error far below this. A probability is at most one.
    if bound < 1.0 { bound * 1.001 } else { 1.0 }
}

/// Directions in which Chernoff's bound is worth trying: some in units of the sum's deviation, and some in units of the
/// tilt itself, for sums that tilting has nearly collapsed into one point.
fn directions(parts: &Parts, tilt: f64, at: Cumulants, sign: f64) -> impl Iterator<Item = f64> {
    let finest = parts.iter().map(|(lattice, _)| lattice.step).fold(f64::INFINITY, f64::min);
    let deviation = at.variance.sqrt().max(finest);
    let by_deviation = [0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 11.0, 16.0].map(|steps| steps / deviation);
    let by_tilt = [0.1, 0.3, 0.6, 0.9].map(|share| share * tilt);
    by_deviation.into_iter().chain(by_tilt).map(move |size| sign * size)
}
