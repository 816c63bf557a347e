//! `cargo xtask sbom`: what is in the binary that people install, as CycloneDX 1.6 in `target/pointillist.cdx.json`.
//!
//! Every crate that is linked, every crate that only helped to build (scope `excluded`), who depends on whom, licences as their
//! authors state them, checksums of the lock file; and what is no crate: SQLite and zstd, whose C code is compiled in and whose
//! versions are read from their own headers, and Rust's standard library. No time and no random number is written down: the same
//! lock file and the same compiler give the same bytes. C and assembler of `ring`, which stem from BoringSSL, have no version of
//! their own; they are part of the crate.

use crate::cargo;
use crate::shipped_crates::{self, CrateVersion, ShippedCrates};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// C code of other people that a crate of the lock file carries and compiles.
pub struct BundledLibrary {
    pub carried_by: &'static str,
    pub name: &'static str,
    pub licence: &'static str,
    /// Who made it and what it is, as the lists of vulnerabilities call them.
    cpe: &'static str,
    header: &'static str,
    /// The lines of the header with the parts of the version, each a `#define`.
    version_parts: &'static [&'static str],
    /// The file with the terms, where the crate's own is about the crate alone.
    pub licence_file: Option<&'static str>,
}

pub const BUNDLED: [BundledLibrary; 2] = [
    BundledLibrary {
        carried_by: "libsqlite3-sys",
        name: "sqlite",
        licence: "blessing",
        cpe: "sqlite:sqlite",
        header: "sqlite3/sqlite3.h",
        version_parts: &["SQLITE_VERSION"],
        licence_file: None,
    },
    BundledLibrary {
        carried_by: "zstd-sys",
        name: "zstd",
        licence: "BSD-3-Clause OR GPL-2.0-only",
        cpe: "facebook:zstandard",
        header: "zstd/lib/zstd.h",
        version_parts: &["ZSTD_VERSION_MAJOR", "ZSTD_VERSION_MINOR", "ZSTD_VERSION_RELEASE"],
        licence_file: Some("zstd/LICENSE"),
    },
];

/// Writes the file; good news says what is in it.
pub fn run(root: &Path) -> Result<String, String> {
    let path = cargo::target_directory(root)?.join("pointillist.cdx.json");
    let shipped = shipped_crates::read(root)?;
    std::fs::write(&path, text(root, &shipped)?)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    Ok(format!(
        "{}: {} crates are linked, {} helped to build, and beside them {}",
        path.display(),
        shipped.linked.len(),
        shipped.build_only.len(),
        BUNDLED.map(|bundled| bundled.name).join(", ") + " and Rust's standard library",
    ))
}

/// The whole document.
pub fn text(root: &Path, shipped: &ShippedCrates) -> Result<String, String> {
    let metadata = cargo::metadata_of_everything(root)?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock cannot be read: {error}"))?;
    let (compiler, target) = compiler()?;
    let packages = packages_by_version(&metadata)?;
    let mut bundled = Vec::new();
    for library in &BUNDLED {
        bundled.extend(component_of_bundled(library, shipped, &packages)?);
    }
    let facts = Facts { packages, checksums: checksums(&lock), bundled, compiler, target };
    let document = document(shipped, &facts)?;
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

/// The packages of `cargo metadata` by name and version.
pub fn packages_by_version(metadata: &Value) -> Result<BTreeMap<CrateVersion, &Value>, String> {
    let mut packages = BTreeMap::new();
    for package in cargo::packages(metadata)? {
        let field = |name| cargo::text_field(package, name).map(str::to_owned);
        packages.insert(CrateVersion { name: field("name")?, version: field("version")? }, package);
    }
    Ok(packages)
}

/// What is known beside the graph.
struct Facts<'a> {
    packages: BTreeMap<CrateVersion, &'a Value>,
    checksums: BTreeMap<CrateVersion, String>,
    /// Who carries it, and its component.
    bundled: Vec<(CrateVersion, Value)>,
    compiler: String,
    target: String,
}

