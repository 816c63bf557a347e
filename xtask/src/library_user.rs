//! A program of somebody else's, compiled outside of this workspace: with secure bits it compiles, with a closure it must
//! not.
//!
//! Inside the workspace nobody could tell: tests turn on the feature that makes closures secure bits, and cargo builds a
//! crate once for all who ask. So the two programs of `xtask/fixtures/library_user` become a package of their
//! own below `target`, with the workspace's lock file, that depends on the mechanisms as a user would. The first program
//! shows that the second fails for the reason we want, and its error must name the trait.

use crate::cargo;
use std::fs;
use std::path::Path;

const PROGRAMS: &str = "xtask/fixtures/library_user";
const SECURE: &str = "secure";
const SCRIPTED: &str = "scripted";
const TRAIT: &str = "SecureBits";
const CRATES: [&str; 3] = ["mechanisms", "noise", "privacy"];

/// Compiles both programs, and returns a line of good news or what went wrong.
pub fn run(root: &Path) -> Result<String, String> {
    let folder = root.join("target").join("library_user");
    set_up(root, &folder).map_err(|error| format!("the program outside cannot be set up: {error}"))?;
    let (compiles, errors) = check(&folder, SECURE)?;
    if !compiles {
        return Err(format!(
            "{errors}\nhint: a program with secure bits must compile; see {PROGRAMS}/{SECURE}.rs"
        ));
    }
    let (compiles, errors) = check(&folder, SCRIPTED)?;
    verdict(compiles, &errors)
}

fn verdict(compiles: bool, errors: &str) -> Result<String, String> {
    if compiles {
        return Err(format!(
            "a program without the feature `scripted-bits` passes a closure to `release`, and compiles\n\
             hint: let `release` ask for {TRAIT}, and look for who turns the feature on among the dependencies"
        ));
    }
    if !errors.contains(TRAIT) {
        return Err(format!(
            "{errors}\nhint: the program must fail because a closure is not {TRAIT}, and fails for another reason"
        ));
    }
    Ok("A program outside of this workspace cannot publish with bits that it chose.".to_string())
}

fn set_up(root: &Path, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut manifest = String::from(
        "[package]\nname = \"library-user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n",
    );
    for program in [SECURE, SCRIPTED] {
        manifest.push_str(&format!(
            "[[bin]]\nname = \"{program}\"\npath = \"../../{PROGRAMS}/{program}.rs\"\n\n"
        ));
    }
    manifest.push_str("[dependencies]\n");
    for name in CRATES {
        manifest.push_str(&format!("pointillist-{name} = {{ path = \"../../crates/{name}\" }}\n"));
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map(|_| ())
}

/// Whether a program compiles, and what the compiler said.
fn check(folder: &Path, program: &str) -> Result<(bool, String), String> {
    let output = cargo::command(folder)
        .args(["check", "--offline", "--quiet", "--bin", program])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .map_err(|error| format!("`cargo check` could not be started: {error}"))?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_that_passes_is_bad_news() {
        assert!(verdict(true, "").unwrap_err().contains("scripted-bits"));
    }

    #[test]
    fn a_failure_for_another_reason_is_bad_news_too() {
        assert!(verdict(false, "error: unresolved import").unwrap_err().contains("another reason"));
        assert!(verdict(false, "the trait bound `{closure}: SecureBits` is not satisfied").is_ok());
    }

    #[test]
    fn the_two_programs_differ_in_their_bits_alone() {
        let root = cargo::workspace_root().unwrap();
        let code = |program: &str| {
            let text = fs::read_to_string(root.join(PROGRAMS).join(format!("{program}.rs"))).unwrap();
            let kept =
                |line: &&str| !line.starts_with("//!") && !line.contains("bits") && !line.contains("release");
            text.lines().filter(kept).map(str::to_string).collect::<Vec<_>>()
        };
        assert_eq!(code(SECURE), code(SCRIPTED));
    }
}
