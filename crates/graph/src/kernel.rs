//! Exact counts, as fast as we can make them. None of them is private: nothing here may leave without a mechanism.

pub mod common_neighbours;
pub mod components;
pub mod cores;
pub mod degrees;
pub mod k_triangles;
pub mod stars;
pub mod triangles;

#[cfg(test)]
pub(crate) mod testing;
