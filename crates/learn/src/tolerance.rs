//! Releasing a minimiser that is only nearly one, and only nearly of the noise that was drawn.
//!
//! **Guarantee.** Let θ*(b) minimise a λ-strongly convex objective with the term b·θ, for ideal continuous noise b, and let
//! releasing θ*(b) be private by some theorem. What is computed is another point: noise rounded to the grid 2^-noise_bits, so
//! that ‖b̂ − b‖ ≤ √d·2^-noise_bits/2 ≤ τ/16, and a θ̃ whose gradient for b̂ is at most τ. Then ‖θ̃ − θ*(b)‖ ≤ r = (17/16)τ/λ. Given θ*(b), the
//! noise b follows from the data, hence θ̃ does too; between neighbours it moves by at most 2r, and rounded to the grid
//! 2^-grid_bits by at most 2r·2^grid_bits + √d steps in Euclidean norm. Noise for that sensitivity makes the second step private
//! whatever the first one said, and losses of the two steps add up.
//! **When the certificate fails.** θ̃ is then zero, and the statement above does not cover it. It cannot happen in exact
//! arithmetic: Newton's method with a line search gets to every tolerance on these objectives. In floating point the bound on
//! the error of the gradient (`minimum.rs`) has to stay below τ = kR·2^-18, which it does for up to k·2^35/(80 + cdR‖θ‖) rows:
//! about 10^8 for a hundred features. What public numbers say of it is refused before anything is paid: noise so long that the
//! bound passes τ without any row ([`Tolerance::check_noise`]), and a declared number of rows whose sums alone pass half of it
//! ([`Tolerance::check_rows`]). What stays open are more rows than that which nobody declared, and penalties so small that
//! coefficients of 10^9 and more fit.
//! **Source.** Iyengar, Near, Song, Thakkar, Thakurta, Wang (2019), "Towards practical differentially private convex
//! optimization", for the idea. They take r for the sensitivity; two points within r of a third may be 2r apart.

use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::SensitivityL2;

use crate::minimum::{GROUP_ROWS, Minimum, Objective, UNIT, minimum};
use crate::{LearnError, MarginProblem, Rows};

/// τ as a share of kR: 2^-18. At this size the noise of the second step is some thousandths of that of the first.
const SHARE_BITS: i32 = 18;
/// Numbers beyond this many steps of the grid become its end. Moving into a box brings no two points further apart.
const STEPS_MAX: f64 = (1u64 << 60) as f64;
const PRECISION: usize = 128;

/// The public numbers of the second step.
#[derive(Clone, Debug)]
pub(crate) struct Tolerance {
    gradient: f64,
    noise_bits: i64,
    grid_bits: i64,
    sensitivity: SensitivityL2,
}

impl Tolerance {
    pub fn new(problem: &MarginProblem) -> Result<Self, LearnError> {
        let share = (-f64::from(SHARE_BITS)).exp2();
        Self::with_gradient(problem, f64::from(problem.rows_per_person()) * problem.norm_bound() * share)
    }

    /// For a gradient of at most this length.
    pub fn with_gradient(problem: &MarginProblem, gradient: f64) -> Result<Self, LearnError> {
        let tau = Rational::from_f64(gradient).map_err(|_| LearnError::parameter("a tolerance is finite"))?;
        let d = Rational::from(problem.dimension() as u64);
        let root = (problem.dimension() as f64).sqrt();
        let mut noise_bits = (8.0 * root / gradient).log2().ceil() as i64;
        // d·step²/4 ≤ (τ/16)²
        while &d * &Rational::power_of_two(6 - 2 * noise_bits) > tau.squared() {
            noise_bits += 1;
        }
        let distance = tau * Rational::ratio(17, 8) / problem.exact_lambda();
        let grid_bits = (8.0 * root / distance.to_f64_nearest()).log2().ceil() as i64;
        let rounding = Enclosure::of(&d, PRECISION).sqrt().upper();
        let steps = (distance * Rational::power_of_two(grid_bits) + rounding).round_up_significant(64);
        Ok(Self { gradient, noise_bits, grid_bits, sensitivity: SensitivityL2::new(steps)? })
    }

