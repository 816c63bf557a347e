//! Reading a file of ties, with a bar while it takes long.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use pointillist_curator::{load_graph, load_nodes};
use pointillist_graph::read::{FirstLine, Loaded};

use crate::failure::Failure;

/// Reads a graph of the owner's. `Detect` takes first lines for what they look like: for the owner's eyes, or where a list
/// is public. What is released must not depend on such a look.
pub fn load(
    path: &Path,
    first_line: FirstLine,
    nodes: Option<(&Path, FirstLine)>,
) -> Result<Loaded, Failure> {
    let bar = bar(path);
    let list = nodes.map(|(nodes, first_line)| -> Result<_, Failure> {
        Ok(load_nodes(Path::new(""), &text(nodes)?, first_line)?)
    });
    let list = list.transpose()?;
    let progress = |bytes| bar.set_position(bytes);
    let loaded = load_graph(Path::new(""), &text(path)?, first_line, list.as_ref(), &progress);
    bar.finish_and_clear();
    Ok(loaded?)
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::Request("the path is not text\nhint: rename the file".to_owned()))
}

fn bar(path: &Path) -> ProgressBar {
    let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("reading the graph {wide_bar} {bytes}/{total_bytes}");
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
