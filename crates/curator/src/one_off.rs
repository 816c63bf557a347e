//! A statistic of a graph, once, by its owner: private, and guarded by no ledger.
//!
//! The graph is a file of ties ([`EdgeFile`]) or held in memory ([`HeldGraph`], which is what a file becomes).
//!
//! **Guarantee.** An answer obeys the [loss](OneOff::loss) that it names, for the neighbours that the question names.
//! Nothing adds answers up: two about the same people lose what both say. So only an owner who holds the file asks
//! here; what others ask goes through a [`Curator`](crate::Curator), whose ledger keeps account.
//! **Neighbours.** Edge privacy: one tie more or less between nodes that are public. Node privacy: one node with all its
//! ties more or less.
//! **Before the file.** What is refused is refused by the question and, under edge privacy, by how many nodes there are.
//! First lines are what the owner says, and ties unless they say so: a look at the file would let one tie decide about
//! another. A list of nodes that is public may be looked at.
//! **Proof.** The mechanism's own theorem (`graph/src/edge`, `graph/src/node`); reading keeps neighbours neighbours
//! (`graph/src/read.rs`). Notes and everything else about the answer follow from the question and from released numbers.

use std::path::{Path, PathBuf};

use pointillist_errors::{Explained, Kind};
use pointillist_graph::read::{FirstLine, Format, Loaded};
use pointillist_graph::{GraphError, Privacy, Public, Question};
use pointillist_noise::EntropyError;
use pointillist_privacy::Loss;
use serde::{Serialize, Serializer};

use crate::graph_files::{load, load_nodes};
use crate::{Answer, GraphQuote};

mod held_graph;

pub use held_graph::{HeldGraph, OneOffSynthesis};

/// A file of ties that its owner holds.
#[derive(Clone, Debug)]
pub struct EdgeFile {
    /// Text, CSV, gzip, Parquet or Arrow.
    pub path: PathBuf,
    /// What the first line is; a tie, where nothing is said.
    pub first_line: Option<FirstLine>,
    /// The ids of all nodes, where they are listed.
    pub nodes: Option<NodeFile>,
}

/// A list of nodes.
#[derive(Clone, Debug)]
pub struct NodeFile {
    /// The file; its first column.
    pub path: PathBuf,
    /// What the first line is. Where nothing is said, a public list is looked at, and a private one begins with a node.
    pub first_line: Option<FirstLine>,
}

/// A private answer that nobody keeps account of.
#[derive(Clone, Debug)]
pub struct OneOff {
    /// The figures.
    pub answer: Answer,
    /// What it costs.
    pub loss: Loss,
    /// What was taken for granted, and may be wrong.
    pub assumptions: Vec<Assumption>,
}

/// What a one-off takes for granted where its owner says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The nodes that there are, by the ties or by the graph, are public.
    IdsArePublic,
    /// The first line of a CSV file counts as a tie.
    FirstLineIsATie,
}

/// What is known about a one-off before it is released.
#[derive(Clone, Debug)]
pub struct OneOffQuote {
    /// What the mechanism says in advance.
    pub quote: GraphQuote,
    /// What it would cost.
    pub loss: Loss,
}

/// Exact figures of a graph. **For the owner's eyes**: publishing one of them tells about people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphInspection {
    /// How many nodes there are.
    pub nodes: u32,
    /// How many ties.
    pub edges: u64,
    /// The most ties of a node.
    pub max_degree: u64,
    /// Three nodes tied to each other.
    pub triangles: u64,
    /// The most neighbours that two nodes have in common.
    pub max_common_neighbours: u64,
    /// A node and two of its neighbours.
    #[serde(serialize_with = "whole_or_float")]
    pub two_stars: u128,
    /// How many pieces the graph falls into.
    pub components: u64,
    /// The largest k for which some part gives every member k ties inside it.
    pub degeneracy: u64,
    /// What is good to know about the file.
    #[serde(skip)]
    pub file: FileFacts,
}

