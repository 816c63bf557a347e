//! Laplace-log-normal noise for smooth sensitivity: concentrated differential privacy with light tails.
//!
//! **Guarantee.** Let `Z = X·e^{σY}`, X Laplace of scale 1 and Y standard normal, `β' = β + η` and `r = √(2ρ)`.
//! Then `f + (Ŝ/α)·Z` is ρ-zCDP when `α·e^{1.5σ²} ≤ min(r, e^β'·(r − β'/σ))`.
//! **Neighbours.** Those of the smooth sensitivity.
//! **Source.** Bun and Steinke (2019), arXiv:1906.02830, who state `β/σ + α·e^{1.5σ²} ≤ r`; proven again
//! here, with the gain `e^β'` that comes from shifting at the wider of the two scales.
//! *Proof.*
//! (1) Dilation. `e^t·Z = X·e^{σ(Y + t/σ)}` is a function of X and `Y + t/σ`, so its Rényi divergence of
//! order λ from Z is at most that of two normals, `λ·t²/(2σ²)`, in both directions.
//! (2) Shift. With `W = e^{−σY}`, Z has density `E[W·e^{−|z|W}]/2`, and the slope of its logarithm is at most
//! `E[W²e^{−|z|W}]/E[We^{−|z|W}]`: the mean of W under a law that leans to smaller W the larger |z| is, so
//! largest at z = 0, where it is `E[W²]/E[W] = e^{2σ² − σ²/2} = e^{1.5σ²}`. A shift by at most a is pure
//! `a·e^{1.5σ²}`-DP, and so of divergence at most `λ·(a·e^{1.5σ²})²/2`.
//! (3) Both. If the divergences of all orders λ from P to Q are at most `λa²/2` and from Q to R at most
//! `λb²/2`, then from P to R at most `λ(a+b)²/2`. By Hölder with `1/p + 1/q = 1`,
//! `∫P^λR^{1−λ} ≤ (∫P^{λp}Q^{1−λp})^{1/p}·(∫Q^ωR^{1−ω})^{1/q}`, `ω = (λ−1)q + 1`, so
//! `D_λ(P‖R) ≤ (λ − 1/p)/(λ−1)·D_{λp}(P‖Q) + D_ω(Q‖R)`. The choice `λp = 1 + (λ−1)(1 + b/a)` makes this
//! `λ/2·((1 + b/a)·a² + (1 + a/b)·b²) = λ(a+b)²/2`.
//! (4) Neighbours have scales s and `s·e^{±u}`, u ≤ β', and answers at most `α·(the smaller scale)` apart,
//! that is `α·e^{−u}` of the wider one. Going from one to the other by a dilation and a shift at the wider
//! scale costs `u/σ + α·e^{1.5σ²}·e^{−u}`, convex in u, so at most its value at u = 0 or at u = β'. Both must
//! be at most r. ∎
//! **Error.** `|Z| ≤ ln(2/b)·e^{σ√(2·ln(1/b))}` but for probability b: X and Y each get half of b.
//! **Exactness.** α is rounded down; the sampler decides `⌊scale·Z⌋` exactly.
//! **Not covered.** Pure differential privacy: the log-ratio has no bound when the scales differ.

use pointillist_noise::{LaplaceLogNormal, NoiseError, SecureBits};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{FailureProbability, Loss, Rho};

use super::{SmoothNoise, nothing_left, positive_beta};
use crate::local_sensitivity::smooth_sensitivity::beta_with_error;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "Laplace-log-normal noise at smooth sensitivity",
    releases: "an integer whose sensitivity is small on most data",
    guarantee: "ρ-zCDP; scale S/α, β/σ + α·e^(1.5σ²) at most √(2ρ) or a little more",
    error: "within ln(2/b)·e^(σ√(2·ln(1/b)))·S/α but for probability b",
    source: "Bun, Steinke 2019, arXiv:1906.02830; proven again in the file",
};

/// Bits behind the point of all intermediate bounds.
const PRECISION: usize = 256;
/// α is cut to this many bits behind the point.
const ALPHA_BITS: i64 = 96;
/// Halvings in the search for the best shape: any shape is valid, so a rough one will do.
const SHAPE_HALVINGS: u32 = 24;
/// The widest shape the sampler draws.
const SHAPE_MAX: i32 = 8;
/// β is this fraction of √(2ρ) unless told otherwise.
const BETA_SHARE: u64 = 20;

