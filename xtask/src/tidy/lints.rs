//! Every crate obeys the workspace's lints, these forbid `unsafe`, and no file excuses itself from documentation or from
//! warnings as a whole.

use super::rust_code::{code_only, numbered_lines};
use super::{Finding, Workspace};

const ROOT_MANIFEST: &str = "Cargo.toml";
/// Lints that nobody may switch off, for an item or for a file.
const KEPT: [&str; 3] = ["missing_docs", "warnings", "unsafe_code"];

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !manifest_says(workspace, ROOT_MANIFEST, "workspace.lints.rust", "unsafe_code=\"forbid\"") {
        findings.push(Finding::in_file(
            ROOT_MANIFEST,
            "`unsafe` is not forbidden",
            "put `unsafe_code = \"forbid\"` under [workspace.lints.rust]",
        ));
    }
    for member in &workspace.crates {
        let manifest = member.manifest_path();
        if !manifest_says(workspace, &manifest, "lints", "workspace=true") {
            findings.push(Finding::in_file(
                &manifest,
                "the crate does not take over the workspace's lints",
                "add the two lines `[lints]` and `workspace = true`",
            ));
        }
    }
    for file in workspace.rust_files() {
        for (line, code) in numbered_lines(&code_only(&file.text)) {
            if let Some(lint) = KEPT.iter().find(|lint| excuses(code, lint)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{lint}` is switched off"),
                    "write the documentation, or repair what the warning is about",
                ));
            }
        }
    }
    findings
}

/// Whether a line has an attribute that allows or expects `lint`.
fn excuses(code: &str, lint: &str) -> bool {
    let attribute = code.replace(' ', "");
    ["allow(", "expect("].iter().any(|word| {
        let lists = attribute.split(word).skip(1).filter_map(|rest| rest.split(')').next());
        attribute.contains('#') && lists.into_iter().any(|list| list.split(',').any(|named| named == lint))
    })
}

/// Whether a manifest has the line `setting`, given without spaces, in the table `table`. One spelling is
/// enough for manifests we write ourselves, and another spelling is found rather than overlooked.
fn manifest_says(workspace: &Workspace, path: &str, table: &str, setting: &str) -> bool {
    let header = format!("[{table}]");
    let text = workspace.file(path).map_or("", |file| &file.text);
    let is_header = |line: &&str| line.trim_start().starts_with('[');
    text.lines()
        .skip_while(|line| line.trim() != header)
        .skip(1)
        .take_while(|line| !is_header(line))
        .any(|line| line.split('#').next().unwrap_or_default().replace(' ', "").trim() == setting)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD_ROOT: &str = "[workspace]\n\n[workspace.lints.rust]\nunsafe_code = \"forbid\" # Always.\n";
    const GOOD_CRATE: &str = "[package]\nname = \"noise\"\n\n[lints]\nworkspace = true\n\n[dependencies]\n";

    fn findings(root: &str, noise: &str) -> Vec<Finding> {
        let files = [(ROOT_MANIFEST, root), ("crates/noise/Cargo.toml", noise)];
        check(&Workspace::with_files(files).and_room("noise", []))
    }

    #[test]
    fn manifests_that_say_so_are_fine() {
        assert_eq!(findings(GOOD_ROOT, GOOD_CRATE), []);
    }

    #[test]
    fn a_crate_without_the_lints_is_found() {
        for manifest in ["", "[lints]\n\n[package]\nworkspace = true\n", "[lints]\n# workspace = true\n"] {
            let found = findings(GOOD_ROOT, manifest);
            assert!(found.len() == 1 && found[0].path == "crates/noise/Cargo.toml", "{found:?}");
        }
    }

    #[test]
    fn a_root_that_merely_warns_of_unsafe_code_is_found() {
        let found = findings(&GOOD_ROOT.replace("forbid", "warn"), GOOD_CRATE);
        assert!(found.len() == 1 && found[0].path == ROOT_MANIFEST, "{found:?}");
    }

    #[test]
    fn a_file_that_switches_documentation_off_is_found() {
        let found = |code: &str| check(&Workspace::with_files([("crates/noise/src/lib.rs", code)])).len() - 1;
        for code in [
            "#![allow(missing_docs)]\n",
            "#![allow(dead_code, missing_docs)]\n",
            "#[expect(missing_docs)]\npub fn f() {}\n",
            "#![cfg_attr(docsrs, allow(warnings))]\n",
        ] {
            assert_eq!(found(code), 1, "{code}");
        }
        for code in ["// #![allow(missing_docs)]\n", "#[allow(clippy::too_many_arguments)]\nfn f() {}\n"] {
            assert_eq!(found(code), 0, "{code}");
        }
    }
}
