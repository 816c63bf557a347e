//! One graph: where its edges are, and whether a person is a node or a tie.

/// A declared graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The name that analysts use.
    pub name: String,
    /// The population that owns the budget.
    pub scope: String,
    /// A file of two columns of node ids, relative to the catalog's folder.
    pub source: String,
    /// The version of the data, a word of the owner's, as for tables.
    pub version: String,
    /// What is protected.
    pub privacy: GraphPrivacy,
}

/// What one neighbouring graph differs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphPrivacy {
    /// A person with all their ties.
    Node,
    /// One tie between two people.
    Edge,
}
