//! Student t noise for smooth sensitivity, Cauchy included: pure differential privacy with the exact
//! constant.
//!
//! **Guarantee.** With d degrees of freedom and `β' = β + η`, `f + (Ŝ/α)·T` is ε-differentially private when
//! `dβ' < ε` and `α² ≤ 2d·min(cosh(2ε/(d+1)) − 1, e^β'·(cosh((2ε − (d−1)β')/(d+1)) − cosh β'))`. This is an
//! equivalence: with any larger α, two scales and two answers that smooth sensitivity allows would be told
//! apart by more than ε.
//! **Neighbours.** Those of the smooth sensitivity.
//! **Source.** Derived here. Bun and Steinke (2019), arXiv:1906.02830, treat Student t noise; the simple
//! condition `α·(d+1)/(2√d) + d·β ≤ ε` (slope of `ln h` times the shift, plus the cost of the dilation) is
//! sufficient, but the two worst cases happen at different outputs, so it adds about 11 % of noise at d = 3,
//! β = ε/20, and 73 % for Cauchy at β = ε/2.
//! *Proof.* Take scale s and answer 0 against scale `s' = s·e^t` and answer `s·δ`, where `|t| ≤ β'` and
//! `|δ| ≤ α·min(1, e^t)`. With `y = s·z` the log-ratio of the densities is `−d·t + ((d+1)/2)·ln R(z)`,
//! `R(z) = ((z−δ)² + b²)/(z² + a²)`, `a² = d`, `b = a·e^t`. R ≤ λ everywhere means that the quadratic
//! `λ(z² + a²) − (z−δ)² − b²` is never negative, that is λ ≥ 1 and `λ²a² − λ(a² + b² + δ²) + b² ≥ 0`. With
//! `λ = e^{x+t}` this is `2·cosh x ≥ (a² + b² + δ²)/(ab) = 2·cosh t + δ²/(d·e^t) = 2·cosh D`, say, and as
//! `D ≥ |t|` the least such λ ≥ 1 is `e^{D+t}`. (D is the hyperbolic distance of the points
//! `(answer, √d·scale)` of the upper half-plane.) So the largest log-ratio is
//! `−d·t + ((d+1)/2)(D + t) = ((d+1)/2)·D − ((d−1)/2)·t`. As `δ²/e^t ≤ α²·e^{−|t|}`, the worst sign of t is
//! negative, and with `u = |t|` the condition reads
//! `((d+1)/2)·arcosh(cosh u + α²e^{−u}/(2d)) + ((d−1)/2)·u ≤ ε` for all u in [0, β'], or `α² ≤ 2d·G(u)` with
//! `G(u) = e^u·(cosh v − cosh u)`, `v = (2ε − (d−1)u)/(d+1)`, which needs `v > u`, that is `d·u < ε`. Now
//! `G'(u) = e^{2u}·(e^{v−u}/(d+1) + d·e^{−u−v}/(d+1) − 1)` with `v − u` and `−u − v` both falling in u, so G
//! rises and then falls, or only falls, and its least value on [0, β'] is at an end. ∎
//! **Error.** `|T|` exceeds q with probability at most `2·a_d·d^{(d−2)/2}·q^{−d}`, where `a_1 = 1/π`,
//! `a_2 = 1/2`, `a_{d+2} = a_d·(d+1)/d` and `h(z) = (a_d/√d)·(1 + z²/d)^{−(d+1)/2}`, because
//! `1 + z²/d > z²/d`.
//! **Exactness.** α is rounded down; the sampler decides `⌊scale·T⌋` exactly.
//! **Not covered.** ε above 100, more than 9 degrees of freedom, and several answers at once.

use pointillist_noise::{NoiseError, SecureBits, StudentT};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use super::{SmoothNoise, check_epsilon, nothing_left, positive_beta};
use crate::local_sensitivity::smooth_sensitivity::beta_with_error;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "Student t noise at smooth sensitivity",
    releases: "an integer whose sensitivity is small on most data",
    guarantee: "ε-DP; scale S/α with the largest α there is",
    error: "about 1.35·S/ε on average with 3 degrees of freedom",
    source: "Nissim, Raskhodnikova, Smith 2007; Bun, Steinke 2019; exact constant proven in the file",
};

