//! A Rust file holds one idea, and one idea fits in 600 lines. Tests may take 1 000: they repeat by nature.

use super::{Finding, Workspace};

const LINES_MAX: usize = 600;
const LINES_OF_TESTS_MAX: usize = 1000;

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        let lines = file.text.lines().count();
        let lines_max = if holds_tests(&file.path) { LINES_OF_TESTS_MAX } else { LINES_MAX };
        if lines > lines_max {
            findings.push(Finding::in_file(
                &file.path,
                format!("{lines} lines are more than {lines_max}"),
                "look for the second idea and give it its own file; tests may move to a sibling tests.rs",
            ));
        }
    }
    findings
}

/// Whether the path says that only tests live there.
pub fn holds_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|part| part == "tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(path: &str, lines: usize) -> bool {
        !check(&Workspace::with_files([(path, &"// A line.\n".repeat(lines))])).is_empty()
    }

    #[test]
    fn a_source_file_may_have_600_lines_and_no_more() {
        assert!(!is_found("crates/noise/src/laplace.rs", 600));
        assert!(is_found("crates/noise/src/laplace.rs", 601));
        assert!(is_found("crates/noise/src/more_tests.rs", 601));
    }

    #[test]
    fn a_file_of_tests_may_have_1000() {
        for path in ["crates/noise/src/laplace/tests.rs", "crates/noise/tests/all.rs"] {
            assert!(!is_found(path, 1000));
            assert!(is_found(path, 1001));
        }
    }

    #[test]
    fn only_rust_is_measured() {
        assert!(!is_found("LICENSE", 5000));
    }
}
