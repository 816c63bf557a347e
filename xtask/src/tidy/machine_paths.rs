//! No file names a place on somebody's machine: such a path works for one person and tells about them.

use super::rust_code::numbered_lines;
use super::{Finding, Workspace};

/// The folders at the top of a file system that hold people's own files.
const PERSONAL_FOLDERS: [&str; 4] = ["home", "root", "work", "Users"];

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &workspace.files {
        for (line, text) in numbered_lines(&file.text) {
            for folder in PERSONAL_FOLDERS {
                if names_path_under(text, folder) {
                    findings.push(Finding::at_line(
                        &file.path,
                        line,
                        format!("a path under the folder `{folder}` of some machine"),
                        "write the path from the root of the repository, or ask for it",
                    ));
                }
            }
        }
    }
    findings
}

/// Whether an absolute path under `folder` occurs. After a word, a dot or a tilde, the same characters are
/// the middle of a web address or of a relative path.
fn names_path_under(text: &str, folder: &str) -> bool {
    let continues_a_path = |c: char| c.is_alphanumeric() || "_-.~)}".contains(c);
    text.match_indices(&format!("/{folder}/"))
        .any(|(position, _)| !text[..position].chars().next_back().is_some_and(continues_a_path))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The paths are put together here, because this file is checked as well.
    fn is_found(before: &str, folder: &str) -> bool {
        let text = format!("A line.\nSee {before}/{folder}/ana/data.csv for more.\n");
        let found = check(&Workspace::with_files([("README.md", text.as_str())]));
        assert!(found.iter().all(|finding| finding.line == Some(2)));
        !found.is_empty()
    }

    #[test]
    fn an_absolute_path_into_personal_folders_is_found() {
        for folder in PERSONAL_FOLDERS {
            for before in ["", "`", "\"", "file://", "path="] {
                assert!(is_found(before, folder), "{before}/{folder}/");
            }
        }
    }

    #[test]
    fn web_addresses_relative_paths_and_other_folders_are_fine() {
        for before in ["https://example.org", "..", "~", "crates", "$HOME"] {
            assert!(!is_found(before, "work"), "{before}");
        }
        assert!(!is_found("", "tmp"));
    }
}
