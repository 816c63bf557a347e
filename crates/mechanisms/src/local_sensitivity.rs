//! Numbers whose worst case is far from the usual case: noise by what this data set can do.

pub mod median_sensitivity;
pub mod mode_stability;
pub mod noisy_local_bound;
pub mod propose_test_release;
pub mod ptr_median;
pub mod smooth_median;
pub mod smooth_noise;
pub mod smooth_sensitivity;
pub mod stability_test;
