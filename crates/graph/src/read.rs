//! From files to graphs: lists of ties as text, plain or in gzip.
//!
//! **What is read.** One tie a line: two ids, and anything after them is ignored. Ids are separated by blanks, tabs,
//! commas or semicolons; lines that begin with `#` or `%` are comments. Line ends may be those of Windows, and a
//! byte-order mark is dropped. Directions, loops and repetitions do not matter: [`Graph`] drops and merges them.
//! **Ids.** A number below 2^64 counts by its value, so `7` and `007` are the same node. Any other id is a text, byte
//! by byte as it stands. A text may stand in double quotes, which are taken off, and must if it holds what separates
//! ids on its line: a tab before all else, then a semicolon, then a comma, and blanks only where there is none of
//! these. A line that begins with two numbers is a tie of these two, whatever follows. A text that begins with `#` or
//! `%` needs quotes too.
//! **Total.** A line that cannot be read as a tie is skipped and counted, whatever its bytes are. What can fail is
//! the file itself (it cannot be read, its gzip is damaged), or there are 2^32 nodes or more; never a single record.
//! **Guarantee.** Which tie a line stands for depends on that line alone, so one tie of a person stays one tie. The
//! exception is [`FirstLine::Detect`], which looks at the whole file and is for an owner's own eyes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::{Graph, GraphError};

mod blocks;
mod builder;
mod first_line;
mod index;
mod line;
mod node_list;
#[cfg(test)]
mod tests;

pub use builder::GraphBuilder;
pub use first_line::FirstLine;
pub use node_list::{NodeList, read_node_list};

use blocks::Blocks;
use builder::Tally;
use first_line::Verdict;

/// How a file is to be read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What the first line is.
    pub first_line: FirstLine,
    /// The nodes, where their list is public: exactly these are there, with or without ties, and ties that name any
    /// other id are dropped. Without a list, the nodes are the ids that occur, be it in a loop.
    pub nodes: Option<NodeList>,
}

/// A graph from a file, with what is good to know about the file. All of it is as private as the graph.
#[derive(Clone)]
pub struct Loaded {
    /// The graph; its nodes are in the order of their labels.
    pub graph: Graph,
    /// All lines of the file, comments and empty ones too.
    pub lines: u64,
    /// Lines that should be a tie and cannot be read as one.
    pub skipped: u64,
    /// Ties that name an id which the list of nodes does not.
    pub outside: u64,
    /// What the first line was, as declared or as decided.
    pub first_line: FirstLine,
}

/// What is in a file is private, and stays out of logs.
impl std::fmt::Debug for Loaded {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Loaded").finish_non_exhaustive()
    }
}

/// Reads a graph. `progress` hears how many bytes of the input were read, every few megabytes.
pub fn read_graph(
    input: impl Read + Send,
    reading: &Reading,
    progress: &dyn Fn(u64),
) -> Result<Loaded, GraphError> {
    let mut blocks = Blocks::new(input)?;
    let mut builder = GraphBuilder::new(reading.nodes.clone());
    let mut verdict = Verdict::Awaited;
    let mut tally = Tally::default();
    let mut spare = Vec::new();
    let mut block = blocks.next(Vec::new())?;
    while let Some(bytes) = block {
        let mut lines = bytes.as_slice();
        if verdict == Verdict::Awaited {
            let (before, first) = line::first_content(lines);
            tally.lines += before.lines;
            lines = &lines[before.bytes..];
            if let Some(first) = first {
                let rest = &lines[(first.len() + 1).min(lines.len())..];
                verdict = Verdict::new(reading.first_line, first, rest);
                if verdict != Verdict::Tie {
                    tally.lines += 1;
                    lines = rest;
                }
            }
        }
        let (added, next) = rayon::join(|| builder.add_lines(lines), || blocks.next(spare));
        tally += added;
        progress(blocks.bytes_read());
        block = next?;
        spare = bytes;
    }
    let first_line = verdict.finish(reading.first_line, &mut builder, &tally);
    let (graph, outside) = builder.finish_counting()?;
    Ok(Loaded { graph, lines: tally.lines, skipped: tally.skipped, outside, first_line })
}

/// Reads a graph from a file.
pub fn read_graph_file(
    path: impl AsRef<Path>,
    reading: &Reading,
    progress: &dyn Fn(u64),
) -> Result<Loaded, GraphError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|error| {
        GraphError::unreadable(
            format!("the file `{}` cannot be opened: {}", path.display(), error.kind()),
            "check that it is there and that you may read it",
        )
    })?;
    read_graph(file, reading, progress)
}
