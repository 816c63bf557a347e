//! Approximate minima perturbation: Gaussian objective perturbation as it is best known, for n public rows.
//!
//! **Guarantee.** (ε, δ)-differential privacy for one of n rows exchanged. With ε = ε₁ + ε₂, δ = δ₁ + δ₂ and ε₃ < ε₁: minimise
//! Σ l + (Λ/2)‖θ‖² + b·θ with Λ = 2cR²/(ε₁ − ε₃) and b ~ N(0, σ²I), σ = 2R(1 + √(2·ln(1/δ₁)))/ε₃, to a gradient of τ = max(R/n, R·2^-18), and
//! release it with Gaussian noise for (ε₂, δ₂).
//! **Neighbours.** One of n rows is exchanged, n public.
//! **Proof.** Exchanging a row is the gradient of two rows, t₁v₁ + t₂v₂ with t in [0, 1]², and a determinant between 1/(1 + κ₁) and 1 + κ₁. So
//! statement 2 of `gaussian_objective.rs` for k = 2 holds, and with less determinant than it has. Every trainer made here is
//! checked by that statement, so nothing rests on the constants themselves.
//! **Source.** Iyengar, Near, Song, Thakkar, Thakurta, Wang (2019), "Towards practical differentially private convex optimization",
//! Algorithm 2 with their parameters that need no tuning. Two departures: c is 1/4 for logistic regression, where their code has 1; and
//! the second step has the sensitivity 2τ/Λ, where they have τ/Λ (`tolerance.rs` says why).
//! **Not covered.** Add or remove; [`GaussianObjective`](crate::GaussianObjective) is for that, and takes less noise.

use pointillist_mechanisms::{AdditiveNoise, MechanismError};
use pointillist_noise::{RoundedGaussian, SecureBits};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Loss, Neighbours};

use crate::gaussian_objective::accounting::delta_upper;
use crate::tolerance::Tolerance;
use crate::{LearnError, MarginLoss, MarginModel, MarginProblem, Rows};

const PRECISION: usize = 256;

/// A trainer of linear classifiers by approximate minima perturbation.
#[derive(Clone, Debug)]
pub struct ApproximateMinima {
    problem: MarginProblem,
    sigma: Rational,
    slope_noise: RoundedGaussian,
    tolerance: Tolerance,
    output_noise: AdditiveNoise,
    loss: Loss,
}

impl ApproximateMinima {
    /// The trainer for n rows, n public.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn new(
        loss: MarginLoss,
        dimension: usize,
        norm_bound: f64,
        rows: u64,
        epsilon: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, LearnError> {
        if rows == 0 || delta.is_zero() {
            return Err(LearnError::parameter(
                "this needs at least one row and a positive delta, such as 1e-6",
            ));
        }
        let part = |share: i128| Rational::ratio(share, 100);
        let (first, second) =
            (Epsilon::new(epsilon.value() * &part(99))?, Epsilon::new(epsilon.value() * &part(1))?);
        let (delta_first, delta_second) =
            (Delta::new(delta.value() * &part(99))?, Delta::new(delta.value() * &part(1))?);
        let share = Rational::from_f64(noise_share(first.to_f64_upper())).expect("a share is finite");
        let third = first.value() * &share;
        // Checked for its range, and for what it says of the curvature.
        let probe = MarginProblem::new(loss, dimension, norm_bound, 2, 1.0)?;
        let lambda = probe.smoothness() * Rational::from(2) / (first.value() - &third);
        let two_rows = probe.with_lambda(lambda.to_f64_upper())?;
        let logarithm = -&Enclosure::ln_of(delta_first.value(), PRECISION).expect("δ is positive");
        let root = logarithm.mul_integer(2).sqrt().upper();
        let sigma = (two_rows.gradient_bound() * (Rational::one() + root) / third).round_up_significant(64);
        if delta_upper(&two_rows, &sigma, first.value()).is_none_or(|found| found > *delta_first.value()) {
            return Err(LearnError::parameter(format!(
                "the constants of approximate minima perturbation do not reach ({epsilon}, {delta}); use Gaussian objective perturbation"
            )));
        }
        let problem = MarginProblem::new(loss, dimension, norm_bound, 1, two_rows.lambda())?;
        let tolerance = Tolerance::with_gradient(&problem, gradient_tolerance(norm_bound, rows))?;
        let slope_noise =
            RoundedGaussian::new(&tolerance.in_noise_steps(&sigma)).map_err(MechanismError::from)?;
        let output_noise =
            AdditiveNoise::for_rho(tolerance.sensitivity(), &zcdp_rho_lower(&second, &delta_second)?)?;
        let loss = Loss::approximate(epsilon.clone(), delta.clone());
        Ok(Self { problem, sigma, slope_noise, tolerance, output_noise, loss })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// For which neighbours: one row exchanged.
    pub fn neighbours(&self) -> Neighbours {
        Neighbours::ReplaceOne
    }

    /// What is trained, with the penalty on the sum.
    pub fn problem(&self) -> &MarginProblem {
        &self.problem
    }

    /// The standard deviation of each coordinate of the random slope.
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// Trains.
    ///
    /// # Errors
    /// When the rows declare more than the trainer was made for, or went away.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<MarginModel, LearnError> {
        self.problem.check(rows)?;
        let d = self.problem.dimension();
        let mut slope = vec![0; d];
        self.slope_noise.fill(&mut slope, bits);
        let blur = self.output_noise.sample_many(d, bits);
        let near = self.tolerance.minimise(&self.problem, rows, &self.tolerance.noise(&slope))?;
        Ok(MarginModel::noisy(&self.problem, self.tolerance.grid_bits(), &near, &blur))
    }
}

