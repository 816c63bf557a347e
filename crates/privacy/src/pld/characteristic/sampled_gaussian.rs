//! Gaussian noise on a Poisson sample: its characteristic function by the trapezoidal rule.
//!
//! With z standard normal (the law without the unit) and `w(z) = 1 − q + q·e^(μz − μ²/2)` the loss is ln w for removing the unit,
//! where P weighs z by w, and −ln w for adding it. Both moments are `G(r) = E[w^r]`, at r = 1 + λ + it and r = −λ − it.
//!
//! **Error of the rule.** w has no zero and no negative real value while |Im z| < π/μ, so that w^r·e^(−z²/2) is analytic there. On
//! |Im z| = d ≤ π/(2μ), where 0 ≤ |arg w| ≤ μd and |w| lies between cos(μd/2)·w(Re z) and w(Re z), the integrand is at most
//! `B = e^(d²/2 + |t|μd)·cos(μd/2)^(−λ₋)·G(Re r)`, λ₋ the size of a negative Re r. The rule with step h on the whole line is within
//! `2B/(e^(2πd/h) − 1)` of the integral (Trefethen, Weideman 2014, Theorem 5.1).
//! **Error of the ends.** ln w rises with slope at most μ. Hence what lies more than X beyond a point where Re r·μ or 0 is passed
//! weighs at most e^(−X²/2) of G: move the integral by X.
//! **Envelope.** On Im z = y the integrand is `|w|^(Re r)·e^(−t·arg w)·e^(y²/2)` times the normal density; arg w and |w| rise with Re z, so
//! cells bound the integral, and it falls in t.

use realfft::num_complex::Complex64;

use super::{ENVELOPE_PADDING, Near, turned_less_one};
use crate::pld::law::{FUNCTION_ERROR, NormalTails};
use crate::pld::laws::Direction;

/// How far the nodes reach: e^(−9.5²/2) is 2.5e-20.
const REACH: f64 = 9.5;
/// The rule may err by e to minus this.
const EXPONENT: f64 = 42.0;
/// What the rule and its ends add to a value, relative to G: 2e^(−42) twice, and 2e^(−9²/2) twice for steps below ½.
const RULE_ERROR: f64 = 1e-17;
/// Cells of the envelope.
const CELLS: usize = 200;
/// Tilts that need more nodes than this are not looked at.
const NODES_MAX: f64 = 20_000.0;
/// Powers of a turn are taken afresh after this many.
const FRESH: usize = 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SampledGaussian {
    pub mu: f64,
    pub rate: f64,
    pub direction: Direction,
}

/// A node: the logarithm of its tilted weight, its loss, and how far either may be off.
struct Node {
    z: f64,
    /// Re r·ln w.
    growth: f64,
    /// Re r·ln w − z²/2.
    exponent: f64,
    loss: f64,
    weight_error: f64,
    loss_error: f64,
}

impl SampledGaussian {
    /// Re r.
    fn power(&self, tilt: f64) -> f64 {
        match self.direction {
            Direction::Remove => 1.0 + tilt,
            Direction::Add => -tilt,
        }
    }

    /// The step with which values up to t are computed: the widest that some strip allows.
    fn step(&self, tilt: f64, t: f64) -> f64 {
        let widest = (std::f64::consts::FRAC_PI_2 / self.mu).min(6.0);
        let negative = (-self.power(tilt)).max(0.0);
        let allowed = |strip: f64| {
            let angle = self.mu * strip;
            let growth = 0.5 * strip * strip + t * angle - negative * (0.5 * angle).cos().ln();
            std::f64::consts::TAU * strip / (EXPONENT + growth)
        };
        (0..10).map(|part| allowed(widest * 0.5f64.powi(part))).fold(0.0, f64::max).min(0.5)
    }

    /// Where the nodes end. To the left a negative power sees at most (1 − q)^(Re r), while G ≥ 1 by Jensen's inequality.
    fn ends(&self, tilt: f64) -> (f64, f64) {
        let power = self.power(tilt);
        let negative = (-power).max(0.0);
        let saturated = (REACH * REACH - 2.0 * negative * (-self.rate).ln_1p()).sqrt() + 0.5;
        let left = saturated.min(negative * self.mu + REACH);
        (-left, power.max(0.0) * self.mu + REACH)
    }

