//! `cargo xtask tidy`: the rules of the house that the compiler cannot check.
//!
//! Each rule is one file with one function from the [`Workspace`] to its [`Finding`]s, so that its tests can
//! hand it a made-up workspace and show that a violation is found.

mod architecture;
mod dependencies;
mod dependency_page;
mod document_paths;
mod documentation;
mod file_length;
mod foreign_crates;
mod function_length;
mod generators;
mod integration_tests;
mod lints;
mod machine_paths;
mod named_tests;
mod rooms;
mod rust_code;
mod secure_bits;
mod survivors;
mod theorems;
mod thin_doors;
mod tracked_files;
mod unfinished;
mod unused_dependencies;
mod workspace;

use std::fmt;
use std::path::Path;
use workspace::Workspace;

const CHECKS: [fn(&Workspace) -> Vec<Finding>; 20] = [
    architecture::check,
    dependencies::check,
    dependency_page::check,
    document_paths::check,
    documentation::check,
    file_length::check,
    foreign_crates::check,
    function_length::check,
    generators::check,
    integration_tests::check,
    lints::check,
    machine_paths::check,
    named_tests::check,
    secure_bits::check,
    survivors::check,
    theorems::check,
    thin_doors::check,
    tracked_files::check,
    unfinished::check,
    unused_dependencies::check,
];

/// Applies every rule, and returns either a line of good news or all findings.
pub fn run(root: &Path) -> Result<String, String> {
    let workspace = Workspace::read(root)?;
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&workspace)).collect();
    if findings.is_empty() {
        let (crates, files) = (workspace.crates.len(), workspace.files.len());
        return Ok(format!("{crates} crates and {files} files are tidy."));
    }
    findings.sort();
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    Err(lines.join("\n"))
}

/// One broken rule: where, what, and what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from 1; absent when the whole file is meant.
    line: Option<usize>,
    problem: String,
    hint: String,
}

impl Finding {
    fn in_file(path: &str, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.to_string(), line: None, problem: problem.into(), hint: hint.into() }
    }

    fn at_line(path: &str, line: usize, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::in_file(path, problem, hint) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, problem, hint } = self;
        match line {
            Some(line) => write!(formatter, "{path}:{line}: {problem}\n  hint: {hint}"),
            None => write!(formatter, "{path}: {problem}\n  hint: {hint}"),
        }
    }
}
