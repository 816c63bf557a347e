//! The median by propose-test-release: little noise when the data are dense around it, a refusal otherwise.
//!
//! **Guarantee.** (ε₁ + ε₂, δ)-DP for replacing one value, and δ-approximate `(ε₁² + ε₂²)/2`-zCDP; see
//! `propose_test_release.rs`.
//! **Neighbours.** Replace one value; the number of values and the range are public.
//! **Source.** Dwork and Lei (2009), with the local sensitivities of the median from Nissim, Raskhodnikova,
//! Smith (2007), Proposition 3.4: the distance to instability is the least k with `LS^(k) > B`. It moves by
//! at most 1 between neighbours, being the distance to a set of data sets.
//! **Error.** An answer is off by more than [`PtrMedian::error_bound`] with probability at most b.
//! **Exactness.** Integers throughout.
//! **Not covered.** Add/remove neighbours. Timing: sorting depends on the data.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::local_sensitivity::median_sensitivity::{MedianData, check_range};
use crate::local_sensitivity::propose_test_release::ProposeTestRelease;
use crate::local_sensitivity::stability_test::TestedOutcome;
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "median by propose-test-release",
    releases: "the median of integers in a public range, or a refusal",
    guarantee: "(ε₁ + ε₂, δ)-DP for replacing one value",
    error: "beyond ln(1/b)·B/ε₂ with probability b, when answered",
    source: "Dwork, Lei 2009; threshold and proof in the files",
};

/// The median with noise for a proposed local sensitivity.
#[derive(Clone, Debug)]
pub struct PtrMedian {
    mechanism: ProposeTestRelease,
    bound: u64,
    lower: i64,
    upper: i64,
}

impl PtrMedian {
    /// The median of values in `lower ..= upper`, proposing that one replacement moves it by at most `bound`,
    /// which is public, positive and less than the range.
    pub fn new(
        lower: i64,
        upper: i64,
        bound: u64,
        epsilon_test: &Epsilon,
        epsilon_release: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, MechanismError> {
        check_range(lower, upper)?;
        if bound >= upper.abs_diff(lower) {
            return Err(MechanismError::invalid(
                format!("the proposed bound {bound} is no less than the range of the values"),
                "no data can break it: use Laplace noise without a test",
            ));
        }
        let sensitivity = SensitivityL1::new(Rational::from(bound))?;
        let mechanism = ProposeTestRelease::new(&sensitivity, epsilon_test, epsilon_release, delta)?;
        Ok(Self { mechanism, bound, lower, upper })
    }

    /// What a release costs, refused or not.
    pub fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    /// The test and the noise.
    pub fn mechanism(&self) -> &ProposeTestRelease {
        &self.mechanism
    }

    /// An answer is farther than this from the median with probability at most `beta`.
    pub fn error_bound(&self, beta: &FailureProbability) -> i128 {
        self.mechanism.error_bound(beta)
    }

    /// Releases the median, or refuses.
    ///
    /// # Errors
    /// When there are no values; how many there are is public.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        values: &[i64],
        bits: &mut B,
    ) -> Result<TestedOutcome<i64>, MechanismError> {
        let data = MedianData::new(values, self.lower, self.upper)?;
        let distance = data.distance_beyond(self.bound).expect("the range is above the bound");
        Ok(match self.mechanism.release(data.median(), distance, bits) {
            TestedOutcome::Released { value } => {
                TestedOutcome::Released { value: value.clamp(self.lower, self.upper) }
            }
            TestedOutcome::Refused => TestedOutcome::Refused,
        })
    }
}

#[cfg(test)]
mod tests;
