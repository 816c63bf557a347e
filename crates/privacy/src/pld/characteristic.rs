//! Characteristic functions of tilted losses: what a law looks like to a Fourier transform.
//!
//! For a loss L and a tilt λ ≥ 0 write `K = ln E[e^(λL); L finite]` and `φ(t) = E[e^((λ+it)L); L finite]/e^K`.
//!
//! **Guarantee.** Every value comes with a bound on its error; [`Characteristic::envelope`] is never below |φ| from its
//! argument on.
//! * Gaussian: `K = λ(λ + 1)μ²/2` and `ln φ = itμ²(λ + ½) − t²μ²/2`.
//! * Laplace and bounded range: exponentials between two ends and atoms on them, integrated in closed form (`ends.rs`).
//! * Atoms: a finite sum. Its absolute value never falls for good, so its envelope is one.
//! * Gaussian on a Poisson sample: an integral by the trapezoidal rule with a bound on its error (`sampled_gaussian.rs`).
//!
//! Errors are counted in units of `FUNCTION_ERROR`, which allows the platform's `exp`, `expm1`, `ln_1p`, `sin`, `cos` 16
//! units in the last place.

mod ends;
mod sampled_gaussian;

use realfft::num_complex::Complex64;

use super::law::{Atom, FUNCTION_ERROR};
pub(crate) use ends::Ends;
pub(crate) use sampled_gaussian::SampledGaussian;

/// Atoms that are summed one by one.
const ATOMS_MAX: usize = 256;

/// Envelopes are raised by this much, far more than they round.
const ENVELOPE_PADDING: f64 = 1e-13;

/// A number and a bound on its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<T> {
    pub value: T,
    pub error: f64,
}

/// A law whose characteristic function is known.
#[derive(Clone, Debug)]
pub(crate) enum Characteristic {
    /// Gaussian noise, with a relative error of μ.
    Gaussian {
        mu: f64,
        mu_error: f64,
    },
    Ends(Ends),
    /// Finite losses, and the probability of an infinite one.
    Atoms {
        finite: Vec<Atom>,
        infinite: f64,
    },
    Sampled(SampledGaussian),
}

impl Characteristic {
    /// The law of these atoms, if they are few enough.
    pub fn atoms(atoms: Vec<Atom>) -> Option<Self> {
        let (finite, infinite): (Vec<_>, Vec<_>) = atoms.into_iter().partition(|atom| atom.loss.is_finite());
        let infinite = infinite.iter().map(|atom| atom.probability).sum();
        (finite.len() <= ATOMS_MAX).then_some(Self::Atoms { finite, infinite })
    }

    /// K at a tilt.
    pub fn log_moment(&self, tilt: f64) -> Near<f64> {
        match self {
            Self::Gaussian { mu, mu_error } => {
                let value = 0.5 * tilt * (tilt + 1.0) * mu * mu;
                Near { value, error: (FUNCTION_ERROR + 3.0 * mu_error) * value }
            }
            Self::Ends(ends) => ends.log_moment(tilt),
            Self::Atoms { finite: atoms, .. } => {
                let (weights, top) = tilted(atoms, tilt);
                let size = atoms.iter().map(|atom| atom.loss.abs()).fold(0.0, f64::max);
                let value = top + weights.iter().sum::<f64>().ln();
                Near { value, error: FUNCTION_ERROR * (4.0 + atoms.len() as f64 + tilt * size) }
            }
            Self::Sampled(law) => law.log_moment(tilt),
        }
    }

    /// About K, for choices that cannot make a result wrong.
    pub fn rough_log_moment(&self, tilt: f64) -> f64 {
        match self {
            Self::Sampled(law) => law.rough_log_moment(tilt),
            _ => self.log_moment(tilt).value,
        }
    }

