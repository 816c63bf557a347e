//! What the accountant needs to know of one mechanism in one direction: where its privacy loss lies.

/// A point mass of the privacy loss: `probability` under P, hence `probability·exp(−loss)` under Q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Atom {
    /// The loss; infinite where Q is zero.
    pub loss: f64,
    /// The probability under P.
    pub probability: f64,
}

/// What 16 units in the last place of two operands, and the rounding of what is done with them, can add up to.
pub(crate) const FUNCTION_ERROR: f64 = 4e-15;

/// The probabilities under P and Q that the continuous part of the loss lies in an interval, each with a bound on the
/// error of its computation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Masses {
    pub p: f64,
    pub q: f64,
    pub p_error: f64,
    pub q_error: f64,
}

/// The law of the privacy loss of one worst pair (P, Q).
pub(crate) trait LossLaw {
    /// Point masses, in any order.
    fn atoms(&self) -> Vec<Atom>;

    /// The masses of the continuous part in `(lower, upper]`; either end may be infinite.
    fn between(&self, lower: f64, upper: f64) -> Masses;

    /// The masses of the continuous part between neighbouring points, which rise.
    fn cells(&self, points: &[f64]) -> Vec<Masses> {
        points.windows(2).map(|ends| self.between(ends[0], ends[1])).collect()
    }

    /// Losses of the continuous part lie between these, which may be infinite; `None` when there is no such part.
    fn continuous_range(&self) -> Option<(f64, f64)>;

    /// A number of which every atom's loss is a multiple, if there is one.
    fn atom_unit(&self) -> Option<f64>;

    /// How far a loss may be off, beyond a few units of its own size, because computing it loses digits.
    fn loss_error(&self) -> f64 {
        0.0
    }

    /// The largest loss that has positive probability, possibly infinite.
    fn largest_loss(&self) -> f64 {
        let atoms = self.atoms().into_iter().filter(|atom| atom.probability > 0.0).map(|atom| atom.loss);
        let continuous = self.continuous_range().map(|(_, upper)| upper);
        atoms.chain(continuous).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// P[N ≤ x] and P[N > x] of a standard normal variable; the smaller one has nearly all its digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormalTails {
    below: f64,
    above: f64,
    /// A bound on the error of the smaller one: that of the function, and that of its argument, which the tail
    /// multiplies by about |x|.
    error: f64,
}

impl NormalTails {
    /// At `x`, which was computed from numbers of at most this size.
    pub fn at(x: f64, size: f64) -> Self {
        let small = 0.5 * libm::erfc(x.abs() * std::f64::consts::FRAC_1_SQRT_2);
        let error = if small > 0.0 { FUNCTION_ERROR * small * (1.0 + (1.0 + x.abs()) * size) } else { 0.0 };
        if x < 0.0 {
            Self { below: small, above: 1.0 - small, error }
        } else {
            Self { below: 1.0 - small, above: small, error }
        }
    }

    /// The probability between this point and one further right, and a bound on its error.
    pub fn until(self, right: Self) -> (f64, f64) {
        let error = self.error + right.error;
        let (difference, error) = if self.above < 0.5 {
            (self.above - right.above, error)
        } else if right.below < 0.5 {
            (right.below - self.below, error)
        } else {
            (1.0 - self.below - right.above, error + FUNCTION_ERROR)
        };
        (difference.max(0.0), error)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::{Enclosure, Rational};

    use super::*;

    /// Specification: the error bound holds. Narrow and wide intervals, in the middle and far out, against certified
    /// arithmetic.
    #[test]
    fn normal_probabilities_are_within_their_error() {
        let exact_tail = |x: f64| Enclosure::of(&Rational::from_f64(x).unwrap(), 400).normal_tail();
        for step in -60..=60 {
            let left = f64::from(step) * 0.173;
            for width in [1e-7, 1e-3, 0.1, 3.0] {
                let right = left + width;
                let (found, error) =
                    NormalTails::at(left, left.abs()).until(NormalTails::at(right, right.abs()));
                let exact = &exact_tail(left) - &exact_tail(right);
                let (low, high) = (exact.lower().to_f64_lower(), exact.upper().to_f64_upper());
                assert!(
                    found + error >= low && found - error <= high,
                    "({left}, {right}]: {found} ± {error}, {low}"
                );
            }
        }
    }
}
