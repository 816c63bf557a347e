//! The order of the rooms, as ARCHITECTURE.md has it: the one list that people read and that the rules check.
//!
//! A crate's heading is a line of the form ``### `noise` ``: three hashes and the folder's name in backticks.

use super::Workspace;
use super::rust_code::numbered_lines;

pub const PAGE: &str = "ARCHITECTURE.md";

/// The headings of crates in the order of the page, with their lines. Nothing when there is no page.
pub fn headings(workspace: &Workspace) -> Vec<(usize, &str)> {
    let text = workspace.file(PAGE).map_or("", |page| &page.text);
    numbered_lines(text)
        .filter_map(|(line, text)| Some((line, text.strip_prefix("### `")?.strip_suffix('`')?)))
        .collect()
}

/// The rooms in the order of the page: a crate may use those before its own.
pub fn order(workspace: &Workspace) -> Vec<&str> {
    headings(workspace).into_iter().map(|(_, room)| room).collect()
}
