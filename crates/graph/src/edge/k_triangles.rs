//! Ties with k common neighbours.
