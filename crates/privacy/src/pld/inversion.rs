//! δ(ε) of a composition by Fourier inversion, with a bound on every error: for lists that are smooth together.
//!
//! **Guarantee.** With K and φ the sums and products of `characteristic.rs` at a tilt λ > 0, s_n = λ + in·2π/W and any W > 0,
//!
//! `e^(K−λε)/W · Σ_n φ(2πn/W)·e^(−2πinε/W)/(s_n(s_n + 1)) = δ(ε) + Σ_{m ≥ 1} e^(−λmW)·δ(ε − mW) + Σ_{m ≥ 1} e^(λmW)·δ(ε + mW)`.
//!
//! **Proof.** Let k(z) = e^(−λz)(1 − e^(−z)) for z > 0 and 0 otherwise. Then `e^(K−λx)·E_λ[k(L − x)] = δ(x)`, the expectation under the tilted
//! law, and ∫ k(z)·e^(−itz) dz = 1/((λ + it)(λ + 1 + it)). Poisson's summation formula for the continuous, absolutely
//! summable `x ↦ E_λ[k(L − x)]`, whose transform is bounded by 1/t², gives `Σ_m E_λ[k(L − ε + mW)]` on the right.
//!
//! So the sum alone is a bound from above. From below, the first aliases are at most 1/(e^(λW) − 1) because δ ≤ 1, the second
//! at most `e^(K(λ')−λ'ε)/(e^((λ'−λ)W) − 1)` for any λ' > λ because δ(x) ≤ e^(K(λ')−λ'x). Terms beyond T weigh at most `sup|φ|/(πT)`.
//! Rounding is bounded term by term.
//! **Not covered.** Lists whose φ does not fall: a few atoms on a line. They go to the lattice, which is exact for atoms.

use realfft::num_complex::Complex64;

use super::accountant::{Certified, Target};
use super::characteristic::{Characteristic, Near};
use super::law::FUNCTION_ERROR;

/// The laws of a list, each with how often it is used.
pub(crate) type Characteristics = Vec<(Characteristic, u64)>;

/// How small aliases, and what is cut off, are made relative to δ: e to minus this.
#[derive(Clone, Copy)]
struct Precision {
    aliases: f64,
    cut: f64,
}

const FINE: Precision = Precision { aliases: 30.0, cut: 30.0 };
/// Frequencies, and operations, that take some hundredths of a second.
const FREQUENCIES_MAX: f64 = 16_384.0;
const WORK_MAX: f64 = 5e7;
/// Lists with more sampled mechanisms than this are cut off by the envelopes of their other laws.
const ENVELOPES_MAX: usize = 8;
/// The gap between the bounds, relative to δ, beyond which the lattice is asked instead.
const GAP_MAX: f64 = 1e-4;

/// The composition at one tilt, ready to be asked for δ near one ε.
pub(crate) struct Inversion {
    tilt: f64,
    spacing: f64,
    log_moment: Near<f64>,
    terms: Vec<Term>,
    /// A bound on the sum of everything that was not summed, before it is multiplied by e^(K−λε).
    omitted: f64,
    /// λ' and K(λ'), rounded up.
    beyond: (f64, f64),
    /// The probability of an infinite loss, from below and from above.
    infinite: (f64, f64),
    /// About the ε that the tilt belongs to.
    centre: f64,
}

/// What a frequency adds: `φ/(s(s + 1))`, less the turn by e^(−itε).
struct Term {
    /// The angle of φ, and 1/(s(s + 1)) times its size.
    angle: f64,
    value: Complex64,
    /// The size of `value`, and how far the angle and the logarithm of the size may be off.
    size: f64,
    slip: f64,
}

