//! The profile δ(ε) of a composition, from one side.
//!
//! The tilted masses `r` of the sum S on a window of the lattice come from `convolution.rs`; with M the moment generating
//! function at the tilt λ, `δ(ε) = M·Σ r(y)·e^(−λy)·(1 − e^(ε−y))₊` over lattice losses y, plus the mass of infinite losses.
//! What lies outside the window wraps into it: its tilted probability is bounded by Chernoff's inequality, and the
//! weight it can get or lose is at most `M·e^(−λε)/(1 + λ)`, the largest value of e^(−λz)(1 − e^(−z)) being below 1/(1 + λ).

use super::convolution::Spectrum;
use super::lattice::Rounding;
use super::saddle::{self, Parts};

/// Masses and powers of tilted laws carry a relative error of about a hundred units; this is a thousand.
const TILTING_ERROR: f64 = 1e-13;
/// Beyond this exponent, weights of losses far left of the window's centre would overflow.
const EXPONENT_MAX: f64 = 600.0;

/// Where on the lattice the composition is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub step: f64,
    /// The index of the window's first lattice point.
    pub start: i64,
    /// How many lattice points the window has, a power of two.
    pub length: usize,
    /// The exponential tilt that puts the sum's mean where the question is.
    pub tilt: f64,
    /// Chernoff directions, to the left and to the right, that bound what lies outside.
    pub directions: [f64; 2],
}

/// δ as a function of ε, bounded from the side its laws were rounded to.
pub(crate) struct Profile {
    rounding: Rounding,
    step: f64,
    offset: f64,
    /// The lattice index of the window's first usable loss.
    first: i64,
    tilt: f64,
    centre: f64,
    /// ln of M·e^(−λ·centre).
    log_scale: f64,
    /// `tails[j] = Σ_{i ≥ j} r_i·e^(−λ(y_i − centre))` and `hinges[j] = Σ_{i ≥ j} r_i·e^(−λ(y_i − centre))·(1 − e^(−(y_i − y_j)))`.
    tails: Vec<f64>,
    hinges: Vec<f64>,
    /// The same sums for r = 1, which say how much an error of each mass weighs.
    unit_tails: Vec<f64>,
    unit_hinges: Vec<f64>,
    error: f64,
    outside: f64,
    infinite: f64,
    relative_error: f64,
}

impl Profile {
    /// Convolves the parts inside the planned window.
    pub fn new(parts: &Parts, rounding: Rounding, plan: &Plan) -> Self {
        let Plan { step, start, length, tilt, directions } = *plan;
        let at = saddle::cumulants(parts, tilt);
        let mut spectrum = Spectrum::new(length);
        let mut copies = 0.0;
        let offset: f64 = parts.iter().map(|(lattice, count)| *count as f64 * lattice.offset).sum();
        // The window is planned in losses; what the offsets add up to shifts the lattice under it.
        let start = start - (offset / step).round() as i64;
        let loss = |index: i64| offset + index as f64 * step;
        let mut log_survival = 0.0;
        for (lattice, count) in parts {
            let mut tilted = vec![0.0; length];
            let log_moment = saddle::cumulants_of(lattice, tilt).value;
            for (index, mass) in lattice.masses.iter().enumerate() {
                let position = lattice.first + index as i64;
                let weight = (tilt * (lattice.offset + position as f64 * step) - log_moment).exp();
                tilted[position.rem_euclid(length as i64) as usize] += mass * weight;
            }
            spectrum.convolve(tilted, *count);
            copies += *count as f64;
            log_survival += *count as f64 * (-lattice.infinite).ln_1p();
        }
        let (masses, error) = spectrum.invert();
        let (begin, end) = (loss(start), loss(start + length as i64 - 1));
        let outside = saddle::tail_upper(parts, tilt, at, begin, directions[0])
            + saddle::tail_upper(parts, tilt, at, end, directions[1]);

        // Weights fall with the loss; the window is cut where they would overflow on its left.
        let centre = at.mean.clamp(begin, end);
        let skipped = ((centre - begin - EXPONENT_MAX / tilt.max(1e-300)) / step).max(0.0) as usize;
        let first = start + skipped.min(length - 1) as i64;
        let usable = length - (first - start) as usize;
        let mut profile = Self {
            rounding,
            step,
            offset,
            first,
            tilt,
            centre,
            log_scale: at.value - tilt * centre,
            tails: vec![0.0; usable + 1],
            hinges: vec![0.0; usable + 1],
            unit_tails: vec![0.0; usable + 1],
            unit_hinges: vec![0.0; usable + 1],
            error,
            outside,
            infinite: -log_survival.exp_m1(),
            relative_error: TILTING_ERROR * (copies + 1000.0),
        };
        profile.accumulate(&masses, length);
        profile
    }

