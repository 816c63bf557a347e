//! `cargo xtask test-spark`: the tests that need a Spark Connect server, with one that is installed below `target`.
//!
//! Spark takes a Java, half a gigabyte of a package and minutes, so that `cargo xtask test` leaves these tests out and says so.
//! Where `POINTILLIST_SPARK_HOME` names an environment already, that one is used.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{cargo, clients};

/// The version whose messages the client was checked against.
const PACKAGE: &str = "pyspark[connect]==4.3.0";
/// The programs of tests that have some: whatever says `spark` in them and in the unit tests of the rooms.
const PROGRAMS: [&str; 3] = ["spark", "remote", "curator"];

/// Runs the tests whose names say `spark`.
///
/// # Errors
/// When there is no Java or no Spark, or a test fails.
pub fn run(root: &Path) -> Result<String, String> {
    let home = home(root)?;
    // In one process a room, whose tests share one server: with a process a test, each would start its own. Of the whole
    // workspace, so that nothing is compiled again for fewer features.
    let mut tests = cargo::command(root);
    tests.args(["test", "--locked", "--workspace", "--lib"]);
    for program in PROGRAMS {
        tests.args(["--test", program]);
    }
    tests.args(["spark", "--", "--test-threads=1"]);
    tests.env("POINTILLIST_SPARK_HOME", &home).env("POINTILLIST_SPARK", "required");
    match tests.status() {
        Ok(status) if status.success() => Ok(format!("Spark's tests passed, with {}.", home.display())),
        Ok(_) => Err("hint: the first failing test above names the behaviour that broke".to_owned()),
        Err(error) => Err(format!("cargo could not be started: {error}")),
    }
}

/// The environment that has Spark: the one that is named, or one below `target`.
///
/// # Errors
/// When the machine cannot have it.
pub fn home(root: &Path) -> Result<PathBuf, String> {
    if !clients::has("java") {
        return Err(
            "Java is not installed\nhint: Spark needs Java 17 or later (Debian: default-jdk-headless)"
                .to_owned(),
        );
    }
    match std::env::var_os("POINTILLIST_SPARK_HOME") {
        Some(home) => Ok(PathBuf::from(home)),
        None => environment(root),
    }
}

/// Spark from Python's packages, installed once.
fn environment(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/spark-env");
    let installed = folder.join("installed");
    if installed.exists() {
        return Ok(folder);
    }
    println!("(installing {PACKAGE} into target/spark-env: half a gigabyte, once)");
    let done =
        |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !done(Command::new("python3").args(["-m", "venv"]).arg(&folder)) {
        return Err("python3 with venv is not on this machine".to_owned());
    }
    // Its messages refer to Google's types of errors, which the comparison of tags reads as well.
    let pip = ["-m", "pip", "install", "--quiet", PACKAGE];
    if !done(Command::new(folder.join("bin/python")).args(pip)) {
        return Err(format!("{PACKAGE} could not be installed\nhint: it comes from PyPI"));
    }
    std::fs::write(&installed, "").map_err(|error| format!("target cannot be written: {error}"))?;
    Ok(folder)
}