impl Term {
    fn new(near: &Near<Complex64>, tilt: f64, t: f64) -> Self {
        let under = Complex64::new(tilt * (tilt + 1.0) - t * t, t * (2.0 * tilt + 1.0));
        let slip = near.error + FUNCTION_ERROR * (near.value.norm() + 2.0);
        if slip > 0.1 {
            // Nothing is known of the angle: the term is at most this large, and counts as error.
            let size = (near.value.re + near.error).exp().min(1.0) / under.norm() * (1.0 + 1e-12);
            return Self { angle: 0.0, value: Complex64::default(), size, slip };
        }
        let value = near.value.re.exp() / under;
        Self { angle: near.value.im, value, size: value.norm(), slip }
    }
}

/// The bounds on ε at a δ, or on δ at an ε; nothing when the list is not smooth enough.
pub(crate) fn certified(laws: &Characteristics, target: Target) -> Option<Certified> {
    let inversion = Inversion::new(laws, target, FINE)?;
    match target {
        Target::Epsilon(epsilon) => {
            let found = inversion.delta(epsilon);
            (found.upper - found.lower <= GAP_MAX * found.upper).then_some(found)
        }
        Target::Delta(delta) => inversion.epsilon(delta),
    }
}

impl Inversion {
    fn new(laws: &Characteristics, target: Target, precision: Precision) -> Option<Self> {
        let infinite: f64 = laws.iter().map(|(law, count)| *count as f64 * (-law.infinite()).ln_1p()).sum();
        let infinite = -infinite.exp_m1();
        let log_moment = |tilt: f64| sum(laws.iter().map(|(law, count)| (law.log_moment(tilt), *count)));
        let rough =
            |tilt: f64| laws.iter().map(|(law, count)| *count as f64 * law.rough_log_moment(tilt)).sum();
        let saddle = Saddle::new(&rough, target, infinite)?;
        let Saddle { tilt, mean, deviation, log_delta } = saddle;
        let at = log_moment(tilt);
        // The period: both kinds of aliases are small against δ.
        let left = (precision.aliases - log_delta) / tilt;
        let (right, beyond) = [0.5, 1.0, 2.0, 4.0, 8.0]
            .into_iter()
            .map(|part| {
                let further = tilt + part / deviation;
                let moment = log_moment(further);
                let upper = moment.value + moment.error;
                (
                    (upper - further * mean - log_delta + precision.aliases) * deviation / part,
                    (further, upper),
                )
            })
            .filter(|(distance, _)| distance.is_finite())
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let spacing = std::f64::consts::TAU / left.max(right).max(deviation);
        let log_wanted = log_delta + tilt * mean - at.value;
        let (frequencies, omitted) = cut(laws, tilt, spacing, deviation, log_wanted - precision.cut)?;
        let mut log_values = vec![Near { value: Complex64::default(), error: 0.0 }; frequencies];
        for (law, count) in laws {
            let copies = *count as f64;
            for (sum, one) in log_values.iter_mut().zip(law.log_values(tilt, spacing, frequencies)) {
                sum.value += copies * one.value;
                sum.error += copies * (one.error + 4.0 * f64::EPSILON * one.value.norm());
            }
        }
        let term =
            |(index, near): (usize, &Near<Complex64>)| Term::new(near, tilt, (index + 1) as f64 * spacing);
        let terms = log_values.iter().enumerate().map(term).collect();
        let rounding = 1.0 + 1e-12;
        Some(Self {
            tilt,
            spacing,
            log_moment: at,
            terms,
            omitted,
            beyond,
            infinite: (infinite / rounding, infinite * rounding),
            centre: mean,
        })
    }

