//! Losses between two ends: Laplace noise and the pair of bounded range.
//!
//! The loss lies in [−b, b] with a density proportional to e^(l/2) and, for Laplace noise, atoms at both ends. Divided by
//! e^((λ+it)b)'s size, with g = e^(−(2λ+1)b), c = λ + ½ and `N(t) = e^(itb) − g·e^(−itb)`:
//! * Laplace noise of ε = b: `½·e^(itb) + ½·g·e^(−itb) + ¼·N(t)/(c + it)`, at t = 0 `1 − (1 − g)λ/(2λ + 1)`;
//! * bounded range η = b: `½·N(t)/((c + it)(1 − e^(−η)))`.
//!
//! What is returned is the value less that at zero, every term of which vanishes with t: nothing cancels.

use realfft::num_complex::Complex64;

use super::{ENVELOPE_PADDING, Near, turned_less_one};
use crate::pld::law::FUNCTION_ERROR;

/// A loss of this kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// The largest loss b.
    pub largest: f64,
    /// Whether the ends carry the atoms of Laplace noise.
    pub atoms: bool,
}

/// The law at one tilt.
pub(crate) struct Line {
    largest: f64,
    /// c = λ + ½.
    centre: f64,
    /// g, and 1 − g.
    decay: f64,
    decay_less: f64,
    atom: f64,
    density: f64,
    at_zero: f64,
}

impl Ends {
    pub fn along(&self, tilt: f64) -> Line {
        let exponent = -(2.0 * tilt + 1.0) * self.largest;
        let (decay, decay_less) = (exponent.exp(), -exponent.exp_m1());
        let centre = tilt + 0.5;
        let (atom, density, at_zero) = if self.atoms {
            (0.5, 0.25, 1.0 - decay_less * tilt / (2.0 * centre))
        } else {
            let density = -0.5 / (-self.largest).exp_m1();
            (0.0, density, density * decay_less / centre)
        };
        Line { largest: self.largest, centre, decay, decay_less, atom, density, at_zero }
    }

    pub fn log_moment(&self, tilt: f64) -> Near<f64> {
        let line = self.along(tilt);
        let front = tilt * self.largest;
        let rest = if self.atoms {
            let drop = line.decay_less * tilt / (2.0 * line.centre);
            Near { value: (-drop).ln_1p(), error: 8.0 * FUNCTION_ERROR * drop }
        } else {
            Near { value: line.at_zero.ln(), error: 8.0 * FUNCTION_ERROR }
        };
        let value = front + rest.value;
        Near { value, error: rest.error + FUNCTION_ERROR * (front + rest.value.abs()) }
    }
}

impl Line {
    /// φ(t) − 1.
    pub fn less_one(&self, t: f64) -> Near<Complex64> {
        let turn = turned_less_one(t * self.largest);
        let atoms = self.atom * (turn + self.decay * turn.conj());
        let under = Complex64::new(self.centre, t);
        // N(t) − N(0), over c + it; and N(0) times the change of 1/(c + it).
        let moved = Complex64::new(self.decay_less * turn.re, (1.0 + self.decay) * turn.im) / under;
        let shifted = Complex64::new(0.0, -t * self.decay_less) / (under * self.centre);
        let value = (atoms + self.density * (moved + shifted)) / self.at_zero;
        // The angle is off by units of itself, g and 1 − g by few of themselves because x·e^(−x) is small.
        let turned = turn.norm() + t * self.largest;
        let size = 2.0 * self.atom * turned + self.density * (2.0 * turned / under.norm() + shifted.norm());
        Near { value, error: 8.0 * FUNCTION_ERROR * (size / self.at_zero + value.norm()) }
    }

    /// The atoms, and the density's transform, which is at most (1 + g)/t.
    pub fn envelope(&self, t: f64) -> f64 {
        let bound = (1.0 + self.decay) * (self.atom + self.density / t) / self.at_zero;
        (bound * (1.0 + ENVELOPE_PADDING)).min(1.0)
    }
}
