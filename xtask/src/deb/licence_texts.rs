//! The terms of everybody whose code is linked into the binary, and their notices, in one text.
//!
//! Most of these licences ask that a copy of themselves goes with the binary. The texts come from the sources that were compiled;
//! one that many crates have word by word stands once, under the names of all of them. A crate that carries no text is listed
//! with the licence that it states.

use crate::sbom::{BUNDLED, folder_of, packages_by_version};
use crate::shipped_crates::{CrateVersion, ShippedCrates};
use crate::{cargo, shipped_crates};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How names of files with terms begin, in lower case.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// The whole text.
pub fn collect(root: &Path, shipped: &ShippedCrates) -> Result<String, String> {
    let metadata = cargo::metadata_of_everything(root)?;
    let packages = packages_by_version(&metadata)?;
    let mut crates = Vec::new();
    for package in &shipped.linked {
        let known = packages
            .get(package)
            .ok_or_else(|| format!("`cargo metadata` does not know {}", package.name))?;
        if known["source"].is_string() {
            let licence = known["license"].as_str().unwrap_or("no licence is stated").to_owned();
            crates.push((package, licence, texts_in(&folder_of(known)?)?));
            for library in BUNDLED.iter().filter(|library| library.carried_by == package.name) {
                if let (Some(file), Some(last)) = (library.licence_file, crates.last_mut()) {
                    last.2.push(super::read(&folder_of(known)?.join(file))?);
                }
            }
        }
    }
    Ok(joined(&crates))
}

/// The texts in the folder of a crate.
fn texts_in(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let speaks_of_terms = |path: &&std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        NAMES.iter().any(|start| name.starts_with(start))
    };
    paths.iter().filter(speaks_of_terms).map(|path| super::read(path)).collect()
}

/// A list of the crates, and then every text once.
fn joined(crates: &[(&CrateVersion, String, Vec<String>)]) -> String {
    let mut whole = format!(
        "Code of other people that is linked into the binary of {}, with the licence that each states.\n\n\
         Rust's standard library: MIT OR Apache-2.0\nSQLite: in the public domain\n",
        shipped_crates::PACKAGE
    );
    let mut names_by_text: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (package, licence, texts) in crates {
        let name = format!("{} {}", package.name, package.version);
        let silence = if texts.is_empty() { " (its sources carry no text)" } else { "" };
        whole.push_str(&format!("{name}: {licence}{silence}\n"));
        for text in texts {
            names_by_text.entry(text.trim()).or_default().push(name.clone());
        }
    }
    let mut texts: Vec<(Vec<String>, &str)> =
        names_by_text.into_iter().map(|(text, names)| (names, text)).collect();
    texts.sort();
    for (mut names, text) in texts {
        names.dedup();
        whole.push_str(&format!("\n{}\n{}\n\n{text}\n", "=".repeat(80), names.join(", ")));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stands_once_under_all_names_and_a_crate_without_one_is_listed() {
        let package = |name: &str| CrateVersion { name: name.to_owned(), version: "1.0.0".to_owned() };
        let (ana, bert, cleo) = (package("ana"), package("bert"), package("cleo"));
        let crates = [
            (&ana, "MIT".to_owned(), vec!["Terms.\n".to_owned(), "Notice.".to_owned()]),
            (&bert, "MIT".to_owned(), vec!["Terms.".to_owned()]),
            (&cleo, "ISC".to_owned(), Vec::new()),
        ];
        let text = joined(&crates);
        assert_eq!(text.matches("Terms.").count(), 1, "{text}");
        assert!(text.contains("\nana 1.0.0, bert 1.0.0\n\nTerms.\n"), "{text}");
        assert!(text.contains("\ncleo 1.0.0: ISC (its sources carry no text)\n"), "{text}");
        assert!(text.contains("\nana 1.0.0\n\nNotice.\n"), "{text}");
    }
}
