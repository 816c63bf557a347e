//! What is wrong with the parameters of a distribution, and what to write instead.

use pointillist_errors::{Explained, Kind};
use pointillist_numbers::Rational;

/// A distribution that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoiseError {
    /// A scale or variance at or below zero.
    #[error("the noise scale must be positive, got {got}")]
    ScaleNotPositive {
        /// The scale as given.
        got: Rational,
    },
    /// A scale beyond what a 128-bit answer can hold.
    #[error("the noise scale {got} is too large")]
    ScaleTooLarge {
        /// The scale as given.
        got: Rational,
    },
    /// A scale so small that the noise would never be anything but zero.
    #[error("the noise scale {got} is too small")]
    ScaleTooSmall {
        /// The scale as given.
        got: Rational,
    },
    /// A probability outside [0, 1].
    #[error("a probability lies between 0 and 1, got {got}")]
    ProbabilityOutOfRange {
        /// The probability as given.
        got: Rational,
    },
    /// Degrees of freedom outside the supported range.
    #[error("Student t noise needs 1 to 9 degrees of freedom, got {got}")]
    DegreesOfFreedom {
        /// The degrees of freedom as given.
        got: u32,
    },
    /// A tail power outside the supported range.
    #[error("power-tailed noise needs a power of 2 to 1024, got {got}")]
    TailPower {
        /// The power as given.
        got: u32,
    },
}

impl Explained for NoiseError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ScaleNotPositive { .. } => {
                "write a positive decimal or fraction, such as 10 or 2/3".to_owned()
            }
            Self::ScaleTooLarge { .. } => {
                "scales run up to 2^100; choose a coarser grid for the answer".to_owned()
            }
            Self::ScaleTooSmall { .. } => {
                "scales start at 2^-40; choose a finer grid for the answer".to_owned()
            }
            Self::ProbabilityOutOfRange { .. } => {
                "write a decimal or fraction such as 0.25 or 1/3".to_owned()
            }
            Self::DegreesOfFreedom { .. } => "3 has a finite variance; 1 is Cauchy".to_owned(),
            Self::TailPower { .. } => "8 to 64 are usual".to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Parameter
    }
}

/// The scale itself when every sampler can work with it.
pub(crate) fn checked_scale(scale: &Rational) -> Result<&Rational, NoiseError> {
    if !scale.is_positive() {
        Err(NoiseError::ScaleNotPositive { got: scale.clone() })
    } else if *scale > Rational::power_of_two(100) {
        Err(NoiseError::ScaleTooLarge { got: scale.clone() })
    } else if *scale < Rational::power_of_two(-40) {
        Err(NoiseError::ScaleTooSmall { got: scale.clone() })
    } else {
        Ok(scale)
    }
}
