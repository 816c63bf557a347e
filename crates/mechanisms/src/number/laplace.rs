//! Laplace mechanism: real answers on a public grid.
//!
//! **Guarantee.** Answers `v` are rounded to the nearest multiples of a public `step`, and each gets `step`
//! times independent discrete Laplace noise of scale `d/ε`. If the answers move by at most `Δ₁` in L1 norm
//! between neighbours and at most c of them move at all, `d = ⌈Δ₁/step⌉ + c − 1` makes the release
//! ε-differentially private.
//! **Neighbours.** Whichever the sensitivity was computed for.
//! **Source.** Dwork, Roth (2014), Theorem 3.6, on integers: the [geometric mechanism](crate::number::geometric)
//! applied to the rounded answers, whose L1 distance is at most d. Proof: with `x = v/step + 1/2` and `y` the
//! same on the neighbour, `⌊x⌋ − ⌊y⌋ < (x − y) + 1`, so `|⌊x⌋ − ⌊y⌋| ≤ ⌈|x − y|⌉ < |x − y| + 1`. Summed over
//! the at most c coordinates that move, the distance is an integer below `Δ₁/step + c`, hence at most
//! `⌈Δ₁/step⌉ + c − 1`. With c = 1 and a step that divides Δ₁ nothing is lost; the bound is reached, so none
//! of it can be saved.
//! **Error.** One answer strays from v by `step·m` or more with probability at most β, where m is the least
//! integer with `P[|X| ≥ m] ≤ β`: rounding moves by at most half a step. For a fine step that is about
//! `ln(1/β)·Δ₁/ε` (Theorem 3.8 there).
//! **Exactness.** Rationals and integers only: every answer is an exact multiple of the step, fixed before
//! the data is read, so no digit depends on the value's size.
//! **Not covered.** Values in floats, whose sums depend on their order: sum fixed-point integers instead.
//!
//! **When.** Averages and other real answers. Choose a step of about a thousandth of `Δ₁/ε` or less, and in
//! dimension c a step well below `Δ₁/c`. For integer answers use the geometric mechanism and lose nothing.

use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::number::geometric::GeometricMechanism;
use crate::{Card, MechanismError};

/// The mechanism in a line each.
pub const CARD: Card = Card {
    name: "Laplace",
    releases: "real numbers on a public grid",
    guarantee: "ε-DP; noise of scale Δ₁/ε, the rounding to the grid included",
    error: "beyond about ln(1/β)·Δ₁/ε with probability β",
    source: "Dwork, McSherry, Nissim, Smith 2006; Dwork, Roth 2014, Theorem 3.6",
};

/// Precision of logarithms in error bounds.
const PRECISION: usize = 192;

/// Real answers with Laplace noise, on multiples of a public step.
#[derive(Clone, Debug)]
pub struct LaplaceMechanism {
    step: Rational,
    on_grid: GeometricMechanism,
}

impl LaplaceMechanism {
    /// Noise for answers that move by at most `Δ₁` in sum and of which at most `coordinates_per_unit_max`
    /// move: one for a single answer, the number of answers when in doubt.
    pub fn new(
        sensitivity_l1: &SensitivityL1,
        coordinates_per_unit_max: u64,
        epsilon: &Epsilon,
        step: &Rational,
    ) -> Result<Self, MechanismError> {
        if !step.is_positive() {
            return Err(MechanismError::invalid(
                format!("the step {step} is not positive"),
                "answers are multiples of the step; write a positive one, such as 0.01",
            ));
        }
        let distance = grid_distance(sensitivity_l1.value(), coordinates_per_unit_max.max(1), step);
        let on_grid = GeometricMechanism::of_distance(distance, epsilon)?;
        Ok(Self { step: step.clone(), on_grid })
    }

    /// The step of the grid.
    pub fn step(&self) -> &Rational {
        &self.step
    }

    /// The scale of the noise in units of the answer, rounding included.
    pub fn scale(&self) -> Rational {
        self.on_grid.scale() * &self.step
    }

    /// What one release costs, all its coordinates together.
    pub fn loss(&self) -> Loss {
        self.on_grid.loss()
    }

    /// One answer, a multiple of the step.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: &Rational, bits: &mut B) -> Rational {
        self.noisy(answer, self.on_grid.sample(1, bits).swap_remove(0))
    }

    /// Many answers that one person moves by at most `Δ₁` in sum.
    pub fn release_all<B: SecureBits + ?Sized>(&self, answers: &[Rational], bits: &mut B) -> Vec<Rational> {
        let noise = self.on_grid.sample(answers.len(), bits);
        answers.iter().zip(noise).map(|(answer, noise)| self.noisy(answer, noise)).collect()
    }

    /// How far one answer strays from the value it stands for: this far or farther with probability at most
    /// β.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        self.error_bound_all(beta, 1)
    }

    /// How far any of `count` answers strays: some does this far or farther with probability at most β.
    pub fn error_bound_all(&self, beta: &FailureProbability, count: u64) -> Rational {
        // |noise| ≤ m − 1 but for probability β, and rounding adds at most half a step.
        Rational::from(self.on_grid.error_bound_all(beta, count)) * self.step.clone()
    }

    fn noisy(&self, answer: &Rational, noise: IBig) -> Rational {
        Rational::from(nearest(answer, &self.step) + noise) * self.step.clone()
    }
}

/// The textbook error of `count` answers with continuous Laplace noise of scale `Δ₁/ε`: `ln(count/β)·Δ₁/ε`,
/// rounded up. What a fine grid tends to, for choosing ε before anything is built.
pub fn textbook_error(
    sensitivity_l1: &SensitivityL1,
    epsilon: &Epsilon,
    beta: &FailureProbability,
    count: u64,
) -> Rational {
    let ratio = Rational::from(count.max(1)) / beta.value().clone();
    let ln = Enclosure::ln_of(&ratio, PRECISION).expect("k/β is positive");
    (ln.upper() * sensitivity_l1.value().clone() / epsilon.value().clone()).round_up_significant(64)
}

/// The multiple of the step nearest to the value, in steps; halves go up.
fn nearest(value: &Rational, step: &Rational) -> IBig {
    (value / step + Rational::ratio(1, 2)).floor()
}

/// The largest L1 distance of rounded answers, in steps.
fn grid_distance(sensitivity: &Rational, coordinates: u64, step: &Rational) -> Rational {
    Rational::from((sensitivity / step).ceil()) + Rational::from(coordinates - 1)
}

#[cfg(test)]
mod tests;
