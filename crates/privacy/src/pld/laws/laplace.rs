//! Laplace noise of scale b: centred at 0 against centred at Δ, with ε = Δ/b.
//!
//! **Guarantee.** The loss is ε with probability 1/2 under P, −ε with probability exp(−ε)/2, and between them
//! `P[L ≤ t] = exp((t − ε)/2)/2`, `Q[L ≥ t] = exp(−(t + ε)/2)/2`: outside [0, Δ] the ratio is constant, inside it is linear.
//!
//! **Vectors.** The pair dominates independent noise of scale b on a vector whose coordinates move by `d₁, …, dₘ` with
//! `Σ|dᵢ| ≤ Δ`: no δ of the vector is above the pair's at the same ε.
//! *Proof.* Lengths in units of b. For one coordinate moved by s let `κ_s(x) = 1 − δ(x) = ∫min(P, e^x·Q)`; the masses above
//! give `κ_s(x) = min(1, e^((x−s)/2), e^x)`, which falls in s, so let `Σ|dᵢ| = Δ`. A further coordinate of loss L turns a κ
//! into `E_P[κ(x − L)]`, which grows with κ; so by induction two coordinates `c ≥ d > 0` are enough, and to show is
//! `E_P[κ_c(x − L)] ≥ κ_s(x)`, `s = c + d`, where L is the loss of a move by d. For `|x| ≥ s` both are 1 or e^x, since losses
//! end at ±s. Otherwise write `κ_c(y) = e^((y−c)/2)·m(y)`, `m(y) = e^(−(|y|−c)⁺/2)`. L is d with probability 1/2, −d with
//! `e^(−d)/2` and has density `e^((l−d)/2)/4` between, so
//! `E_P[κ_c(x − L)]/e^((x−s)/2) = m(x−d)/2 + m(x+d)/2 + ∫m(y)dy/4` over y from x − d to x + d. m is even, so let x ≥ 0; then
//! `|x − d| ≤ c` and `m(x−d) = 1`. With `u = (x + d − c)⁺ ≤ 2d` the sum is
//! `1/2 + e^(−u/2)/2 + (2d − u)/4 + (1 − e^(−u/2))/2 = 1 + (2d − u)/4 ≥ 1`. ∎
//! The same holds for discrete Laplace noise and integer moves, `a = e^(−1/b)`: κ_s is linear in e^x between the points
//! `x = j/b`, `j = −s, −s+2, …, s`, where it is `a^((s−j)/2)`; for both sides these are the only corners, and there the sum is
//! `1 + (d − v)(1 − a)/(1 + a)`, `v = (j + d − c)⁺/2 ≤ d`.

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

#[cfg(test)]
mod tests {
    use pointillist_testkit::hockey_stick;

    use super::*;

    /// δ of one coordinate moved by `shift` scales: 1 − min(1, e^((ε − s)/2), e^ε).
    fn delta(shift: f64, epsilon: f64) -> f64 {
        1.0 - 1f64.min((0.5 * (epsilon - shift)).exp()).min(epsilon.exp())
    }

    /// δ of a vector from below: the losses of all but the first coordinate, each rounded down to cells of a fine grid.
    fn delta_of_vector_lower(shifts: &[f64], epsilon: f64) -> f64 {
        let Some((last, others)) = shifts[1..].split_last() else {
            return delta(shifts[0], epsilon);
        };
        let rest = [&shifts[..1], others].concat();
        let law = Laplace { epsilon: *last };
        let atoms = law.atoms().into_iter().map(|atom| (atom.loss, atom.probability));
        let cells = 200;
        let edge = |cell: i32| last * (f64::from(2 * cell) / f64::from(cells) - 1.0);
        let between = (0..cells).map(|cell| (edge(cell), law.between(edge(cell), edge(cell + 1)).p));
        atoms.chain(between).map(|(loss, p)| p * delta_of_vector_lower(&rest, epsilon - loss)).sum()
    }

    /// Specification: a vector whose coordinates move by Δ in total has no larger δ than one number that moves by Δ, and the
    /// proof's factor 1 + (2d − u)/4 is what they differ by. A number that moves by √(Σd²) does not dominate: the planted
    /// mistake of the other norm is caught.
    #[test]
    fn one_number_dominates_a_vector_of_the_same_l1_move() {
        let mut other_norm_caught = 0;
        for shifts in
            [vec![1.0, 1.0], vec![0.3, 0.1], vec![4.0, 0.5], vec![0.7, 0.2, 0.5], vec![2.0, 2.0, 2.0]]
        {
            let whole: f64 = shifts.iter().sum();
            let euclidean = shifts.iter().map(|shift| shift * shift).sum::<f64>().sqrt();
            for step in -24..=24 {
                let epsilon = whole * f64::from(step) / 20.0;
                let found = delta_of_vector_lower(&shifts, epsilon);
                assert!(found <= delta(whole, epsilon) + 1e-12, "{shifts:?} at {epsilon}: {found}");
                other_norm_caught += usize::from(found > delta(euclidean, epsilon) + 1e-6);
                if let [c, d] = shifts[..]
                    && epsilon.abs() < whole
                {
                    let (c, d) = (f64::max(c, d), f64::min(c, d));
                    let u = (epsilon.abs() + d - c).max(0.0);
                    let exact = 1.0 - (0.5 * (epsilon - whole)).exp() * (1.0 + (2.0 * d - u) / 4.0);
                    assert!((found - exact).abs() < 0.02 * d, "{shifts:?} at {epsilon}: {found}, {exact}");
                }
            }
        }
        assert!(other_norm_caught > 20, "{other_norm_caught}");
    }

    /// The same for discrete Laplace noise on integers, from the probabilities themselves.
    #[test]
    fn one_integer_dominates_a_vector_of_the_same_l1_move() {
        for (scale, c, d) in [(1.0, 1, 1), (2.0, 3, 1), (3.0, 2, 2), (0.5, 2, 1), (5.0, 7, 4)] {
            let reach = (40.0 * scale) as i32 + 12;
            let peak = (0.5f64 / scale).tanh();
            let law = |shift: i32| -> Vec<f64> {
                (-reach..=reach).map(|k| peak * (-f64::from((k - shift).abs()) / scale).exp()).collect()
            };
            let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().flat_map(|x| b.iter().map(move |y| x * y)).collect()
            };
            let (still, vector) = (product(&law(0), &law(0)), product(&law(c), &law(d)));
            for step in -60..=60 {
                let epsilon = f64::from(c + d) / scale * f64::from(step) / 50.0;
                let whole = hockey_stick(&law(0), &law(c + d), epsilon);
                let parts = hockey_stick(&still, &vector, epsilon);
                assert!(
                    parts <= whole + 1e-12,
                    "scale {scale}, {c} + {d} at {epsilon}: {parts} above {whole}"
                );
            }
        }
    }
}
