//! Objective perturbation with pure ε: the minimiser of a loss with a random slope of Laplace's law in Euclidean norm.
//!
//! **Guarantee.** Let θ minimise Σ l(y·x·θ) + (λ/2)‖θ‖² + b·θ, with b of density proportional to exp(−β‖b‖). Releasing θ is
//! ε-differentially private
//! * for add or remove of one person with k rows: with β = ε'/(kR), ε' = ε − k·ln(1 + cR²/λ) ([`ObjectivePerturbation::new`]);
//! * for one of n rows exchanged, in the form of Chaudhuri, Monteleoni and Sarwate (λ = nΛ): with β = ε'/(2R), ε' = ε −
//!   2·ln(1 + cR²/(nΛ)) ([`ObjectivePerturbation::replace_one`]).
//!
//! Where ε' is not positive, λ is raised until it is half of ε: to cR²/(e^(ε/2k) − 1), and Λ by Δ = cR²/(n(e^(ε/4) − 1)) − Λ.
//! **Neighbours.** Add or remove of one person, or one of n rows exchanged, as said above.
//! **Proof.** In the coordinate of `gaussian_objective.rs` the two densities are φ(c) and φ(c − g)·det(I + GH⁻¹), with ‖g‖ ≤ kR. The first
//! factors are within e^(±β‖g‖) ≤ e^(±ε'); the determinant is between 1 and (1 + cR²/λ)^k. For the exchange, ‖g − g'‖ ≤ 2R, and the determinant
//! is within 1 + cR²/λ of one, of which the authors take the square.
//! **Source.** Chaudhuri, Monteleoni, Sarwate (2011), JMLR 12, Algorithm 2 and Theorem 9, for R = 1. For other R it is R² that c is
//! multiplied with: the trace of l''·x·xᵀ. A test shows that cR claims too little.
//! **Exactness.** A hundredth of ε pays for the minimiser being approximate and b being rounded (`tolerance.rs`).
//! **Not covered.** Timing: how long a fit takes depends on the rows.

use pointillist_mechanisms::MechanismError;
use pointillist_noise::{L2Laplace, SecureBits};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss, Neighbours};

use crate::tolerance::Tolerance;
use crate::{LearnError, MarginLoss, MarginModel, MarginProblem, Rows};

const PRECISION: usize = 320;
/// One part in this many pays for the minimiser being approximate.
const TOLERANCE_SHARE: u64 = 100;

/// The constants of the algorithm of Chaudhuri, Monteleoni and Sarwate, each rounded to the safe side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceOneConstants {
    /// ε' before λ is raised, rounded down; it may be negative.
    pub epsilon_left: Rational,
    /// What is added to Λ, rounded up: zero when ε' is positive.
    pub lambda_added: Rational,
    /// ε', rounded down.
    pub epsilon_prime: Rational,
    /// β = ε'/(2R), rounded down.
    pub noise_rate: Rational,
}

/// The constants for n rows, one of which is exchanged.
///
/// # Errors
/// When there are no rows, or Λ is not positive.
pub fn replace_one_constants(
    loss: MarginLoss,
    norm_bound: f64,
    rows: u64,
    lambda_mean: &Rational,
    epsilon: &Epsilon,
) -> Result<ReplaceOneConstants, LearnError> {
    if rows == 0 || !lambda_mean.is_positive() {
        return Err(LearnError::parameter("a mean needs at least one row and a positive penalty"));
    }
    let radius = Rational::from_f64(norm_bound)
        .ok()
        .filter(Rational::is_positive)
        .ok_or_else(|| LearnError::parameter("the norm bound of rows is a positive number, such as 1"))?;
    let smoothness = loss.curvature_bound() * radius.squared();
    let n = Rational::from(rows);
    let ratio = &smoothness / &(&n * lambda_mean);
    let slack = logarithm_upper(&ratio) * Rational::from(2);
    let epsilon_left = epsilon.value() - &slack;
    let (lambda_added, epsilon_prime) = if epsilon_left.is_positive() {
        (Rational::zero(), epsilon_left.clone())
    } else {
        let raised = smoothness / (n * growth_lower(&(epsilon.value() * &Rational::ratio(1, 4))));
        (raised - lambda_mean.clone(), epsilon.value() * &Rational::ratio(1, 2))
    };
    let noise_rate = &epsilon_prime / &(&radius + &radius);
    Ok(ReplaceOneConstants { epsilon_left, lambda_added, epsilon_prime, noise_rate })
}

