//! `cargo xtask bench all`: every benchmark beside the peers that this machine can have, one after the other, and the page.
//!
//! Each runs as `cargo xtask bench NAME` does, in a process of its own; what it prints goes to the terminal and onto the page. The page is
//! written after each, so that a run that is interrupted loses one section, and a benchmark that fails keeps its old one.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::page::{self, Section};
use super::{catalogue, list, machine};
use crate::Failure;

pub const ABOUT: &str =
    "every one of them, and docs/benchmarks.md with the results; `--only NAME,NAME` or `--except NAME,NAME`";
const PAGE: &str = "docs/benchmarks.md";
const NOTES: &str = "benches/notes";

/// Runs them and writes the page.
pub fn run(root: &Path, options: &[&str]) -> Result<(), Failure> {
    let wanted = wanted(options)?;
    let page_file = root.join(PAGE);
    let on = machine::description(root);
    let names: Vec<&str> = catalogue().map(|(name, _)| name).collect();
    let mut failed = Vec::new();
    for (place, (name, about)) in wanted.iter().enumerate() {
        println!("\n==> {name} ({} of {})\n", place + 1, wanted.len());
        let (date, load, begun) = (machine::date(root), machine::load(), Instant::now());
        let output = match printed_by(root, name) {
            Ok(output) => output,
            Err(reason) => {
                eprintln!("{name}: {reason}");
                failed.push(*name);
                continue;
            }
        };
        let load = load.map_or_else(String::new, |load| format!(", load {load} before it"));
        let measured = format!("{date}, {on}; {:.0} s in all{load}.", begun.elapsed().as_secs_f64());
        let notes =
            std::fs::read_to_string(root.join(NOTES).join(name).with_extension("md")).unwrap_or_default();
        let section = Section { name, about, measured, output, notes };
        let page = std::fs::read_to_string(&page_file).unwrap_or_default();
        let page = page::updated(&page, &[section], &names);
        std::fs::write(&page_file, page)
            .map_err(|error| Failure::Problem(format!("{PAGE} could not be written: {error}")))?;
    }
    match failed.as_slice() {
        [] => {
            println!("\n{PAGE} has {} new sections.", wanted.len());
            Ok(())
        }
        failed => Err(Failure::Problem(format!("not measured, because they failed: {}", failed.join(", ")))),
    }
}

/// What is to be measured.
fn wanted(options: &[&str]) -> Result<Vec<(&'static str, &'static str)>, Failure> {
    let named = |names: &str| -> Result<Vec<String>, Failure> {
        let names: Vec<String> = names.split(',').map(str::to_owned).collect();
        match names.iter().find(|name| catalogue().all(|(known, _)| known != name.as_str())) {
            Some(unknown) => Err(Failure::Usage(format!("there is no benchmark `{unknown}`\n\n{}", list()))),
            None => Ok(names),
        }
    };
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    match options {
        [] => Ok(catalogue().collect()),
        ["--only", names] => {
            named(names).map(|names| catalogue().filter(|(name, _)| has(&names, name)).collect())
        }
        ["--except", names] => {
            named(names).map(|names| catalogue().filter(|(name, _)| !has(&names, name)).collect())
        }
        _ => Err(Failure::Usage(
            "`cargo xtask bench all` takes `--only NAME,NAME` or `--except NAME,NAME`, and nothing else"
                .to_owned(),
        )),
    }
}

/// Runs one benchmark as a process of its own, and keeps what it prints while people see it.
fn printed_by(root: &Path, name: &str) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let mut child = Command::new(program)
        .args(["bench", name])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it could not be started: {error}"))?;
    let mut kept = String::new();
    let output = child.stdout.take().ok_or("its output is not to be had")?;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| format!("its output is no text: {error}"))?;
        println!("{line}");
        let _ = std::io::stdout().flush();
        // The page speaks of files of the repository, wherever that is.
        kept.push_str(&line.replace(&format!("{}/", root.display()), ""));
        kept.push('\n');
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(kept),
        Ok(status) => Err(format!("it ended with {status}")),
        Err(error) => Err(format!("it was lost: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_wanted_unless_somebody_chooses() {
        let names = |options: &[&str]| wanted(options).map(|wanted| wanted.len()).map_err(|_| ());
        let everything = catalogue().count();
        assert_eq!(names(&[]), Ok(everything));
        assert_eq!(names(&["--only", "noise,python"]), Ok(2));
        assert_eq!(names(&["--except", "noise"]), Ok(everything - 1));
        assert_eq!(names(&["--only", "nosie"]), Err(()));
        assert_eq!(names(&["noise"]), Err(()));
    }
}