    /// How many nodes the rule has for values up to t.
    pub fn nodes(&self, tilt: f64, t: f64) -> f64 {
        let (left, right) = self.ends(tilt);
        (right - left) / self.step(tilt, t)
    }

    /// ln w and a bound on its error.
    fn log_ratio(&self, z: f64) -> (f64, f64) {
        let base = self.mu * z - 0.5 * self.mu * self.mu;
        let slip = FUNCTION_ERROR * (self.mu * z.abs() + self.mu * self.mu);
        if base > 1.0 {
            // e^base may overflow: w = q·e^base·(1 + (1 − q)/q·e^(−base)).
            let rest = ((1.0 - self.rate) / self.rate * (-base).exp()).ln_1p();
            let front = base + self.rate.ln();
            return (front + rest, slip + FUNCTION_ERROR * (base + self.rate.ln().abs() + rest));
        }
        let moved = self.rate * base.exp_m1();
        let share = self.rate * base.exp() / (1.0 + moved);
        (moved.ln_1p(), share * slip + FUNCTION_ERROR * moved.abs() * (1.0 + 1.0 / (1.0 + moved)))
    }

    fn rule(&self, tilt: f64, t: f64) -> Vec<Node> {
        let (left, right) = self.ends(tilt);
        let (step, power) = (self.step(tilt, t), self.power(tilt));
        let sign = if self.direction == Direction::Remove { 1.0 } else { -1.0 };
        let first = (left / step).floor() as i64;
        let last = (right / step).ceil() as i64;
        (first..=last)
            .map(|index| {
                let z = index as f64 * step;
                let (log_ratio, loss_error) = self.log_ratio(z);
                let growth = power * log_ratio;
                let exponent = growth - 0.5 * z * z;
                let size = growth.abs() + z * z;
                let weight_error = power.abs() * loss_error + FUNCTION_ERROR * (1.0 + size);
                Node { z, growth, exponent, loss: sign * log_ratio, weight_error, loss_error }
            })
            .collect()
    }

    /// K by a rule of twice the step: nine digits.
    pub fn rough_log_moment(&self, tilt: f64) -> f64 {
        if self.nodes(tilt, 0.0) > NODES_MAX {
            return f64::INFINITY;
        }
        let (left, right) = self.ends(tilt);
        let (step, power) = (2.0 * self.step(tilt, 0.0), self.power(tilt));
        let exponent = |z: f64| power * self.log_ratio(z).0 - 0.5 * z * z;
        let exponents: Vec<f64> = (0..=((right - left) / step) as usize)
            .map(|index| exponent(left + index as f64 * step))
            .collect();
        let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let whole: f64 = exponents.iter().map(|exponent| (exponent - top).exp()).sum();
        top + (whole * step / std::f64::consts::TAU.sqrt()).ln()
    }

    pub fn log_moment(&self, tilt: f64) -> Near<f64> {
        let step = self.step(tilt, 0.0);
        let nodes = self.rule(tilt, 0.0);
        let top = nodes.iter().map(|node| node.exponent).fold(f64::NEG_INFINITY, f64::max);
        let (mut whole, mut relative) = (0.0, 0.0);
        for node in &nodes {
            let weight = (node.exponent - top).exp();
            whole += weight;
            relative += weight * node.weight_error;
        }
        let density = std::f64::consts::TAU.sqrt().recip() * step;
        let value = top + (density * whole).ln();
        if value.abs() > 0.5 {
            let rounding = FUNCTION_ERROR * (4.0 + value.abs() + top.abs());
            return Near { value, error: 2.0 * relative / whole + rounding + RULE_ERROR };
        }
        // Near one the excess over one is summed instead, since the rule gives E[1] = 1 as exactly as the rest.
        let power = self.power(tilt);
        let (mut excess, mut error) = (0.0, 0.0);
        for node in &nodes {
            let weight = density * (-0.5 * node.z * node.z).exp();
            let growth = node.growth.exp_m1();
            excess += weight * growth;
            let size = growth.abs() * (2.0 + node.z * node.z) + node.growth.abs() * (1.0 + growth);
            error += weight * (FUNCTION_ERROR * size + power.abs() * node.loss_error * (1.0 + growth));
        }
        let value = excess.ln_1p();
        Near { value, error: 2.0 * (error + RULE_ERROR) / (1.0 + excess) + FUNCTION_ERROR * value.abs() }
    }