    /// ln φ at `spacing`, `2·spacing`, …, `count·spacing`.
    pub fn log_values(&self, tilt: f64, spacing: f64, count: usize) -> Vec<Near<Complex64>> {
        let times = (1..=count).map(|n| n as f64 * spacing);
        match self {
            Self::Gaussian { mu, mu_error } => times
                .map(|t| {
                    let value = Complex64::new(-0.5 * t * t * mu * mu, t * mu * mu * (tilt + 0.5));
                    Near { value, error: (FUNCTION_ERROR + 3.0 * mu_error) * value.norm() }
                })
                .collect(),
            Self::Ends(ends) => {
                let line = ends.along(tilt);
                times.map(|t| logarithm(line.less_one(t))).collect()
            }
            Self::Atoms { finite: atoms, .. } => {
                let (weights, _) = tilted(atoms, tilt);
                let total: f64 = weights.iter().sum();
                let relative = FUNCTION_ERROR * (4.0 + atoms.len() as f64);
                times
                    .map(|t| {
                        let (mut sum, mut error) = (Complex64::default(), 0.0);
                        for (atom, weight) in atoms.iter().zip(&weights) {
                            let turn = turned_less_one(t * atom.loss);
                            sum += weight / total * turn;
                            let exponent = 1.0 + tilt * atom.loss.abs();
                            error += weight / total
                                * (relative * exponent * turn.norm() + FUNCTION_ERROR * t * atom.loss.abs());
                        }
                        logarithm(Near { value: sum, error: 2.0 * error })
                    })
                    .collect()
            }
            Self::Sampled(law) => law.less_ones(tilt, spacing, count).into_iter().map(logarithm).collect(),
        }
    }

    /// A number that |φ(u)| does not pass for any u ≥ t.
    pub fn envelope(&self, tilt: f64, t: f64) -> f64 {
        match self {
            Self::Gaussian { mu, mu_error } => {
                (-0.5 * t * t * mu * mu * (1.0 - ENVELOPE_PADDING - 3.0 * mu_error)).exp()
            }
            Self::Ends(ends) => ends.along(tilt).envelope(t),
            Self::Atoms { .. } => 1.0,
            Self::Sampled(law) => law.envelope(tilt, t),
        }
    }

    /// How many operations one value takes, about.
    pub fn work(&self, tilt: f64, t: f64) -> f64 {
        match self {
            Self::Gaussian { .. } | Self::Ends(_) => 20.0,
            Self::Atoms { finite, .. } => 10.0 * finite.len() as f64,
            Self::Sampled(law) => law.nodes(tilt, t),
        }
    }

    /// The probability of an infinite loss.
    pub fn infinite(&self) -> f64 {
        match self {
            Self::Atoms { infinite, .. } => *infinite,
            _ => 0.0,
        }
    }
}

/// Weights of finite atoms after tilting, over e^(the second number).
fn tilted(atoms: &[Atom], tilt: f64) -> (Vec<f64>, f64) {
    let exponent = |atom: &Atom| tilt * atom.loss;
    let top =
        atoms.iter().filter(|atom| atom.probability > 0.0).map(exponent).fold(f64::NEG_INFINITY, f64::max);
    (atoms.iter().map(|atom| atom.probability * (exponent(atom) - top).exp()).collect(), top)
}

/// e^(iθ) − 1, without cancellation.
fn turned_less_one(angle: f64) -> Complex64 {
    let half = (0.5 * angle).sin();
    Complex64::new(-2.0 * half * half, angle.sin())
}

/// ln(1 + z) of a number and its error.
fn logarithm(less_one: Near<Complex64>) -> Near<Complex64> {
    let z = less_one.value;
    let (x, y) = (z.re, z.im);
    let norm = (1.0 + z).norm();
    let real = if z.norm_sqr() < 0.25 { 0.5 * (2.0 * x + z.norm_sqr()).ln_1p() } else { norm.ln() };
    let value = Complex64::new(real, y.atan2(1.0 + x));
    let room = norm - less_one.error;
    if room <= 0.0 {
        // The number may be zero: its size is bounded, and an error of one says that nothing else is known.
        let size = (norm + less_one.error).ln();
        return Near { value: Complex64::new(size, 0.0), error: 1.0 };
    }
    // |ln a − ln b| ≤ |a − b| over the smaller of both; ln_1p of a sum that lost digits is off by as much as the sum.
    let rounding = FUNCTION_ERROR * (value.norm() + z.norm().min(1.0) + z.norm() / norm);
    Near { value, error: less_one.error / room + rounding }
}

#[cfg(test)]
mod tests;
