//! Degree distribution.
