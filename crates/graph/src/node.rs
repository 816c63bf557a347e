//! Node privacy: neighbours differ in one node with all its ties, and how many nodes there are is private.

pub mod bounded_projection;
pub mod choice;
pub mod components;
pub mod degeneracy;
pub mod degree_bound;
pub mod degrees;
pub mod edges;
pub mod flow;
pub mod forest_components;
pub mod hubs;
pub mod nodes;
pub mod packing;
pub mod pair_order;
pub mod patterns;
pub mod patterns_release;
pub mod projection;
pub mod reduction;
pub mod safety_test;
pub mod stars;
mod thresholded;
pub mod through_edges;
