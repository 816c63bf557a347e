//! Every mechanism states its theorem first, and has a test.

use super::{Finding, Workspace};

/// Files of the mechanisms' folder that are not mechanisms, by their path in it. Short on purpose: what
/// publishes anything about data is a mechanism.
pub const NOT_MECHANISMS: [&str; 5] = ["lib.rs", "card.rs", "catalogue.rs", "error.rs", "golden_numbers.rs"];

const FOLDER: &str = "crates/mechanisms/src/";
const GUARANTEE: &str = "**Guarantee.**";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        let Some(name) = file.path.strip_prefix(FOLDER) else {
            continue;
        };
        if NOT_MECHANISMS.contains(&name) || is_tests(name) {
            continue;
        }
        if !opening_docs(&file.text).any(|line| line.contains(GUARANTEE)) {
            findings.push(Finding::in_file(
                &file.path,
                format!("the mechanism does not open with its {GUARANTEE}"),
                format!(
                    "begin the file with `//!` lines that state what is guaranteed, for which neighbours and \
                     where the proof is; a file that is no mechanism is listed in NOT_MECHANISMS, in {}",
                    file!()
                ),
            ));
        }
        if !file.text.contains("#[cfg(test)]") && !has_sibling_tests(workspace, &file.path) {
            findings.push(Finding::in_file(
                &file.path,
                "the mechanism has no test",
                "add `#[cfg(test)] mod tests`, in the file or beside it, with its exact law or its accuracy",
            ));
        }
    }
    findings
}

/// The `//!` lines with which a file begins.
fn opening_docs(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map_while(|line| line.strip_prefix("//!"))
}

fn is_tests(name: &str) -> bool {
    name.rsplit('/').next() == Some("tests.rs") || name.split('/').any(|part| part == "tests")
}

/// The tests of `quantile.rs` may stand in `quantile/tests.rs`, and those of `quantile/tree.rs` there as well.
fn has_sibling_tests(workspace: &Workspace, path: &str) -> bool {
    let own = format!("{}/tests.rs", path.trim_end_matches(".rs"));
    let shared = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/tests.rs"));
    // Directly in `src`, a shared file of tests would excuse every mechanism at once.
    let shared = shared.filter(|shared| *shared != format!("{FOLDER}tests.rs"));
    workspace.file(&own).is_some() || shared.is_some_and(|shared| workspace.file(&shared).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! Laplace mechanism.\n//!\n//! **Guarantee.** ε.\n\n#[cfg(test)]\nmod tests {}\n";

    fn problems(name: &str, text: &str, other: &str) -> Vec<String> {
        let (path, other) = (format!("{FOLDER}{name}"), format!("{FOLDER}{other}"));
        let workspace = Workspace::with_files([(path.as_str(), text), (other.as_str(), "")]);
        let ours = check(&workspace).into_iter().filter(|finding| finding.path == path);
        ours.map(|finding| finding.problem).collect()
    }

    #[test]
    fn a_mechanism_with_theorem_and_test_is_fine() {
        assert_eq!(problems("laplace.rs", GOOD, "lib.rs"), [""; 0]);
    }

    #[test]
    fn a_mechanism_without_a_guarantee_is_found() {
        let later = format!("//! Laplace mechanism.\n\n{GOOD}");
        for text in [GOOD.replace("Guarantee", "Hope"), later] {
            assert_eq!(problems("laplace.rs", &text, "lib.rs").len(), 1, "{text}");
        }
    }

    #[test]
    fn a_mechanism_without_a_test_is_found_unless_the_test_stands_beside_it() {
        let untested = GOOD.replace("#[cfg(test)]\nmod tests {}\n", "");
        assert_eq!(problems("laplace.rs", &untested, "lib.rs"), ["the mechanism has no test"]);
        assert_eq!(problems("laplace.rs", &untested, "tests.rs"), ["the mechanism has no test"]);
        assert_eq!(problems("laplace.rs", &untested, "laplace/tests.rs"), [""; 0]);
        assert_eq!(problems("quantile/tree.rs", &untested, "quantile/tests.rs"), [""; 0]);
    }

    #[test]
    fn files_that_are_not_mechanisms_need_no_theorem() {
        for name in NOT_MECHANISMS.into_iter().chain(["laplace/tests.rs"]) {
            assert_eq!(problems(name, "", "other.rs"), [""; 0], "{name}");
        }
    }
}
