//! How strongly to hold the coefficients, when nobody says.
//!
//! **Guarantee.** The penalty is computed from public numbers alone, and is never so small that a trainer refuses it. The price
//! holds for every penalty; this one is about accuracy.
//! **Method.** A person's share of noise σ per row of n costs about σ²·d/λ, and the penalty itself λ‖θ‖², where the norm of a useful θ
//! rises as noise falls. On Adult (n = 32,561, d = 109) the best λ went with σ^1.5 over ε from 0.05 to 2, so λ/R² = 0.12·√(d/109)·√(32,561/n)·(σ/R)^1.5:
//! of mean losses, λ/n is then a function of σ/n alone. (σ is that of the plain Gaussian mechanism.)
//! The factor and the power were fitted by hand to test accuracies of Adult, of which the scaling with n was tried on its first 2,000 rows too; no
//! other table was looked at.
//! Beside that, the curvature takes at most about a third of the price.

use pointillist_mechanisms::number::gaussian_calibration::sigma_analytic;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Rho, SensitivityL2};

use crate::{LearnError, MarginLoss};

/// The number of rows that is assumed when none is declared.
const ROWS_USUAL: f64 = 32_561.0;
const FACTOR: f64 = 0.12;
/// The share of ε that the determinant may take.
const DETERMINANT_SHARE: f64 = 0.35;
/// κ² as a share of ρ: at most a third of ρ goes to the curvature then, whatever k is.
const CURVATURE_SHARE: f64 = 0.2;

/// A penalty for training at (ε, δ) with this loss, on rows of `dimension` features that are at most `norm_bound` long, of which one
/// person has `rows_per_person`. `rows_declared` is how many rows there are about, if that is public.
///
/// # Errors
/// When δ is zero.
pub fn default_lambda(
    loss: MarginLoss,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
    epsilon: &Epsilon,
    delta: &Delta,
    rows_declared: Option<u64>,
) -> Result<f64, LearnError> {
    let sensitivity = SensitivityL2::new(Rational::from(rows_per_person))?;
    let sigma = sigma_analytic(epsilon, delta, &sensitivity)?.to_f64_nearest();
    let each = DETERMINANT_SHARE * epsilon.to_f64_lower() / f64::from(rows_per_person);
    let least = loss.curvature_bound().to_f64_upper() / each.exp_m1();
    Ok(norm_bound.powi(2) * least.max(for_noise(dimension, sigma, rows_declared)))
}

/// A penalty for training at ρ; the rest as in [`default_lambda`].
pub fn default_lambda_for_rho(
    loss: MarginLoss,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
    rho: &Rho,
    rows_declared: Option<u64>,
) -> f64 {
    let rho = rho.to_f64_lower();
    let rows = f64::from(rows_per_person);
    let sigma = rows / (2.0 * rho).sqrt();
    let least = rows * loss.curvature_bound().to_f64_upper() / (CURVATURE_SHARE * rho).sqrt();
    norm_bound.powi(2) * least.max(for_noise(dimension, sigma, rows_declared))
}

/// A penalty for objective perturbation at a pure ε; the rest as in [`default_lambda`]. Its noise is about d/ε long, as that of
/// a Gaussian slope with a deviation of √d/ε in every coordinate.
pub fn default_lambda_for_epsilon(
    loss: MarginLoss,
    dimension: usize,
    norm_bound: f64,
    rows_per_person: u32,
    epsilon: &Epsilon,
    rows_declared: Option<u64>,
) -> f64 {
    let (epsilon, rows) = (epsilon.to_f64_lower(), f64::from(rows_per_person));
    let sigma = rows * (dimension as f64).sqrt() / epsilon;
    let least = loss.curvature_bound().to_f64_upper() / (DETERMINANT_SHARE * epsilon / rows).exp_m1();
    norm_bound.powi(2) * least.max(for_noise(dimension, sigma, rows_declared))
}

/// The penalty that noise asks for, in units of R².
fn for_noise(dimension: usize, sigma: f64, rows_declared: Option<u64>) -> f64 {
    let rows = rows_declared.map_or(ROWS_USUAL, |rows| rows.max(1) as f64);
    FACTOR * (dimension as f64 / 109.0).sqrt() * (ROWS_USUAL / rows).sqrt() * sigma.powf(1.5)
}
