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
    /// A file with the ids of all nodes; exactly these exist, with or without ties. Under edge privacy it is public, and
    /// what makes the list of nodes public; under node privacy it is private, like everything else.
    pub nodes: Option<String>,
    /// What the first line of a text file is. Said by the owner, because looking would depend on data.
    pub first_line: FirstLine,
    /// The same for the list of nodes, where it is said. A public list may be looked at instead; the first line of a
    /// private one is a person if nothing is said.
    pub nodes_first_line: Option<FirstLine>,
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

/// What the first line of a text file of ties holds; in files other than CSV after lines that begin with `#` or `%`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstLine {
    /// A tie like all others, or a node of a list. Also if nothing is said, whatever the file is called: which line would
    /// be taken for names otherwise depends on who is in the file.
    #[default]
    Edge,
    /// The names of the columns.
    Names,
    /// How many nodes and ties there are.
    Counts,
}
