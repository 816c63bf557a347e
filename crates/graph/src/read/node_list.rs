//! A public list of nodes.

use std::io::Read;

use super::blocks::Blocks;
use super::builder::{check_count, label};
use super::{FirstLine, Format, csv, line};
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

    /// A list of ids as they stand in a file; what is no id is left out, repeated ones count once. Fails when there are
    /// 2^32 or more.
    pub fn from_texts(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<Self, GraphError> {
        Self::from_labels(texts.into_iter().filter_map(|id| label(id.as_ref())).collect())
    }

    /// A list of ids by their [labels](super::label); repeated ones count once. Fails when there are 2^32 or more.
    pub fn from_labels(mut labels: Vec<u128>) -> Result<Self, GraphError> {
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

/// Reads a list of nodes: the first id of every record, in the formats of [`read_graph`](super::read_graph). Where the list
/// is public, looking at it to decide on its first record is harmless: [`FirstLine::Detect`] takes it for a name if it
/// is a text while the next id is a number.
pub fn read_node_list(
    input: impl Read + Send,
    format: Format,
    first_line: FirstLine,
    progress: &dyn Fn(u64),
) -> Result<NodeList, GraphError> {
    let described = matches!(first_line, FirstLine::Names | FirstLine::Counts);
    let mut labels = match format {
        Format::Csv { delimiter } => csv::read_labels(input, delimiter, described, progress)?,
        Format::Blanks => read_labels(input, described, progress)?,
    };
    if first_line == FirstLine::Detect && labels.len() > 1 && is_text(labels[0]) && !is_text(labels[1]) {
        labels.remove(0);
    }
    NodeList::from_labels(labels)
}

fn read_labels(
    input: impl Read + Send,
    mut skip_first: bool,
    progress: &dyn Fn(u64),
) -> Result<Vec<u128>, GraphError> {
    let mut blocks = Blocks::new(input)?;
    let mut labels = Vec::new();
    let mut block = blocks.next(Vec::new())?;
    while let Some(bytes) = block {
        for (record, _) in line::records(&bytes).filter(|(record, _)| !line::is_idle(record)) {
            let id = line::first_id(record).filter(|_| !skip_first);
            labels.extend(id.and_then(|id| label(&id)));
            skip_first = false;
        }
        progress(blocks.bytes_read());
        block = blocks.next(bytes)?;
    }
    Ok(labels)
}

fn is_text(label: u128) -> bool {
    u64::try_from(label).is_err()
}
