//! The first few of a stream of questions that stand out.

pub mod above_threshold;
pub mod numeric_sparse;
