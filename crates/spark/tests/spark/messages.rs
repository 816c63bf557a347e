//! The messages that we wrote by hand are those that Spark has.

use std::path::PathBuf;
use std::process::Command;

/// Specification: every field's name, number, type and presence is that of the descriptors in the installed `pyspark`.
#[test]
fn every_field_is_as_spark_declares_it() {
    let Some(home) = std::env::var_os("POINTILLIST_SPARK_HOME") else {
        eprintln!(
            "SKIPPED: POINTILLIST_SPARK_HOME is not set, so that messages are not compared with Spark's"
        );
        return;
    };
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(PathBuf::from(home).join("bin/python"));
    command.arg(here.join("tests/spark/tags.py")).arg(here.join("src/messages.rs"));
    let output = command.output().expect("the environment's Python");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{complained}");
}
