//! The same work by another library, in the same run: a Python script in `benches/peers`, in an environment of its own.
//!
//! Peers are a courtesy to readers of benchmarks. A machine without Python or without the package still has our figures;
//! it is told loudly what was skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the peer of a benchmark, if it has one and the machine can have it, with the options of the benchmark.
pub fn run(root: &Path, benchmark: &str, options: &[&str]) {
    let script = root.join("benches/peers").join(benchmark).with_extension("py");
    let Ok(text) = std::fs::read_to_string(&script) else {
        return;
    };
    let Some(requirement) = requirement(&text) else {
        return skip(benchmark, "its script names no package");
    };
    println!("\nThe same by {requirement}:\n");
    match environment(root, requirement, 1) {
        Ok(python) => {
            let done = Command::new(python).arg(&script).args(options).status();
            if !done.is_ok_and(|status| status.success()) {
                skip(benchmark, "its script failed");
            }
        }
        Err(reason) => skip(benchmark, &reason),
    }
}

/// A Python that has what this script's first line asks for.
///
/// # Errors
/// When the machine cannot have it.
pub fn python_for(root: &Path, script: &Path) -> Result<PathBuf, String> {
    let text = std::fs::read_to_string(script).map_err(|error| format!("the script is not read: {error}"))?;
    let requirement = requirement(&text).ok_or("the script names no package")?;
    environment(root, requirement, usize::MAX)
}

/// The packages that the script's first line asks for, separated by blanks. It needs the first; without one of the others
/// it shows less.
fn requirement(script: &str) -> Option<&str> {
    script.lines().next()?.strip_prefix("# requires: ").map(str::trim)
}

/// A Python with the packages, in a folder of its own below `target`. It is an error to be without one of the first `needed`.
fn environment(root: &Path, requirement: &str, needed: usize) -> Result<PathBuf, String> {
    let folder = root.join("target/peers").join(requirement.replace("==", "-").replace([' ', '[', ']'], "_"));
    let python = folder.join("bin/python");
    let installed = folder.join("installed");
    if installed.exists() {
        return Ok(python);
    }
    println!("(installing {requirement} into target/peers; this happens once)");
    let quiet = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        let done = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    };
    let folder_text = folder.to_string_lossy().into_owned();
    if !quiet(Path::new("python3"), &["-m", "venv", &folder_text]) {
        return Err("python3 with venv is not on this machine".to_owned());
    }
    for (place, package) in requirement.split_whitespace().enumerate() {
        if !quiet(&python, &["-m", "pip", "install", "--quiet", package]) {
            let problem = format!("{package} could not be installed");
            if place < needed {
                return Err(problem);
            }
            println!("SKIPPED one package: {problem}.");
        }
    }
    std::fs::write(&installed, "").map_err(|error| format!("target/peers cannot be written: {error}"))?;
    Ok(python)
}

fn skip(benchmark: &str, reason: &str) {
    println!("SKIPPED the peer of `{benchmark}`: {reason}.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_package() {
        assert_eq!(requirement("# requires: opendp==0.16.0\nimport opendp"), Some("opendp==0.16.0"));
        assert_eq!(requirement("import opendp"), None);
        assert_eq!(requirement(""), None);
    }
}
