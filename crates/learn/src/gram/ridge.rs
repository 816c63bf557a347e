//! Linear regression from noisy sums: post-processing, at no price.
//!
//! With Ĝ = XᵀX + E and ĉ = Xᵀy + e released, ĉ = Ĝθ + (e − Eθ) + Xᵀr for the best θ and its residuals r.
//! [`Penalty::Fixed`] solves (Ĝ + λI)θ = ĉ with eigenvalues of Ĝ clipped at zero. [`Penalty::Automatic`] weighs
//! what noise is known to do: Eθ has covariance (σ²/2)(‖θ‖²I + θθᵀ) ([`symmetric noise`](crate::Gram)), e has s²I,
//! so each coordinate along an eigenvector of Ĝ has noise of variance τ² = s² + σ²‖θ‖²/2 at least, and Xᵀr has
//! about w·Ĝ with w the residual variance. With θ ~ N(0, vI) beforehand the posterior mean is Σ g/(g² + (τ² +
//! w·g₊)/v)·(u·ĉ)u over eigenpairs (g, u); v is where the marginal likelihood of ĉ is largest, on a public grid. A
//! negative or small g, which is noise, is damped and never inverted. Everything is a function of released numbers.

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::GramRelease;
use crate::symmetric::SymmetricEigen;

/// How much coefficients are drawn to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Penalty {
    /// As much as the noise asks for, by the released numbers.
    #[default]
    Automatic,
    /// (λ/2)‖θ‖² beside half the sum of squares.
    Fixed(f64),
}

/// A linear model: the prediction is the product of a row with the coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    /// One for each feature.
    pub coefficients: Vec<f64>,
}

impl LinearModel {
    /// The prediction of a row, between −1 and 1 as targets are.
    pub fn predict(&self, row: &[f64]) -> f64 {
        self.score(row).clamp(-1.0, 1.0)
    }

    /// The product of a row with the coefficients.
    pub fn score(&self, row: &[f64]) -> f64 {
        row.iter().zip(&self.coefficients).map(|(value, coefficient)| value * coefficient).sum()
    }
}

/// Noisy normal equations.
pub(crate) struct Normal {
    pub products: Mat<f64>,
    pub target_products: Vec<f64>,
    /// The variance of the noise on the diagonal of the products.
    pub noise_variance: f64,
    /// The variance of the noise in a product with the target.
    pub target_noise_variance: f64,
    /// The variance of residuals, about.
    pub residual_variance: f64,
}

impl GramRelease {
    /// Least squares of the target on the features; none when the target was left out.
    pub fn regression(&self, penalty: Penalty) -> Option<LinearModel> {
        Some(LinearModel { coefficients: self.normal()?.solve(penalty) })
    }

    pub(crate) fn normal(&self) -> Option<Normal> {
        Some(Normal {
            products: self.features(),
            target_products: self.target_products()?,
            noise_variance: self.noise_variance(),
            target_noise_variance: self.target_noise_variance()?,
            residual_variance: RESIDUAL_VARIANCE,
        })
    }
}

/// The variance of residuals when nothing is known but that targets are from −1 to 1: that of a deviation of a quarter.
pub(crate) const RESIDUAL_VARIANCE: f64 = 0.0625;

impl Normal {
    /// The coefficients.
    pub fn solve(&self, penalty: Penalty) -> Vec<f64> {
        let eigen = SymmetricEigen::new(&self.products);
        match penalty {
            Penalty::Automatic => self.posterior_mean(&eigen),
            Penalty::Fixed(lambda) => {
                // Without any penalty a direction of no weight has no coefficient.
                let least = f64::EPSILON * eigen.values.last().copied().unwrap_or(0.0).max(1.0);
                eigen.apply(&self.target_products, |value| {
                    let sum = value.max(0.0) + lambda.max(0.0);
                    if sum > least { 1.0 / sum } else { 0.0 }
                })
            }
        }
    }

    /// The posterior mean of the coefficients at the most likely prior.
    fn posterior_mean(&self, eigen: &SymmetricEigen) -> Vec<f64> {
        let along = eigen.coordinates(&self.target_products);
        let noise = |value: f64, prior: f64| {
            let square = prior * along.len() as f64;
            self.target_noise_variance
                + self.noise_variance / 2.0 * square
                + self.residual_variance * value.max(0.0)
        };
        // Twice the negative logarithm of the likelihood of the products with the target.
        let unlikely = |prior: f64| -> f64 {
            let one = |(value, along): (&f64, &f64)| {
                let variance = prior * value * value + noise(*value, prior);
                variance.ln() + along * along / variance
            };
            eigen.values.iter().zip(&along).map(one).sum()
        };
        let priors = (-60..=40).map(|step| (f64::from(step) / 4.0).exp2());
        let prior = priors.min_by(|a, b| unlikely(*a).total_cmp(&unlikely(*b))).unwrap_or(1.0);
        eigen.apply(&self.target_products, |value| value / (value * value + noise(value, prior) / prior))
    }
}
