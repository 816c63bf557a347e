//! Exact counts, as fast as we can make them. None of them is private: nothing here may leave without a mechanism.
//!
//! Every count is a function of the graph alone: the same on one thread and on many, and the same after nodes are
//! renamed. Small graphs are counted on the calling thread.

pub mod common_neighbours;
pub mod components;
pub mod cores;
pub mod cuts;
pub mod degrees;
pub mod k_triangles;
pub mod shared_weight;
pub mod stars;
pub mod triangles;

mod ranks;
mod rows;
mod wedges;
mod work;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
