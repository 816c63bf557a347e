//! From files to graphs.

use std::collections::HashMap;
use std::path::Path;

use crate::{Graph, GraphError};

/// What the first line of a text file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// Whatever it looks like.
    Detect,
    /// A tie.
    Edge,
    /// Names of columns.
    Names,
    /// Counts.
    Counts,
}

/// A list of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeList {
    ids: Vec<Vec<u8>>,
}

impl NodeList {
    /// Adds a node.
    pub fn add_number(&mut self, id: u64) {
        self.add_text(id.to_string().as_bytes());
    }

    /// Adds a node.
    pub fn add_text(&mut self, id: &[u8]) {
        self.ids.push(id.to_owned());
    }

    /// How many nodes there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.ids.len() as u32
    }
}

/// How a file is read.
pub struct Reading {
    /// The first line.
    pub first_line: FirstLine,
    /// The list of nodes.
    pub nodes: Option<NodeList>,
    /// Whether other nodes exist.
    pub only_listed: bool,
}

/// What was read.
pub struct Loaded {
    /// The graph.
    pub graph: Graph,
    /// Lines.
    pub lines: u64,
    /// Lines that are no ties.
    pub skipped: u64,
    /// The first line.
    pub first_line: FirstLine,
}

/// Builds a graph.
pub struct GraphBuilder {
    ids: HashMap<Vec<u8>, u32>,
    pairs: Vec<(u32, u32)>,
    only_listed: bool,
}

impl GraphBuilder {
    /// Starts.
    pub fn new(nodes: Option<NodeList>, only_listed: bool) -> Self {
        let mut ids = HashMap::new();
        for id in nodes.unwrap_or_default().ids {
            let next = ids.len() as u32;
            ids.entry(id).or_insert(next);
        }
        Self { ids, pairs: Vec::new(), only_listed }
    }

    /// Adds a tie.
    pub fn add_numbers(&mut self, u: u64, v: u64) {
        self.add_texts(u.to_string().as_bytes(), v.to_string().as_bytes());
    }

    /// Adds a tie.
    pub fn add_texts(&mut self, u: &[u8], v: &[u8]) {
        if self.only_listed && !(self.ids.contains_key(u) && self.ids.contains_key(v)) {
            return;
        }
        let mut id = |name: &[u8]| {
            let next = self.ids.len() as u32;
            *self.ids.entry(name.to_owned()).or_insert(next)
        };
        let pair = (id(u), id(v));
        self.pairs.push(pair);
    }

    /// Ends.
    pub fn finish(self) -> Result<Graph, GraphError> {
        Ok(Graph::from_pairs(self.ids.len() as u32, self.pairs))
    }
}

/// Reads ties.
pub fn read_graph(
    path: &Path,
    reading: &Reading,
    _progress: &(dyn Fn(u64) + Sync),
) -> Result<Loaded, GraphError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| GraphError::unreadable(error.to_string(), "look"))?;
    let mut builder = GraphBuilder::new(reading.nodes.clone(), reading.only_listed);
    let mut lines = 0;
    for line in text.lines().skip(usize::from(reading.first_line == FirstLine::Names)) {
        lines += 1;
        let mut fields = line.split([',', ' ', '\t']);
        if let (Some(u), Some(v)) = (fields.next(), fields.next()) {
            builder.add_texts(u.as_bytes(), v.as_bytes());
        }
    }
    Ok(Loaded { graph: builder.finish()?, lines, skipped: 0, first_line: reading.first_line })
}

/// Reads nodes.
pub fn read_node_list(path: &Path) -> Result<NodeList, GraphError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| GraphError::unreadable(error.to_string(), "look"))?;
    let mut list = NodeList::default();
    text.lines().for_each(|line| list.add_text(line.as_bytes()));
    Ok(list)
}
