//! `cargo xtask package`: could every crate of ours be published as it stands?
//!
//! Crates that allow it (all but the test kit, the fuzzer and `xtask`) must say what they are: description, readme,
//! keywords, categories, licence and the oldest compiler; and ask for each other by version, since a path means nothing to
//! a stranger. Then cargo packs them all, without the network and without publishing anything.

use crate::cargo;
use serde_json::Value;
use std::path::Path;

/// Packs every crate that may be published; good news, or everything that is missing.
pub fn run(root: &Path) -> Result<String, String> {
    let metadata = cargo::metadata_of_members(root)?;
    let packages = cargo::packages(&metadata)?;
    let is_kept = |package: &&Value| package["publish"].as_array().is_some_and(Vec::is_empty);
    let (kept, published): (Vec<&Value>, Vec<&Value>) = packages.iter().partition(is_kept);
    let kept_names: Vec<&str> = kept.iter().filter_map(|package| package["name"].as_str()).collect();
    let missing: Vec<String> = published.iter().flat_map(|package| gaps(package, &kept_names)).collect();
    if !missing.is_empty() {
        return Err(missing.join("\n"));
    }
    let mut command = cargo::command(root);
    command.args(["package", "--workspace", "--offline", "--no-verify", "--allow-dirty", "--quiet"]);
    for name in &kept_names {
        command.args(["--exclude", name]);
    }
    let output =
        command.output().map_err(|error| format!("`cargo package` could not be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_string());
    }
    let place = if published.iter().all(|package| package["repository"].is_string()) {
        ""
    } else {
        " Before publishing, say in [workspace.package] where the repository is."
    };
    Ok(format!("{} crates are packed in target/package.{place}", published.len()))
}

/// What a package lacks before strangers can use it.
fn gaps(package: &Value, kept: &[&str]) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or("a crate without a name");
    let mut gaps = Vec::new();
    for field in ["description", "readme", "license", "rust_version"] {
        if !package[field].is_string() {
            gaps.push(format!("{name} does not give its `{}`", field.replace('_', "-")));
        }
    }
    for field in ["keywords", "categories"] {
        let count = package[field].as_array().map_or(0, Vec::len);
        // The registry refuses a sixth of either.
        if !(1..=5).contains(&count) {
            gaps.push(format!("{name} has {count} {field}, and needs one to five"));
        }
    }
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let other = dependency["name"].as_str().unwrap_or_default();
        if dependency["path"].is_null() || dependency["kind"] == "dev" {
            continue;
        }
        if kept.contains(&other) {
            gaps.push(format!("{name} depends on {other}, which is not published"));
        } else if dependency["req"] == "*" {
            gaps.push(format!("{name} depends on {other} by its path alone; give the version in Cargo.toml"));
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn good() -> Value {
        json!({
            "name": "pointillist-noise", "description": "Noise.", "readme": "README.md", "license": "MIT",
            "rust_version": "1.95", "keywords": ["privacy"], "categories": ["science"],
            "dependencies": [
                { "name": "pointillist-numbers", "path": "crates/numbers", "req": "^0.1.0", "kind": null },
                { "name": "pointillist-testkit", "path": "crates/testkit", "req": "*", "kind": "dev" },
                { "name": "getrandom", "req": "^0.4", "kind": null },
            ],
        })
    }

    #[test]
    fn a_crate_that_says_everything_is_fine() {
        assert_eq!(gaps(&good(), &["pointillist-testkit"]), [""; 0]);
    }

    #[test]
    fn every_missing_word_is_named() {
        for field in ["description", "readme", "license", "rust_version", "keywords", "categories"] {
            let mut package = good();
            package[field] = Value::Null;
            assert_eq!(gaps(&package, &[]).len(), 1, "{field}");
        }
    }

    #[test]
    fn dependencies_that_a_stranger_cannot_get_are_found() {
        let mut package = good();
        package["dependencies"][0]["req"] = json!("*");
        assert!(gaps(&package, &[])[0].contains("by its path alone"));
        assert!(gaps(&good(), &["pointillist-numbers"])[0].contains("not published"));
    }
}
