//! One run of cargo-mutants over one crate, and what it found.

use super::survivors::{Survivor, from_report_line};
use super::{Request, Subject};
use crate::cargo;
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Where reports go, below the root, a folder a crate.
const REPORTS: &str = "target/mutants";
/// A test may take this many seconds before a change counts as an endless loop; cargo-mutants takes more when the
/// unchanged tests need more.
const TEST_SECONDS_MIN: &str = "30";

/// What cargo-mutants says of a run that came to its end or to its time limit.
pub struct Outcome {
    pub caught: Vec<Survivor>,
    pub missed: Vec<Survivor>,
    unviable: usize,
    timeouts: usize,
    /// Building and testing, one after the other.
    busy: Duration,
    complete: bool,
}

pub fn cargo_mutants(root: &Path, subject: &Subject, request: &Request) -> Result<Outcome, String> {
    let folder = root.join(REPORTS).join(subject.room);
    std::fs::create_dir_all(&folder).map_err(|error| format!("no folder for the report: {error}"))?;
    let mut command = cargo::command(root);
    command.args(["mutants", "--package", &format!("pointillist-{}", subject.room), "--jobs", "1"]);
    // The first test that fails ends a run with nextest; plain cargo runs the rest as well.
    let tool = if cargo::has_subcommand(root, "nextest") { "nextest" } else { "cargo" };
    command.args(["--test-tool", tool, "--minimum-test-timeout", TEST_SECONDS_MIN, "--output"]).arg(&folder);
    for file in subject.files {
        command.args(["--file", &format!("crates/{}/src/{file}", subject.room)]);
    }
    command.args(&request.options);
    let child = command.spawn().map_err(|error| format!("`cargo mutants` could not be started: {error}"))?;
    let status = wait(child, request.time_limit)?;
    // 0: all caught; 2: some missed; 3: some timed out. Nothing: the time limit.
    let complete = match status.map(|status| status.code()) {
        None => false,
        Some(Some(0 | 2 | 3)) => true,
        Some(_) => {
            return Err(format!(
                "`cargo mutants` did not finish for `{}`; its output above says why\n\
                 hint: the unchanged tests must pass first: cargo test -p pointillist-{0}",
                subject.room
            ));
        }
    };
    Outcome::read(root, &folder.join("mutants.out"), complete)
}

/// Waits for the end, or asks the run to end at the time limit, which leaves nothing behind. Then there is no status.
fn wait(mut child: Child, time_limit: Option<Duration>) -> Result<Option<ExitStatus>, String> {
    let lost = |error| format!("`cargo mutants` was lost: {error}");
    let Some(limit) = time_limit else {
        return child.wait().map(Some).map_err(lost);
    };
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().map_err(lost)? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().map_err(lost)?;
    child.wait().map_err(lost)?;
    Ok(None)
}

impl Outcome {
    fn read(root: &Path, report: &Path, complete: bool) -> Result<Self, String> {
        let lines = |name: &str| std::fs::read_to_string(report.join(name)).unwrap_or_default();
        let survivors = |name: &str| -> Result<Vec<Survivor>, String> {
            lines(name).lines().map(|line| from_report_line(root, line)).collect()
        };
        let outcomes = std::fs::read_to_string(report.join("outcomes.json")).unwrap_or_default();
        let outcomes = serde_json::from_str(&outcomes).unwrap_or_default();
        Ok(Self {
            caught: survivors("caught.txt")?,
            missed: survivors("missed.txt")?,
            unviable: lines("unviable.txt").lines().count(),
            timeouts: lines("timeout.txt").lines().count(),
            busy: busy_time(&outcomes),
            complete,
        })
    }
}

/// The sum over all phases of all changes.
fn busy_time(outcomes: &Value) -> Duration {
    let list = |value: &Value, field: &str| value[field].as_array().cloned().unwrap_or_default();
    let phases = list(outcomes, "outcomes").into_iter().flat_map(|outcome| list(&outcome, "phase_results"));
    Duration::from_secs_f64(phases.filter_map(|phase| phase["duration"].as_f64()).sum())
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { caught, missed, unviable, timeouts, busy, complete } = self;
        let all = caught.len() + missed.len() + unviable + timeouts;
        write!(
            out,
            "{all} mutants: {} caught, {} missed, {unviable} do not build, {timeouts} never end; {} seconds",
            caught.len(),
            missed.len(),
            busy.as_secs()
        )?;
        if *complete { Ok(()) } else { write!(out, "; ended at the time limit, go on with --iterate") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_is_read_from_its_report() {
        let root = cargo::workspace_root().unwrap();
        let folder = std::env::temp_dir().join(format!("mutants-report-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let first = "xtask/src/main.rs:1:1: replace run with ()\n";
        for (name, text) in [("caught.txt", first), ("missed.txt", ""), ("unviable.txt", "a\nb\n")] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let phases = json!({ "outcomes": [{ "phase_results": [{ "duration": 2.5 }, { "duration": 1.0 }] }] });
        std::fs::write(folder.join("outcomes.json"), phases.to_string()).unwrap();
        let outcome = Outcome::read(&root, &folder, false).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let text = outcome.to_string();
        assert!(
            text.starts_with("3 mutants: 1 caught, 0 missed, 2 do not build, 0 never end; 3 seconds"),
            "{text}"
        );
        assert!(text.ends_with("go on with --iterate"), "{text}");
    }

    #[test]
    fn the_time_limit_ends_a_run() {
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        assert_eq!(wait(child, Some(Duration::from_millis(1))).unwrap(), None);
        let child = Command::new("true").spawn().unwrap();
        assert!(wait(child, None).unwrap().unwrap().success());
    }
}
