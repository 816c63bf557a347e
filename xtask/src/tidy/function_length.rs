//! A function fits on two screens: 120 lines, its signature included. Tests may take 200: tables repeat by nature.

use super::file_length::holds_tests;
use super::rust_code::{code_only, functions, line_of};
use super::{Finding, Workspace};

const LINES_MAX: usize = 120;
const LINES_OF_TESTS_MAX: usize = 200;

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        let code = code_only(&file.text);
        let lines_max = if holds_tests(&file.path) { LINES_OF_TESTS_MAX } else { LINES_MAX };
        for function in functions(&code) {
            let Some(body) = function.body else { continue };
            let first = line_of(&code, function.start);
            let lines = line_of(&code, body.end) - first + 1;
            if lines > lines_max {
                findings.push(Finding::at_line(
                    &file.path,
                    first,
                    format!("`{}` has {lines} lines, more than {lines_max}", function.name),
                    "give its steps names of their own; a long table is a constant",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(statements: usize) -> Vec<Option<usize>> {
        let text = format!("// A line.\nfn long() {{\n{}}}\n", "    step();\n".repeat(statements));
        let workspace = Workspace::with_files([("crates/noise/src/laplace.rs", text.as_str())]);
        check(&workspace).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_function_may_have_120_lines_and_no_more() {
        assert_eq!(lines_found(118), []);
        assert_eq!(lines_found(119), [Some(2)]);
    }

    #[test]
    fn a_brace_in_a_text_does_not_end_a_function() {
        let body = "    let text = \"}\";\n".repeat(130);
        let text = format!("fn long() {{\n{body}}}\n");
        assert_eq!(check(&Workspace::with_files([("xtask/src/main.rs", text.as_str())])).len(), 1);
    }
}
