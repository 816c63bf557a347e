//! Counts, sums, means, variances and histograms of bounded data, and what bounds them.

pub mod bounded_sum;
pub mod contribution_bound;
pub mod count;
pub mod global_sensitivity;
pub mod grid;
pub mod histogram;
pub mod mean;
pub mod thinning;
pub mod variance;