/// What reading a file of ties showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// All records.
    pub lines: u64,
    /// Records that are no ties.
    pub skipped: u64,
    /// Ties that name ids which are not on the list.
    pub outside: u64,
    /// Whether the file ends inside of quotes.
    pub ended_in_quotes: bool,
    /// What the first line looks like.
    pub first_line: FirstLine,
}

/// Why there is no one-off.
#[derive(Debug, thiserror::Error)]
pub enum OneOffError {
    /// The question, or the file.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A path that is not text.
    #[error("the path is not text")]
    Path,
    /// No randomness, no release.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// A mistake of ours.
    #[error("the mechanism does not know its own numbers")]
    Unpresentable,
}

impl Explained for OneOffError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Graph(error) => error.hint(),
            Self::Path => Some("rename the file".to_owned()),
            Self::Entropy(error) => error.hint(),
            Self::Unpresentable => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Graph(error) => error.kind(),
            Self::Path => Kind::Request,
            Self::Entropy(_) | Self::Unpresentable => Kind::Environment,
        }
    }
}

impl Assumption {
    /// What was taken for granted, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::IdsArePublic => "the ids that occur are taken to be public",
            Self::FirstLineIsATie => "the first line of the file counts as a tie",
        }
    }
}

impl OneOffQuote {
    /// What is known of an answer from the question and from what is public.
    ///
    /// # Errors
    /// When the question is refused.
    pub fn new(question: &Question, public: &Public) -> Result<Self, OneOffError> {
        let mechanism = pointillist_graph::plan(question, public)?;
        Ok(Self { quote: GraphQuote::new(question, mechanism.as_ref()), loss: mechanism.loss() })
    }
}

impl EdgeFile {
    /// What an answer would cost and how wrong it might be. Under edge privacy the file is read, for its nodes.
    ///
    /// # Errors
    /// When the question is refused, or the file cannot be read.
    pub fn quote(&self, question: &Question, progress: &dyn Fn(u64)) -> Result<OneOffQuote, OneOffError> {
        match question.privacy {
            Privacy::Node => {
                OneOffQuote::new(question, &Public { nodes: None, listed: self.nodes.is_some() })
            }
            Privacy::Edge => self.held(question.privacy, progress)?.quote(question),
        }
    }

    /// A private answer. Every further one adds to the loss, and nobody counts.
    ///
    /// # Errors
    /// When the question is refused, the file cannot be read, or there is no randomness.
    pub fn release(&self, question: &Question, progress: &dyn Fn(u64)) -> Result<OneOff, OneOffError> {
        if question.privacy == Privacy::Node {
            // What is refused is refused by the question alone, before the file is looked at.
            self.quote(question, progress)?;
        }
        self.held(question.privacy, progress)?.release(question)
    }

    /// Everything exactly, with first lines taken for what they look like. **For the owner's eyes.**
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn inspect(&self, progress: &dyn Fn(u64)) -> Result<GraphInspection, OneOffError> {
        let detected = |first_line: Option<FirstLine>| first_line.unwrap_or(FirstLine::Detect);
        let nodes = self.nodes.as_ref().map(|list| (list.path.as_path(), detected(list.first_line)));
        let loaded = read(&self.path, detected(self.first_line), nodes, progress)?;
        Ok(HeldGraph::new(loaded, self.nodes.is_some()).inspect())
    }

