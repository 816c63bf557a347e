//! Nothing unfinished is shared: no placeholder that panics, no leftover of a hunt for a bug, no test that
//! is switched off, no reminder that nobody reads.

use super::rust_code::{code_only, contains_word_starting_with, numbered_lines};
use super::{Finding, Workspace};

const UNFINISHED_CODE: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// Looked for in comments too, so it is put together here to keep this file out of the findings.
const REMINDER: &str = concat!("FIX", "ME");

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        for (line, code) in numbered_lines(&code_only(&file.text)) {
            for needle in UNFINISHED_CODE.iter().filter(|needle| contains_word_starting_with(code, needle)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{needle}` is unfinished work"),
                    "finish it, or return an error that names what is not supported",
                ));
            }
        }
        for (line, _) in numbered_lines(&file.text).filter(|(_, text)| text.contains(REMINDER)) {
            findings.push(Finding::at_line(
                &file.path,
                line,
                format!("a {REMINDER} is a reminder that nobody reads"),
                "do it now, or state the gap in the documentation where a user would look for it",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(text: &str) -> Vec<Option<usize>> {
        let workspace = Workspace::with_files([("crates/noise/src/laplace.rs", text)]);
        check(&workspace).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn every_sign_of_unfinished_work_is_found() {
        let ends = ["()", "(\"later\")", "(x)", " = \"slow\"]"];
        for (needle, end) in UNFINISHED_CODE.iter().zip(ends) {
            assert_eq!(lines_found(&format!("fn f() {{\n    {needle}{end}\n}}\n")), [Some(2)], "{needle}");
        }
        assert_eq!(lines_found(&format!("fn f() {{}}\n// {REMINDER}: later\n")), [Some(2)]);
    }

    #[test]
    fn comments_and_messages_may_name_what_they_forbid() {
        assert_eq!(lines_found("// Not a `todo!()`.\nconst TEXT: &str = \"dbg!\";\n"), []);
    }
}
