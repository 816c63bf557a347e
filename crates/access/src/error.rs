//! What can go wrong with access.

/// A file that is not understood, or not safe.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {}
