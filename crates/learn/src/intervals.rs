//! Confidence intervals of coefficients, from released numbers alone.
//!
//! **Claim.** About the stated share of intervals hold the coefficient of the population, over the drawing of rows
//! and of noise. This is a statement of statistics in large samples, not a proof of privacy: everything here is
//! post-processing and loses nothing.
//! **Least squares.** With K = Ĝ⁻¹, θ̂ = Kĉ misses θ by K(Xᵀr + e − Eθ) to first order. Xᵀr has covariance s²G, e
//! has σ_c²I, and Eθ, with symmetric noise of variance σ² on the diagonal and σ²/2 beside it, has (σ²/2)(‖θ‖²I +
//! θθᵀ): its entries i ≠ j share E_ij once. To second order Ĝ⁻¹ĉ is too large by K·E[E·K·E]·θ = (σ²/2)·K(tr(K)I +
//! K)θ, which is subtracted and, as it is itself an estimate, added to the width. s² is what is left of Σy², plus
//! 1.645 deviations of its own noise, σ(1/η² + ‖θ‖²), over n.
//! **Logistic, objective perturbation.** θ̂ minimises Σl + (λ/2)‖θ‖² + b·θ. To first order θ̂ + λH⁻¹θ̂ misses θ by
//! H⁻¹(Σ∇l + b), covariance H⁻¹(H + σ_b²I)H⁻¹, and what was added to the output has its own. H = Σ s'(xθ)xxᵀ is not
//! released; where scores and features are about jointly normal with the mean μ and covariance Σ of the Gram
//! release, it is n·(E₀(Σ − uuᵀ/v + μμᵀ) + (E₁/v)(μuᵀ + uμᵀ) + (E₂/v²)uuᵀ), u = Σθ, v = θᵀΣθ, E_i = E[s'(t)(t −
//! μθ)^i] for t ~ N(μθ, v).
//! **Honesty.** Where the noise of the Gram matrix is not small beside its least eigenvalue nothing is said:
//! `None`. Residuals are taken to vary alike everywhere. Rows that were shortened are the population's rows.
//! **Check.** Coverage of 95 % intervals in simulations with fixed seeds (`intervals/tests.rs`), also that
//! intervals without the noise's part would miss.

use faer::Mat;
use pointillist_numbers::{Rational, normal_quantile_upper};
use serde::{Deserialize, Serialize};

use crate::adassp::AdaSspRelease;
use crate::gram::{Constant, GramRelease, Normal};
use crate::symmetric::SymmetricEigen;

/// Between which numbers a coefficient lies, as far as can be told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate, with what is known of its bias taken away.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A logistic model by objective perturbation, as released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerturbedLogistic {
    /// One for each feature.
    pub coefficients: Vec<f64>,
    /// λ of (λ/2)‖θ‖².
    pub penalty: f64,
    /// The variance of each coordinate of b.
    pub noise_variance: f64,
    /// The variance of what was added to each coefficient afterwards.
    pub output_variance: f64,
}

/// The least eigenvalue is at least this many times the deviation of the noise's own largest eigenvalues.
const CLEAR: f64 = 2.0;
/// The quantile of a normal law at 95 %.
const QUANTILE: f64 = 1.645;

impl GramRelease {
    /// Intervals of the coefficients of least squares, each right with about this confidence (such as 0.95); none
    /// when the target was left out or noise hides the features.
    pub fn regression_intervals(&self, constant: Constant, confidence: f64) -> Option<Vec<Interval>> {
        let rows = self.moments(constant).count;
        let scale = (self.noise_variance() / self.target_noise_variance()? / 2.0).sqrt();
        least_squares(&self.normal()?, rows, Some((self.target_square()?, scale)), confidence)
    }
}

impl AdaSspRelease {
    /// Intervals of the coefficients of least squares, as [`GramRelease::regression_intervals`]. Σy² is not
    /// released here; that targets are from −1 to 1 bounds it, and intervals are wider for it.
    pub fn intervals(&self, constant: Constant, confidence: f64) -> Option<Vec<Interval>> {
        let normal = self.normal();
        if constant.column >= normal.target_products.len() || !constant.value.is_normal() {
            return None;
        }
        let rows = normal.products[(constant.column, constant.column)] / constant.value.powi(2);
        least_squares(&normal, rows.max(1.0), None, confidence)
    }
}

impl AdaSspRelease {
    /// The same for rows that are all one long, as shortened rows with a constant are: their squares add up to their number.
    pub fn intervals_of_unit_rows(&self, confidence: f64) -> Option<Vec<Interval>> {
        let normal = self.normal();
        let rows: f64 = (0..normal.target_products.len()).map(|at| normal.products[(at, at)]).sum();
        least_squares(&normal, rows.max(1.0), None, confidence)
    }
}

