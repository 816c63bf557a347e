//! A public list of nodes.

use std::io::Read;

use super::blocks::Blocks;
use super::builder::{check_count, label};
use super::{FirstLine, line};
use crate::GraphError;

/// A list of node ids that everybody may know, as edge privacy has it. With a list, a graph has exactly these nodes.
#[derive(Clone, PartialEq, Eq)]
pub struct NodeList {
    /// In rising order, all different.
    labels: Vec<u128>,
}

impl NodeList {
    /// A list of numbers; repeated ones count once. Fails when there are 2^32 or more.
    pub fn from_numbers(numbers: impl IntoIterator<Item = u64>) -> Result<Self, GraphError> {
        Self::from_labels(numbers.into_iter().map(u128::from).collect())
    }

    /// A list of ids as they stand in a file; empty ones are left out, repeated ones count once. Fails when there are
    /// 2^32 or more.
    pub fn from_texts(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<Self, GraphError> {
        let ids = texts.into_iter();
        Self::from_labels(ids.filter(|id| !id.as_ref().is_empty()).map(|id| label(id.as_ref())).collect())
    }

    fn from_labels(mut labels: Vec<u128>) -> Result<Self, GraphError> {
        labels.sort_unstable();
        labels.dedup();
        check_count(labels.len())?;
        Ok(Self { labels })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.labels.len() as u32
    }

    pub(super) fn into_labels(self) -> Vec<u128> {
        self.labels
    }
}

/// A list may be long, and says here how long.
impl std::fmt::Debug for NodeList {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("NodeList").field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

/// Reads a list of nodes: the first id of every line, in the format of [`read_graph`](super::read_graph). The list is
/// public, so looking at it to decide on its first line is harmless: [`FirstLine::Detect`] takes it for a name if it
/// is a text while the next id is a number.
pub fn read_node_list(
    input: impl Read + Send,
    first_line: FirstLine,
    progress: &dyn Fn(u64),
) -> Result<NodeList, GraphError> {
    let mut blocks = Blocks::new(input)?;
    let mut labels = Vec::new();
    let mut block = blocks.next(Vec::new())?;
    let described = matches!(first_line, FirstLine::Names | FirstLine::Counts);
    let mut is_first = true;
    while let Some(bytes) = block {
        for line in line::lines(&bytes).filter(|line| !line::is_idle(line)) {
            let is_description = std::mem::take(&mut is_first) && described;
            labels.extend(line::first_id(line).filter(|_| !is_description).map(|id| label(&id)));
        }
        progress(blocks.bytes_read());
        block = blocks.next(bytes)?;
    }
    if first_line == FirstLine::Detect && labels.len() > 1 && is_text(labels[0]) && !is_text(labels[1]) {
        labels.remove(0);
    }
    NodeList::from_labels(labels)
}

fn is_text(label: u128) -> bool {
    u64::try_from(label).is_err()
}
