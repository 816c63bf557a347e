//! Gaussian noise: N(0, σ²) against N(Δ, σ²).
//!
//! **Guarantee.** With μ = Δ/σ the loss is N(μ²/2, μ²) under P and N(−μ²/2, μ²) under Q: L is linear in the output.

use crate::pld::law::{Atom, LossLaw, Masses, NormalTails};

pub(crate) struct Gaussian {
    pub mu: f64,
}

impl Gaussian {
    /// The tails of the loss at a point, under P and under Q.
    fn tails(&self, loss: f64) -> (NormalTails, NormalTails) {
        let (standard, half) = (loss / self.mu, 0.5 * self.mu);
        let size = standard.abs() + half;
        (NormalTails::at(standard - half, size), NormalTails::at(standard + half, size))
    }
}

impl LossLaw for Gaussian {
    fn atoms(&self) -> Vec<Atom> {
        Vec::new()
    }

    fn between(&self, lower: f64, upper: f64) -> Masses {
        self.cells(&[lower, upper])[0]
    }

    fn cells(&self, points: &[f64]) -> Vec<Masses> {
        let tails: Vec<_> = points.iter().map(|point| self.tails(*point)).collect();
        let mass = |left: &(NormalTails, NormalTails), right: &(NormalTails, NormalTails)| {
            let ((p, p_error), (q, q_error)) = (left.0.until(right.0), left.1.until(right.1));
            Masses { p, q, p_error, q_error }
        };
        tails.windows(2).map(|ends| mass(&ends[0], &ends[1])).collect()
    }

    fn continuous_range(&self) -> Option<(f64, f64)> {
        Some((f64::NEG_INFINITY, f64::INFINITY))
    }

    fn atom_unit(&self) -> Option<f64> {
        None
    }
}
