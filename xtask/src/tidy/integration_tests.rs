//! A crate has at most one integration-test binary.
//!
//! Every binary is linked on its own, and linking dominates the time of a test run. Several files are as
//! readable as modules of one binary.

use super::{Finding, Workspace};

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.crates {
        if member.integration_tests.len() > 1 {
            findings.push(Finding::in_file(
                &format!("{}/tests", member.folder),
                format!("several integration-test binaries: {}", member.integration_tests.join(", ")),
                "keep one file directly in tests/, say all.rs, and make the others its modules in tests/all/",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(binaries: &[&str]) -> Vec<Finding> {
        let mut workspace = Workspace::default().and_room("noise", []);
        workspace.crates[0].integration_tests = binaries.iter().map(ToString::to_string).collect();
        check(&workspace)
    }

    #[test]
    fn one_binary_or_none_is_fine() {
        assert_eq!(findings(&[]), []);
        assert_eq!(findings(&["all"]), []);
    }

    #[test]
    fn a_second_binary_is_found() {
        let found = findings(&["laplace", "gaussian"]);
        assert!(found.len() == 1 && found[0].problem.contains("laplace, gaussian"), "{found:?}");
    }
}
