//! Differentially private mechanisms, one file each, theorem first.
//!
//! Every mechanism is built from parameters that cannot be invalid, says what it costs with `loss()`, says how wrong it may
//! be with `error_bound()`, and publishes with `release()`, which takes random bits as an argument. Values are exact
//! integers or fractions from the data to the answer. [`catalogue`] lists them all.
//!
//! | you want | use |
//! | --- | --- |
//! | an answer nobody ever sees in truth | [`randomized_response`], [`kary_randomized_response`] |
//! | a number, or many | [`geometric`], [`laplace`], [`gaussian`], [`discrete_gaussian`] |
//! | a count, sum, mean, variance or histogram of bounded data | [`count`](mod@count), [`bounded_sum`], [`mean`], [`variance`], [`histogram`] |
//! | groups whose names are private too | [`partition_selection`], [`stability_histogram`], [`earned_keys`] |
//! | a median or other quantiles | [`quantile`], [`quantiles`], [`quantile_histogram`] |
//! | the best of several | [`exponential`], [`permute_and_flip`], [`noisy_max`], [`top_k`], [`exponential_on_line`] |
//! | the first few of a stream that stand out | [`above_threshold`], [`numeric_sparse`] |
//! | a number whose worst case is far from the usual case | [`smooth_noise`], [`smooth_median`], [`propose_test_release`], [`noisy_local_bound`] |

mod card;
mod catalogue;
mod discrete_laplace_tail;
mod error;
mod falling_root;
#[cfg(test)]
mod golden_numbers;
mod ranked_choice;

pub mod above_threshold;
pub mod additive_noise;
pub mod bounded_sum;
pub mod contribution_bound;
pub mod count;
pub mod discrete_gaussian;
pub mod discrete_gaussian_law;
pub mod discrete_laplace_law;
pub mod earned_keys;
pub mod exponential;
pub mod exponential_on_line;
pub mod gaussian;
pub mod gaussian_calibration;
pub mod geometric;
pub mod global_sensitivity;
pub mod grid;
pub mod histogram;
pub mod kary_randomized_response;
pub mod laplace;
pub mod logistic_coin;
pub mod loss_upper;
pub mod mean;
pub mod median_sensitivity;
pub mod mode_stability;
pub mod noise_sum;
pub mod noisy_local_bound;
pub mod noisy_max;
pub mod numeric_sparse;
pub mod partition_selection;
pub mod permute_and_flip;
pub mod pricing;
pub mod propose_test_release;
pub mod ptr_median;
pub mod quantile;
pub mod quantile_histogram;
pub mod quantiles;
pub mod randomized_response;
pub mod scores;
pub mod smooth_median;
pub mod smooth_noise;
pub mod smooth_sensitivity;
pub mod stability_histogram;
pub mod stability_test;
pub mod thinning;
pub mod top_k;
pub mod tuning;
pub mod variance;

pub use card::Card;
pub use catalogue::catalogue;
pub use error::MechanismError;

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
