//! Reading a file of ties, with a bar while it takes long.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use pointillist_curator::{load_graph, load_nodes};
use pointillist_graph::read::{FirstLine, Loaded};

use crate::failure::Failure;

/// Reads a graph of the owner's: the first line is taken for what it looks like.
pub fn load(path: &Path, nodes: Option<&Path>) -> Result<Loaded, Failure> {
    let bar = bar(path);
    let list =
        nodes.map(|nodes| load_nodes(Path::new(""), &text(nodes)?).map_err(Failure::from)).transpose()?;
    let progress = |bytes| bar.set_position(bytes);
    let loaded = load_graph(Path::new(""), &text(path)?, FirstLine::Detect, list.as_ref(), &progress);
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