    fn accumulate(&mut self, masses: &[f64], length: usize) {
        let (shrink, hinge) = ((-self.step).exp(), -(-self.step).exp_m1());
        for j in (0..self.tails.len() - 1).rev() {
            let index = self.first + j as i64;
            let weight = (-self.tilt * (self.loss(j) - self.centre)).exp();
            let mass = masses[index.rem_euclid(length as i64) as usize];
            self.tails[j] = self.tails[j + 1] + mass * weight;
            self.unit_tails[j] = self.unit_tails[j + 1] + weight;
            // 1 − e^(−(m+1)h) = (1 − e^(−h)) + e^(−h)(1 − e^(−mh)): sums of positive terms only.
            self.hinges[j] = shrink * self.hinges[j + 1] + hinge * self.tails[j + 1];
            self.unit_hinges[j] = shrink * self.unit_hinges[j + 1] + hinge * self.unit_tails[j + 1];
        }
    }

    /// The loss at a point of the window.
    fn loss(&self, j: usize) -> f64 {
        self.offset + (self.first + j as i64) as f64 * self.step
    }

    /// The bound on δ(ε), between zero and one.
    pub fn delta(&self, epsilon: f64) -> f64 {
        let position = (epsilon - self.offset) / self.step - self.first as f64;
        let pessimistic = self.rounding == Rounding::Pessimistic;
        // Left of the window the tilted sum says nothing; from below, δ is at least what it is at the window's edge.
        if position < 0.0 && pessimistic && epsilon < self.loss(0) {
            return 1.0;
        }
        let epsilon = epsilon.max(self.loss(0));
        let j = (position.max(0.0).ceil() as usize).min(self.tails.len() - 1);
        // d is how far the first loss above ε exceeds it: (1 − e^(ε−y)) = (1 − e^(−d)) + e^(−d)(1 − e^(−(y−y_j))).
        let d = (self.loss(j) - epsilon).max(0.0);
        let at = |tails: &[f64], hinges: &[f64]| -(-d).exp_m1() * tails[j] + (-d).exp() * hinges[j];
        let value = at(&self.tails, &self.hinges);
        let uncertainty = self.error * at(&self.unit_tails, &self.unit_hinges)
            + self.outside * (-self.tilt * (epsilon - self.centre)).exp() / (1.0 + self.tilt);
        let scale = self.log_scale.exp();
        if pessimistic {
            let finite = scale * (value + uncertainty) * (1.0 + self.relative_error);
            (finite + self.infinite * (1.0 + 1e-12)).min(1.0)
        } else {
            let finite = scale * (value - uncertainty) * (1.0 - self.relative_error);
            (finite.max(0.0) + self.infinite * (1.0 - 1e-12)).clamp(0.0, 1.0)
        }
    }

    /// An ε at which the bound is at most `delta` (pessimistic), or up to which it is above (optimistic); `None` when no
    /// ε inside the window does it.
    pub fn epsilon(&self, delta: f64) -> Option<f64> {
        let point = |j: usize| self.loss(j);
        let points = self.tails.len() - 1;
        let pessimistic = self.rounding == Rounding::Pessimistic;
        // The bound falls with ε but for its uncertainty; bisection finds a crossing, and any crossing will do.
        let (mut low, mut high) = (0, points);
        if self.delta(point(high)) > delta {
            return (!pessimistic).then(|| point(high));
        }
        if self.delta(point(low)) <= delta {
            if pessimistic {
                return Some(point(low));
            }
            // Far left of the centre the uncertainty outweighs the optimistic bound: look for the last place where it
            // still says something.
            low = (0..points).rev().find(|j| self.delta(point(*j)) > delta)?;
            high = low + 1;
        }
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.delta(point(middle)) <= delta { high = middle } else { low = middle }
        }
        let (mut left, mut right) = (point(low), point(high));
        for _ in 0..50 {
            let middle = 0.5 * (left + right);
            if self.delta(middle) <= delta { right = middle } else { left = middle }
        }
        Some(if pessimistic { right } else { left })
    }
}

#[cfg(test)]
mod tests;
