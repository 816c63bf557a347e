//! How much worse a private minimiser is than the true one, said before any training.
//!
//! **Guarantee.** Each bound holds with probability at least 1 − β over the noise, for every table with ‖x‖ ≤ R, and is computed from
//! public numbers. J is the mean of n losses with (Λ/2)‖f‖², c the curvature of the loss, d the number of features.
//! **Proof.** The norm of Laplace noise of rate r in d dimensions is a sum of d exponentials over r, each above ln(d/β) with
//! probability β/d: ‖b‖ ≤ d·ln(d/β)/r. That of Gaussian noise is at most σ(√d + √(2·ln(1/β))).
//! * Output: J is (cR² + Λ)-smooth and flat at f*, so J(f* + b) − J(f*) ≤ (cR² + Λ)‖b‖²/2, with r = nΛε/(2R).
//! * Objective: ∇J at the private point is −b/n. By strong convexity J(f) − J(f*) ≤ ‖∇J(f)‖²/(2Λ) = ‖b‖²/(2Λn²), with r = ε'/(2R).
//!
//! **Source.** The two lemmas of the lectures, after Chaudhuri, Monteleoni, Sarwate (2011), JMLR 12, Lemmas 16 and 17. For output they
//! are the same: 2d²(c/Λ + η)·ln²(d/β)/(Λn²ε²), where η bounds the second derivative of the penalty (the lectures print the first), here
//! η = 1. For the objective they have 4d²·ln²(d/β)/(Λn²ε²): twice what is proven here, but with ε where the noise has the smaller ε';
//! [`objective_excess`] takes ε' and keeps their 4.
//! **Not covered.** What rounding and tolerance add: less than a hundredth.

/// The public numbers that the bounds of the lectures need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanProblem {
    /// How many rows.
    pub rows: f64,
    /// How many features.
    pub dimension: f64,
    /// Λ, on the mean of losses.
    pub lambda_mean: f64,
    /// c, the curvature of the loss.
    pub curvature: f64,
    /// How long a row may be, R.
    pub norm_bound: f64,
}

/// How far J at the released point is above its minimum, for output perturbation with one row exchanged:
/// 2d²(cR²/Λ + 1)R²·ln²(d/β)/(Λn²ε²).
pub fn output_excess(problem: &MeanProblem, epsilon: f64, beta: f64) -> f64 {
    let MeanProblem { rows, dimension, lambda_mean, curvature, norm_bound } = *problem;
    let smooth = curvature * norm_bound.powi(2) / lambda_mean + 1.0;
    2.0 * smooth * (dimension * norm_bound * (dimension / beta).ln() / (rows * epsilon)).powi(2) / lambda_mean
}

/// The same for objective perturbation with one row exchanged: 4d²R²·ln²(d/β)/(Λn²ε'²). Λ is the one that is used, and ε' what
/// [`replace_one_constants`](crate::replace_one_constants) leaves of ε.
pub fn objective_excess(problem: &MeanProblem, epsilon_prime: f64, beta: f64) -> f64 {
    let MeanProblem { rows, dimension, lambda_mean, norm_bound, .. } = *problem;
    4.0 * (dimension * norm_bound * (dimension / beta).ln() / (rows * epsilon_prime)).powi(2) / lambda_mean
}

/// Whether the lectures' rule prefers objective perturbation: c/Λ + η > 2.
pub fn objective_is_better(problem: &MeanProblem) -> bool {
    problem.curvature * problem.norm_bound.powi(2) / problem.lambda_mean + 1.0 > 2.0
}

