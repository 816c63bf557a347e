//! Between which numbers a quotient of noisy numbers lies.
//!
//! **Guarantee.** Let A and B be noisy linear forms of quotients' parts, θ the quotient of their true values. At the true
//! θ, A − θB is noise alone, with weights aᵢ − θbᵢ; so θ is in {θ : |A − θB| ≤ q(θ)}, q(θ) the quantile of that noise
//! at β, with probability 1 − β, whatever the true values are, tiny ones included (Fieller 1954; the argument is this
//! sentence). [`quotient`] is the hull of that set within the range that θ cannot leave.
//! **Why not boxes.** An interval for A and one for B, each at β/2, hold the quotient too, with 99 to 100 % instead of 95:
//! both ends would have to be missed at once, and parts that A and B share are counted twice.
//! **How.** Where B is clearly not zero, |B| > q_B, the set is an interval around A/B, and its ends are found by doubling
//! and halving. Else it may be everything, or everything but a gap: points of the range are tried, and the outermost
//! ones that are in the set are refined. Halving stops on the outer side.

use pointillist_mechanisms::number::noise_sum::{Noise, Sureness, quantile};

/// Points of the range that are tried where the divisor may be zero.
const POINTS: usize = 64;
/// An end is found to a millionth of the last step.
const HALVINGS: usize = 20;
/// Rounding errors of a few operations, relative to what is added up.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// One measure of a quotient: its weight above and below, its released value and its noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) over: f64,
    pub(crate) under: f64,
    pub(crate) value: f64,
    pub(crate) noise: Noise,
}

/// A quotient of noisy linear forms: constants above and below, and the measures.
#[derive(Clone, Debug)]
pub(crate) struct Quotient<'a> {
    pub(crate) constants: (f64, f64),
    pub(crate) parts: &'a [Part],
}

impl Quotient<'_> {
    /// The released quotient, if there is one.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let (mut over, mut under) = self.constants;
        for part in self.parts {
            over += part.over * part.value;
            under += part.under * part.value;
        }
        let ratio = over / under;
        ratio.is_finite().then_some(ratio)
    }

    /// |A − θB| − q(θ): at most zero where θ is in the set.
    fn excess(&self, theta: f64, sure: &Sureness, noises: &mut Vec<(f64, Noise)>) -> f64 {
        let mut distance = self.constants.0 - theta * self.constants.1;
        let mut size = distance.abs();
        noises.clear();
        for part in self.parts {
            let weight = part.over - theta * part.under;
            distance += weight * part.value;
            size += (part.over.abs() + (theta * part.under).abs()) * part.value.abs();
            noises.push((weight, part.noise));
        }
        distance.abs() - quantile(noises, sure) - ROUNDING * size
    }

    /// The divisor, if it is clearly not zero.
    fn divisor(&self, sure: &Sureness) -> Option<f64> {
        let noises: Vec<(f64, Noise)> = self.parts.iter().map(|part| (part.under, part.noise)).collect();
        let under: f64 = self.parts.iter().map(|part| part.under * part.value).sum();
        let divisor = (self.constants.1 + under).abs();
        (divisor > quantile(&noises, sure)).then_some(divisor)
    }

    /// The hull of the set within a range; `None` where that is everything there is.
    pub(crate) fn interval(&self, (low, high): (f64, f64), sure: &Sureness) -> Option<(f64, f64)> {
        let mut noises = Vec::with_capacity(self.parts.len());
        let mut inside = |theta: f64| self.excess(theta, sure, &mut noises) <= 0.0;
        if let (Some(ratio), Some(divisor)) = (self.ratio(), self.divisor(sure)) {
            let start = ratio.clamp(low, high);
            if !inside(start) {
                // The whole set is beyond one end: the noise was larger than it is with 1 − β.
                return Some((start, start));
            }
            let noises: Vec<_> =
                self.parts.iter().map(|part| (part.over - start * part.under, part.noise)).collect();
            let step = quantile(&noises, sure) / divisor + f64::MIN_POSITIVE;
            let ends = [low, high].map(|limit| outermost(start, limit, step, &mut inside));
            return (ends[0].is_finite() && ends[1].is_finite()).then_some((ends[0], ends[1]));
        }
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        let point = |at: usize| low + (high - low) * at as f64 / POINTS as f64;
        let (first, last) =
            ((0..=POINTS).find(|at| inside(point(*at))), (0..=POINTS).rfind(|at| inside(point(*at))));
        let (Some(first), Some(last)) = (first, last) else { return Some((low, high)) };
        let lower = if first == 0 { low } else { halved(point(first), point(first - 1), &mut inside) };
        let upper = if last == POINTS { high } else { halved(point(last), point(last + 1), &mut inside) };
        Some((lower, upper))
    }
}

/// The end of the set in the direction of a limit, from a point inside.
fn outermost(start: f64, limit: f64, mut step: f64, inside: &mut impl FnMut(f64) -> bool) -> f64 {
    if limit.is_finite() && inside(limit) {
        return limit;
    }
    let direction = if limit < start { -1.0 } else { 1.0 };
    let mut within = start;
    loop {
        // Next to a large number a short step does not move.
        let next = start + direction * step.max(start.abs() * f64::EPSILON * 4.0);
        let next = if direction < 0.0 { next.max(limit) } else { next.min(limit) };
        if !next.is_finite() {
            return next;
        }
        if !inside(next) {
            return halved(within, next, inside);
        }
        (within, step) = (next, 2.0 * step);
    }
}

/// Between a point inside and one outside: the outer end of the last halving.
fn halved(mut within: f64, mut beyond: f64, inside: &mut impl FnMut(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = within + (beyond - within) / 2.0;
        if middle == within || middle == beyond {
            break;
        }
        if inside(middle) {
            within = middle;
        } else {
            beyond = middle;
        }
    }
    beyond
}