    /// Both bounds on δ(ε).
    fn delta(&self, epsilon: f64) -> Certified {
        let tilt = self.tilt;
        let (mut sum, mut size, mut error) = (0.5 / (tilt * (tilt + 1.0)), 0.0, self.omitted);
        size += sum;
        for (index, term) in self.terms.iter().enumerate() {
            let turn = (index + 1) as f64 * self.spacing * epsilon;
            let slip = term.slip + FUNCTION_ERROR * turn.abs();
            if slip > 0.1 {
                // A size that is known is known to a tenth.
                error += 1.2 * term.size;
                continue;
            }
            let (sine, cosine) = (term.angle - turn).sin_cos();
            sum += cosine * term.value.re - sine * term.value.im;
            size += term.size;
            error += term.size * slip.exp_m1();
        }
        error += size * (self.terms.len() as f64 + 8.0) * f64::EPSILON;
        // The sum over n and −n, over the period.
        let over_period = self.spacing / std::f64::consts::PI;
        let exponent = self.log_moment.value - tilt * epsilon;
        let relative = self.log_moment.error
            + FUNCTION_ERROR * (2.0 + self.log_moment.value.abs() + tilt * epsilon.abs());
        let scale = exponent.exp() * over_period;
        let [left, right] = self.aliases(epsilon);
        let upper = scale * (sum + error) * (1.0 + 2.0 * relative) + self.infinite.1;
        let lower = scale * (sum - error) * (1.0 - 2.0 * relative) - (left + right) * (1.0 + 1e-9);
        if relative > 0.1 || !upper.is_finite() {
            return Certified { lower: 0.0, upper: 1.0 };
        }
        Certified { lower: lower.max(0.0) + self.infinite.0, upper: upper.min(1.0) }
    }

    /// Bounds on the sums of δ to the left of ε and to its right that the period adds.
    fn aliases(&self, epsilon: f64) -> [f64; 2] {
        let period = std::f64::consts::TAU / self.spacing;
        let (tilt, log_moment) = self.beyond;
        let right = (log_moment - tilt * epsilon).exp() / ((tilt - self.tilt) * period).exp_m1();
        [1.0 / (self.tilt * period).exp_m1(), right]
    }

    /// Both bounds on the least ε at a δ: where the upper bound on δ has fallen to it, and where the lower one has not yet.
    fn epsilon(&self, delta: f64) -> Option<Certified> {
        let upper = self.crossing(|epsilon| self.delta(epsilon).upper, delta)?.1;
        let lower = self.crossing(|epsilon| self.delta(epsilon).lower, delta)?.0;
        (upper - lower <= GAP_MAX * upper).then_some(Certified { lower, upper })
    }

    /// An ε at which the bound is above `delta`, or zero, and a slightly larger one at which it is not above.
    fn crossing(&self, bound: impl Fn(f64) -> f64, delta: f64) -> Option<(f64, f64)> {
        let excess = |epsilon: f64| bound(epsilon).max(1e-300).ln() - delta.ln();
        // ln δ falls by about λ for each ε.
        let mut near = self.centre.max(0.0);
        let mut step = f64::INFINITY;
        for _ in 0..12 {
            step = excess(near) / self.tilt;
            near = (near + step).max(0.0);
            if step.abs() <= 1e-12 * near {
                break;
            }
        }
        let outwards = |sign: f64| {
            let mut distance = step.abs().max(1e-15 * near);
            for _ in 0..60 {
                let point = (near + sign * distance).max(0.0);
                let found =
                    if sign > 0.0 { excess(point) <= 0.0 } else { point == 0.0 || excess(point) > 0.0 };
                if found {
                    return Some(point);
                }
                distance *= 4.0;
            }
            None
        };
        let (mut left, mut right) = (outwards(-1.0)?, outwards(1.0)?);
        for _ in 0..12 {
            let middle = 0.5 * (left + right);
            if excess(middle) > 0.0 { left = middle } else { right = middle }
        }
        Some((left, right))
    }
}

/// Where to look: the tilt whose mean is the ε in question.
struct Saddle {
    tilt: f64,
    mean: f64,
    deviation: f64,
    log_delta: f64,
}

