//! `docs/dependencies.md` says of every foreign crate that we ask for what it is for, what it pulls in, who looks after it
//! and how we would live without it.
//!
//! A row begins with the crates it speaks of, each in backticks by its full name, and has four more cells.

use super::rust_code::numbered_lines;
use super::{Finding, Workspace};
use std::collections::BTreeSet;

const PAGE: &str = "docs/dependencies.md";
const CELLS: usize = 5;

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let text = workspace.file(PAGE).map_or("", |page| &page.text);
    let mut findings = Vec::new();
    let mut described = BTreeSet::new();
    let asked_for: BTreeSet<&str> = workspace
        .crates
        .iter()
        .flat_map(|member| &member.dependencies)
        .map(|dependency| dependency.name.as_str())
        .filter(|name| !workspace.is_ours(name))
        .collect();
    for (line, cells) in rows(text) {
        if cells.len() != CELLS || cells.iter().any(|cell| cell.is_empty()) {
            findings.push(Finding::at_line(
                PAGE,
                line,
                "a row without its four answers",
                "for, pulls in, looked after by, without it: a few words each",
            ));
        }
        for name in cells[0].split('`').skip(1).step_by(2) {
            if !asked_for.contains(name) {
                findings.push(Finding::at_line(
                    PAGE,
                    line,
                    format!("no crate of ours asks for `{name}`"),
                    "take it out, or write its name as in the manifest",
                ));
            }
            described.insert(name);
        }
    }
    for name in asked_for.difference(&described) {
        findings.push(Finding::in_file(
            PAGE,
            format!("`{name}` is not described"),
            "add a row: what for, what it pulls in, who looks after it, how we would live without it",
        ));
    }
    findings
}

/// The rows of the tables, in which the first cell names crates, with their lines and their cells.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    numbered_lines(text).filter(|(_, line)| line.starts_with("| `")).map(|(line, text)| {
        let cells = text.trim().trim_start_matches('|').trim_end_matches('|').split('|');
        (line, cells.map(str::trim).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::workspace::DependencyKind::{Development, Normal};

    fn problems(page: &str) -> Vec<String> {
        let workspace = Workspace::with_files([(PAGE, page)])
            .and_room("numbers", [("dashu-int", Normal)])
            .and_room("noise", [("pointillist-numbers", Normal), ("tempfile", Development)]);
        check(&workspace).into_iter().map(|finding| finding.problem).collect()
    }

    const GOOD: &str = "| dependency | for | pulls in | looked after by | without it |\n| --- | --- | --- | --- | --- |\n\
        | `dashu-int`, `tempfile` (tests) | integers | nothing | somebody | our own |\n";

    #[test]
    fn a_page_with_every_dependency_is_fine() {
        assert_eq!(problems(GOOD), [""; 0]);
    }

    #[test]
    fn a_dependency_without_a_row_is_found_also_one_of_tests() {
        assert_eq!(problems(&GOOD.replace(", `tempfile`", "")), ["`tempfile` is not described"]);
        assert_eq!(problems("").len(), 2);
    }

    #[test]
    fn a_row_about_nothing_or_without_its_answers_is_found() {
        assert_eq!(
            problems(&GOOD.replace("`tempfile`", "`tempfile`, `rand`")),
            ["no crate of ours asks for `rand`"]
        );
        assert_eq!(problems(&GOOD.replace("| our own |", "| |")), ["a row without its four answers"]);
        assert_eq!(problems(&GOOD.replace("| our own |", "|")), ["a row without its four answers"]);
    }
}
