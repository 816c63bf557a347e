//! From files to graphs: lists of ties as text, plain or in gzip.
//!
//! **What is read.** One tie a record: two ids, and anything after them is ignored. Directions, loops and repetitions do
//! not matter: [`Graph`] drops and merges them. How a file is written follows from its name ([`Format`]): files of commas
//! or tabs are CSV, with fields as tables have them; any other text has ids between blanks, tabs, commas or semicolons,
//! and comments that begin with `#` or `%`.
//! **Ids.** The identity rule of tables: ids are compared byte by byte as they stand, so `7`, `007` and `7.0` are three
//! people. Whole numbers of typed columns equal their decimal texts. An id that is longer than [`ID_MAX`] bytes is none.
//! **Quotes.** An id or any other field may stand in double quotes, which are taken off, and must if it holds what
//! separates fields, a quote (then doubled) or a line feed. A record ends at the first line feed outside of quotes
//! ([`pointillist_records`]), in every format.
//! **Total.** A record that cannot be read as a tie is skipped and counted, whatever its bytes are. What can fail is
//! the file itself (it cannot be read, its gzip is damaged), or there are 2^32 nodes or more; never a single record.
//! **Guarantee.** Where records end is decided by the grammar of quotes, and which tie a record stands for depends on that
//! record alone: for files of a faithful writer one tie of a person stays one tie, whatever its fields hold. The exception
//! is [`FirstLine::Detect`], which looks at the whole file and is for an owner's own eyes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::{Graph, GraphError};

mod blocks;
mod builder;
mod csv;
mod first_line;
mod format;
mod index;
mod input;
mod line;
mod node_list;
#[cfg(test)]
mod stability;
#[cfg(test)]
mod tests;

pub use builder::{GraphBuilder, label};
pub use first_line::FirstLine;
pub use format::Format;
pub use node_list::{NodeList, read_node_list};

use blocks::Blocks;
use builder::Tally;
use first_line::Verdict;

/// The most bytes of an id, in every format and as for owners of rows. What is longer is no id: cutting it would merge
/// people.
pub const ID_MAX: usize = 10_000;

/// How a file is to be read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What the first record is.
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
    /// All records of the file; between blanks, comments and empty lines too.
    pub lines: u64,
    /// Records that should be a tie and cannot be read as one.
    pub skipped: u64,
    /// Ties that name an id which the list of nodes does not.
    pub outside: u64,
    /// Whether the file ends inside of quotes: it was cut off, or a quote was never closed and took along what follows.
    pub ended_in_quotes: bool,
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
    format: Format,
    reading: &Reading,
    progress: &dyn Fn(u64),
) -> Result<Loaded, GraphError> {
    match format {
        Format::Csv { delimiter } => csv::read_graph(input, delimiter, reading, progress),
        Format::Blanks => read_blanks(input, reading, progress),
    }
}

fn read_blanks(
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
        let mut records = bytes.as_slice();
        if verdict == Verdict::Awaited {
            let (idle, skipped, first) = line::first_content(records);
            tally.lines += idle;
            records = &records[skipped..];
            if let Some(line::First { record, rest }) = first {
                verdict = Verdict::declared(reading.first_line).unwrap_or_else(|| {
                    let (_, _, second) = line::first_content(rest);
                    Verdict::detected(&line::leading(record), second.and_then(|next| line::tie(next.record)))
                });
                if verdict != Verdict::Tie {
                    tally.lines += 1;
                    records = rest;
                }
            }
        }
        let (added, next) = rayon::join(|| builder.add_records(records), || blocks.next(spare));
        tally += added;
        progress(blocks.bytes_read());
        block = next?;
        spare = bytes;
    }
    let first_line = verdict.finish(reading.first_line, &mut builder, &tally);
    let (graph, outside) = builder.finish_counting()?;
    Ok(tally.loaded(graph, outside, first_line))
}

/// Reads a graph from a file, in the format that its name says.
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
    read_graph(file, Format::of_file(path), reading, progress)
}
