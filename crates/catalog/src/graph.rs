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

/// What the first line of a text file of ties holds, after lines that begin with `#` or `%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// A tie like all others.
    Edge,
    /// The names of the columns.
    Names,
    /// How many nodes and ties there are.
    Counts,
}

impl FirstLine {
    /// What a file of this name begins with unless the owner says otherwise: CSV files have names.
    pub fn of_file(source: &str) -> Self {
        let name = source.to_ascii_lowercase();
        let named = [".csv", ".csv.gz", ".tsv", ".tsv.gz"].iter().any(|ending| name.ends_with(ending));
        if named { Self::Names } else { Self::Edge }
    }
}
