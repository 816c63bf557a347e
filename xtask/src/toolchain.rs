//! Does this run check the oldest compiler that we promise?
//!
//! `rust-version` in Cargo.toml is a promise to users with older compilers, and it is true only as long as somebody compiles
//! with exactly that one. Continuous integration does; a newcomer with a newer compiler is welcome, and is told that their
//! run says nothing about the promise. With an older one cargo itself refuses.

use crate::cargo;
use std::path::Path;

/// Good news when the compiler is the promised one; otherwise what this run leaves unchecked.
pub fn run(root: &Path) -> Result<String, String> {
    let metadata = cargo::metadata_of_members(root)?;
    let promised = cargo::packages(&metadata)?
        .iter()
        .find_map(|package| package["rust_version"].as_str())
        .ok_or("no crate says which compiler it needs\nhint: give `rust-version` in Cargo.toml")?;
    let output = cargo::command(root)
        .arg("--version")
        .output()
        .map_err(|error| format!("`cargo --version` could not be started: {error}"))?;
    verdict(promised, &String::from_utf8_lossy(&output.stdout))
}

fn verdict(promised: &str, version: &str) -> Result<String, String> {
    let ours = version.split_whitespace().nth(1).unwrap_or_default();
    let minor = |version: &str| version.split('.').take(2).map(str::to_string).collect::<Vec<_>>();
    if minor(ours) == minor(promised) {
        Ok(format!("Compiling with {ours}, the oldest compiler that is promised."))
    } else {
        Err(format!(
            "rust-version promises {promised}, and this run compiles with {ours}: the promise is not checked\n\
             hint: `rustup install {promised}` and `cargo +{promised} xtask test`, or raise rust-version in Cargo.toml"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_promised_compiler_checks_the_promise() {
        assert!(verdict("1.95", "cargo 1.95.2 (f2d3ce0bd 2026-03-21)").is_ok());
        for other in ["cargo 1.96.0 (abc 2026-05-01)", "cargo 1.9.5", "", "cargo 2.95.0"] {
            assert!(verdict("1.95", other).unwrap_err().contains("promises 1.95"), "{other}");
        }
    }
}
