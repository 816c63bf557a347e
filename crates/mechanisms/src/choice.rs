//! The best of several candidates.

pub(crate) mod falling_root;

pub mod exponential;
pub mod exponential_on_line;
pub mod noisy_max;
pub mod permute_and_flip;
pub mod pricing;
pub mod scores;
pub mod top_k;
pub mod tuning;
