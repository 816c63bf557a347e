//! What the accountant needs to know of one mechanism in one direction: where its privacy loss lies.

/// A point mass of the privacy loss: `probability` under P, hence `probability·exp(−loss)` under Q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Atom {
    /// The loss; infinite where Q is zero.
    pub loss: f64,
    /// The probability under P.
    pub probability: f64,
}

/// The probabilities under P and Q that the continuous part of the loss lies in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Masses {
    pub p: f64,
    pub q: f64,
}

/// The law of the privacy loss of one worst pair (P, Q).
pub(crate) trait LossLaw {
    /// Point masses, in any order.
    fn atoms(&self) -> Vec<Atom>;

    /// The masses of the continuous part in `(lower, upper]`; either end may be infinite.
    /// Accurate to a relative 1e-12 unless the result underflows.
    fn between(&self, lower: f64, upper: f64) -> Masses;

    /// The masses of the continuous part between neighbouring points, which rise.
    fn cells(&self, points: &[f64]) -> Vec<Masses> {
        points
            .windows(2)
            .map(|ends| self.between(ends[0], ends[1]))
            .collect()
    }

    /// Losses of the continuous part lie between these, which may be infinite; `None` when there is no such part.
    fn continuous_range(&self) -> Option<(f64, f64)>;

    /// A number of which every atom's loss is a multiple, if there is one.
    fn atom_unit(&self) -> Option<f64>;

    /// The largest loss that has positive probability, possibly infinite.
    fn largest_loss(&self) -> f64 {
        let atoms = self
            .atoms()
            .into_iter()
            .filter(|atom| atom.probability > 0.0)
            .map(|atom| atom.loss);
        let continuous = self.continuous_range().map(|(_, upper)| upper);
        atoms.chain(continuous).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// P[N ≤ x] and P[N > x] of a standard normal variable; the smaller one has all its digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormalTails {
    below: f64,
    above: f64,
}

impl NormalTails {
    pub fn at(x: f64) -> Self {
        let small = 0.5 * libm::erfc(x.abs() * std::f64::consts::FRAC_1_SQRT_2);
        if x < 0.0 {
            Self {
                below: small,
                above: 1.0 - small,
            }
        } else {
            Self {
                below: 1.0 - small,
                above: small,
            }
        }
    }

    /// The probability between this point and one further right.
    pub fn until(self, right: Self) -> f64 {
        let difference = if self.above < 0.5 {
            self.above - right.above
        } else if right.below < 0.5 {
            right.below - self.below
        } else {
            1.0 - self.below - right.above
        };
        difference.max(0.0)
    }
}