/// Laplace-log-normal noise with its smoothing, its shape and its α.
#[derive(Clone, Debug)]
pub struct LaplaceLogNormalSetting {
    rho: Rho,
    beta: Rational,
    shape: Rational,
    alpha: Rational,
}

impl LaplaceLogNormalSetting {
    /// The noise of shape σ with the largest α that ρ and β allow. Both β and σ are public choices: never
    /// tune them on the data.
    pub fn new(rho: &Rho, beta: &Rational, shape: &Rational) -> Result<Self, MechanismError> {
        // The sampler knows which shapes it can draw.
        LaplaceLogNormal::new(&Rational::one(), shape)?;
        let beta = positive_beta(beta)?;
        let alpha = alpha_lower(&root_lower(rho), &beta_with_error(&beta), shape).ok_or_else(nothing_left)?;
        Ok(Self { rho: rho.clone(), beta, shape: shape.clone(), alpha })
    }

    /// The noise of the shape with about the smallest variance: σ with `5(r/β)σ³ − 5σ² − 1 = 0`, where the
    /// derivative of `ln(e^{2.5σ²}/(r − β/σ))` vanishes (the standard deviation is `√2·e^{σ²}·Ŝ/α`).
    pub fn with_best_shape(rho: &Rho, beta: &Rational) -> Result<Self, MechanismError> {
        let beta = positive_beta(beta)?;
        let ratio = root_lower(rho) / beta.clone();
        let five = Rational::from(5);
        let beyond = |shape: &Rational| {
            let square = shape.squared();
            (&five * &ratio) * (&square * shape) - &five * &square > Rational::one()
        };
        let (mut below, mut above) = (Rational::zero(), Rational::from(SHAPE_MAX));
        for _ in 0..SHAPE_HALVINGS {
            let middle = (&below + &above) * Rational::ratio(1, 2);
            if beyond(&middle) { above = middle } else { below = middle }
        }
        Self::new(rho, &beta, &above)
    }

    /// β = √(2ρ)/20, rounded down, and the best shape for it.
    pub fn recommended(rho: &Rho) -> Result<Self, MechanismError> {
        let beta = root_lower(rho) / Rational::from(BETA_SHARE);
        Self::with_best_shape(rho, &beta.round_down_to_bits(64))
    }

    /// The shape σ.
    pub fn shape(&self) -> &Rational {
        &self.shape
    }
}

impl SmoothNoise for LaplaceLogNormalSetting {
    fn beta(&self) -> &Rational {
        &self.beta
    }

    fn alpha(&self) -> &Rational {
        &self.alpha
    }

    fn loss(&self) -> Loss {
        Loss::zcdp(self.rho.clone())
    }

    fn sample_floor<B: SecureBits + ?Sized>(
        &self,
        scale: &Rational,
        bits: &mut B,
    ) -> Result<i128, NoiseError> {
        Ok(LaplaceLogNormal::new(scale, &self.shape)?.sample(bits))
    }

    fn deviation_upper(&self, failure: &FailureProbability) -> Rational {
        let ln =
            |value: &Rational| Enclosure::ln_of(value, PRECISION).expect("a positive number has a logarithm");
        let laplace = ln(&(Rational::from(2) / failure.value().clone()));
        // P[Y > y] ≤ e^{−y²/2}/2.
        let normal = ln(&(Rational::one() / failure.value().clone())).mul_integer(2).sqrt();
        let stretch = (&Enclosure::of(&self.shape, PRECISION) * &normal).exp();
        (&laplace * &stretch).upper().round_up_to_bits(64)
    }
}

/// √(2ρ), rounded down.
fn root_lower(rho: &Rho) -> Rational {
    let doubled = rho.value() * &Rational::from(2);
    Enclosure::of(&doubled, PRECISION).sqrt().lower().round_down_to_bits(ALPHA_BITS)
}

/// The largest α of the theorem, rounded down; `None` when none is positive. `root` is √(2ρ), and `beta` includes η.
fn alpha_lower(root: &Rational, beta: &Rational, shape: &Rational) -> Option<Rational> {
    let left = root - &(beta / shape);
    if !left.is_positive() {
        return None;
    }
    let stretched = &Enclosure::of(beta, PRECISION).exp() * &Enclosure::of(&left, PRECISION);
    let budget = stretched.lower().min(root.clone());
    let slope = Enclosure::exp_of_minus(&(shape.squared() * Rational::ratio(3, 2)), PRECISION);
    let alpha = (&Enclosure::of(&budget, PRECISION) * &slope).lower().round_down_to_bits(ALPHA_BITS);
    alpha.is_positive().then_some(alpha)
}
