//! Two-sided Pareto noise for smooth sensitivity: pure differential privacy, close to Laplace noise when β is
//! small.
//!
//! **Guarantee.** Let Z have density `(a/2)·(1 + |z|)^{−(a+1)}`, `β' = β + η < ε` and `a ≤ ε/β'`. Then
//! `f + (Ŝ/α)·Z` is ε-differentially private when `α ≤ min(e^{ε/(a+1)} − 1, e^β'·(e^{(ε−β')/(a+1)} − 1))`.
//! This is an equivalence.
//! **Neighbours.** Those of the smooth sensitivity.
//! **Source.** Derived here, after Hladík and Tětek (2025), arXiv:2407.05067, who propose polynomial tails
//! around a Laplace-like peak; their constants were not used.
//! *Proof.* Take scale 1 and answer 0 against scale `e^t` and answer Δ, where `|t| ≤ β'` and
//! `0 ≤ Δ ≤ α·min(1, e^t)`. The log-ratio of the densities at y is
//! `−a·t + (a+1)·ln((e^t + |y−Δ|)/(1 + |y|))`. The fraction is monotone on each side of 0 and of Δ, tends to
//! 1 far out and is `e^t + Δ` at 0 and at most that at Δ, so the largest log-ratio is
//! `−a·t + (a+1)·max(0, ln(e^t + Δ))`. For t = −u ≤ 0 and `Δ = α·e^{−u}` it is `(a+1)·ln(1+α) − u` as long as
//! that logarithm exceeds u, and `a·u` afterwards: at most the larger of `(a+1)·ln(1+α)` and `a·β'`. For t ≥
//! 0 and Δ = α it is `t + (a+1)·ln(1 + α·e^{−t})`, convex in t, so largest at t = 0 or t = β'. All three are
//! at most ε exactly under the conditions above. ∎ The largest a gives the least noise: α·(a − 1), the
//! inverse of the mean magnitude, is about `(ε − β')·(a−1)/(a+1)`.
//! **Error.** `|Z| > q` with probability `(1 + q)^{−a}`, exactly. The mean magnitude is `Ŝ/(α(a−1))`:
//! `1.16·Ŝ/ε` at β = ε/20 and small ε, where Student t noise has 1.35.
//! **Exactness.** a and α are rounded down. A uniform number is compared with `(1 + k/scale)^{−a}` between
//! certified bounds, in a galloping search for the integer part k of the magnitude; more of its digits are
//! drawn when the bounds cannot decide.
//! **Not covered.** ε above 100, and several answers at once.

use pointillist_noise::{Geometric, LazyUniform, NoiseError, SecureBits};
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use super::{SmoothNoise, check_epsilon, nothing_left, positive_beta};
use crate::local_sensitivity::smooth_sensitivity::beta_with_error;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "two-sided Pareto noise at smooth sensitivity",
    releases: "an integer whose sensitivity is small on most data",
    guarantee: "ε-DP; scale S/α with the largest α there is",
    error: "about 1.16·S/ε on average at β = ε/20",
    source: "after Hladík, Tětek 2025, arXiv:2407.05067; exact constant proven in the file",
};

/// Bits behind the point of all intermediate bounds.
const PRECISION: usize = 320;
/// The exponent and α are cut to this many bits behind the point.
const ALPHA_BITS: i64 = 96;
/// β is this fraction of ε unless told otherwise.
const BETA_SHARE: u32 = 20;

/// Two-sided Pareto noise with its smoothing, its exponent and its α.
#[derive(Clone, Debug)]
pub struct TwoSidedParetoSetting {
    epsilon: Epsilon,
    beta: Rational,
    exponent: Rational,
    alpha: Rational,
}

impl TwoSidedParetoSetting {
    /// The noise with the largest exponent and α that ε and β allow; β must be below ε, and below ε/2 for a
    /// finite variance. β is a public choice: never tune it on the data.
    pub fn new(epsilon: &Epsilon, beta: &Rational) -> Result<Self, MechanismError> {
        check_epsilon(epsilon)?;
        let beta = positive_beta(beta)?;
        let paid = beta_with_error(&beta);
        let exponent = (epsilon.value() / &paid).round_down_to_bits(32);
        let alpha = alpha_lower(epsilon.value(), &paid, &exponent).ok_or_else(nothing_left)?;
        Ok(Self { epsilon: epsilon.clone(), beta, exponent, alpha })
    }

