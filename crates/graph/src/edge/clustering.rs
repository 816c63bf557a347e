//! Clustering coefficients.
