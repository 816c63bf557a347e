//! What is tracked is what somebody wrote: no results of a run, no databases, nothing too large to read.
//!
//! A folder of the demonstration once went into history with megabytes of made-up patients. History keeps such things
//! for ever, so this rule looks at every file that git tracks or would track, data too.

use super::{Finding, Workspace};

/// What stands at the top of the repository. Whoever adds something there adds it here.
const TOP: [&str; 21] = [
    ".cargo",
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "THREAT_MODEL.md",
    "benches",
    "crates",
    "docs",
    "packaging",
    "pyproject.toml",
    "python",
    "rustfmt.toml",
    "xtask",
];

const BYTES_MAX: u64 = 256 * 1024;
/// Files that may be larger, each with its reason.
const LARGER: [(&str, &str); 0] = [];

/// Folders that our own binary makes where it runs.
const MADE: [&str; 3] = [".pointillist", "pointillist-demo", "target"];
/// How names of databases and of their companions end; a name with `.sqlite` anywhere counts too.
const DATABASES: [&str; 5] = [".db", ".db3", "-wal", "-shm", "-journal"];

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &workspace.tracked {
        let path = file.path.as_str();
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let top = path.split('/').next().unwrap_or(path);
        if !TOP.contains(&top) {
            findings.push(Finding::in_file(
                path,
                format!("`{top}` has no place at the top of the repository"),
                "move it where its idea lives, ignore it, or add it to TOP in xtask/src/tidy/tracked_files.rs",
            ));
        }
        if file.bytes > BYTES_MAX && !LARGER.iter().any(|(listed, _)| *listed == path) {
            findings.push(Finding::in_file(
                path,
                format!("{} KiB are more than {} KiB", file.bytes.div_ceil(1024), BYTES_MAX / 1024),
                "let a test or a command make it; what must stay is listed in LARGER, in \
                 xtask/src/tidy/tracked_files.rs, with its reason",
            ));
        }
        if let Some(made) = MADE.iter().find(|made| path.split('/').any(|part| part == **made)) {
            findings.push(Finding::in_file(
                path,
                format!("`{made}` is what a run of ours leaves behind"),
                "take it out of git and ignore the folder",
            ));
        }
        if name.contains(".sqlite") || DATABASES.iter().any(|ending| name.ends_with(ending)) {
            findings.push(Finding::in_file(
                path,
                "a database is no source",
                "let the test make it; a ledger in history is somebody's budget",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::workspace::TrackedFile;

    fn found(path: &str, bytes: u64) -> usize {
        let tracked = vec![TrackedFile { path: path.to_string(), bytes }];
        check(&Workspace { tracked, ..Workspace::default() }).len()
    }

    #[test]
    fn what_people_write_is_fine() {
        for path in ["README.md", "crates/noise/src/lib.rs", "xtask/Cargo.toml", "docs/images/page.png"] {
            assert_eq!(found(path, BYTES_MAX), 0, "{path}");
        }
    }

    #[test]
    fn a_stranger_at_the_top_is_found() {
        for path in ["notes.txt", "scratch/try.rs", "hospital.csv"] {
            assert_eq!(found(path, 10), 1, "{path}");
        }
    }

    #[test]
    fn a_file_too_large_to_read_is_found() {
        assert_eq!(found("docs/images/page.png", BYTES_MAX + 1), 1);
    }

    #[test]
    fn databases_and_results_of_runs_are_found() {
        for path in ["crates/ledger/tests/old.sqlite", "docs/a.sqlite-wal", "crates/cli/LEDGER.DB"] {
            assert_eq!(found(path, 10), 1, "{path}");
        }
        assert_eq!(found("crates/cli/.pointillist/key", 10), 1);
        // Not at the top either, and so found twice.
        assert_eq!(found("pointillist-demo/visits.csv", 10), 2);
    }
}
