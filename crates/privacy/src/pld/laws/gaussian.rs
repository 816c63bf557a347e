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
        let standard = loss / self.mu;
        (
            NormalTails::at(standard - 0.5 * self.mu),
            NormalTails::at(standard + 0.5 * self.mu),
        )
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
        tails
            .windows(2)
            .map(|ends| Masses {
                p: ends[0].0.until(ends[1].0),
                q: ends[0].1.until(ends[1].1),
            })
            .collect()
    }

    fn continuous_range(&self) -> Option<(f64, f64)> {
        Some((f64::NEG_INFINITY, f64::INFINITY))
    }

    fn atom_unit(&self) -> Option<f64> {
        None
    }
}