/// `target` has Σy² and the scale η of the target in the release.
fn least_squares(
    normal: &Normal,
    rows: f64,
    target: Option<(f64, f64)>,
    confidence: f64,
) -> Option<Vec<Interval>> {
    let quantile = quantile(confidence)?;
    let d = normal.target_products.len();
    let eigen = SymmetricEigen::new(&normal.products);
    clear(&eigen, normal.noise_variance)?;
    let inverse = eigen.map(|value| 1.0 / value);
    let theta = eigen.apply(&normal.target_products, |value| 1.0 / value);
    let square: f64 = theta.iter().map(|value| value * value).sum();
    let explained: f64 = theta.iter().zip(&normal.target_products).map(|(a, b)| a * b).sum();
    let (total, slack) = match target {
        Some((total, scale)) => {
            let noise = normal.noise_variance.sqrt() * (1.0 / (scale * scale) + square);
            (total, QUANTILE * noise)
        }
        None => (rows, 0.0),
    };
    let residual = ((total - explained).max(0.0) + slack) / rows;
    let half = normal.noise_variance / 2.0;
    let middle = Mat::from_fn(d, d, |i, j| {
        let own = if i == j { normal.target_noise_variance + half * square } else { 0.0 };
        residual * normal.products[(i, j)] + own + half * theta[i] * theta[j]
    });
    let covariance = &(&inverse * &middle) * &inverse;
    let trace: f64 = (0..d).map(|at| inverse[(at, at)]).sum();
    let bias = eigen.apply(&theta, |value| half * (trace + 1.0 / value) / value);
    let interval = |at: usize| {
        let width = quantile * covariance[(at, at)].max(0.0).sqrt() + bias[at].abs();
        let estimate = theta[at] - bias[at];
        Interval { estimate, low: estimate - width, high: estimate + width }
    };
    Some((0..d).map(interval).collect())
}

/// Intervals of the coefficients of a logistic model, each right with about this confidence, from the model and a
/// Gram release of the same rows; none when noise hides the features.
pub fn logistic_intervals(
    gram: &GramRelease,
    constant: Constant,
    model: &PerturbedLogistic,
    confidence: f64,
) -> Option<Vec<Interval>> {
    let quantile = quantile(confidence)?;
    let d = gram.dimension();
    if model.coefficients.len() != d {
        return None;
    }
    clear(&SymmetricEigen::new(&gram.features()), gram.noise_variance())?;
    let hessian = SymmetricEigen::new(&logistic_hessian(gram, constant, &model.coefficients));
    if hessian.values.first().is_none_or(|least| *least <= 0.0) {
        return None;
    }
    let bias = hessian.apply(&model.coefficients, |value| model.penalty / value);
    let variance = |value: f64| {
        let penalised = (value + model.penalty) / value;
        (value + model.noise_variance) / (value * value) + model.output_variance * penalised * penalised
    };
    let covariance = hessian.map(variance);
    let interval = |at: usize| {
        let width = quantile * covariance[(at, at)].max(0.0).sqrt();
        let estimate = model.coefficients[at] + bias[at];
        Interval { estimate, low: estimate - width, high: estimate + width }
    };
    Some((0..d).map(interval).collect())
}

/// Σ s'(xθ)xxᵀ where features are about normal.
fn logistic_hessian(gram: &GramRelease, constant: Constant, theta: &[f64]) -> Mat<f64> {
    let d = theta.len();
    let moments = gram.moments(constant);
    let (mean, covariance) = (&moments.mean, moments.covariance_matrix());
    let u: Vec<f64> = (0..d).map(|i| (0..d).map(|j| covariance[(i, j)] * theta[j]).sum()).collect();
    let centre: f64 = mean.iter().zip(theta).map(|(a, b)| a * b).sum();
    let spread: f64 = u.iter().zip(theta).map(|(a, b)| a * b).sum::<f64>().max(1e-12);
    let [e0, e1, e2] = slopes(centre, spread);
    Mat::from_fn(d, d, |i, j| {
        let around = e0 * (covariance[(i, j)] - u[i] * u[j] / spread + mean[i] * mean[j]);
        let along = e1 / spread * (mean[i] * u[j] + u[i] * mean[j]) + e2 / (spread * spread) * u[i] * u[j];
        moments.count * (around + along)
    })
}

/// E[s'(t)(t − centre)^i] for i = 0, 1, 2 and t normal.
fn slopes(centre: f64, variance: f64) -> [f64; 3] {
    let deviation = variance.sqrt();
    let (mut sums, mut total) = ([0.0; 3], 0.0);
    for at in -400..=400 {
        let z = f64::from(at) / 50.0;
        let weight = (-z * z / 2.0).exp();
        let odds = (-(centre + deviation * z).abs()).exp();
        let slope = odds / (1.0 + odds).powi(2);
        let away = deviation * z;
        total += weight;
        sums[0] += weight * slope;
        sums[1] += weight * slope * away;
        sums[2] += weight * slope * away * away;
    }
    sums.map(|sum| sum / total)
}

/// Whether the noise is small beside the features. Its eigenvalues are within about ±σ√(2d).
fn clear(eigen: &SymmetricEigen, noise_variance: f64) -> Option<()> {
    let edge = (2.0 * noise_variance * eigen.values.len() as f64).sqrt();
    let least = eigen.values.first()?;
    (*least > CLEAR * edge && *least > 0.0).then_some(())
}

/// The two-sided quantile of a normal law; none unless the confidence is between 0 and 1.
fn quantile(confidence: f64) -> Option<f64> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let tail = Rational::from_f64((1.0 - confidence) / 2.0).ok()?;
    Some(normal_quantile_upper(&tail).to_f64_upper())
}

#[cfg(test)]
mod tests;
