//! A page names files that exist, and so does a comment.
//!
//! Every `….rs` in a page, and in a comment between backticks, must be the end of a tracked path, part by part: `plan.rs` is any file of that name,
//! `curator/src/order.rs` one in that folder. And every link that stays in the repository leads to a tracked file; but pages of the
//! book also link to what is made when it is built, and `cargo xtask book` follows those.

use super::rust_code::numbered_lines;
use super::workspace::TextFile;
use super::{Finding, Workspace};

/// Names that stand for a file of the reader's own.
const EXAMPLES: [&str; 2] = ["crates/mechanisms/src/number/staircase.rs", "staircase/tests.rs"];

/// Pages whose commands make files, which have no folder in a link; and what is made for them.
const BOOK: &str = "docs/book/";
const MADE: &str = "docs/book/reference/cli";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The changelog speaks of the past, and the list of chapters names pages from the root.
    let is_other = |path: &str| ["CHANGELOG.md", "docs/book/SUMMARY.md"].contains(&path);
    let pages = workspace.files.iter().filter(|file| file.path.ends_with(".md") && !is_other(&file.path));
    for page in pages {
        for (line, text) in numbered_lines(&page.text) {
            for name in rust_paths(text) {
                if !EXAMPLES.contains(&name)
                    && !workspace.tracked.iter().any(|file| is_end_of(name, &file.path))
                {
                    findings.push(Finding::at_line(
                        &page.path,
                        line,
                        format!("there is no file `{name}`"),
                        "name the file as it is called now",
                    ));
                }
            }
            for target in links(text) {
                if !leads_to_file(workspace, page, target) {
                    findings.push(Finding::at_line(
                        &page.path,
                        line,
                        format!("the link to `{target}` leads nowhere"),
                        "link to a tracked file, from the folder of the page",
                    ));
                }
            }
        }
    }
    for file in workspace.rust_files() {
        for (line, text) in numbered_lines(&file.text) {
            let comment = text.split_once("//").map_or("", |(_, comment)| comment);
            let quoted = comment.split('`').skip(1).step_by(2).filter(|word| !word.contains(' '));
            for name in quoted.flat_map(rust_paths) {
                if !workspace.tracked.iter().any(|tracked| is_end_of(name, &tracked.path)) {
                    findings.push(Finding::at_line(
                        &file.path,
                        line,
                        format!("there is no file `{name}`"),
                        "name the file as it is called now",
                    ));
                }
            }
        }
    }
    findings
}

/// What looks like a path and ends in `.rs`; web addresses and patterns with a star are none.
fn rust_paths(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && !"_-./:*".contains(c))
        .map(|word| word.trim_end_matches([':', '.']))
        .filter(|word| word.ends_with(".rs") && !word.contains([':', '*']))
        .map(|word| word.trim_start_matches("../").trim_start_matches("./"))
        .filter(|word| *word != ".rs")
}

fn is_end_of(name: &str, path: &str) -> bool {
    path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The targets of `[text](target)` that stay in the repository, without what follows `#`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains(':') && !target.contains(' '))
}

fn leads_to_file(workspace: &Workspace, page: &TextFile, target: &str) -> bool {
    let mut parts: Vec<&str> = page.path.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    let path = parts.join("/");
    if path.starts_with(MADE) {
        return true;
    }
    if page.path.starts_with(BOOK) && !target.contains('/') && !target.ends_with(".md") {
        return true;
    }
    let is_or_holds =
        |file: &str| file.strip_prefix(&path).is_some_and(|r| r.is_empty() || r.starts_with('/'));
    workspace.tracked.iter().any(|file| is_or_holds(&file.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let workspace = Workspace::with_files([
            ("docs/page.md", text),
            ("docs/images/a.png", ""),
            ("README.md", ""),
            ("crates/curator/src/order.rs", ""),
        ]);
        check(&workspace).into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn files_that_exist_may_be_named_by_any_end_of_their_path() {
        let text = "See `order.rs`, `curator/src/order.rs` and crates/curator/src/order.rs.\n\
                    [home](../README.md#top), ![a](images/a.png), [web](https://docs.rs/x), [all](images/)\n\
                    `src/*.rs` and https://example.org/lib.rs\n";
        assert_eq!(problems(text), [""; 0]);
    }

    #[test]
    fn files_that_are_gone_and_links_into_nothing_are_found() {
        assert_eq!(problems("in `settle.rs`"), ["there is no file `settle.rs`"]);
        assert_eq!(problems("in `border.rs`: part of a name"), ["there is no file `border.rs`"]);
        assert_eq!(problems("see [this](threats.md)"), ["the link to `threats.md` leads nowhere"]);
    }

    #[test]
    fn comments_name_files_that_exist_and_code_may_name_any() {
        let found = |text: &str| check(&Workspace::with_files([("crates/noise/src/bits.rs", text)])).len();
        assert_eq!(found("//! As in `bits.rs`, and in `noise/src/bits.rs`.\n"), 0);
        // Put together here, because this file is checked as well.
        assert_eq!(found(&format!("let x = 1; // as in {0}gone.rs{0}\n", '`')), 1);
        assert_eq!(found("let path = \"gone.rs\";\n// gone.rs without backticks\n"), 0);
    }

    #[test]
    fn pages_of_the_book_link_to_what_their_commands_make() {
        let found = |path: &str, text: &str| check(&Workspace::with_files([(path, text)])).len();
        assert_eq!(found("docs/book/owner.md", "![a](degrees.svg) [b](reference/cli/query.md)"), 0);
        assert_eq!(found("docs/asking.md", "[b](book/reference/cli.md)"), 0);
        assert_eq!(found("docs/book/SUMMARY.md", "[b](docs/asking.md)"), 0);
        assert_eq!(found("docs/book/owner.md", "[gone](gone.md) [gone](images/gone.svg)"), 2);
        assert_eq!(found("docs/asking.md", "![a](degrees.svg)"), 1);
    }

    #[test]
    fn the_changelog_may_speak_of_the_past() {
        assert!(check(&Workspace::with_files([("CHANGELOG.md", "`gone.rs`")])).is_empty());
    }
}
