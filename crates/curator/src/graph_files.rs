//! Files of ties to graphs: text by the graph room, Parquet and Arrow by the engine.

use std::path::Path;

use pointillist_engine::{Pair, Source, pairs};
use pointillist_graph::GraphError;
use pointillist_graph::read::{self, FirstLine, GraphBuilder, Loaded, NodeList, Reading};

/// Reads the ties of a file relative to a folder.
///
/// With `only_listed` exactly the listed nodes exist, as edge privacy needs it; otherwise the list adds nodes that may
/// have no tie. `progress` is told how many bytes have been read.
pub fn load(
    folder: &Path,
    source: &str,
    first_line: FirstLine,
    nodes: Option<&NodeList>,
    only_listed: bool,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Loaded, GraphError> {
    let reading = Reading { first_line, nodes: nodes.cloned(), only_listed };
    if !has_columns(source) {
        return read::read_graph(&folder.join(source), &reading, progress);
    }
    let mut builder = GraphBuilder::new(reading.nodes, only_listed);
    let mut rows = 0;
    visit(folder, source, 2, &mut |pair| {
        rows += 1;
        match pair {
            Pair::Numbers(u, v) => builder.add_numbers(u, v),
            Pair::Texts(u, v) => builder.add_texts(u.as_bytes(), v.as_bytes()),
        }
    })?;
    Ok(Loaded { graph: builder.finish()?, lines: rows, skipped: 0, first_line })
}

/// Whether there is a file to read; looks at no line of it.
pub(crate) fn is_there(folder: &Path, source: &str) -> bool {
    match has_columns(source) {
        true => Source::open(folder, source).is_ok(),
        false => folder.join(source).is_file(),
    }
}

/// Reads a list of nodes: the first column of a file.
pub fn load_nodes(folder: &Path, source: &str) -> Result<NodeList, GraphError> {
    if !has_columns(source) {
        return read::read_node_list(&folder.join(source));
    }
    let mut list = NodeList::default();
    visit(folder, source, 1, &mut |pair| match pair {
        Pair::Numbers(node, _) => list.add_number(node),
        Pair::Texts(node, _) => list.add_text(node.as_bytes()),
    })?;
    Ok(list)
}

fn visit(
    folder: &Path,
    source: &str,
    columns: usize,
    each: &mut dyn FnMut(Pair<'_>),
) -> Result<(), GraphError> {
    let unreadable = |error: pointillist_engine::SourceError| {
        let text = error.to_string();
        let (what, hint) = text.split_once("\nhint: ").unwrap_or((&text, "look at the file"));
        GraphError::unreadable(what, hint)
    };
    let source = Source::open(folder, source).map_err(unreadable)?;
    pairs(&source, columns, each).map_err(unreadable)
}

/// Whether a file of this name is made of typed columns.
fn has_columns(source: &str) -> bool {
    let name = source.to_ascii_lowercase();
    [".parquet", ".arrow", ".ipc", ".feather"].iter().any(|ending| name.ends_with(ending))
}
