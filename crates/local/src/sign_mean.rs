//! The mean of a bounded number from one sign a person.
//!
//! **Guarantee.** Step j of 0..=m is rounded at random to the upper end with probability j/m and to the lower
//! end otherwise, and the end is given by randomized response: ε-differential privacy of each report, and
//! `ε·tanh(ε/2)`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** The end is reported with ratio e^ε (see
//! [`randomized_response`](pointillist_mechanisms::response::randomized_response)). The law of a report is a mixture of
//! the laws of the two ends, with weights that depend on the answer; mixtures of laws that are within e^ε of
//! each other are within e^ε of each other. With x = 2j/m − 1 the upper end is reported with probability
//! `1/2 + x·(e^ε − 1)/(2(e^ε + 1))`.
//! **Source.** Duchi, Jordan, Wainwright (2013), arXiv:1302.3203, in one dimension; the same law.
//! **Error.** With `c = (e^ε + 1)/(e^ε − 1)` the report ±c has mean x and variance `c² − x²`: worst in the
//! middle.
//! **Exactness.** j/m and the response are exact coins.
//! **Tests.** `mean/tests.rs`: the exact law of every report on small grids, and draws against it.
//! **Not covered.** Large ε, where the variance stays that of a sign. Somebody who answers twice pays twice.

use pointillist_mechanisms::RandomizedResponse;
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::rates::PRECISION;

/// Signs for steps `0..=steps`.
#[derive(Clone, Debug)]
pub struct SignMean {
    steps: u64,
    response: RandomizedResponse,
    epsilon: Epsilon,
    /// c, about.
    scale: f64,
}

impl SignMean {
    /// The method for steps from zero to `steps`, at least one.
    pub(crate) fn new(epsilon: &Epsilon, steps: u64) -> Self {
        let response = RandomizedResponse::for_epsilon(epsilon);
        let twice = response.gamma(PRECISION).scale_by_power_of_two(1);
        let scale = Enclosure::integer(1, PRECISION).checked_div(&twice).expect("γ is at least 2^-67");
        Self { steps, response, epsilon: epsilon.clone(), scale: scale.upper().to_f64_upper() }
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        self.response.loss()
    }

    /// One person's report: one for the upper end, zero for the lower.
    #[inline]
    pub fn randomize<B: SecureBits + ?Sized>(&self, step: u64, bits: &mut B) -> u64 {
        let upper = uniform_u64_below(self.steps, bits) < step;
        u64::from(self.response.release(upper, bits))
    }

    /// The exact probability of a report.
    pub fn probability(&self, report: u64, step: u64, precision: usize) -> Enclosure {
        let share =
            |steps: u64| Enclosure::of(&(Rational::from(steps) / Rational::from(self.steps)), precision);
        let lie = self.response.lie_probability(precision);
        let truth = &Enclosure::integer(1, precision) - &lie;
        let (same, opposite) = match report {
            0 => (share(self.steps - step), share(step)),
            1 => (share(step), share(self.steps - step)),
            _ => return Enclosure::integer(0, precision),
        };
        &(&same * &truth) + &(&opposite * &lie)
    }

    /// The unbiased value of a report, in steps: `m(1 ± c)/2`.
    pub fn unbiased(&self, report: u64) -> f64 {
        let sign = if report == 1 { 1.0 } else { -1.0 };
        self.steps as f64 * (1.0 + sign * self.scale) / 2.0
    }

    /// The variance of an unbiased value, in squared steps.
    pub fn variance(&self, step: u64) -> f64 {
        let x = 2.0 * step as f64 / self.steps as f64 - 1.0;
        let half = self.steps as f64 / 2.0;
        half * half * (self.scale.powi(2) - x * x)
    }

    /// The largest variance of any step.
    pub fn variance_max(&self) -> f64 {
        // The middle, which is a step only when their number is even.
        self.variance(self.steps / 2)
    }
}