    /// β = ε/20.
    pub fn recommended(epsilon: &Epsilon) -> Result<Self, MechanismError> {
        Self::new(epsilon, &(epsilon.value() / &Rational::from(BETA_SHARE)))
    }

    /// The exponent a: the magnitude exceeds q with probability `(1 + q)^{−a}`.
    pub fn exponent(&self) -> &Rational {
        &self.exponent
    }

    /// `(1 + t)^{−a}` for t ≥ 0, in units of `2^-precision`.
    fn tail(&self, t: &Rational, precision: usize) -> Enclosure {
        // The logarithm is multiplied by an exponent of at most 40 bits before the point.
        let working = precision + 64;
        let logarithm = Enclosure::ln_of(&(&Rational::one() + t), working).expect("one and more is positive");
        let fall = &Enclosure::of(&self.exponent, working) * &logarithm;
        (-&fall).exp().at_precision(precision)
    }
}

impl SmoothNoise for TwoSidedParetoSetting {
    fn beta(&self) -> &Rational {
        &self.beta
    }

    fn alpha(&self) -> &Rational {
        &self.alpha
    }

    fn loss(&self) -> Loss {
        Loss::pure(self.epsilon.clone())
    }

    fn sample_floor<B: SecureBits + ?Sized>(
        &self,
        scale: &Rational,
        bits: &mut B,
    ) -> Result<i128, NoiseError> {
        // The same scales as every other sampler takes.
        Geometric::new(scale)?;
        let negative = bits.coin();
        let mut number = LazyUniform::new(bits);
        // The magnitude reaches k exactly when the uniform number is below its tail at k.
        let mut reaches = |k: &IBig, bits: &mut B| {
            let t = Rational::from(k.clone()) / scale.clone();
            number.is_below(bits, |precision, _| self.tail(&t, precision))
        };
        let mut above = IBig::ONE;
        while reaches(&above, bits) {
            above <<= 2;
        }
        let mut below = if above == IBig::ONE { IBig::ZERO } else { &above >> 2 };
        while &above - &below > IBig::ONE {
            let middle: IBig = (&above + &below) >> 1;
            if reaches(&middle, bits) { below = middle } else { above = middle }
        }
        // ⌊−x⌋ = −⌊x⌋ − 1 except at whole x, which has probability zero. Values beyond 2^127 saturate.
        let magnitude = i128::try_from(below).unwrap_or(i128::MAX);
        Ok(if negative { -magnitude - 1 } else { magnitude })
    }

    fn deviation_upper(&self, failure: &FailureProbability) -> Rational {
        // (1 + q)^{−a} = failure.
        let surprise =
            -&Enclosure::ln_of(failure.value(), PRECISION).expect("a failure probability is positive");
        let share = surprise
            .checked_div(&Enclosure::of(&self.exponent, PRECISION))
            .expect("the exponent exceeds one");
        (share.exp().upper() - Rational::one()).round_up_to_bits(64)
    }
}

/// The largest α of the theorem, rounded down; `None` when none is positive. `beta` includes η.
fn alpha_lower(epsilon: &Rational, beta: &Rational, exponent: &Rational) -> Option<Rational> {
    if epsilon <= beta || *exponent <= Rational::one() {
        return None;
    }
    let slope = exponent + &Rational::one();
    let grown = |loss: Rational| {
        let one = Enclosure::integer(1, PRECISION);
        &Enclosure::of(&(&loss / &slope), PRECISION).exp() - &one
    };
    let standing = grown(epsilon.clone()).lower();
    let stretched = (&Enclosure::of(beta, PRECISION).exp() * &grown(epsilon - beta)).lower();
    let alpha = standing.min(stretched).round_down_to_bits(ALPHA_BITS);
    alpha.is_positive().then_some(alpha)
}
