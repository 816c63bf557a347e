//! `cargo xtask audit`: everything that is built in tries to refute itself, as a nightly run would.
//!
//! Longer than the tests and with fresh randomness each time; the page it writes is for people.

use crate::{Failure, cargo};
use std::path::Path;

/// Where the page goes, below the root.
const REPORT: &str = "target/audit.html";

/// Runs the audit of the binary in release mode. What follows is handed to it.
pub fn run(root: &Path, options: &[&str]) -> Result<(), Failure> {
    let options = options.strip_prefix(&["--"]).unwrap_or(options);
    std::fs::create_dir_all(root.join("target"))
        .map_err(|error| Failure::Problem(format!("no folder for the report: {error}")))?;
    let status = cargo::command(root)
        .args(["run", "--release", "--locked", "--quiet", "--", "audit", "all", "--report", REPORT])
        .args(options)
        .status()
        .map_err(|error| Failure::Problem(format!("`cargo run` could not be started: {error}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Problem("the audit found something; its output above says what".to_owned()))
}
