//! Node privacy: neighbours differ in one node with all its ties, and how many nodes there are is private.

pub mod choice;
pub mod components;
pub mod degrees;
pub mod edges;
pub mod flow;
pub mod hubs;
pub mod nodes;
pub mod packing;
pub mod patterns;
pub mod patterns_release;
pub mod projection;
pub mod reduction;
pub mod stars;
mod thresholded;