/// ln(1 + x), rounded up.
fn logarithm_upper(x: &Rational) -> Rational {
    Enclosure::ln_of(&(Rational::one() + x.clone()), PRECISION).expect("one and more has a logarithm").upper()
}

/// e^x − 1, rounded down.
fn growth_lower(x: &Rational) -> Rational {
    (&Enclosure::of(x, PRECISION).exp() - &Enclosure::integer(1, PRECISION)).lower()
}

/// A trainer of linear classifiers by objective perturbation.
#[derive(Clone, Debug)]
pub struct ObjectivePerturbation {
    problem: MarginProblem,
    neighbours: Neighbours,
    slope_noise: L2Laplace,
    noise_rate: Rational,
    tolerance: Tolerance,
    output_noise: L2Laplace,
    loss: Loss,
}

impl ObjectivePerturbation {
    /// The trainer that loses ε for add or remove of one person. Its penalty is the problem's, or a larger one where that is too
    /// small for ε.
    ///
    /// # Errors
    /// When ε is so small that no noise of its size can be drawn.
    pub fn new(problem: MarginProblem, epsilon: &Epsilon) -> Result<Self, LearnError> {
        let (first, second) = split(epsilon)?;
        let rows = Rational::from(problem.rows_per_person());
        let left = |problem: &MarginProblem| {
            first.value() - &(logarithm_upper(&problem.kappa_of_row()) * rows.clone())
        };
        let mut problem = problem;
        if !left(&problem).is_positive() {
            let half = first.value() * &Rational::ratio(1, 2) / rows.clone();
            problem = problem.with_lambda((problem.smoothness() / growth_lower(&half)).to_f64_upper())?;
        }
        let noise_rate = left(&problem) / problem.gradient_bound();
        Self::with_rate(problem, Neighbours::AddRemove, noise_rate, &second, epsilon)
    }

    /// The trainer of Chaudhuri, Monteleoni and Sarwate: it loses ε for n rows, n public, of which one is exchanged; the penalty
    /// (Λ/2)‖θ‖² is on the mean of losses.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn replace_one(
        loss: MarginLoss,
        dimension: usize,
        norm_bound: f64,
        rows: u64,
        lambda_mean: f64,
        epsilon: &Epsilon,
    ) -> Result<Self, LearnError> {
        let (first, second) = split(epsilon)?;
        let mean = Rational::from_f64(lambda_mean)
            .map_err(|_| LearnError::parameter("the penalty is a positive number, such as 0.01"))?;
        let constants = replace_one_constants(loss, norm_bound, rows, &mean, &first)?;
        let lambda = (mean + constants.lambda_added) * Rational::from(rows);
        let problem = MarginProblem::new(loss, dimension, norm_bound, 1, lambda.to_f64_upper())?;
        Self::with_rate(problem, Neighbours::ReplaceOne, constants.noise_rate, &second, epsilon)
    }

    fn with_rate(
        problem: MarginProblem,
        neighbours: Neighbours,
        noise_rate: Rational,
        second: &Epsilon,
        epsilon: &Epsilon,
    ) -> Result<Self, LearnError> {
        let d = problem.dimension();
        let tolerance = Tolerance::new(&problem)?;
        let scale = noise_rate.reciprocal().expect("ε' is positive").round_up_significant(64);
        // ‖b‖ is a sum of d exponential numbers of this scale: above twice their mean and 150 with a probability below e^(−50).
        tolerance.check_noise(scale.to_f64_upper() * (2.0 * d as f64 + 150.0))?;
        let slope_noise =
            L2Laplace::new(d, &tolerance.in_noise_steps(&scale)).map_err(MechanismError::from)?;
        let blur = tolerance.sensitivity().value_upper() / second.value().clone();
        let output_noise = L2Laplace::new(d, &blur).map_err(MechanismError::from)?;
        let loss = Loss::pure(epsilon.clone());
        Ok(Self { problem, neighbours, slope_noise, noise_rate, tolerance, output_noise, loss })
    }

    /// What a fit loses.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// For which neighbours.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// What is trained, with the penalty on the sum that is used.
    pub fn problem(&self) -> &MarginProblem {
        &self.problem
    }

    /// β: the density of the random slope is proportional to exp(−β‖b‖).
    pub fn noise_rate(&self) -> &Rational {
        &self.noise_rate
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
        let slope = self.slope_noise.sample(bits);
        let blur = self.output_noise.sample(bits);
        let near = self.tolerance.minimise(&self.problem, rows, &self.tolerance.noise(&slope))?;
        Ok(MarginModel::noisy(&self.problem, self.tolerance.grid_bits(), &near, &blur))
    }
}