impl Saddle {
    fn new(log_moment: &dyn Fn(f64) -> f64, target: Target, infinite: f64) -> Option<Self> {
        // Tilts are measured in deviations of the loss.
        let slope = |tilt: f64, width: f64| {
            let (low, here, high) = (log_moment(tilt - width), log_moment(tilt), log_moment(tilt + width));
            (here, (high - low) / (2.0 * width), ((high - here) - (here - low)) / (width * width))
        };
        // K(λ) is about λ·mean + λ²·variance/2: at λ = 1/deviation the curved part is a quarter.
        let wide = |deviation: f64| {
            let curved = log_moment(1.0 / deviation) - 2.0 * log_moment(0.5 / deviation);
            curved.is_finite() && curved < 0.25
        };
        let mut deviation = 1.0f64;
        while !wide(deviation) && deviation < 1e15 {
            deviation *= 8.0;
        }
        while wide(deviation) && deviation > 1e-15 {
            deviation /= 8.0;
        }
        for factor in [4.0, 2.0, 1.4] {
            if !wide(deviation * factor) {
                deviation *= factor;
            }
        }
        let width = 1e-3 / deviation;
        let at = |tilt: f64| {
            let (value, mean, variance) = slope(tilt, width);
            let variance = variance.max(1e-6 * deviation * deviation);
            let prefactor = (tilt * (1.0 + tilt) * (std::f64::consts::TAU * variance).sqrt()).ln_1p();
            (mean, variance.sqrt(), value - tilt * mean - prefactor)
        };
        let too_small = |tilt: f64| match target {
            Target::Delta(delta) => at(tilt).2 > (delta - infinite).max(0.5 * delta).ln(),
            Target::Epsilon(epsilon) => at(tilt).0 < epsilon,
        };
        let (mut low, mut high) = (0.5 / deviation, 60.0 / deviation);
        if too_small(high) {
            return None;
        }
        for _ in 0..10 {
            let middle = (low * high).sqrt();
            if too_small(middle) { low = middle } else { high = middle }
        }
        let (mean, spread, log_delta) = at(low);
        // Left of the smallest tilt the question lies below the mean; what is asked there is what counts.
        let mean = match target {
            Target::Epsilon(epsilon) => epsilon,
            Target::Delta(_) => mean,
        };
        (mean.is_finite() && spread.is_finite() && log_delta.is_finite() && log_delta > -650.0)
            .then_some(Self { tilt: low, mean, deviation: spread, log_delta })
    }
}

/// How many frequencies are summed, and a bound on what the others add: its logarithm is to be as small as the last number.
fn cut(
    laws: &Characteristics,
    tilt: f64,
    spacing: f64,
    deviation: f64,
    log_small: f64,
) -> Option<(usize, f64)> {
    let sampled = laws.iter().filter(|(law, _)| matches!(law, Characteristic::Sampled(_))).count();
    let log_envelope = |t: f64| -> f64 {
        let each = |(law, count): &(Characteristic, u64)| match law {
            Characteristic::Sampled(_) if sampled > ENVELOPES_MAX => 0.0,
            _ => *count as f64 * law.envelope(tilt, t).ln(),
        };
        laws.iter().map(each).sum()
    };
    let mut t = 4.0 / deviation;
    loop {
        let frequencies = (t / spacing).ceil().max(2.0);
        if frequencies > FREQUENCIES_MAX {
            return None;
        }
        let end = frequencies * spacing;
        // The sum over n > N of 1/t² is at most 1/(T·spacing).
        let log_omitted = log_envelope(end) - (end * spacing).ln();
        if log_omitted + (spacing / std::f64::consts::PI).ln() <= log_small {
            let work: f64 = laws.iter().map(|(law, _)| law.work(tilt, end)).sum();
            let affordable = work * frequencies <= WORK_MAX;
            return affordable.then(|| (frequencies as usize, log_omitted.exp() * (1.0 + 1e-9)));
        }
        t = end * 1.4;
    }
}

/// A sum of copies, with the sum of their errors.
fn sum(parts: impl Iterator<Item = (Near<f64>, u64)>) -> Near<f64> {
    parts.fold(Near { value: 0.0, error: 0.0 }, |sum, (one, count)| {
        let value = count as f64 * one.value;
        let error = count as f64 * one.error + 4.0 * f64::EPSILON * (value.abs() + sum.value.abs());
        Near { value: sum.value + value, error: sum.error + error }
    })
}

#[cfg(test)]
mod tests;