fn document(shipped: &ShippedCrates, facts: &Facts<'_>) -> Result<Value, String> {
    let standard_library = json!({
        "type": "library",
        "bom-ref": format!("pkg:generic/rust-std@{}", facts.compiler),
        "name": "rust-std",
        "version": facts.compiler,
        "purl": format!("pkg:generic/rust-std@{}", facts.compiler),
        "scope": "required",
        "description": "Rust's standard library",
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    });
    let mut components = vec![standard_library.clone()];
    components.extend(facts.bundled.iter().map(|(_, component)| component.clone()));
    for package in shipped.linked.iter().chain(&shipped.build_only) {
        if *package != shipped.binary {
            let scope = if shipped.linked.contains(package) { "required" } else { "excluded" };
            let mut component = component(package, facts)?;
            component["scope"] = json!(scope);
            components.push(component);
        }
    }
    components.sort_by_key(|component| component["bom-ref"].to_string());
    let mut depends_on: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (package, below) in &shipped.edges {
        let below = below.iter().map(|package| reference(package, facts));
        depends_on.entry(reference(package, facts)).or_default().extend(below);
    }
    let texts = |component: &Value| component["bom-ref"].as_str().unwrap_or_default().to_owned();
    for (carrier, component) in &facts.bundled {
        depends_on.entry(reference(carrier, facts)).or_default().insert(texts(component));
        depends_on.entry(texts(component)).or_default();
    }
    depends_on.entry(reference(&shipped.binary, facts)).or_default().insert(texts(&standard_library));
    depends_on.entry(texts(&standard_library)).or_default();
    let dependencies: Vec<Value> =
        depends_on.into_iter().map(|(from, to)| json!({ "ref": from, "dependsOn": to })).collect();
    let mut binary = component(&shipped.binary, facts)?;
    binary["type"] = json!("application");
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": binary,
            "properties": [{ "name": "pointillist:target", "value": facts.target }],
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(package: &CrateVersion, facts: &Facts<'_>) -> Result<Value, String> {
    let CrateVersion { name, version } = package;
    let known = facts.packages.get(package);
    let known = known.ok_or_else(|| format!("`cargo metadata` does not know {name} {version}"))?;
    let licence = known["license"].as_str().ok_or_else(|| format!("{name} {version} states no licence"))?;
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package, facts),
        "name": name,
        "version": version,
        "purl": reference(package, facts),
        // The slash is how crates wrote `OR` before there was a standard.
        "licenses": [{ "expression": licence.replace(" / ", " OR ").replace('/', " OR ") }],
    });
    if let Some(description) = known["description"].as_str() {
        component["description"] = json!(description.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    if let Some(repository) = known["repository"].as_str() {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    if let Some(checksum) = facts.checksums.get(package) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    Ok(component)
}

/// The package URL, under which the rest of the document speaks of it. Ours are not (yet) in the registry of crates.
fn reference(package: &CrateVersion, facts: &Facts<'_>) -> String {
    let is_foreign = facts.packages.get(package).is_some_and(|known| known["source"].is_string());
    let kind = if is_foreign { "cargo" } else { "generic" };
    format!("pkg:{kind}/{}@{}", package.name, package.version.replace('+', "%2B"))
}

/// The component of C code, with the crate that carries it; nothing where that crate is not linked.
fn component_of_bundled(
    library: &BundledLibrary,
    shipped: &ShippedCrates,
    packages: &BTreeMap<CrateVersion, &Value>,
) -> Result<Option<(CrateVersion, Value)>, String> {
    let BundledLibrary { name, licence, cpe, .. } = library;
    let Some(carrier) = shipped.linked.iter().find(|package| package.name == library.carried_by) else {
        return Ok(None);
    };
    let header = folder_of(packages[carrier])?.join(library.header);
    let text = std::fs::read_to_string(&header)
        .map_err(|error| format!("the version of {name} is not found: {}: {error}", header.display()))?;
    let version = version_in(&text, library.version_parts)
        .ok_or_else(|| format!("{} does not say the version of {name}", header.display()))?;
    let component = json!({
        "type": "library",
        "bom-ref": format!("pkg:generic/{name}@{version}"),
        "name": name,
        "version": version,
        "purl": format!("pkg:generic/{name}@{version}"),
        "cpe": format!("cpe:2.3:a:{cpe}:{version}:*:*:*:*:*:*:*"),
        "scope": "required",
        "description": format!("C code that {} {} carries and compiles", carrier.name, carrier.version),
        "licenses": [{ "expression": licence }],
    });
    Ok(Some((carrier.clone(), component)))
}

/// The folder of a package of `cargo metadata`.
pub fn folder_of(package: &Value) -> Result<PathBuf, String> {
    let manifest = Path::new(cargo::text_field(package, "manifest_path")?);
    manifest.parent().map(Path::to_path_buf).ok_or_else(|| "a manifest is in no folder".to_owned())
}

/// The values of these `#define`s of a header, joined by dots.
fn version_in(header: &str, parts: &[&str]) -> Option<String> {
    let value = |part: &&str| {
        header.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let is_it = words.next() == Some("#define") && words.next() == Some(part);
            is_it.then(|| words.next().map(|value| value.trim_matches('"').to_owned()))?
        })
    };
    Some(parts.iter().map(value).collect::<Option<Vec<_>>>()?.join("."))
}

