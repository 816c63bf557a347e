//! Edge privacy: neighbours differ in one tie, and the list of nodes is public.

pub mod clustering;
pub mod degrees;
pub mod k_triangles;
pub mod ladder;
pub mod propose_test_release;
mod smooth_count;
pub mod stars;
pub mod triangle_sensitivity;
pub mod triangles;
pub mod two_step;
pub mod unit_count;

#[cfg(test)]
pub(crate) mod known_graphs;
mod private_bound;