/// Bits behind the point of all intermediate bounds: α is at least about 2^-40.
const PRECISION: usize = 320;
/// α is cut to this many bits behind the point.
const ALPHA_BITS: i64 = 96;
/// Three degrees of freedom have a finite variance.
const DEGREES_RECOMMENDED: u32 = 3;
/// β is this fraction of ε unless told otherwise.
const BETA_SHARE: u32 = 20;

/// Student t noise with its smoothing and its α.
#[derive(Clone, Debug)]
pub struct StudentTSetting {
    degrees: u32,
    epsilon: Epsilon,
    beta: Rational,
    alpha: Rational,
}

impl StudentTSetting {
    /// The noise with 1 to 9 degrees of freedom and the largest α that ε and β allow. β is a public choice:
    /// never tune it on the data.
    pub fn new(degrees: u32, epsilon: &Epsilon, beta: &Rational) -> Result<Self, MechanismError> {
        // The sampler knows which degrees of freedom it can draw.
        StudentT::new(degrees, &Rational::one())?;
        check_epsilon(epsilon)?;
        let beta = positive_beta(beta)?;
        let alpha =
            alpha_lower(degrees, epsilon.value(), &beta_with_error(&beta)).ok_or_else(nothing_left)?;
        Ok(Self { degrees, epsilon: epsilon.clone(), beta, alpha })
    }

    /// Three degrees of freedom and β = ε/20: finite variance, and a reach of a few times 20/ε units.
    pub fn recommended(epsilon: &Epsilon) -> Result<Self, MechanismError> {
        Self::new(DEGREES_RECOMMENDED, epsilon, &(epsilon.value() / &Rational::from(BETA_SHARE)))
    }

    /// The degrees of freedom.
    pub fn degrees(&self) -> u32 {
        self.degrees
    }
}

impl SmoothNoise for StudentTSetting {
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
        Ok(StudentT::new(self.degrees, scale)?.sample(bits))
    }

    fn deviation_upper(&self, failure: &FailureProbability) -> Rational {
        let degrees = i64::from(self.degrees);
        let mut factor = if degrees % 2 == 1 { Rational::one() } else { Rational::ratio(1, 2) };
        for d in ((2 - degrees % 2)..degrees).step_by(2) {
            factor = factor * Rational::from(d + 1) / Rational::from(d);
        }
        // ln q = (ln(2·a_d/failure) + (d − 2)/2·ln d)/d, where a_d carries 1/π when d is odd.
        let ln =
            |value: &Rational| Enclosure::ln_of(value, PRECISION).expect("a positive number has a logarithm");
        let mut sum = ln(&(Rational::from(2) * factor / failure.value().clone()));
        sum = &sum + &ln(&Rational::from(degrees)).mul_integer(degrees - 2).scale_by_power_of_two(-1);
        if degrees % 2 == 1 {
            sum = &sum - &Enclosure::pi(PRECISION).ln().expect("π is positive");
        }
        sum.div_integer(u64::from(self.degrees)).exp().upper().round_up_to_bits(64)
    }
}

/// The largest α of the theorem, rounded down; `None` when none is positive. `beta` includes η.
fn alpha_lower(degrees: u32, epsilon: &Rational, beta: &Rational) -> Option<Rational> {
    if &Rational::from(degrees) * beta >= *epsilon {
        return None;
    }
    let parts = Rational::from(degrees + 1);
    let twice = Rational::from(2) * epsilon.clone();
    let reach = (&twice - &(Rational::from(degrees - 1) * beta.clone())) / parts.clone();
    let standing = &cosh(&(twice / parts)) - &Enclosure::integer(1, PRECISION);
    let growth = Enclosure::of(beta, PRECISION).exp();
    let stretched = &growth * &(&cosh(&reach) - &cosh(beta));
    let least = standing.lower().min(stretched.lower());
    if !least.is_positive() {
        return None;
    }
    let squared = Rational::from(2 * degrees) * least;
    let alpha = Enclosure::of(&squared, PRECISION).sqrt().lower().round_down_to_bits(ALPHA_BITS);
    alpha.is_positive().then_some(alpha)
}

fn cosh(x: &Rational) -> Enclosure {
    let rising = Enclosure::of(x, PRECISION).exp();
    (&rising + &Enclosure::exp_of_minus(x, PRECISION)).scale_by_power_of_two(-1)
}
