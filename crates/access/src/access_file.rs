//! The file that holds verifiers and hashes, readable by its owner alone.

use crate::Role;

/// Everybody who may come in.
#[derive(Clone, Debug, Default)]
pub struct Access {}

/// Somebody who has come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name, which is the analyst's where they are one.
    pub name: String,
    /// What they are.
    pub role: Role,
}
