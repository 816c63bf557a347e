//! Talking to cargo: the command to start, and what it knows about the workspace.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The cargo that started us, so that every step uses the same toolchain.
pub fn command(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

/// Whether `cargo SUBCOMMAND` is installed. Asks for its version, the one thing every subcommand answers.
pub fn has_subcommand(root: &Path, subcommand: &str) -> bool {
    let silent = command(root)
        .args([subcommand, "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    silent.is_ok_and(|status| status.success())
}

/// The folder of the workspace's `Cargo.toml`.
///
/// It is looked up when we run, not when we are compiled: a target folder may be shared between clones.
pub fn workspace_root() -> Result<PathBuf, String> {
    let start = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(std::env::current_dir, |folder| Ok(PathBuf::from(folder)))
        .map_err(|error| format!("the current folder cannot be read: {error}"))?;
    let is_root = |folder: &&Path| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == "[workspace]")
    };
    start.ancestors().find(is_root).map(Path::to_path_buf).ok_or_else(|| {
        format!(
            "no workspace found at or above {}\nhint: run `cargo xtask` inside the repository",
            start.display()
        )
    })
}

/// Where cargo puts what it builds.
pub fn target_directory(root: &Path) -> Result<PathBuf, String> {
    Ok(text_field(&metadata_of_members(root)?, "target_directory")?.into())
}

/// The crates of the workspace alone. Needs neither a lock file nor the network.
pub fn metadata_of_members(root: &Path) -> Result<Value, String> {
    metadata(root, &["--no-deps", "--offline"])
}

/// The crates of the workspace and all their dependencies, exactly as the lock file pins them.
///
/// Works offline when every dependency has been fetched before, and fetches them otherwise.
pub fn metadata_of_everything(root: &Path) -> Result<Value, String> {
    metadata(root, &["--locked", "--offline"]).or_else(|offline| {
        metadata(root, &["--locked"]).map_err(|online| {
            format!(
                "{online}\nwithout the network: {offline}\n\
                 hint: run `cargo fetch` once while online, or `cargo update --workspace` if the lock file is stale"
            )
        })
    })
}

fn metadata(root: &Path, options: &[&str]) -> Result<Value, String> {
    let output = command(root)
        .args(["metadata", "--format-version", "1"])
        .args(options)
        .output()
        .map_err(|error| format!("`cargo metadata` could not be started: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cargo metadata {}` failed: {}", options.join(" "), complaint.trim()));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("`cargo metadata` did not answer with JSON: {error}"))
}

/// The packages of a `cargo metadata` answer.
pub fn packages(metadata: &Value) -> Result<&[Value], String> {
    metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| "`cargo metadata` did not list any packages".to_string())
}

/// A field of a `cargo metadata` answer that is always a text.
pub fn text_field<'a>(object: &'a Value, field: &str) -> Result<&'a str, String> {
    object[field].as_str().ok_or_else(|| format!("`cargo metadata` left out the field `{field}`"))
}