/// The checksums of a lock file.
fn checksums(lock: &str) -> BTreeMap<CrateVersion, String> {
    let field = |block: &str, name: &str| {
        let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        value.map(|value| value.trim_matches('"').to_owned())
    };
    let known = lock.split("[[package]]").skip(1).filter_map(|block| {
        let package = CrateVersion { name: field(block, "name")?, version: field(block, "version")? };
        Some((package, field(block, "checksum")?))
    });
    known.collect()
}

/// The compiler's version and the machine that it compiles for.
fn compiler() -> Result<(String, String), String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| format!("`rustc -vV` could not be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        value.ok_or_else(|| format!("`rustc -vV` does not say `{name}`"))
    };
    Ok((field("release: ")?, field("host: ")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped_crates::tests::example;

    fn example_document() -> Value {
        let shipped = example();
        let packages: Vec<Value> = shipped
            .edges
            .keys()
            .map(|package| {
                let source = (package.name != "app").then_some("registry+x");
                json!({ "name": package.name, "version": package.version, "license": "MIT/Apache-2.0", "source": source })
            })
            .collect();
        let metadata = json!({ "packages": packages });
        let lock = "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"noise\"\nversion = \"5.0.0+c.1\"\nsource = \"registry+x\"\nchecksum = \"abc\"\n";
        let noise = CrateVersion { name: "noise".to_owned(), version: "5.0.0+c.1".to_owned() };
        let facts = Facts {
            packages: packages_by_version(&metadata).unwrap(),
            checksums: checksums(lock),
            bundled: vec![(noise, json!({ "bom-ref": "pkg:generic/c@1" }))],
            compiler: "1.95.0".to_owned(),
            target: "somewhere".to_owned(),
        };
        document(&shipped, &facts).unwrap()
    }

    fn component_called<'a>(document: &'a Value, name: &str) -> &'a Value {
        let components = document["components"].as_array().expect("a list");
        components.iter().find(|component| component["name"] == name).expect("it is listed")
    }

    #[test]
    fn what_is_linked_is_required_and_what_only_builds_is_excluded() {
        let document = example_document();
        for (name, scope) in
            [("noise", "required"), ("shared", "required"), ("cc", "excluded"), ("derive", "excluded")]
        {
            assert_eq!(component_called(&document, name)["scope"], scope, "{name}");
        }
        assert_eq!(document["metadata"]["component"]["name"], "app");
    }

    #[test]
    fn a_component_has_its_address_its_licence_and_its_checksum() {
        let document = example_document();
        let noise = component_called(&document, "noise");
        assert_eq!(noise["purl"], "pkg:cargo/noise@5.0.0%2Bc.1");
        assert_eq!(noise["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(noise["hashes"][0], json!({ "alg": "SHA-256", "content": "abc" }));
        assert_eq!(document["metadata"]["component"]["purl"], "pkg:generic/app@1.0.0");
    }

    #[test]
    fn every_reference_of_the_graph_is_declared_and_every_component_is_in_it() {
        let document = example_document();
        let reference = |value: &Value| value.as_str().expect("a text").to_owned();
        let components = document["components"].as_array().expect("a list").iter();
        let declared: BTreeSet<String> = components
            .chain([&document["metadata"]["component"]])
            .map(|component| reference(&component["bom-ref"]))
            .collect();
        let dependencies = document["dependencies"].as_array().expect("a list");
        let sources: BTreeSet<String> = dependencies.iter().map(|edge| reference(&edge["ref"])).collect();
        assert_eq!(sources, declared);
        let targets = dependencies.iter().flat_map(|edge| edge["dependsOn"].as_array().expect("a list"));
        let targets: BTreeSet<String> = targets.map(reference).collect();
        assert!(targets.is_subset(&declared), "{targets:?}");
        assert!(targets.contains("pkg:generic/c@1") && targets.contains("pkg:generic/rust-std@1.95.0"));
    }

    #[test]
    fn versions_are_read_from_headers_and_never_guessed() {
        let header = "/* 9.9 */\n#define LIB_VERSION_NUMBER 1\n#define LIB_VERSION   \"3.5\"\n#define MINOR 7 /* x */\n";
        assert_eq!(version_in(header, &["LIB_VERSION"]).as_deref(), Some("3.5"));
        assert_eq!(version_in(header, &["LIB_VERSION", "MINOR"]).as_deref(), Some("3.5.7"));
        assert_eq!(version_in(header, &["LIB_VERSION", "MAJOR"]), None);
    }
}