/// What the minimiser may cost, and what its tolerance may.
fn split(epsilon: &Epsilon) -> Result<(Epsilon, Epsilon), LearnError> {
    let second = epsilon.value() * &Rational::ratio(1, u128::from(TOLERANCE_SHARE));
    Ok((Epsilon::new(epsilon.value() - &second)?, Epsilon::new(second)?))
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::MemoryRows;
    use crate::golden::{cases, dataset, loss_of, number, numbers};
    use crate::minimum::{Objective, minimum};

    fn near(found: f64, expected: f64, name: &str) {
        assert!(
            (found - expected).abs() <= 1e-10 * expected.abs() + 1e-14,
            "{name}: {found}, not {expected}"
        );
    }

    /// Specification: the constants and the minimisers for given noise of the golden file.
    #[test]
    fn constants_and_minimisers_are_those_computed_elsewhere() {
        let found = cases("objective_perturbation");
        assert_eq!(found.len(), 10);
        for case in found {
            let (rows, n) = dataset(&case, 1.0);
            let (inputs, expected) = (&case["inputs"], &case["expected"]);
            let exact = |key: &str| Rational::parse(&inputs[key].to_string()).unwrap();
            let lambda = exact("lambda");
            let epsilon = Epsilon::new(exact("eps")).unwrap();
            let constants = replace_one_constants(loss_of(&case), 1.0, n as u64, &lambda, &epsilon).unwrap();
            let name = case["id"].as_str().unwrap();
            near(constants.epsilon_left.to_f64_nearest(), number(&expected["eps_prime_before_rule"]), name);
            near(constants.lambda_added.to_f64_nearest(), number(&expected["Delta"]), name);
            near(constants.epsilon_prime.to_f64_nearest(), number(&expected["eps_prime"]), name);
            near(constants.noise_rate.to_f64_nearest(), number(&expected["noise_beta"]), name);
            let effective = (lambda + constants.lambda_added).to_f64_nearest();
            near(effective, number(&expected["effective_lambda"]), name);
            let noise = numbers(&inputs["b"]);
            let objective =
                Objective { rows: &rows, loss: loss_of(&case), lambda: effective * n, linear: &noise };
            let found = minimum(&objective, 1e-9 * (effective * n).min(10.0)).unwrap();
            for (found, expected) in found.theta.iter().zip(numbers(&expected["minimiser"])) {
                assert!((found - expected).abs() < 1e-8, "{name}: {found}, not {expected}");
            }
        }
    }

    /// The largest log-ratio of densities of the release at a table of one row (x, y) against none, in one dimension, for noise of rate β.
    fn largest_log_ratio(loss: MarginLoss, x: f64, lambda: f64, rate: f64) -> f64 {
        (-40_000..40_000)
            .map(|at| {
                let theta = f64::from(at) * 2e-3 / x.abs();
                let z = x * theta;
                let (with, without) = (lambda * theta + x * loss.slope(z), lambda * theta);
                let bend = x * x * loss.curvature(z);
                (-rate * (with.abs() - without.abs()) + (bend / lambda).ln_1p()).abs()
            })
            .fold(0.0, f64::max)
    }

    /// Specification: in one dimension the log-ratio at one row is at most ε for every R, and nearly reaches it. A planted trainer
    /// that multiplies c with R instead of R² is above ε for R > 1.
    #[test]
    fn the_curvature_goes_with_the_square_of_the_norm() {
        let epsilon = Epsilon::parse("1").unwrap();
        let mut broken = 0;
        for loss in [MarginLoss::Logistic, MarginLoss::huber_hinge(0.5).unwrap()] {
            for radius in [0.5, 1.0, 4.0, 10.0] {
                let c = loss.curvature_bound().to_f64_nearest();
                for lambda in [c * radius * radius * 0.9, c * radius * radius * 3.0] {
                    let problem = MarginProblem::new(loss, 1, radius, 1, lambda).unwrap();
                    let trainer = ObjectivePerturbation::new(problem, &epsilon).unwrap();
                    let rate = trainer.noise_rate().to_f64_nearest();
                    let found = largest_log_ratio(loss, radius, trainer.problem().lambda(), rate);
                    assert!(found <= 1.0, "{loss:?}, R = {radius}: {found}");
                    // Everything but the tolerance's share, where the ratio of densities can have both factors at once.
                    assert!(found > 0.3, "{loss:?}, R = {radius}: {found}");
                    let planted_left = 1.0 - (c * radius / lambda).ln_1p();
                    if radius > 1.0 {
                        let planted = largest_log_ratio(loss, radius, lambda, planted_left / radius);
                        broken += usize::from(planted > 1.0);
                    }
                }
            }
        }
        assert!(broken >= 2, "the planted trainer is never seen: {broken}");
    }

    /// Specification: every table and every ε ends with a model; where the penalty is too small it is raised, and ε' is then half of ε.
    #[test]
    fn every_table_ends_with_a_model() {
        for (n, d, price, lambda) in [(0, 2, "0.01", 1e-9), (20, 3, "1", 1.0), (3, 9, "20", 1e-3)] {
            let epsilon = Epsilon::parse(price).unwrap();
            let rows = MemoryRows::new(vec![0.1; n * d], vec![1.0; n], d, 1.0, 1);
            let problem = MarginProblem::new(MarginLoss::Logistic, d, 1.0, 3, lambda).unwrap();
            let trainer = ObjectivePerturbation::new(problem, &epsilon).unwrap();
            assert_eq!(trainer.loss(), Loss::pure(epsilon.clone()));
            let model = trainer.fit(&rows, &mut seeded(4)).unwrap();
            assert!(model.coefficients.values.iter().all(|value| *value != 0));
            let half = epsilon.value() * &Rational::ratio(33, 200);
            let raised = trainer.problem().lambda() > lambda;
            assert!(!raised || (trainer.noise_rate() - &half).abs() < half * Rational::ratio(1, 1_000_000));
            let trainer =
                ObjectivePerturbation::replace_one(MarginLoss::Logistic, d, 1.0, 50, lambda, &epsilon)
                    .unwrap();
            assert_eq!(trainer.neighbours(), Neighbours::ReplaceOne);
            assert_eq!(trainer.fit(&rows, &mut seeded(4)).unwrap().coefficients.values.len(), d);
        }
        let one = Epsilon::parse("1").unwrap();
        assert!(ObjectivePerturbation::replace_one(MarginLoss::Logistic, 1, 1.0, 0, 1.0, &one).is_err());
        assert!(ObjectivePerturbation::replace_one(MarginLoss::Logistic, 1, 1.0, 9, 0.0, &one).is_err());
    }
}