    /// Refuses noise of a length that no certificate covers. Without rows the minimiser is −b/λ, where the bound of `minimum.rs` is
    /// 4u(λ‖θ‖ + ‖b‖) = 8u‖b‖; it has to stay below half of τ.
    pub fn check_noise(&self, length_upper: f64) -> Result<(), LearnError> {
        if 8.0 * UNIT * length_upper <= self.gradient / 2.0 {
            return Ok(());
        }
        Err(LearnError::parameter(
            "at this price the noise is so large that no minimum could be certified, and the model would be noise alone; \
             pay more",
        ))
    }

    /// Refuses a public number of rows whose sums are less exact than the certificate asks for: nR(γ + 4u + (8 + 4c)u) is to
    /// stay below half of τ.
    pub fn check_rows(&self, problem: &MarginProblem, rows: u64) -> Result<(), LearnError> {
        let curvature = problem.loss().curvature_bound().to_f64_upper();
        let each = (GROUP_ROWS as f64 + 2.0 + 4.0 + 8.0 + 4.0 * curvature) * UNIT * problem.norm_bound();
        let most = self.gradient / 2.0 / each;
        if rows as f64 <= most {
            return Ok(());
        }
        Err(LearnError::parameter(format!(
            "of {rows} rows no minimum could be certified in floating point: at most about {most:.0}; train on a part of them, or \
             with method = descent"
        )))
    }

    /// How far the rounded point moves, in steps of its grid.
    pub fn sensitivity(&self) -> &SensitivityL2 {
        &self.sensitivity
    }

    /// The step of the grid of released numbers is 2 to minus this.
    pub fn grid_bits(&self) -> i32 {
        i32::try_from(self.grid_bits).expect("penalties and tolerances are within 2^±150")
    }

    /// A length in steps of the noise's grid.
    pub fn in_noise_steps(&self, length: &Rational) -> Rational {
        length * &Rational::power_of_two(self.noise_bits)
    }

    /// Noise in steps, as floats. The rounding of a large one is part of the certificate.
    pub fn noise(&self, steps: &[i128]) -> Vec<f64> {
        let step = (-(self.noise_bits as f64)).exp2();
        steps.iter().map(|count| *count as f64 * step).collect()
    }

    /// The certified minimiser for this noise, in steps of its grid.
    pub fn minimise(
        &self,
        problem: &MarginProblem,
        rows: &dyn Rows,
        noise: &[f64],
    ) -> Result<Vec<i128>, LearnError> {
        let objective = Objective { rows, loss: problem.loss(), lambda: problem.lambda(), linear: noise };
        Ok(self.rounded(&minimum(&objective, self.gradient)?))
    }

