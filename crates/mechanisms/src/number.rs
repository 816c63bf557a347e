//! Numbers with noise of a scale that is known beforehand.

pub(crate) mod discrete_laplace_tail;

pub mod additive_noise;
pub mod discrete_gaussian;
pub mod discrete_gaussian_law;
pub mod discrete_laplace_law;
pub mod gaussian;
pub mod gaussian_calibration;
pub mod geometric;
pub mod laplace;
pub mod loss_upper;
pub mod noise_sum;
