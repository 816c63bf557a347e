//! Any mechanism whose loss has range η, such as the exponential mechanism.
//!
//! **Guarantee.** For η-bounded-range mechanisms the worst two-point pairs have losses t and t − η for some t in [0, η]
//! (Dong, Durfee, Rogers 2020, Lemma 3.4). Each has `δ_t(ε) = (e^η − e^t)(1 − e^(ε−t))/(e^η − 1)` for ε ≤ t; the maximum
//! over t is at t = (ε + η)/2 and is `δ(ε) = (1 − w)²/(1 − e^(−η))` with w = e^((ε−η)/2), for |ε| ≤ η. A profile that is convex in
//! e^ε belongs to a pair (Zhu, Dong, Wang 2022, Proposition 8), which therefore dominates all of them, and adaptive
//! compositions of them. Its loss has `P[L > ε] = δ − δ' = (1 − w)/(1 − e^(−η))` and `Q[L > ε] = −δ'·e^(−ε)`.

use crate::pld::law::{Atom, FUNCTION_ERROR, LossLaw, Masses};

pub(crate) struct BoundedRange {
    pub eta: f64,
}

impl BoundedRange {
    /// w at a loss clamped into the range.
    fn half_power(&self, loss: f64) -> f64 {
        (0.5 * (loss.clamp(-self.eta, self.eta) - self.eta)).exp()
    }
}

impl LossLaw for BoundedRange {
    fn atoms(&self) -> Vec<Atom> {
        Vec::new()
    }

    fn between(&self, lower: f64, upper: f64) -> Masses {
        let (low, high) = (lower.clamp(-self.eta, self.eta), upper.clamp(-self.eta, self.eta));
        if high <= low {
            return Masses::default();
        }
        let normaliser = -(-self.eta).exp_m1();
        // P: w(high) − w(low). Q: −δ'·e^(−ε) = w(1 − w)e^(−ε)/c = (1/w − 1)·e^(−η)/c, falling in ε.
        let growth = (0.5 * (high - low)).exp_m1();
        let p = self.half_power(low) * growth / normaliser;
        let q = growth / self.half_power(high) * (-self.eta).exp() / normaliser;
        // The width of a narrow interval far from zero is a difference that has lost digits.
        let lost = FUNCTION_ERROR * (1.0 + self.eta / (high - low));
        Masses { p, q, p_error: p * lost, q_error: q * lost }
    }

    fn continuous_range(&self) -> Option<(f64, f64)> {
        Some((-self.eta, self.eta))
    }

    fn atom_unit(&self) -> Option<f64> {
        None
    }
}
