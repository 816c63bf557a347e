//! What is sent to a server, and what comes back.

use pointillist_plan::Type;

use crate::{Dialect, Parameter};

/// One statement with its values. Its result has the keys in their types, then `people` and one total a measure, as decimal
/// texts: exact, without noise, and for the curator alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Whose SQL it is.
    pub dialect: Dialect,
    /// The text, with places for parameters: `$1` and so on, or `?`.
    pub text: String,
    /// The values, in the order of their numbers or places.
    pub parameters: Vec<Parameter>,
    /// The types of the keys.
    pub keys: Vec<Type>,
    /// How many measures there are.
    pub measures: usize,
    /// What it reads.
    pub tables: Vec<StatementTable>,
}

/// A table that a statement reads, as its server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementTable {
    /// Schema and name; or catalog, schema and name.
    pub path: Vec<String>,
    /// The columns that are read.
    pub columns: Vec<String>,
}
