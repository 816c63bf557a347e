//! Laplace noise of scale b: centred at 0 against centred at Δ, with ε = Δ/b.
//!
//! **Guarantee.** The loss is ε with probability 1/2 under P, −ε with probability exp(−ε)/2, and between them
//! `P[L ≤ t] = exp((t − ε)/2)/2`, `Q[L ≥ t] = exp(−(t + ε)/2)/2`: outside [0, Δ] the ratio is constant, inside it is linear.

use crate::pld::law::{Atom, FUNCTION_ERROR, LossLaw, Masses};

pub(crate) struct Laplace {
    pub epsilon: f64,
}

impl LossLaw for Laplace {
    fn atoms(&self) -> Vec<Atom> {
        vec![
            Atom { loss: self.epsilon, probability: 0.5 },
            Atom { loss: -self.epsilon, probability: 0.5 * (-self.epsilon).exp() },
        ]
    }

    fn between(&self, lower: f64, upper: f64) -> Masses {
        let lower = lower.clamp(-self.epsilon, self.epsilon);
        let width = upper.clamp(-self.epsilon, self.epsilon) - lower;
        if width <= 0.0 {
            return Masses::default();
        }
        let p = 0.5 * (0.5 * (lower - self.epsilon)).exp() * (0.5 * width).exp_m1();
        let q = -0.5 * (-0.5 * (lower + self.epsilon)).exp() * (-0.5 * width).exp_m1();
        // The width of a narrow interval far from zero is a difference that has lost digits.
        let lost = FUNCTION_ERROR * self.epsilon / width;
        Masses { p, q, p_error: p * (FUNCTION_ERROR + lost), q_error: q * (FUNCTION_ERROR + lost) }
    }

    fn continuous_range(&self) -> Option<(f64, f64)> {
        Some((-self.epsilon, self.epsilon))
    }

    fn atom_unit(&self) -> Option<f64> {
        Some(self.epsilon)
    }
}
