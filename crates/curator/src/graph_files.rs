//! Files of ties to graphs: text by the graph room, Parquet and Arrow by the engine.

use std::fs::File;
use std::path::Path;

use pointillist_catalog::FirstLine as Declared;
use pointillist_engine::{FileStamps, IdFiles, Pair, SourceError};
use pointillist_errors::Explained;
use pointillist_graph::GraphError;
use pointillist_graph::read::{
    FirstLine, Format, GraphBuilder, Loaded, NodeList, Reading, read_graph_file, read_node_list,
};

/// Reads the ties of a file relative to a folder. With a list of nodes exactly these exist. `progress` hears how many
/// bytes have been read.
pub fn load(
    folder: &Path,
    source: &str,
    first_line: FirstLine,
    nodes: Option<&NodeList>,
    progress: &dyn Fn(u64),
) -> Result<Loaded, GraphError> {
    let reading = Reading { first_line, nodes: nodes.cloned() };
    if !has_columns(source) {
        return read_graph_file(folder.join(source), &reading, progress);
    }
    let files = IdFiles::open(folder, source, 2).map_err(unreadable)?;
    let mut builder = GraphBuilder::new(reading.nodes);
    let (mut lines, mut skipped) = (0, 0);
    let read = files.visit(&mut |pair| {
        lines += 1;
        match pair {
            Pair::Numbers(u, v) => builder.add_numbers(u, v),
            Pair::Texts(u, v) => skipped += u64::from(!builder.add_texts(u, v)),
        }
    });
    read.map_err(unreadable)?;
    let first_line = FirstLine::Edge;
    Ok(Loaded { graph: builder.finish()?, lines, skipped, outside: 0, ended_in_quotes: false, first_line })
}

/// The first line of a file as the catalog declares it.
pub fn declared_first_line(first_line: Declared) -> FirstLine {
    match first_line {
        Declared::Edge => FirstLine::Edge,
        Declared::Names => FirstLine::Names,
        Declared::Counts => FirstLine::Counts,
    }
}

/// What the files of a graph are, if there are any to read, with as many columns of ids as are said where columns have
/// types; looks at no line of them.
pub(crate) fn stamps<'a>(
    folder: &Path,
    sources: impl Iterator<Item = (&'a String, usize)>,
) -> Option<FileStamps> {
    let mut paths = Vec::new();
    for (source, columns) in sources {
        if has_columns(source) {
            paths.extend(IdFiles::open(folder, source, columns).ok()?.paths().map(Path::to_path_buf));
        } else {
            paths.push(folder.join(source));
        }
    }
    paths.iter().all(|path| path.is_file()).then(|| FileStamps::new(paths).ok())?
}

/// Reads a list of nodes: the first column of a file. Where the list is private, its first line must be declared: what
/// the second line says must not decide whether the first is a person.
pub fn load_nodes(folder: &Path, source: &str, first_line: FirstLine) -> Result<NodeList, GraphError> {
    if !has_columns(source) {
        let file = File::open(folder.join(source)).map_err(|error| {
            GraphError::unreadable(
                format!("the list of nodes `{source}` cannot be opened: {}", error.kind()),
                "check that it is there and that you may read it",
            )
        })?;
        return read_node_list(file, Format::of_file(source), first_line, &|_| {});
    }
    let files = IdFiles::open(folder, source, 1).map_err(unreadable)?;
    let mut ids = Vec::new();
    let read = files.visit(&mut |pair| match pair {
        Pair::Numbers(node, _) => ids.push(node.to_string().into_bytes()),
        Pair::Texts(node, _) => ids.push(node.to_owned()),
    });
    read.map_err(unreadable)?;
    NodeList::from_texts(ids)
}

fn unreadable(error: SourceError) -> GraphError {
    GraphError::unreadable(error.to_string(), error.hint().unwrap_or_default())
}

/// Whether a file of this name is made of typed columns.
pub(crate) fn has_columns(source: &str) -> bool {
    let name = source.to_ascii_lowercase();
    [".parquet", ".arrow", ".ipc", ".feather"].iter().any(|ending| name.ends_with(ending))
}