    /// The graph in memory, read so that something may be released from it at this level of privacy. `progress` hears how
    /// many bytes have been read.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn held(&self, privacy: Privacy, progress: &dyn Fn(u64)) -> Result<HeldGraph, OneOffError> {
        let held = HeldGraph::new(self.load(privacy, progress)?, self.nodes.is_some());
        let is_csv = matches!(Format::of_file(&self.path), Format::Csv { .. });
        let assumed = (self.first_line.is_none() && is_csv).then_some(Assumption::FirstLineIsATie);
        Ok(held.assuming(assumed))
    }

    /// The graph, read so that something may be released from it. `progress` hears how many bytes have been read.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn load(&self, privacy: Privacy, progress: &dyn Fn(u64)) -> Result<Loaded, OneOffError> {
        let list_first_line = |list: &NodeFile| match (list.first_line, privacy) {
            (Some(first_line), _) => first_line,
            (None, Privacy::Node) => FirstLine::Edge,
            (None, Privacy::Edge) => FirstLine::Detect,
        };
        let nodes = self.nodes.as_ref().map(|list| (list.path.as_path(), list_first_line(list)));
        read(&self.path, self.first_line.unwrap_or_default(), nodes, progress)
    }
}

fn read(
    path: &Path,
    first_line: FirstLine,
    nodes: Option<(&Path, FirstLine)>,
    progress: &dyn Fn(u64),
) -> Result<Loaded, OneOffError> {
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or(OneOffError::Path);
    let list = nodes.map(|(list, first_line)| -> Result<_, OneOffError> {
        Ok(load_nodes(Path::new(""), &text(list)?, first_line)?)
    });
    let list = list.transpose()?;
    Ok(load(Path::new(""), &text(path)?, first_line, list.as_ref(), progress)?)
}

/// Numbers that scripts read as integers while they can.
fn whole_or_float<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*value) {
        Ok(value) => serializer.serialize_u64(value),
        Err(_) => serializer.serialize_f64(*value as f64),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_graph::{Method, Statistic};
    use pointillist_privacy::Epsilon;

    use super::*;

    fn ties(folder: &Path, name: &str) -> EdgeFile {
        let path = folder.join(name);
        std::fs::write(&path, "source,target\na,b\nb,c\nc,a\nc,d\n").unwrap();
        EdgeFile { path, first_line: None, nodes: None }
    }

    fn question(statistic: Statistic, privacy: Privacy) -> Question {
        let epsilon = Epsilon::parse("1000").unwrap();
        Question { statistic, privacy, method: Method::default(), epsilon, delta: None }
    }

    /// Specification: a first line that is not declared is a tie, whatever it looks like, and the owner is told; a look
    /// for their own eyes takes it for names.
    #[test]
    fn what_is_released_does_not_look_at_the_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = ties(folder.path(), "ties.csv");
        let edges = question(Statistic::Edges, Privacy::Edge);
        let one_off = file.release(&edges, &|_| {}).unwrap();
        assert_eq!(one_off.assumptions, [Assumption::IdsArePublic, Assumption::FirstLineIsATie]);
        assert_eq!(file.load(Privacy::Edge, &|_| {}).unwrap().graph.edges(), 5);
        let inspection = file.inspect(&|_| {}).unwrap();
        assert_eq!((inspection.edges, inspection.nodes, inspection.triangles), (4, 4, 1));
        assert_eq!(inspection.file.first_line, FirstLine::Names);
        let declared = EdgeFile { first_line: Some(FirstLine::Names), ..file };
        assert_eq!(declared.release(&edges, &|_| {}).unwrap().assumptions, [Assumption::IdsArePublic]);
        assert_eq!(declared.load(Privacy::Edge, &|_| {}).unwrap().graph.edges(), 4);
    }

    /// Specification: what cannot be answered under node privacy is refused before the file is looked at.
    #[test]
    fn a_refusal_comes_before_the_file() {
        let nowhere = EdgeFile { path: PathBuf::from("/nowhere/ties.txt"), first_line: None, nodes: None };
        let refused = nowhere.release(&question(Statistic::MaxDegree, Privacy::Node), &|_| {}).unwrap_err();
        assert_eq!(refused.kind(), Kind::Privacy, "{refused}");
        let unreadable = nowhere.release(&question(Statistic::Edges, Privacy::Node), &|_| {}).unwrap_err();
        assert_eq!(unreadable.kind(), Kind::Request, "{unreadable}");
    }
}
