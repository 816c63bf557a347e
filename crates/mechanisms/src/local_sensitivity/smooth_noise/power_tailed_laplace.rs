//! Power-tailed Laplace noise for smooth sensitivity: pure differential privacy, and the smallest noise whose slope
//! pays for shift and dilation at every output.
//!
//! **Guarantee.** Let k ≥ 2 be a whole number and Z have the density `h(z) ∝ (1 − |z|/k)^(k−1)` for
//! `|z| ≤ 1`, `∝ (1 + |z|/k)^(−k−1)` beyond, joined at 1. With `k·(β + η) ≤ ε` the release `f + (Ŝ/ε)·Z` is
//! ε-differentially private: α is ε itself.
//! **Neighbours.** Those of the smooth sensitivity.
//! **Source.** Derived here.
//! *Proof.* Let `g = ln h`, `β' = β + η`, and take scale 1 and answer 0 against scale `e^t` and answer Δ,
//! where `|t| ≤ β'` and `|Δ| ≤ ε·min(1, e^t)`. Walk from one to the other with scale `e^{tr}` and answer
//! `Δr`, r from 0 to 1. At output y the log-density is `−tr + g(z)`, `z = (y − Δr)·e^{−tr}`, and its
//! derivative `−t·(1 + z·g'(z)) − Δe^{−tr}·g'(z)` is at most `β'·|1 + z·g'(z)| + ε·|g'(z)|`, because
//! `|Δ|·e^{−tr} ≤ ε` all the way. g is Lipschitz, so the whole change is the integral of that. Write
//! `u = −g'(z)` for z > 0; the other side mirrors it. For z < 1, `u = (k−1)/(k−z)`, so `zu ≤ 1` and
//! `u + (1 − zu)/k = 1`. For z > 1, `u = (k+1)/(k+z)`, so `zu ≥ 1` and `u + (zu − 1)/k = 1`. At 0 and 1 both
//! one-sided slopes do. So the derivative is at most `ε·(u + |1 − zu|/k) = ε`. ∎
//! *Under this condition no noise falls faster.* The proof asks for `α·u + β'·|1 − zu| ≤ ε` at every output, with α = ε.
//! Any noise with slopes that meets this has, in units of `Ŝ/ε`, a slope of at most the u above: for `zu ≤ 1` the
//! inequality solves to `u ≤ (k−1)/(k−z)`, which asks for z ≤ 1, and for `zu ≥ 1` to `u ≤ (k+1)/(k+z)`, which asks for z
//! ≥ 1. Hence h divided by its density falls in `|z|`, and its magnitude is stochastically at least that of Z.
//! The condition is sufficient for ε-differential privacy and not necessary: neighbours are finite steps apart, and no
//! step pays ε all the way. The same Z at the smaller scale `Ŝ/α` still keeps ε. By brute force, the largest α/ε at
//! ε = 1 is 1.136 at k = 2, 1.088 at 3, 1.032 at 8, 1.0126 at 20 and 1.004 at 64, and less at smaller ε; that is measured
//! and not proven, so we do not take it.
//! **Error.** `|Z| ≥ t` with the rational probability in the file of the sampler. The mean magnitude is about
//! `(1 + 1.3/k)·Ŝ/ε`: 1.17 at k = 8 and 1.064 at k = 20, where two-sided Pareto noise has 1.16, Student t
//! noise 1.35 and a Laplace law of slope one with tails of power four 1.23. A larger k is a smaller β and so
//! a larger Ŝ.
//! **Exactness.** β is `ε/k − η` and α is ε, both rational and not rounded; the sampler decides `⌊scale·Z⌋`
//! exactly.
//! **Not covered.** ε above 100, and several answers at once.

use pointillist_noise::{NoiseError, PowerTailedLaplace, SecureBits};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use super::{SmoothNoise, check_epsilon, positive_beta};
use crate::local_sensitivity::smooth_sensitivity::beta_with_error;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "power-tailed Laplace noise at smooth sensitivity",
    releases: "an integer whose sensitivity is small on most data",
    guarantee: "ε-DP; scale S/ε, tails of power k with β = ε/k",
    error: "about (1 + 1.3/k)·S/ε on average",
    source: "derived in the file",
};

/// Bits behind the point of all intermediate bounds.
const PRECISION: usize = 320;
/// β is this fraction of ε unless told otherwise.
const POWER_RECOMMENDED: u32 = 20;

/// Power-tailed Laplace noise with its smoothing.
#[derive(Clone, Debug)]
pub struct PowerTailedLaplaceSetting {
    power: u32,
    epsilon: Epsilon,
    beta: Rational,
}

impl PowerTailedLaplaceSetting {
    /// The noise with tails of power k, 2 to 1024, and the largest β it allows, `ε/k − η`. k is a public
    /// choice: never tune it on the data. Variance is finite from 3 on.
    pub fn new(power: u32, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        // The sampler knows which powers it can draw.
        PowerTailedLaplace::new(power, &Rational::one())?;
        check_epsilon(epsilon)?;
        let share = epsilon.value() / &Rational::from(power);
        let beta = positive_beta(&(&share - &beta_with_error(&Rational::zero())))?;
        Ok(Self { power, epsilon: epsilon.clone(), beta })
    }

    /// k = 20.
    pub fn recommended(epsilon: &Epsilon) -> Result<Self, MechanismError> {
        Self::new(POWER_RECOMMENDED, epsilon)
    }

    /// The power k of the tail.
    pub fn power(&self) -> u32 {
        self.power
    }
}

impl SmoothNoise for PowerTailedLaplaceSetting {
    fn beta(&self) -> &Rational {
        &self.beta
    }

    fn alpha(&self) -> &Rational {
        self.epsilon.value()
    }

    fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.clone())
    }

    fn sample_floor<B: SecureBits + ?Sized>(
        &self,
        scale: &Rational,
        bits: &mut B,
    ) -> Result<i128, NoiseError> {
        Ok(PowerTailedLaplace::new(self.power, scale)?.sample(bits))
    }

    fn deviation_upper(&self, failure: &FailureProbability) -> Rational {
        // The tails of the sampler's file, solved for t.
        let one = Enclosure::integer(1, PRECISION);
        let k = Enclosure::integer(self.power, PRECISION);
        let root = |value: &Enclosure| {
            let logarithm = value.ln().expect("only positive numbers are asked for");
            logarithm.div_integer(u64::from(self.power)).exp()
        };
        let inside = Enclosure::of(&(Rational::one() - Rational::ratio(1, self.power.into())), PRECISION);
        let w = (1..self.power).fold(one.clone(), |product, _| &product * &inside);
        let jump = w.mul_integer(2).div_integer(u64::from(self.power));
        let mass = &Enclosure::of(failure.value(), PRECISION) * &(&one + &jump);
        let joint = &w + &w.div_integer(u64::from(self.power));
        let reach = if mass.lower_units() > joint.upper_units() {
            // (1 − t/k)^k = mass − jump, where mass − jump is above (1 − 1/k)^k.
            &k - &(&k * &root(&(&mass - &jump)))
        } else {
            // ((k + 1)/(k + t))^k = mass/joint.
            let ratio = joint.checked_div(&mass).expect("a failure probability is positive");
            &(&(&k + &one) * &root(&ratio)) - &k
        };
        reach.upper().round_up_to_bits(64)
    }
}
