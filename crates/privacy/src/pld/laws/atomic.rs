//! Mechanisms whose loss takes separate values only.

use crate::pld::law::{Atom, LossLaw, Masses};

/// A loss made of point masses.
pub(crate) struct Atomic {
    atoms: Vec<Atom>,
    unit: Option<f64>,
}

impl LossLaw for Atomic {
    fn atoms(&self) -> Vec<Atom> {
        self.atoms.clone()
    }

    fn between(&self, _lower: f64, _upper: f64) -> Masses {
        Masses::default()
    }

    fn continuous_range(&self) -> Option<(f64, f64)> {
        None
    }

    fn atom_unit(&self) -> Option<f64> {
        self.unit
    }
}

/// **Guarantee.** Between two inputs the answer shows the truth of P (loss ε), the truth of Q (loss −ε) or a third
/// answer (loss 0), with probabilities e^ε : 1 : (k − 2) over e^ε + k − 1.
pub(crate) fn randomized_response(epsilon: f64, categories: u32) -> Atomic {
    let others = f64::from(categories) - 2.0;
    let weight = 1.0 + (others + 1.0) * (-epsilon).exp();
    let lie = (-epsilon).exp() / weight;
    let mut atoms =
        vec![Atom { loss: epsilon, probability: 1.0 / weight }, Atom { loss: -epsilon, probability: lie }];
    if categories > 2 {
        atoms.push(Atom { loss: 0.0, probability: others * lie });
    }
    Atomic { atoms, unit: Some(epsilon) }
}

/// **Guarantee.** Every (ε, δ)-private mechanism is dominated by the pair that reveals everything with probability δ and
/// is randomized response otherwise (Kairouz, Oh, Viswanath 2015, Section 6.1).
pub(crate) fn approximate(epsilon: f64, delta: f64) -> Atomic {
    let mut response = randomized_response(epsilon, 2);
    response.atoms.iter_mut().for_each(|atom| atom.probability *= 1.0 - delta);
    response.atoms.push(Atom { loss: f64::INFINITY, probability: delta });
    response
}

/// **Guarantee.** At output x the loss is (|x − Δ| − |x|)/b: Δ/b for x ≤ 0, −Δ/b for x ≥ Δ, (Δ − 2x)/b between. With a = exp(−1/b)
/// the tails weigh `P[X ≤ 0] = 1/(1 + a)` and `P[X ≥ Δ] = a^Δ/(1 + a)`.
pub(crate) fn discrete_laplace(scale: f64, sensitivity: u32) -> Atomic {
    let ratio = (-1.0 / scale).exp();
    let steps = f64::from(sensitivity);
    let peak = -(-1.0 / scale).exp_m1() / (1.0 + ratio);
    let mut atoms = vec![
        Atom { loss: steps / scale, probability: 1.0 / (1.0 + ratio) },
        Atom { loss: -steps / scale, probability: (-steps / scale).exp() / (1.0 + ratio) },
    ];
    atoms.extend((1..sensitivity).map(|x| Atom {
        loss: (steps - 2.0 * f64::from(x)) / scale,
        probability: peak * (-f64::from(x) / scale).exp(),
    }));
    Atomic { atoms, unit: Some(1.0 / scale) }
}

/// **Guarantee.** At output x the loss is (Δ² − 2xΔ)/(2σ²). Outputs beyond 40 σ weigh less than 1e-340 together and are counted as
/// revealing everything.
pub(crate) fn discrete_gaussian(sigma: f64, sensitivity: u32) -> Atomic {
    let delta = f64::from(sensitivity);
    let reach = (40.0 * sigma).ceil() as i64;
    let weight = |x: i64| (-(x as f64).powi(2) / (2.0 * sigma * sigma)).exp();
    // Small terms first, so that the sum keeps its last digits.
    let total = 1.0 + 2.0 * (1..=reach).rev().map(weight).sum::<f64>();
    let atoms = (-reach..=reach)
        .map(|x| Atom {
            loss: (delta * delta - 2.0 * x as f64 * delta) / (2.0 * sigma * sigma),
            probability: weight(x) / total,
        })
        .chain([Atom { loss: f64::INFINITY, probability: f64::MIN_POSITIVE }])
        .collect();
    // Losses are odd multiples of Δ²/(2σ²) when Δ divides them, and multiples of Δ/(2σ²) always.
    Atomic { atoms, unit: Some(delta / (2.0 * sigma * sigma)) }
}