    fn rounded(&self, minimum: &Minimum) -> Vec<i128> {
        let scale = (self.grid_bits as f64).exp2();
        let certified = minimum.gradient_norm_upper <= self.gradient;
        let steps = |at: &f64| (at * scale).clamp(-STEPS_MAX, STEPS_MAX).round() as i128;
        minimum.theta.iter().map(|at| if certified { steps(at) } else { 0 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MarginLoss, MemoryRows};

    fn problem(d: usize, radius: f64, k: u32, lambda: f64) -> MarginProblem {
        MarginProblem::new(MarginLoss::Logistic, d, radius, k, lambda).unwrap()
    }

    /// Specification: two points that are both as far from one minimiser as the certificate and the rounding of noise allow, on opposite sides,
    /// and rounded to the grid the worst way, are no further apart than the sensitivity; and somewhere nearly as far. With r for 2r this fails.
    #[test]
    fn two_certified_points_are_within_the_sensitivity() {
        for (d, radius, k, lambda) in
            [(1, 1.0, 1, 1.0), (3, 0.01, 5, 1e-6), (109, 1.0, 1, 30.0), (4, 1e6, 2, 1e9)]
        {
            let tolerance = Tolerance::new(&problem(d, radius, k, lambda)).unwrap();
            let root = (d as f64).sqrt();
            let noise_step = (-(tolerance.noise_bits as f64)).exp2();
            assert!(noise_step * root / 2.0 <= tolerance.gradient / 16.0);
            // The strongly convex objective that moves furthest is λ‖θ‖²/2 itself: a gradient of τ is τ/λ away.
            let distance = (tolerance.gradient + root * noise_step / 2.0) / lambda;
            let steps = 2.0 * distance * (tolerance.grid_bits as f64).exp2() + root;
            let stated = tolerance.sensitivity().to_f64_upper();
            assert!(steps <= stated && stated < 1.1 * steps, "{d} {lambda}: {steps} against {stated}");
        }
    }

    /// Specification: what is not certified is zero, and what is certified is the minimiser to half a step.
    #[test]
    fn only_certified_points_are_used() {
        let problem = problem(2, 1.0, 1, 0.5);
        let tolerance = Tolerance::new(&problem).unwrap();
        let near = |gradient_norm_upper: f64| {
            tolerance.rounded(&Minimum {
                theta: vec![1.5, -3e300],
                value: 0.0,
                gradient_norm_upper,
                passes: 1,
            })
        };
        let step = (tolerance.grid_bits as f64).exp2();
        assert_eq!(near(tolerance.gradient), [(1.5 * step) as i128, -(1i128 << 60)]);
        assert_eq!(near(tolerance.gradient * 1.0001), [0, 0]);
        assert_eq!(near(f64::NAN), [0, 0]);
    }

    /// Specification: what public numbers say cannot be certified is refused; the prices and sizes of every day are not. Power: just
    /// above the limit of noise, and without any row, the certificate of zero rows fails; a thousandth of it is certified.
    #[test]
    fn what_cannot_be_certified_is_refused_in_advance() {
        let problem = problem(3, 1.0, 1, 1.0);
        let tolerance = Tolerance::new(&problem).unwrap();
        let limit = tolerance.gradient / (16.0 * UNIT);
        assert!(tolerance.check_noise(limit).is_ok() && tolerance.check_noise(limit * 1.01).is_err());
        let empty = MemoryRows::new(vec![], vec![], 3, 1.0, 1);
        let certified = |length: f64| {
            let linear = [length, 0.0, 0.0];
            let objective = Objective { rows: &empty, loss: problem.loss(), lambda: 1.0, linear: &linear };
            minimum(&objective, tolerance.gradient).unwrap().gradient_norm_upper <= tolerance.gradient
        };
        assert!(certified(limit) && certified(limit / 1000.0) && !certified(limit * 4.0));
        assert!(tolerance.check_rows(&problem, 100_000_000).is_ok());
        let told = tolerance.check_rows(&problem, 1_000_000_000).unwrap_err().to_string();
        assert!(told.contains("descent"), "{told}");
    }

    /// Specification: a large table is still certified: two hundred thousand rows, a hundred features. The tolerance is reached with
    /// a hundredfold margin for the error bound, so that twenty million rows are covered too.
    #[test]
    fn large_tables_are_certified_with_a_margin() {
        let (n, d) = (200_000usize, 100);
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
        };
        let x: Vec<f64> = (0..n * d).map(|_| next()).collect();
        let y: Vec<f64> = x.chunks(d).map(|row| (row[0] + 0.3 * row[1] - 0.1).signum()).collect();
        let rows = MemoryRows::new(x, y, d, 1.0, 1);
        let problem = problem(d, 1.0, 1, 1.0);
        let tolerance = Tolerance::new(&problem).unwrap();
        let objective = Objective { rows: &rows, loss: problem.loss(), lambda: 1.0, linear: &vec![0.0; d] };
        let found = minimum(&objective, tolerance.gradient / 100.0).unwrap();
        assert!(found.gradient_norm_upper <= tolerance.gradient / 100.0, "{}", found.gradient_norm_upper);
    }
}
