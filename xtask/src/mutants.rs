//! `cargo xtask mutants [CRATE]`: does any test notice when a line is wrong?
//!
//! cargo-mutants changes one thing at a time (an operator, a return value, a match arm), builds the one crate it stands
//! in and runs that crate's tests. A change that no test notices is a survivor: a test is missing, or the change is
//! harmless and stands in the list of survivors with the reason.
//!
//! Hours of work for all crates, so it is no part of `cargo xtask test`: `--minutes` ends a run early, `--iterate` goes on
//! where an earlier one ended, and `--shard 2/8` takes the third eighth.

mod run;
pub mod survivors;

use crate::{Failure, cargo};
use std::path::Path;
use std::time::Duration;
use survivors::Survivor;

/// A crate and the part of it that must not hide a mistake.
struct Subject {
    room: &'static str,
    /// Files below the crate's `src`, as cargo-mutants' globs; all of them when empty.
    files: &'static [&'static str],
}

const fn whole(room: &'static str) -> Subject {
    Subject { room, files: &[] }
}

/// What protects people: from exact numbers to the budget. Doors, drafts and drawings are left to their own tests.
const SUBJECTS: [Subject; 10] = [
    whole("numbers"),
    whole("noise"),
    whole("privacy"),
    whole("mechanisms"),
    whole("local"),
    whole("graph"),
    Subject { room: "engine", files: &["bound.rs", "bound/**/*.rs", "read.rs", "read/**/*.rs"] },
    Subject { room: "query", files: &["measure.rs", "measure/**/*.rs", "aggregate.rs"] },
    whole("ledger"),
    whole("curator"),
];

/// The version whose lists and exit codes this file was written for.
const VERSION: &str = "27.1.0";

/// What was asked for on the command line.
#[derive(Debug, PartialEq)]
struct Request<'a> {
    room: Option<&'a str>,
    time_limit: Option<Duration>,
    /// For cargo-mutants, as they are.
    options: Vec<&'a str>,
}

/// Runs one crate, or all of them in turn, and compares what survived with the list.
pub fn run(root: &Path, words: &[&str]) -> Result<(), Failure> {
    let request = parse(words).map_err(Failure::Usage)?;
    let listed = survivors::read(root).map_err(Failure::Problem)?;
    install_when_missing(root)?;
    let mut problems = Vec::new();
    for subject in SUBJECTS.iter().filter(|subject| request.room.is_none_or(|room| room == subject.room)) {
        let outcome = run::cargo_mutants(root, subject, &request).map_err(Failure::Problem)?;
        println!("{}: {outcome}", subject.room);
        problems.extend(compare(&outcome.missed, &outcome.caught, &listed));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure::Problem(problems.join("\n")))
}

fn parse<'a>(words: &[&'a str]) -> Result<Request<'a>, String> {
    let rooms: Vec<&str> = SUBJECTS.iter().map(|subject| subject.room).collect();
    let mut request = Request { room: None, time_limit: None, options: Vec::new() };
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--minutes" => {
                let minutes =
                    words.next().and_then(|text| text.parse::<u64>().ok()).filter(|count| *count > 0);
                let minutes = minutes.ok_or("`--minutes` needs a whole number\nhint: --minutes 30")?;
                request.time_limit = Some(Duration::from_secs(60 * minutes));
            }
            "--shard" => {
                let shard = words.next().ok_or("`--shard` needs a part of the whole\nhint: --shard 0/8")?;
                request.options.extend(["--shard", shard]);
            }
            "--iterate" => request.options.push(word),
            "--" => request.options.extend(words.by_ref()),
            room if rooms.contains(&room) && request.room.is_none() => request.room = Some(room),
            other => {
                return Err(format!(
                    "`cargo xtask mutants` does not understand `{other}`\n\
                     hint: name one of {}; --minutes, --shard and --iterate are understood, and what follows `--` is \
                     handed to cargo-mutants",
                    rooms.join(", ")
                ));
            }
        }
    }
    Ok(request)
}

fn install_when_missing(root: &Path) -> Result<(), Failure> {
    if cargo::has_subcommand(root, "mutants") {
        return Ok(());
    }
    eprintln!("cargo-mutants is not installed; installing version {VERSION}, which takes some minutes.");
    let status =
        cargo::command(root).args(["install", "cargo-mutants", "--locked", "--version", VERSION]).status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    Err(Failure::Problem(format!(
        "cargo-mutants could not be installed\n\
         hint: `cargo install cargo-mutants --locked --version {VERSION}` needs the network; run it once while online"
    )))
}

/// Survivors that nobody has listed, and listed ones that a test notices by now.
fn compare(missed: &[Survivor], caught: &[Survivor], listed: &[Survivor]) -> Vec<String> {
    let unknown = missed.iter().filter(|survivor| !listed.iter().any(|known| known.is_same_change(survivor)));
    let unknown = unknown.map(|survivor| {
        format!(
            "no test notices: {survivor}\n  hint: write the test, or list it in {} with the reason why it is harmless",
            survivors::PATH
        )
    });
    let stale = listed.iter().filter(|known| caught.iter().any(|survivor| known.is_same_change(survivor)));
    let stale = stale
        .map(|known| format!("a test notices by now: {known}\n  hint: take it out of {}", survivors::PATH));
    unknown.chain(stale).collect()
}

#[cfg(test)]
mod tests;
