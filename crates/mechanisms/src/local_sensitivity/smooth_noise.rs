//! An answer plus noise scaled to its smooth sensitivity.
//!
//! **Guarantee.** Whatever loss the chosen [`SmoothNoise`] states, for any integer answer `f` and any
//! sequence of local sensitivities with the two properties in `smooth_sensitivity.rs`: the release is
//! `f + (Ŝ/α)·Z`, rounded to the nearest integer.
//! **Neighbours.** Those for which the local sensitivities were computed.
//! **Source.** Nissim, Raskhodnikova, Smith (2007), "Smooth sensitivity and sampling in private data
//! analysis". What a noise has to withstand, with `s = Ŝ(x)/α` and `s' = Ŝ(x')/α` on neighbours:
//! `|ln(s'/s)| ≤ β + η` because Ŝ is smooth, and `|f(x) − f(x')| ≤ α·min(s, s')` because both smooth
//! sensitivities are at least the distance of the answers. Each kind of noise proves its α from these two
//! lines alone; the five files in this folder do.
//! **Error.** [`SmoothMechanism::error_bound`]; it depends on the data and is for tests and simulations, not
//! for show.
//! **Exactness.** Z is a real random number of which the sampler decides `⌊2·(Ŝ/α)·Z⌋` exactly; rounding to
//! the nearest integer is `⌊(2y + 1)/2⌋ = ⌊(⌊2y⌋ + 1)/2⌋`, after the noise and so without cost. Results
//! outside 64 bits saturate, or outside ±2^125 for wide answers.
//! **Not covered.** Timing: computing Ŝ and drawing Z take a time that depends on the data and on Z.

mod laplace;
mod laplace_log_normal;
mod power_tailed_laplace;
mod student_t;
mod two_sided_pareto;

use pointillist_noise::{NoiseError, SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, Scale};

use crate::MechanismError;
use crate::local_sensitivity::smooth_sensitivity::{RELATIVE_ERROR_BITS, SmoothSensitivity, Smoothing};

pub use laplace::{CARD as LAPLACE_CARD, LaplaceSetting};
pub use laplace_log_normal::{CARD as LAPLACE_LOG_NORMAL_CARD, LaplaceLogNormalSetting};
pub use power_tailed_laplace::{CARD as POWER_TAILED_LAPLACE_CARD, PowerTailedLaplaceSetting};
pub use student_t::{CARD as STUDENT_T_CARD, StudentTSetting};
pub use two_sided_pareto::{CARD as TWO_SIDED_PARETO_CARD, TwoSidedParetoSetting};

/// A noise Z with a proof that `f + (Ŝ/α)·Z` costs no more than [`SmoothNoise::loss`] whenever Ŝ is smooth
/// for β.
pub trait SmoothNoise {
    /// The smoothing β for which α was chosen; the proof has paid for `β + η`.
    fn beta(&self) -> &Rational;

    /// The noise multiplies `Ŝ/α`: a larger α is less noise.
    fn alpha(&self) -> &Rational;

    /// What a release costs.
    fn loss(&self) -> Loss;

    /// `⌊scale·Z⌋`, exactly.
    fn sample_floor<B: SecureBits + ?Sized>(
        &self,
        scale: &Rational,
        bits: &mut B,
    ) -> Result<i128, NoiseError>;

    /// A number that `|Z|` exceeds with probability at most `failure`.
    fn deviation_upper(&self, failure: &FailureProbability) -> Rational;
}

/// A release with noise of one kind, for one question.
#[derive(Clone, Debug)]
pub struct SmoothMechanism<N> {
    noise: N,
    smoothing: Smoothing,
}

impl<N: SmoothNoise> SmoothMechanism<N> {
    /// The mechanism for a question whose local sensitivity is never above `cap`; smooth sensitivities below
    /// `floor` count as `floor`. Both are public. Every scale that data can cause is checked here, so no
    /// release fails later.
    pub fn new(noise: N, floor: &Rational, cap: &Rational) -> Result<Self, MechanismError> {
        let smoothing = Smoothing::new(noise.beta(), floor, cap)?;
        let cap_upper = cap * &(Rational::one() + Rational::power_of_two(-RELATIVE_ERROR_BITS));
        for sensitivity in [floor, &cap_upper] {
            Scale::new(doubled_scale(sensitivity, &noise))?;
        }
        Ok(Self { noise, smoothing })
    }

    /// What every release costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// The noise.
    pub fn noise(&self) -> &N {
        &self.noise
    }

    /// The parameters of the smooth sensitivity this mechanism asks for.
    pub fn smoothing(&self) -> &Smoothing {
        &self.smoothing
    }

