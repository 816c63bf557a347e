//! Differentially private mechanisms, one file each, theorem first.
//!
//! Every mechanism is built from parameters that cannot be invalid, says what it costs with `loss()`, says how wrong it may
//! be with `error_bound()`, and publishes with `release()`, which takes random bits as an argument. Values are exact
//! integers or fractions from the data to the answer. [`catalogue`] lists them all.
//!
//! | you want | use |
//! | --- | --- |
//! | an answer nobody ever sees in truth | [`response`]: [`RandomizedResponse`], [`KaryRandomizedResponse`] |
//! | a number, or many | [`number`]: [`GeometricMechanism`], [`LaplaceMechanism`], [`GaussianMechanism`], [`DiscreteGaussianMechanism`] |
//! | a count, sum, mean, variance or histogram of bounded data | [`aggregate`]: [`Count`], [`BoundedSum`], [`Mean`], [`Variance`], [`Histogram`] |
//! | groups whose names are private too | [`keys`]: [`PartitionSelection`], [`StabilityHistogram`], [`EarnedKeys`] |
//! | a median or other quantiles | [`order_statistic`]: [`Quantile`], [`Quantiles`], [`QuantileHistogram`], [`WeightedQuantile`] |
//! | the best of several | [`choice`]: [`ExponentialMechanism`], [`PermuteAndFlip`], [`NoisyMax`], [`TopK`], [`ExponentialOnLine`] |
//! | the first few of a stream that stand out | [`stream`]: [`AboveThreshold`], [`NumericSparse`] |
//! | how much noise a promise needs | [`calibrate`] |
//! | a number whose worst case is far from the usual case | [`local_sensitivity`]: [`SmoothMechanism`], [`SmoothMedian`], [`ProposeTestRelease`], [`NoisyLocalBound`] |

mod card;
mod catalogue;
mod error;
#[cfg(test)]
mod golden_numbers;

pub mod aggregate;
pub mod calibrate;
pub mod choice;
pub mod keys;
pub mod local_sensitivity;
pub mod number;
pub mod order_statistic;
pub mod response;
pub mod stream;

pub use aggregate::{
    bounded_sum::{BoundedSum, Origin},
    contribution_bound::ContributionBound,
    count::Count,
    global_sensitivity::GlobalSensitivity,
    grid::Grid,
    histogram::Histogram,
    mean::{Mean, MeanOfKnownCount, MeanRelease},
    variance::{Variance, VarianceRelease},
};
pub use choice::{
    exponential::ExponentialMechanism,
    exponential_on_line::{ContinuousMedian, ExponentialOnLine, Line},
    noisy_max::NoisyMax,
    permute_and_flip::PermuteAndFlip,
    pricing::Pricing,
    scores::{Movement, Scores},
    top_k::TopK,
    tuning::{Tuning, choose_best},
};
pub use keys::{
    earned_keys::EarnedKeys, partition_selection::PartitionSelection, stability_histogram::StabilityHistogram,
};
pub use local_sensitivity::{
    median_sensitivity::MedianData,
    mode_stability::StableMode,
    noisy_local_bound::{BoundedAnswer, NoisyLocalBound},
    propose_test_release::ProposeTestRelease,
    ptr_median::PtrMedian,
    smooth_median::SmoothMedian,
    smooth_noise::{
        LaplaceLogNormalSetting, LaplaceSetting, PowerTailedLaplaceSetting, SmoothMechanism, SmoothNoise,
        StudentTSetting, TwoSidedParetoSetting,
    },
    smooth_sensitivity::{SmoothSensitivity, Smoothing},
    stability_test::{StabilityTest, TestedOutcome},
};
pub use number::{
    additive_noise::AdditiveNoise, discrete_gaussian::DiscreteGaussianMechanism,
    discrete_gaussian_law::DiscreteGaussianLaw, discrete_laplace_law::DiscreteLaplaceLaw,
    gaussian::GaussianMechanism, geometric::GeometricMechanism, laplace::LaplaceMechanism,
};
pub use order_statistic::{
    quantile::Quantile,
    quantile_histogram::QuantileHistogram,
    quantiles::Quantiles,
    weighted_quantile::{Rank, WeightedQuantile},
};
pub use response::{
    kary_randomized_response::KaryRandomizedResponse,
    logistic_coin::LogisticCoin,
    randomized_response::{RandomizedResponse, SurveyEstimate},
};
pub use stream::{above_threshold::AboveThreshold, numeric_sparse::NumericSparse};

pub use card::Card;
pub use catalogue::{cards_about, catalogue};
pub use error::{CalibrationError, MechanismError};

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