    /// φ − 1 at `spacing`, `2·spacing`, …
    pub fn less_ones(&self, tilt: f64, spacing: f64, count: usize) -> Vec<Near<Complex64>> {
        let nodes = self.rule(tilt, spacing * count as f64);
        let top = nodes.iter().map(|node| node.exponent).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = nodes.iter().map(|node| (node.exponent - top).exp()).sum();
        let mut sums = vec![Complex64::default(); count];
        // Errors that grow with t until they are a turn away, and those that grow throughout.
        let (mut flat, mut slope, mut throughout) = (0.0, 0.0, 0.0);
        for node in nodes {
            let weight = (node.exponent - top).exp() / total;
            // What weighs less than this is left out: all of it together is far below the rule's own error.
            if weight < 1e-24 {
                continue;
            }
            flat += weight * node.weight_error;
            slope += weight * node.weight_error * node.loss.abs();
            throughout += weight * (node.loss_error + FUNCTION_ERROR * node.loss.abs());
            let angle = spacing * node.loss;
            let one = turned_less_one(angle);
            let mut turned = Complex64::default();
            for (n, sum) in sums.iter_mut().enumerate() {
                // e^(i(n+1)θ) − 1 = (e^(inθ) − 1) + (e^(iθ) − 1) + their product.
                turned = match n % FRESH {
                    0 => turned_less_one((n + 1) as f64 * angle),
                    _ => turned + one + turned * one,
                };
                *sum += weight * turned;
            }
        }
        sums.into_iter()
            .enumerate()
            .map(|(n, value)| {
                let t = (n + 1) as f64 * spacing;
                let error = 4.0 * (t * slope).min(2.0 * flat) + 8.0 * t * throughout + 4.0 * RULE_ERROR;
                Near { value, error }
            })
            .collect()
    }

    pub fn envelope(&self, tilt: f64, t: f64) -> f64 {
        let moment = self.log_moment(tilt);
        let log_moment = moment.value - moment.error;
        let power = self.power(tilt);
        let (left, right) = self.ends(tilt);
        let width = (right - left) / CELLS as f64;
        let shifts = (1..=4).map(|part| f64::from(part) / 4.0 * std::f64::consts::FRAC_PI_2 / self.mu);
        let bound = |shift: f64| {
            let angle = self.mu * shift;
            let point = |z: f64| {
                let base = self.mu * z - 0.5 * self.mu * self.mu;
                // (1 − q)·e^(−base) + q·e^(iμy), times e^base.
                let (size, others) = if base > 0.0 {
                    (base, (1.0 - self.rate) * (-base).exp())
                } else {
                    (0.0, 1.0 - self.rate)
                };
                let sampled = if base > 0.0 { self.rate } else { self.rate * base.exp() };
                let value = Complex64::new(others + sampled * angle.cos(), sampled * angle.sin());
                (value.norm().ln() + size, value.im.atan2(value.re))
            };
            let mut sum = 0.0;
            let mut low = (point(left), NormalTails::at(left, left.abs()));
            for cell in 1..=CELLS {
                let z = left + cell as f64 * width;
                let high = (point(z), NormalTails::at(z, z.abs()));
                let (mass, error) = low.1.until(high.1);
                let log_size = if power >= 0.0 { high.0.0 } else { low.0.0 };
                sum += (mass + error) * (power * log_size - t * low.0.1 - log_moment).exp();
                low = high;
            }
            // Both ends, where arg w counts as zero and a small |w| as cos(μy/2)·w.
            let ends = 2.0 * (-0.5 * REACH * REACH).exp() * (0.5 * angle).cos().powf(power.min(0.0));
            (sum + ends) * (0.5 * shift * shift).exp()
        };
        let best = shifts.filter(|shift| *shift < 6.0).map(bound).fold(1.0, f64::min);
        (best * (1.0 + 1e-9 + ENVELOPE_PADDING)).min(1.0)
    }
}