/// τ = R/n, but no less than what floating point certifies for every table (`tolerance.rs`): the second step's noise is for
/// whichever it is.
fn gradient_tolerance(norm_bound: f64, rows: u64) -> f64 {
    (norm_bound / rows as f64).max(norm_bound * (-18f64).exp2())
}

/// ε₃/ε₁, as the authors fitted it.
fn noise_share(epsilon: f64) -> f64 {
    let fitted = (0.88671 + 0.0186607 / epsilon.powf(0.372906)).min(0.99);
    // Beyond ε = 500 their formula leaves nothing to the curvature.
    fitted.max(1.0 - 1.0 / epsilon + 0.001).min(0.999)
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::MemoryRows;

    /// Specification: the authors' constants pass our theorem at all usual prices; a quarter of their σ does not.
    #[test]
    fn the_constants_of_the_paper_are_enough() {
        for epsilon in ["0.01", "0.1", "1", "3", "10"] {
            for delta in ["1e-4", "1e-6", "1e-12"] {
                let (epsilon, delta) = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
                let trainer =
                    ApproximateMinima::new(MarginLoss::Logistic, 3, 1.0, 1000, &epsilon, &delta).unwrap();
                assert_eq!(trainer.loss(), Loss::approximate(epsilon.clone(), delta.clone()));
                let two =
                    MarginProblem::new(MarginLoss::Logistic, 3, 1.0, 2, trainer.problem().lambda()).unwrap();
                let quarter = trainer.sigma() * &Rational::ratio(1, 4);
                let found = delta_upper(&two, &quarter, epsilon.value());
                assert!(found.is_none_or(|found| found > *delta.value()), "{epsilon}, {delta}");
            }
        }
    }

    /// Specification: a declared number of rows beyond what floating point certifies gives a model, not the zeros of a search that
    /// ended. Power: τ = R/n leaves coefficients below 1e-15 here.
    #[test]
    fn very_many_rows_have_a_model() {
        let rows = MemoryRows::new(vec![0.5; 40], vec![1.0; 20], 2, 1.0, 1);
        let (epsilon, delta) = (Epsilon::parse("1").unwrap(), Delta::parse("0.01").unwrap());
        let made = |epsilon| ApproximateMinima::new(MarginLoss::Logistic, 2, 1.0, u64::MAX, epsilon, &delta);
        let model = made(&epsilon).unwrap().fit(&rows, &mut seeded(1)).unwrap().coefficients.to_f64();
        assert!(model.iter().all(|at| at.abs() > 1e-6), "{model:?}");
        // ε₁ = 1000, where the authors' formula leaves nothing to the curvature: refused in words, and no division by zero.
        let refused = made(&Epsilon::parse("100000/99").unwrap()).unwrap_err().to_string();
        assert!(refused.contains("use Gaussian objective perturbation"), "{refused}");
    }

    #[test]
    fn it_fits_and_refuses_what_it_cannot() {
        let (epsilon, delta) = (Epsilon::parse("1").unwrap(), Delta::parse("1e-6").unwrap());
        let rows = MemoryRows::new(vec![0.5; 40], vec![1.0; 20], 2, 1.0, 1);
        let trainer = ApproximateMinima::new(MarginLoss::Logistic, 2, 1.0, 20, &epsilon, &delta).unwrap();
        assert_eq!(trainer.neighbours(), Neighbours::ReplaceOne);
        assert_eq!(trainer.fit(&rows, &mut seeded(1)).unwrap().coefficients.values.len(), 2);
        assert!(ApproximateMinima::new(MarginLoss::Logistic, 2, 1.0, 0, &epsilon, &delta).is_err());
        assert!(ApproximateMinima::new(MarginLoss::Logistic, 2, 1.0, 9, &epsilon, &Delta::zero()).is_err());
    }
}
