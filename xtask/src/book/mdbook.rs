//! mdBook, which makes HTML of the laid-out pages. It is a program that we run and never link; xtask installs it once, below `target/tools`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;

const VERSION: &str = "0.5.4";

/// The program, installed if it is not there yet.
///
/// # Errors
/// Why this machine cannot have it.
pub fn installed(root: &Path) -> Result<PathBuf, String> {
    let tools = cargo::target_directory(root)?.join("tools");
    let program = tools.join("bin/mdbook");
    if is_ours(&program) {
        return Ok(program);
    }
    println!("(installing mdBook {VERSION} into target/tools; this happens once and takes two minutes)");
    let build = tools.join("mdbook-build");
    let mut install = cargo::command(root);
    install.args(["install", "--locked", "--version", &format!("={VERSION}"), "--force"]);
    install.args(["--no-default-features", "--features", "search", "--root"]).arg(&tools).arg("mdbook");
    let output = install.env("CARGO_TARGET_DIR", &build).output();
    let _ = fs::remove_dir_all(&build);
    let output = output.map_err(|error| format!("cargo could not be started: {error}"))?;
    if is_ours(&program) {
        return Ok(program);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = words.trim().lines().rev().take(3).collect();
    Err(format!(
        "mdBook {VERSION} could not be installed: {}",
        last.into_iter().rev().collect::<Vec<_>>().join(" ")
    ))
}

fn is_ours(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == format!("mdbook v{VERSION}"))
}

/// Builds the book in this folder, and takes a warning for an error.
///
/// # Errors
/// What mdBook says.
pub fn build(program: &Path, book: &Path) -> Result<(), String> {
    let mut mdbook = Command::new(program);
    mdbook.arg("build").arg(book).env("NO_COLOR", "1").env_remove("RUST_LOG").env_remove("MDBOOK_LOG");
    let output = mdbook.output().map_err(|error| format!("mdBook could not be started: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    let complaints = complaints(&words);
    if output.status.success() && complaints.is_empty() {
        return Ok(());
    }
    let complaints = if complaints.is_empty() { words.trim().to_owned() } else { complaints };
    Err(format!("mdBook complains:\n{complaints}"))
}

/// From the first warning on: what follows it may belong to it.
fn complaints(words: &str) -> String {
    let is_complaint = |line: &&str| line.contains("WARN") || line.contains("ERROR");
    words.lines().skip_while(|line| !is_complaint(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_a_complaint_and_news_is_none() {
        assert_eq!(complaints(" INFO Book building has started\n INFO HTML book written\n"), "");
        assert_eq!(complaints(" INFO a\n WARN unclosed tag\n  in b\n"), " WARN unclosed tag\n  in b");
    }
}
