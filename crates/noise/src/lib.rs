//! Random bits to exact noise.
//!
//! Every sampler here draws from exactly the distribution its name says: integers and rationals only, no
//! rounding, no float, and no tail that is out of reach. Where a value is handed out in 128 bits, values beyond that range
//! become its ends; [`noisy_sum`] adds an answer so that this is post-processing. Randomness is a capability: samplers take a [`BitSource`], and the only
//! secure one is lent out by [`with_system_bits`].
//!
//! | to draw | one value | many values at one scale |
//! | --- | --- | --- |
//! | discrete Laplace | [`DiscreteLaplace::sample`] | [`DiscreteLaplace::table`] |
//! | discrete Gaussian | [`DiscreteGaussian::sample`] | [`DiscreteGaussian::table`] |
//! | either, by its name | [`IntegerNoise::sample`] | the same |
//! | normal, rounded to an integer | [`RoundedGaussian::sample`] | the same |
//! | Student t, Cauchy, Laplace-log-normal, power-tailed Laplace, rounded down | [`StudentT`], [`LaplaceLogNormal`], [`PowerTailedLaplace`] | the same |
//! | a vector whose density falls with its Euclidean norm, rounded to integers | [`L2Laplace::sample`] | the same |
//! | one of several candidates with real weights | [`weighted_choice`] | the same |
//! | geometric, Bernoulli, uniform | [`Geometric`], [`Bernoulli`], [`bernoulli_exp`], [`uniform_below`] | the same |
//!
//! **Not covered.** Timing: how long a rejection sampler takes depends on what it draws. The tables take nearly
//! constant time; whoever answers strangers draws noise before reading data and replies on a clock.
//!
//! This crate knows nothing of privacy.

mod acceptance;
mod bernoulli;
mod bernoulli_exp;
mod bits;
mod continuous;
mod discrete_gaussian;
mod discrete_laplace;
mod entropy;
mod envelope;
mod error;
mod geometric;
mod integer_noise;
mod l2_laplace;
mod laplace_log_normal;
mod lazy_uniform;
mod noisy_sum;
mod power_tailed_laplace;
mod rounded_gaussian;
mod student_t;
mod table;
mod uniform;
mod weighted_choice;

pub use bernoulli::Bernoulli;
pub use bernoulli_exp::bernoulli_exp;
pub use bits::{BitSource, SecureBits};
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use entropy::{EntropyError, SystemBits, with_system_bits};
pub use error::NoiseError;
pub use geometric::Geometric;
pub use integer_noise::{IntegerNoise, NoiseLaw};
pub use l2_laplace::L2Laplace;
pub use laplace_log_normal::LaplaceLogNormal;
pub use lazy_uniform::LazyUniform;
pub use noisy_sum::noisy_sum;
pub use power_tailed_laplace::PowerTailedLaplace;
pub use rounded_gaussian::RoundedGaussian;
pub use student_t::StudentT;
pub use table::NoiseTable;
pub use uniform::{uniform_below, uniform_u64_below};
pub use weighted_choice::weighted_choice;

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
