//! The mean of a bounded number from a likely window around it: the piecewise mechanism on a grid.
//!
//! **Guarantee.** Step j of 0..=m is reported as one of the N = m + w numbers o = 0, …, N − 1. The w numbers
//! from j on, the *window*, are e^ε times likelier each than any other: ε-differential privacy of each
//! report, and `ε·tanh(ε/2)`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** The window has w numbers whatever j is, so the weights e^ε and one always sum to
//! `Z = w·e^ε + m`: every report has probability e^ε/Z or 1/Z. It lies in the window with probability
//! `w·e^ε/(w·e^ε + m)`.
//! **Source.** Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu (2019), arXiv:1907.00782, the piecewise mechanism;
//! here on a grid of whole numbers, so that nothing is rounded.
//! **Error.** The mean of a report is `((e^ε − 1)·Σ_window o + Σ o)/Z` and the window sums to
//! `w·j + w(w − 1)/2`, so the mean is `μ₀ + j·w(e^ε − 1)/Z`: linear in j. Hence `(o − μ₀)·Z/(w(e^ε − 1))` is
//! unbiased for j, exactly. Its variance is a convex parabola in j, largest at both ends. The window of the
//! original has `w/m = e^{−ε/2}`, and so has ours up to rounding; the variance then tends to
//! `x²/(e^{ε/2} − 1) + (e^{ε/2} + 3)/(3(e^{ε/2} − 1)²)` for x = 2j/m − 1 in units of half the range, as m
//! grows.
//! **Exactness.** An exact coin chooses window or rest, and the number there is uniform.
//! **Tests.** `mean/tests.rs`: the exact law of every report on small grids, and draws against it.
//! **Not covered.** Small ε, where signs are better. Somebody who answers twice pays twice.

use pointillist_mechanisms::LogisticCoin;
use pointillist_mechanisms::number::loss_upper::{pure_and_rho, rho_of_pure};
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::LocalError;
use crate::rates::PRECISION;

/// Windows for steps `0..=steps`.
#[derive(Clone, Debug)]
pub struct WindowMean {
    steps: u64,
    window: u64,
    coin: LogisticCoin,
    epsilon: Epsilon,
    /// e^−ε, about.
    decay: f64,
    /// 1 − e^−ε, about.
    drop: f64,
}

impl WindowMean {
    /// The method with the best window for ε, for steps from zero to `steps`, at least one.
    pub(crate) fn new(epsilon: &Epsilon, steps: u64) -> Self {
        Self::of(epsilon, steps, best_window(epsilon, steps))
    }

    /// The method with a window of at least one number and at most as many as there are steps.
    pub(crate) fn with_window(epsilon: &Epsilon, steps: u64, window: u64) -> Result<Self, LocalError> {
        if !(1..=steps).contains(&window) {
            return Err(LocalError::refused(
                format!("a window of {window} does not fit {steps} steps"),
                "leave it out: the best one is near e^(-ε/2) times the steps",
            ));
        }
        Ok(Self::of(epsilon, steps, window))
    }

    fn of(epsilon: &Epsilon, steps: u64, window: u64) -> Self {
        let others = Rational::from(steps) / Rational::from(window);
        let coin = LogisticCoin::new(epsilon.value().clone(), others);
        let decay = Enclosure::exp_of_minus(epsilon.value(), PRECISION);
        let drop = &Enclosure::integer(1, PRECISION) - &decay;
        let near = |exact: &Enclosure| exact.upper().to_f64_upper();
        Self { steps, window, coin, epsilon: epsilon.clone(), decay: near(&decay), drop: near(&drop) }
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// w, the width of the window.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// How many different reports there are.
    pub fn reports(&self) -> u64 {
        self.steps + self.window
    }

    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    /// One person's report.
    #[inline]
    pub fn randomize<B: SecureBits + ?Sized>(&self, step: u64, bits: &mut B) -> u64 {
        if self.coin.sample(bits) {
            return step + uniform_u64_below(self.window, bits);
        }
        let outside = uniform_u64_below(self.steps, bits);
        if outside < step { outside } else { outside + self.window }
    }

    /// The exact probability of a report.
    pub fn probability(&self, report: u64, step: u64, precision: usize) -> Enclosure {
        if report >= self.reports() {
            return Enclosure::integer(0, precision);
        }
        let inside = self.coin.keep_probability(precision);
        if (step..step + self.window).contains(&report) {
            return inside.div_integer(self.window);
        }
        (&Enclosure::integer(1, precision) - &inside).div_integer(self.steps)
    }

    /// What a step adds to the mean of a report, inverted: `Z/(w(e^ε − 1))`.
    pub(crate) fn gain(&self) -> f64 {
        1.0 + self.reports() as f64 * self.decay / (self.window as f64 * self.drop)
    }

    /// μ₀, the mean of a report on step zero.
    pub(crate) fn offset(&self) -> f64 {
        let (n, w) = (self.reports() as f64, self.window as f64);
        (self.drop * w * (w - 1.0) / 2.0 + self.decay * n * (n - 1.0) / 2.0)
            / (w * self.drop + n * self.decay)
    }

    /// The unbiased value of a report, in steps.
    pub fn unbiased(&self, report: f64) -> f64 {
        (report - self.offset()) * self.gain()
    }

    /// The variance of an unbiased value, in squared steps.
    pub fn variance(&self, step: u64) -> f64 {
        let (n, w) = (self.reports() as f64, self.window as f64);
        // Around the middle of the window, so that nothing cancels.
        let middle = step as f64 + (w - 1.0) / 2.0;
        let shift = (n - 1.0) / 2.0 - middle;
        let total = w * self.drop + n * self.decay;
        let mean = self.decay * n * shift / total;
        let inside = self.drop * w * (w * w - 1.0) / 12.0;
        let all = self.decay * n * ((n * n - 1.0) / 12.0 + shift * shift);
        ((inside + all) / total - mean * mean) * self.gain().powi(2)
    }

    /// The largest variance of any step.
    pub fn variance_max(&self) -> f64 {
        self.variance(0)
    }
}

/// `m·e^{−ε/2}`, rounded to the nearest whole number, at least one.
fn best_window(epsilon: &Epsilon, steps: u64) -> u64 {
    let half = epsilon.value() / &Rational::from(2);
    let share = Enclosure::exp_of_minus(&half, 256);
    let window = &(&share * &Enclosure::integer(steps, 256)) + &Enclosure::of(&Rational::ratio(1, 2), 256);
    window.floor().and_then(|window| u64::try_from(window).ok()).unwrap_or(1).clamp(1, steps)
}