/// How far the sum Σ l + (λ/2)‖θ‖² at the released point is above its minimum, for Gaussian objective perturbation:
/// σ²(√d + √(2·ln(1/β)))²/(2λ).
pub fn gaussian_objective_excess(sigma: f64, dimension: usize, lambda: f64, beta: f64) -> f64 {
    let norm = sigma * ((dimension as f64).sqrt() + (2.0 * beta.recip().ln()).sqrt());
    norm.powi(2) / (2.0 * lambda)
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_privacy::{Delta, Epsilon};
    use pointillist_testkit::seeded;

    use super::*;
    use crate::golden::{cases, dataset};
    use crate::minimum::{Objective, minimum};
    use crate::{
        GaussianObjective, MarginLoss, MarginModel, MarginProblem, ObjectivePerturbation, OutputPerturbation,
        Rows, replace_one_constants,
    };

    fn cost(rows: &dyn Rows, theta: &[f64], lambda: f64) -> f64 {
        let mut sum = 0.5 * lambda * theta.iter().map(|at| at * at).sum::<f64>();
        rows.for_each_block(&mut |block| {
            for row in 0..block.len() {
                let score: f64 = block.row(row).iter().zip(theta).map(|(x, at)| x * at).sum();
                sum += MarginLoss::Logistic.value(block.y[row] * score);
            }
        })
        .unwrap();
        sum
    }

    /// Specification: on the golden table of 200 rows the excess of 60 fits stays below each bound for β = 1e-4 / 60 (false alarm below
    /// 1e-4 by the proof, none at these seeds), and the median is above a fiftieth of the bound for β = 1/2: a bound with a factor of d
    /// too many fails.
    #[test]
    fn excesses_stay_below_their_bounds() {
        let case = &cases("objective_perturbation")[0];
        let (rows, n) = dataset(case, 1.0);
        let (d, epsilon, lambda_mean) = (rows.dimension(), Epsilon::parse("1").unwrap(), 0.05);
        let radius = rows.norm_bound();
        let lambda = lambda_mean * n;
        let linear = vec![0.0; d];
        let objective = Objective { rows: &rows, loss: MarginLoss::Logistic, lambda, linear: &linear };
        let least = cost(&rows, &minimum(&objective, 1e-8).unwrap().theta, lambda);
        let public =
            MeanProblem { rows: n, dimension: d as f64, lambda_mean, curvature: 0.25, norm_bound: radius };
        let beta = 1e-4 / 60.0;
        let check = |name: &str, bound: &dyn Fn(f64) -> f64, fit: &dyn Fn(u64) -> MarginModel| {
            let mut excesses: Vec<f64> =
                (0..60).map(|seed| cost(&rows, &fit(seed).coefficients.to_f64(), lambda) - least).collect();
            excesses.sort_by(f64::total_cmp);
            assert!(excesses[59] <= bound(beta), "{name}: {} above {}", excesses[59], bound(beta));
            assert!(excesses[30] > bound(0.5) / 50.0, "{name}: {} far below {}", excesses[30], bound(0.5));
        };
        let output =
            OutputPerturbation::replace_one(MarginLoss::Logistic, d, radius, n as u64, lambda_mean, &epsilon)
                .unwrap();
        let bound = |beta| n * output_excess(&public, 1.0, beta);
        check("output", &bound, &|seed| output.fit(&rows, &mut seeded(seed)).unwrap());
        let trainer = ObjectivePerturbation::replace_one(
            MarginLoss::Logistic,
            d,
            radius,
            n as u64,
            lambda_mean,
            &epsilon,
        )
        .unwrap();
        let exact = Rational::from_f64(lambda_mean).unwrap();
        let constants =
            replace_one_constants(MarginLoss::Logistic, radius, n as u64, &exact, &epsilon).unwrap();
        // A hundredth of ε goes to the tolerance.
        let left = constants.epsilon_prime.to_f64_lower() - 0.01;
        let bound = |beta| n * objective_excess(&public, left, beta);
        check("objective", &bound, &|seed| trainer.fit(&rows, &mut seeded(seed)).unwrap());
        assert!(objective_is_better(&public));
        let problem = MarginProblem::new(MarginLoss::Logistic, d, radius, 1, lambda).unwrap();
        let gaussian =
            GaussianObjective::for_epsilon_delta(problem, &epsilon, &Delta::parse("1e-6").unwrap()).unwrap();
        let sigma = gaussian.sigma().to_f64_upper();
        let bound = |beta| gaussian_objective_excess(sigma, d, lambda, beta);
        check("gaussian", &bound, &|seed| gaussian.fit(&rows, &mut seeded(seed)).unwrap());
    }
}
