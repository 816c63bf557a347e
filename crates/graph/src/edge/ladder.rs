//! The ladder mechanism.
