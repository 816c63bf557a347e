//! `cargo xtask fuzz [TARGET] [--seconds N]`: the fuzz targets for longer than a test may take, each from a new place.

use crate::{Failure, cargo};
use std::path::Path;

const SECONDS: &str = "60";

/// Runs one target, or all of them one after the other.
pub fn run(root: &Path, options: &[&str]) -> Result<(), Failure> {
    let (target, seconds) = match options {
        [] => (None, SECONDS),
        ["--seconds", seconds] => (None, *seconds),
        [target] => (Some(*target), SECONDS),
        [target, "--seconds", seconds] | ["--seconds", seconds, target] => (Some(*target), *seconds),
        _ => {
            return Err(Failure::Usage(
                "write `cargo xtask fuzz`, `cargo xtask fuzz sql --seconds 600`".to_owned(),
            ));
        }
    };
    if seconds.parse::<u64>().is_err() {
        return Err(Failure::Usage(format!("`{seconds}` is no number of seconds")));
    }
    let mut command = cargo::command(root);
    command.args([
        "test",
        "--locked",
        "--workspace",
        "--test",
        "fuzz",
        "--",
        "--nocapture",
        "--test-threads",
        "1",
    ]);
    command.args(["--skip", "a_broken_reader_is_noticed"]).args(target.map(|name| name.replace('-', "_")));
    let status = command
        .env("POINTILLIST_FUZZ_SECONDS", seconds)
        .status()
        .map_err(|error| Failure::Problem(format!("`cargo test` could not be started: {error}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Problem(
        "an input breaks a target; it is in target/fuzz, and the lines above say which property".to_owned(),
    ))
}
