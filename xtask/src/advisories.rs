//! `cargo xtask advisories`: are there published warnings about what we stand on?
//!
//! The list of warnings is other people's and changes daily, so this step needs a tool, `cargo audit` or `cargo deny`, and
//! a copy of the list that somebody fetched: nothing is downloaded here. Without either the step says loudly that it was
//! skipped; it never makes a run green that should not be.

use crate::cargo;
use std::path::{Path, PathBuf};

/// How the look at the list ended.
#[derive(Debug, PartialEq)]
pub enum Advisories {
    None(String),
    Found(String),
    /// No tool, or no copy of the list; the text says how to get one.
    NotLooked(String),
}

/// Where a copy of the list may be, below cargo's home: one folder a tool.
const COPIES: [(&str, &str); 2] = [("audit", "advisory-db"), ("deny", "advisory-dbs")];

/// Looks with the first tool that is installed and has its copy.
pub fn run(root: &Path) -> Advisories {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_default();
    let usable =
        COPIES.into_iter().find(|(tool, copy)| home.join(copy).is_dir() && cargo::has_subcommand(root, tool));
    let Some((tool, copy)) = usable else {
        return Advisories::NotLooked(not_looked().to_string());
    };
    match cargo::command(root).args(arguments(tool)).output() {
        Err(error) => Advisories::NotLooked(format!("`cargo {tool}` could not be started: {error}")),
        Ok(output) if output.status.success() => {
            Advisories::None(format!("cargo {tool}: nothing is known against our dependencies, says {copy}."))
        }
        Ok(output) => {
            let words = [output.stdout, output.stderr].concat();
            Advisories::Found(format!(
                "{}\nhint: update the crate, or leave it; `cargo tree --invert NAME` shows who asked for it",
                String::from_utf8_lossy(&words).trim()
            ))
        }
    }
}

fn arguments(tool: &str) -> &'static [&'static str] {
    match tool {
        // An old copy is better than none: how old it is stands in the tool's own output.
        "audit" => &["audit", "--no-fetch", "--stale", "--color", "never"],
        _ => &["deny", "--offline", "check", "advisories"],
    }
}

fn not_looked() -> &'static str {
    "nobody looked for published warnings about our dependencies\n\
     hint: `cargo install cargo-audit` and run `cargo audit` once while online; its copy of the list is used from then on"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_fetches_anything() {
        for (tool, _) in COPIES {
            assert!(arguments(tool).iter().any(|word| ["--no-fetch", "--offline"].contains(word)), "{tool}");
        }
    }

    #[test]
    fn a_skipped_look_says_how_to_look() {
        assert!(not_looked().contains("cargo install cargo-audit"));
    }
}
