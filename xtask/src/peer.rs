//! The same work by another library, in the same run: a Python script in `benches/peers`, in an environment of its own.
//!
//! Peers are a courtesy to readers of benchmarks. A machine without Python or without the package still has our figures;
//! it is told loudly what was skipped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30 * 60);

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
            let started = Command::new(python).arg(&script).args(options).spawn();
            match started.map_err(|error| error.to_string()).and_then(patiently) {
                Ok(()) => {}
                Err(reason) => skip(benchmark, &reason),
            }
        }
        Err(reason) => skip(benchmark, &reason),
    }
}

/// Waits for a peer, but not for ever: what it has printed until then stays.
fn patiently(mut peer: Child) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match peer.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => return Err("its script failed".to_owned()),
            Ok(None) if begun.elapsed() > PATIENCE => {
                let _ = peer.kill();
                let _ = peer.wait();
                return Err(format!("it was not done after {} minutes", PATIENCE.as_secs() / 60));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(200)),
            Err(error) => return Err(format!("it was lost: {error}")),
        }
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
    fn a_peer_that_fails_is_told_from_one_that_does_not() {
        let ended =
            |program: &str| patiently(Command::new(program).spawn().expect("a program of every Unix"));
        assert_eq!(ended("true"), Ok(()));
        assert_eq!(ended("false"), Err("its script failed".to_owned()));
    }

    #[test]
    fn the_first_line_names_the_package() {
        assert_eq!(requirement("# requires: opendp==0.16.0\nimport opendp"), Some("opendp==0.16.0"));
        assert_eq!(requirement("import opendp"), None);
        assert_eq!(requirement(""), None);
    }
}
