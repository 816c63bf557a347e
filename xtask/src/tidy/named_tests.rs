//! Tests that documents name as guards of a promise exist.
//!
//! In the threat model and on the page about the ledger, a name between backticks that is words joined by three underscores or
//! more is the name of a test. One that is renamed or removed would leave a promise without its guard.

use super::rust_code::numbered_lines;
use super::{Finding, Workspace};
use std::collections::BTreeSet;

const PAGES: [&str; 2] = ["THREAT_MODEL.md", "docs/ledger.md"];

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let functions: BTreeSet<&str> =
        workspace.rust_files().flat_map(|file| test_functions(&file.text)).collect();
    let mut findings = Vec::new();
    for page in workspace.files.iter().filter(|file| PAGES.contains(&file.path.as_str())) {
        for (line, text) in numbered_lines(&page.text) {
            for name in text.split('`').skip(1).step_by(2).filter(|word| is_name_of_test(word)) {
                if !functions.contains(name) {
                    findings.push(Finding::at_line(
                        &page.path,
                        line,
                        format!("there is no test `{name}`"),
                        "name the test that guards this now, or say that none does",
                    ));
                }
            }
        }
    }
    findings
}

fn is_name_of_test(word: &str) -> bool {
    let letters = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    word.matches('_').count() >= 3 && word.chars().all(letters)
}

/// The functions right below `#[test]`, or `#[tokio::test]` with or without options.
fn test_functions(text: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_mark = |line: &str| line == "#[test]" || line.starts_with("#[tokio::test");
    let marks: Vec<usize> = (0..lines.len()).filter(|line| is_mark(lines[*line])).collect();
    marks.into_iter().filter_map(move |mark| {
        let line = lines[mark..].iter().find(|line| !line.starts_with("#["))?;
        line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?.split('(').next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(page: &str) -> usize {
        let code = "#[test]\n#[should_panic]\nfn a_debit_is_never_undone() {}\nfn a_helper_is_no_test() {}\n\
            #[tokio::test]\nasync fn a_test_that_waits_is_one() {}\n";
        check(&Workspace::with_files([("THREAT_MODEL.md", page), ("crates/x/src/lib.rs", code)])).len()
    }

    #[test]
    fn a_guard_that_is_gone_is_found() {
        assert_eq!(problems("`a_debit_is_never_undone`, `quantum_ms`, a_word_without_any_quotes"), 0);
        assert_eq!(problems("`a_test_that_waits_is_one`"), 0);
        assert_eq!(problems("`a_debit_is_never_lost_again`"), 1);
        assert_eq!(problems("`a_helper_is_no_test`"), 1);
    }
}
