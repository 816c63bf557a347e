//! One tie or one person comes or goes.

use std::collections::BTreeSet;
use std::sync::Arc;

use pointillist_graph::{Graph, Privacy};

use crate::AuditError;

/// What the second of two neighbours differs in from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// This tie comes.
    TieComes(u32, u32),
    /// This tie goes.
    TieGoes(u32, u32),
    /// Somebody comes who is tied to these.
    NodeComes(Vec<u32>),
    /// This one goes, with all their ties.
    NodeGoes(u32),
}

impl Change {
    /// The other graph.
    pub fn of(&self, graph: &Graph) -> Graph {
        let mut labels: Vec<u128> = (0..graph.nodes()).map(|node| graph.label(node)).collect();
        match self {
            Self::TieComes(u, v) => Graph::with_labels(labels, graph.pairs().chain([(*u, *v)])),
            Self::TieGoes(u, v) => {
                let tie = ((*u).min(*v), (*u).max(*v));
                Graph::with_labels(labels, graph.pairs().filter(|pair| *pair != tie))
            }
            Self::NodeComes(friends) => {
                // A label that nobody has yet; the others keep theirs.
                let taken: BTreeSet<u128> = labels.iter().copied().collect();
                let free = (0..=u128::MAX).rev().find(|label| !taken.contains(label));
                labels.push(free.expect("there are more labels than nodes"));
                let newcomer = graph.nodes();
                let ties = friends.iter().map(|friend| (*friend, newcomer));
                Graph::with_labels(labels, graph.pairs().chain(ties))
            }
            Self::NodeGoes(gone) => {
                labels.remove(*gone as usize);
                let moved = |node: u32| if node > *gone { node - 1 } else { node };
                let stay = graph.pairs().filter(|(u, v)| u != gone && v != gone);
                Graph::with_labels(labels, stay.map(|(u, v)| (moved(u), moved(v))))
            }
        }
    }

    /// Whether both sides are neighbours of this kind.
    fn fits(&self, graph: &Graph, privacy: Privacy) -> bool {
        let nodes = graph.nodes();
        match self {
            Self::TieComes(u, v) => {
                privacy == Privacy::Edge && u != v && *u < nodes && *v < nodes && !graph.has_edge(*u, *v)
            }
            Self::TieGoes(u, v) => {
                privacy == Privacy::Edge && *u < nodes && *v < nodes && graph.has_edge(*u, *v)
            }
            Self::NodeComes(friends) => {
                privacy == Privacy::Node && nodes < u32::MAX && friends.iter().all(|friend| *friend < nodes)
            }
            Self::NodeGoes(gone) => privacy == Privacy::Node && *gone < nodes,
        }
    }
}

/// A graph and one of its neighbours.
#[derive(Clone)]
pub struct GraphPair {
    /// The pair in a few words.
    pub name: String,
    /// The first graph.
    pub graph: Arc<Graph>,
    /// What the second differs in.
    pub change: Change,
}

impl GraphPair {
    /// A graph and what changes.
    pub fn new(name: impl Into<String>, graph: &Arc<Graph>, change: Change) -> Self {
        Self { name: name.into(), graph: Arc::clone(graph), change }
    }

    /// Refuses what are no neighbours: nothing would be learned from telling them apart.
    pub(super) fn check(&self, privacy: Privacy, nodes: Option<u32>) -> Result<(), AuditError> {
        let known = privacy == Privacy::Node || nodes == Some(self.graph.nodes());
        if known && self.change.fits(&self.graph, privacy) {
            return Ok(());
        }
        Err(AuditError::new(
            format!("`{}` are no neighbours under {privacy} privacy", self.name),
            "compare graphs over the public list of nodes that differ in one tie, or graphs that differ in one node",
        ))
    }
}
