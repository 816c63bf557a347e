//! Laplace noise for smooth sensitivity: approximate differential privacy with the exact δ.
//!
//! **Guarantee.** Let X be Laplace of scale 1, `β' = β + η`, `g = e^β' − 1` and `α + β' ≤ ε`. Then
//! `f + (Ŝ/α)·X` is (ε, δ)-DP when `(1 − e^{−β'})·e^{−(ε+β')/g}·cosh(α/g) ≤ δ`. The left side is the largest
//! hockey-stick divergence of order `e^ε` between two releases that smooth sensitivity allows, not a bound of
//! it.
//! **Neighbours.** Those of the smooth sensitivity.
//! **Source.** Nissim, Raskhodnikova, Smith (2007) use `α = ε/2`, `β = ε/(2·ln(2/δ))`; the exact condition is
//! derived here and allows an α about 1.4 times as large at that β.
//! *Proof.* Compare scale s and answer 0 with scale `s·e^t` and answer `s·Δ`, `0 ≤ Δ ≤ α·min(1, e^t)`; let
//! `y = s·w` and L the log-ratio of the densities at y. For t ≥ 0,
//! `L = t − |w| + |w − Δ|·e^{−t} ≤ t + Δ ≤ β' + α ≤ ε`: nothing exceeds ε. For `t = −u < 0`, put
//! `a = Δ·e^u ≤ α`. `L = −u + |w|(e^u − 1) + a` for w ≤ 0, `L = −u + w(e^u − 1) − a` for w ≥ Δ, and in
//! between L is at most the larger of its ends, `a − u ≤ ε` and `−u − Δ < 0`. The divergence is
//! `E[(1 − e^{ε−L})⁺]`; with `L = c + w·g(u)` on a half-line where w has density `e^{−w}/2` it is
//! `∫ e^{−w}(1 − e^{ε−c−wg})dw/2` from `w₀ = (ε−c)/g` on, which is `e^{−w₀}·(1 − 1/(1+g))/2`. Both half-lines
//! together give `(1 − e^{−u})·e^{−(ε+u)/g(u)}·cosh(a/g(u))`, the sum of two terms
//! `(1 − e^{−u})/2·e^{−(ε ∓ a + u)/g(u)}`. Each grows with u because `(c+u)/(e^u − 1)` falls for c ≥ 0, and
//! their sum grows with a. The largest is at u = β', a = α. ∎
//! **Error.** `|X| > ln(1/b)` with probability b.
//! **Exactness.** α is rounded down. `⌊scale·X⌋` is a geometric variable G or `−G − 1`, each with probability
//! one half: the integer part of an exponential variable is geometric.
//! **Not covered.** δ = 0: Laplace noise of two different scales has no finite ε.

use pointillist_noise::{Geometric, NoiseError, SecureBits};
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss};

use super::{SmoothNoise, nothing_left, positive_beta};
use crate::local_sensitivity::smooth_sensitivity::beta_with_error;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "Laplace noise at smooth sensitivity",
    releases: "an integer whose sensitivity is small on most data",
    guarantee: "(ε, δ)-DP; scale S/α with the largest α there is",
    error: "beyond ln(1/b)·S/α with probability b",
    source: "Nissim, Raskhodnikova, Smith 2007; exact δ proven in the file",
};

/// Bits behind the point of all intermediate bounds: δ is at least 1e-60 and β' at least 2^-40.
const PRECISION: usize = 320;
/// α and a recommended β are cut to this many bits behind the point.
const ALPHA_BITS: i64 = 96;

/// Beyond this β the numbers grow long, and no ε that protects anybody is left.
const BETA_MAX: i32 = 100;

/// Laplace noise with its smoothing and its α.
#[derive(Clone, Debug)]
pub struct LaplaceSetting {
    epsilon: Epsilon,
    delta: Delta,
    beta: Rational,
    alpha: Rational,
}

impl LaplaceSetting {
    /// The noise with the largest α that ε, δ and β allow. β is a public choice: never tune it on the data.
    pub fn new(epsilon: &Epsilon, delta: &Delta, beta: &Rational) -> Result<Self, MechanismError> {
        let beta = positive_beta(beta)?;
        if delta.is_zero() {
            return Err(MechanismError::invalid(
                "Laplace noise at smooth sensitivity needs a δ",
                "write a small δ such as 1e-6, or choose Student t noise, which is pure",
            ));
        }
        let alpha =
            alpha_lower(epsilon.value(), delta.value(), &beta_with_error(&beta)).ok_or_else(nothing_left)?;
        Ok(Self { epsilon: epsilon.clone(), delta: delta.clone(), beta, alpha })
    }

    /// β = ε/(2·ln(2/δ)), rounded down.
    pub fn recommended(epsilon: &Epsilon, delta: &Delta) -> Result<Self, MechanismError> {
        // A δ of zero is refused by `new`, whatever β.
        let odds = Rational::from(2) * delta.value().reciprocal().unwrap_or_else(Rational::one);
        let divisor = Enclosure::ln_of(&odds, PRECISION).expect("the odds are positive").upper();
        let beta = epsilon.value() / &(Rational::from(2) * divisor);
        Self::new(epsilon, delta, &beta.round_down_to_bits(ALPHA_BITS))
    }
}

impl SmoothNoise for LaplaceSetting {
    fn beta(&self) -> &Rational {
        &self.beta
    }

    fn alpha(&self) -> &Rational {
        &self.alpha
    }

    fn loss(&self) -> Loss {
        Loss::approximate(self.epsilon.clone(), self.delta.clone())
    }

    fn sample_floor<B: SecureBits + ?Sized>(
        &self,
        scale: &Rational,
        bits: &mut B,
    ) -> Result<i128, NoiseError> {
        let negative = bits.coin();
        let magnitude = Geometric::new(scale)?.sample(bits);
        Ok(if negative { -magnitude - 1 } else { magnitude })
    }

    fn deviation_upper(&self, failure: &FailureProbability) -> Rational {
        let odds = Rational::one() / failure.value().clone();
        Enclosure::ln_of(&odds, PRECISION).expect("the odds are positive").upper().round_up_to_bits(64)
    }
}

/// The largest α of the theorem, rounded down; `None` when none is positive. `beta` includes η.
fn alpha_lower(epsilon: &Rational, delta: &Rational, beta: &Rational) -> Option<Rational> {
    let standing = epsilon - beta;
    if !standing.is_positive() || *beta > Rational::from(BETA_MAX) {
        return None;
    }
    let one = Enclosure::integer(1, PRECISION);
    let growth = &Enclosure::of(beta, PRECISION).exp() - &one;
    // ln r = ln δ + (ε + β)/g − ln(1 − e^{−β}); the condition is cosh(α/g) ≤ r.
    let exponent = Enclosure::of(&(epsilon + beta), PRECISION).checked_div(&growth)?;
    let missing = (&one - &Enclosure::exp_of_minus(beta, PRECISION)).ln()?;
    let ln_r = &(&Enclosure::ln_of(delta, PRECISION)? + &exponent) - &missing;
    if *ln_r.lower_units() < IBig::ZERO {
        return None;
    }
    // arcosh r = ln r + ln(1 + √(1 − r⁻²)), without ever holding a huge r.
    let rest = (&one - &(-&ln_r.mul_integer(2)).exp()).sqrt();
    let reach = &ln_r + &(&one + &rest).ln()?;
    let alpha = (&growth * &reach).lower().min(standing).round_down_to_bits(ALPHA_BITS);
    alpha.is_positive().then_some(alpha)
}
