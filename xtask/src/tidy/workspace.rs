//! What the rules look at: the crates as cargo sees them, every tracked file with its size, and the text of those that are
//! text.

use crate::cargo;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The workspace, read once and handed to every rule.
#[derive(Default)]
pub struct Workspace {
    pub crates: Vec<Crate>,
    /// Every file that git tracks or would track, data too.
    pub tracked: Vec<TrackedFile>,
    pub files: Vec<TextFile>,
}

/// A member of the workspace.
pub struct Crate {
    /// The package's name: `pointillist-noise`.
    pub name: String,
    /// The folder from the root, with slashes on every system: `crates/noise`.
    pub folder: String,
    pub dependencies: Vec<Dependency>,
    /// The integration-test binaries that cargo would build.
    pub integration_tests: Vec<String>,
}

pub struct Dependency {
    /// The package's name, whatever the manifest renames it to.
    pub name: String,
    pub kind: DependencyKind,
    /// The features that the manifest turns on, those of the workspace's line included.
    pub features: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DependencyKind {
    Normal,
    Build,
    Development,
}

pub struct TrackedFile {
    /// The path from the root, with slashes on every system.
    pub path: String,
    pub bytes: u64,
}

/// A file that is text. Files that are not valid UTF-8 are data, and no rule speaks about data.
pub struct TextFile {
    /// The path from the root, with slashes on every system.
    pub path: String,
    pub text: String,
}

impl Workspace {
    pub fn read(root: &Path) -> Result<Self, String> {
        let metadata = cargo::metadata_of_members(root)?;
        let base = cargo::text_field(&metadata, "workspace_root")?;
        let crates: Result<_, String> =
            cargo::packages(&metadata)?.iter().map(|package| Crate::from_metadata(package, base)).collect();
        let (mut tracked, mut files) = (Vec::new(), Vec::new());
        for path in paths(root)? {
            let full = root.join(&path);
            // A link's target is either tracked itself or not ours; a deleted file may still be tracked.
            let Some(metadata) = full.symlink_metadata().ok().filter(|metadata| metadata.is_file()) else {
                continue;
            };
            tracked.push(TrackedFile { path: path.clone(), bytes: metadata.len() });
            let bytes = std::fs::read(&full).map_err(|error| format!("{path} cannot be read: {error}"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(TextFile { path, text });
            }
        }
        Ok(Self { crates: crates?, tracked, files })
    }

    pub fn file(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The crate of a room, where there is one.
    pub fn room(&self, room: &str) -> Option<&Crate> {
        self.crates.iter().find(|member| member.room() == room)
    }

    /// Whether a package is a crate of this workspace.
    pub fn is_ours(&self, package: &str) -> bool {
        self.crates.iter().any(|member| member.name == package)
    }

    pub fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

impl Crate {
    /// The room this crate lives in: its folder's own name.
    pub fn room(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or(&self.folder)
    }

    pub fn manifest_path(&self) -> String {
        format!("{}/Cargo.toml", self.folder)
    }

    fn from_metadata(package: &Value, workspace_root: &str) -> Result<Self, String> {
        let manifest = cargo::text_field(package, "manifest_path")?;
        let folder = Path::new(manifest)
            .parent()
            .and_then(|folder| folder.strip_prefix(workspace_root).ok())
            .ok_or_else(|| format!("{manifest} lies outside the workspace"))?;
        let mut dependencies = Vec::new();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let kind = match dependency["kind"].as_str() {
                None => DependencyKind::Normal,
                Some("build") => DependencyKind::Build,
                Some("dev") => DependencyKind::Development,
                Some(other) => {
                    return Err(format!("cargo knows a kind of dependency that we do not: `{other}`"));
                }
            };
            let features = dependency["features"].as_array().into_iter().flatten();
            dependencies.push(Dependency {
                name: cargo::text_field(dependency, "name")?.to_string(),
                kind,
                features: features.filter_map(Value::as_str).map(ToString::to_string).collect(),
            });
        }
        let mut integration_tests = Vec::new();
        for target in package["targets"].as_array().into_iter().flatten() {
            let kinds = target["kind"].as_array().into_iter().flatten();
            if kinds.into_iter().any(|kind| kind == "test") {
                integration_tests.push(cargo::text_field(target, "name")?.to_string());
            }
        }
        Ok(Self {
            name: cargo::text_field(package, "name")?.to_string(),
            folder: with_slashes(folder),
            dependencies,
            integration_tests,
        })
    }
}

/// Every path git tracks or would track. A tree without git, such as an unpacked archive, is walked instead.
fn paths(root: &Path) -> Result<Vec<String>, String> {
    let listing = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output();
    let mut paths = match listing {
        Ok(listing) if listing.status.success() => String::from_utf8_lossy(&listing.stdout)
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(ToString::to_string)
            .collect(),
        _ => walked_paths(root)?,
    };
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn walked_paths(root: &Path) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let cannot_list = |error| format!("{} cannot be listed: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(cannot_list)? {
            let entry = entry.map_err(cannot_list)?;
            let kind = entry.file_type().map_err(cannot_list)?;
            let path = entry.path();
            if kind.is_dir() {
                if entry.file_name() != ".git" && path != root.join("target") {
                    folders.push(path);
                }
            } else if let Ok(relative) = path.strip_prefix(root) {
                paths.push(with_slashes(relative));
            }
        }
    }
    Ok(paths)
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// Made-up workspaces for the tests of the rules.
#[cfg(test)]
impl Workspace {
    pub fn with_files<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self::default().and_files(files)
    }

    pub fn and_files<const N: usize>(mut self, files: [(&str, &str); N]) -> Self {
        for (path, text) in files {
            self.tracked.push(TrackedFile { path: path.to_string(), bytes: text.len() as u64 });
            self.files.push(TextFile { path: path.to_string(), text: text.to_string() });
        }
        self
    }

    /// Adds the crate `pointillist-ROOM` in `crates/ROOM`.
    pub fn and_room<const N: usize>(mut self, room: &str, dependencies: [(&str, DependencyKind); N]) -> Self {
        let dependencies = dependencies.map(|(name, kind)| Dependency {
            name: name.to_string(),
            kind,
            features: Vec::new(),
        });
        self.crates.push(Crate {
            name: format!("pointillist-{room}"),
            folder: format!("crates/{room}"),
            dependencies: dependencies.into(),
            integration_tests: Vec::new(),
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_crate_is_read_from_the_metadata_of_cargo() {
        let base = std::env::temp_dir().join("clone");
        let manifest = base.join("crates").join("noise").join("Cargo.toml");
        let package = json!({
            "name": "pointillist-noise",
            "manifest_path": manifest.to_str().unwrap(),
            "dependencies": [
                { "name": "getrandom", "kind": null, "features": ["std"] },
                { "name": "pointillist-testkit", "kind": "dev" },
            ],
            "targets": [
                { "name": "pointillist_noise", "kind": ["lib"] },
                { "name": "samplers", "kind": ["test"] },
            ],
        });
        let noise = Crate::from_metadata(&package, base.to_str().unwrap()).unwrap();
        assert_eq!((noise.folder.as_str(), noise.room()), ("crates/noise", "noise"));
        let kinds: Vec<_> = noise.dependencies.iter().map(|dependency| dependency.kind).collect();
        assert_eq!(kinds, [DependencyKind::Normal, DependencyKind::Development]);
        assert_eq!(noise.dependencies[0].features, ["std"]);
        assert_eq!(noise.integration_tests, ["samplers"]);
    }

    #[test]
    fn this_repository_is_read_with_or_without_git() {
        let root = cargo::workspace_root().unwrap();
        let ours = "xtask/src/tidy/workspace.rs".to_string();
        assert!(paths(&root).unwrap().contains(&ours));
        assert!(walked_paths(&root).unwrap().contains(&ours));
    }
}