    /// Releases the answer, given the local sensitivity of the data within each distance.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        answer: i64,
        local_sensitivity_at: impl FnMut(u64) -> Rational,
        bits: &mut B,
    ) -> i64 {
        self.noisy(answer, &self.smoothing.of(local_sensitivity_at), bits)
    }

    /// The same for answers of more than 64 bits, up to ±2^124; releases end at ±2^125.
    pub fn release_wide<B: SecureBits + ?Sized>(
        &self,
        answer: i128,
        local_sensitivity_at: impl FnMut(u64) -> Rational,
        bits: &mut B,
    ) -> i128 {
        let half = self.rounded_noise(&self.smoothing.of(local_sensitivity_at), bits);
        // Noise that was cut off at 128 bits is beyond ±(2^126 − 1), so its sum with any answer ends at ±2^125.
        noisy_sum(answer.clamp(-WIDE_ANSWER_MAX, WIDE_ANSWER_MAX), half)
    }

    /// Releases the answer, given the smooth sensitivity of the data.
    ///
    /// # Errors
    /// When the smooth sensitivity was computed with other parameters than [`SmoothMechanism::smoothing`];
    /// whether it was does not depend on the data.
    pub fn release_at<B: SecureBits + ?Sized>(
        &self,
        answer: i64,
        sensitivity: &SmoothSensitivity,
        bits: &mut B,
    ) -> Result<i64, MechanismError> {
        self.check(sensitivity)?;
        Ok(self.noisy(answer, sensitivity, bits))
    }

    /// A distance from the answer that a release exceeds with probability at most `beta`. It tells the smooth
    /// sensitivity, which is private data: never show it.
    pub fn error_bound(
        &self,
        sensitivity: &SmoothSensitivity,
        beta: &FailureProbability,
    ) -> Result<Rational, MechanismError> {
        self.check(sensitivity)?;
        let scale = sensitivity.value_upper() / self.noise.alpha();
        // Rounding moves the result by at most one half.
        Ok(scale * self.noise.deviation_upper(beta) + Rational::ratio(1, 2))
    }

    pub(crate) fn noisy<B: SecureBits + ?Sized>(
        &self,
        answer: i64,
        sensitivity: &SmoothSensitivity,
        bits: &mut B,
    ) -> i64 {
        // A value that saturated at 128 bits saturates at 64 bits whatever the answer, as the true sum would.
        let noisy = self.rounded_noise(sensitivity, bits).saturating_add(i128::from(answer));
        noisy.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// `(Ŝ/α)·Z`, rounded to the nearest integer.
    fn rounded_noise<B: SecureBits + ?Sized>(&self, sensitivity: &SmoothSensitivity, bits: &mut B) -> i128 {
        let scale = doubled_scale(sensitivity.value_upper(), &self.noise);
        let doubled =
            self.noise.sample_floor(&scale, bits).expect("the ends of all scales were checked in new");
        doubled.saturating_add(1) >> 1
    }

    fn check(&self, sensitivity: &SmoothSensitivity) -> Result<(), MechanismError> {
        if *sensitivity.smoothing() == self.smoothing {
            return Ok(());
        }
        Err(MechanismError::invalid(
            "this smooth sensitivity was computed with other parameters than the noise was chosen for",
            "compute it with the mechanism's own `smoothing`",
        ))
    }
}

/// Twice `Ŝ/α`, for rounding to the nearest integer.
fn doubled_scale<N: SmoothNoise>(sensitivity: &Rational, noise: &N) -> Rational {
    Rational::from(2) * (sensitivity / noise.alpha())
}

/// The largest answer of a wide release, on either side.
const WIDE_ANSWER_MAX: i128 = 1 << 124;

/// Beyond this ε the exponentials of the pure noises grow long, and nobody is protected.
const EPSILON_MAX: i32 = 100;

fn check_epsilon(epsilon: &Epsilon) -> Result<(), MechanismError> {
    if *epsilon.value() <= Rational::from(EPSILON_MAX) {
        return Ok(());
    }
    Err(MechanismError::invalid(
        format!("ε = {epsilon} is too large for noise at smooth sensitivity"),
        "write at most 100",
    ))
}

/// The β of a noise setting, refused unless positive.
fn positive_beta(beta: &Rational) -> Result<Rational, MechanismError> {
    beta.is_positive().then(|| beta.clone()).ok_or_else(|| {
        MechanismError::invalid(
            format!("the smoothing β = {beta} is not positive"),
            "write a positive number; a twentieth of ε is usual",
        )
    })
}

/// No α is left: the smoothing takes the whole loss.
fn nothing_left() -> MechanismError {
    MechanismError::invalid(
        "the smoothing β uses up the whole privacy loss",
        "choose a smaller β, such as a twentieth of ε, or a larger loss",
    )
}

#[cfg(test)]
mod tests;
