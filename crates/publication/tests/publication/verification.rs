//! Releases that are verified as their readers would, and approved where the catalog asks for it.

use std::fs;
use std::path::{Path, PathBuf};

use pointillist_catalog::Catalog;
use pointillist_curator::{Home, approval};
use pointillist_errors::Explained;
use pointillist_ledger::record::{Approval, Preparation, Publication};
use pointillist_publication::{
    FileBytes, NumbersCheck, PlanFile, PublishOptions, ReleaseKey, Trusted, VerifyError, prepare, release,
    statement_digest, verify,
};
use serde_json::{Value, json};

use super::people::{CATALOG, Place, place};

const PLAN: &str = r#"
name = "small"
title = "A small release"
budget = { rho = 1, delta = 1e-6 }
[[table]]
name = "by"
from = "people"
marginals = ["sex", "region"]
ways = 2
"#;

fn released(home: &Home, out: &Path) -> Result<(), String> {
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    let file = PlanFile::parse(PLAN).unwrap();
    release(home, &file, out, &options).map(|_| ()).map_err(|error| error.explanation().text())
}

fn at_home(home: &Home, folder: &Path) -> Result<NumbersCheck, VerifyError> {
    let verdict = verify(folder, Trusted { key: None, home: Some(home) })?;
    assert!(verdict.is_verified() && verdict.in_ledger.is_some());
    Ok(verdict.numbers.expect("compared or not"))
}

fn small_release(place: &Place) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    released(&place.home, &out).unwrap();
    (folder, out)
}

/// Specification: what a release writes is verified by the key alone, and at home down to its numbers; once the catalog is
/// about other data the numbers cannot be compared any more, and nothing else changes.
#[test]
fn a_release_is_verified_down_to_its_numbers() {
    let place = place(200);
    let (_folder, out) = small_release(&place);
    let key = ReleaseKey::of(&place.home).unwrap().public();
    assert!(verify(&out, Trusted { key: Some(&key), home: None }).unwrap().is_verified());
    assert_eq!(at_home(&place.home, &out).unwrap(), NumbersCheck::Same);
    let newer = CATALOG.replace("privacy_unit = \"row\"", "privacy_unit = \"row\"\nversion = \"2\"");
    let later = Home::new(place.home.folder.clone(), Catalog::parse(&newer).unwrap());
    assert!(matches!(at_home(&later, &out).unwrap(), NumbersCheck::NotCompared(_)));
    // In use by somebody else: the rest is verified all the same.
    let curator = place.curator();
    assert!(matches!(at_home(&place.home, &out).unwrap(), NumbersCheck::NotCompared(_)));
    drop(curator);
}

/// Specification: whoever holds the key, and publishes other numbers than the ledger's with everything else in order, is
/// found by the ledger's record of them.
#[test]
fn other_numbers_are_found_even_where_they_are_signed_and_published() {
    let place = place(200);
    let (_folder, out) = small_release(&place);
    let csv = fs::read_dir(&out).unwrap().map(|file| file.unwrap().path());
    let csv = csv.into_iter().find(|path| path.to_string_lossy().ends_with("sex_region.csv")).unwrap();
    let name = csv.file_name().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(&csv).unwrap().replacen(",f,", ",m,", 1).replacen("f,", "m,", 1);
    assert_ne!(text, fs::read_to_string(&csv).unwrap());
    fs::write(&csv, &text).unwrap();
    let mut statement: Value = serde_json::from_slice(&fs::read(out.join("release.json")).unwrap()).unwrap();
    let forged = FileBytes::new(name.clone(), text);
    for listed in statement["files"].as_array_mut().unwrap() {
        if listed["path"] == name {
            listed["bytes"] = json!(forged.bytes.len());
            listed["sha256"] = json!(forged.sha256());
        }
    }
    let bytes = statement.to_string().into_bytes();
    fs::write(out.join("release.json"), &bytes).unwrap();
    for (name, text) in ReleaseKey::of(&place.home).unwrap().files(&bytes) {
        fs::write(out.join(name), text).unwrap();
    }
    let ledger = place.home.ledger().unwrap();
    let first = ledger.published().unwrap().remove(0).publication;
    ledger.publish(Publication { statement: statement_digest(&bytes), ..first }).unwrap();
    drop(ledger);
    let key = ReleaseKey::of(&place.home).unwrap().public();
    assert!(verify(&out, Trusted { key: Some(&key), home: None }).unwrap().is_verified(), "it is signed");
    let refused = at_home(&place.home, &out).unwrap_err();
    assert!(matches!(&refused, VerifyError::OtherNumbers { path } if *path == name), "{refused}");
}

/// Specification: where the catalog names approvers nothing is paid before one of them has approved what somebody else has
/// prepared, and the statement names both; the same numbers again are free and need nobody's word.
#[test]
fn a_release_waits_for_two_people() {
    let catalog = format!("{CATALOG}[releases]\napprovers = [\"bo\"]\n");
    let people = super::people::people(100);
    let files = [("people.csv", people), ("places.csv", super::people::PLACES.to_owned())];
    let place = Place::new(&catalog, &files);
    let (home, folder) = (&place.home, tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let spent = || home.reader().unwrap().unwrap().balance("people").unwrap().spent.loss_units;
    let refused = released(home, &out).unwrap_err();
    assert!(refused.contains("prepare it, and let somebody else approve it: bo"), "{refused}");
    assert!(!out.exists() && spent() == 0);
    let curator = place.curator();
    let prepared = prepare(home, &curator, &PlanFile::parse(PLAN).unwrap()).unwrap();
    let (plan, price) = (prepared.digest, prepared.price());
    let preparation = Preparation { name: "small".into(), plan, price, who: "ana".into() };
    approval::prepare(&home.catalog, curator.ledger(), preparation).unwrap();
    drop(curator);
    let refused = released(home, &out).unwrap_err();
    assert!(refused.contains("let it be approved by bo"), "{refused}");
    assert_eq!(spent(), 0);
    let approves = Approval { plan, who: "bo".into() };
    approval::approve(&home.catalog, &home.ledger().unwrap(), approves).unwrap();
    released(home, &out).unwrap();
    let paid = spent();
    assert!(paid > 0);
    let statement: Value = serde_json::from_slice(&fs::read(out.join("release.json")).unwrap()).unwrap();
    assert_eq!((&statement["prepared_by"], &statement["approved_by"]), (&json!("ana"), &json!("bo")));
    assert_eq!(at_home(home, &out).unwrap(), NumbersCheck::Same);
    released(home, &folder.path().join("again")).unwrap();
    assert_eq!(spent(), paid, "the same numbers");
    // The same numbers under other words are not what was approved.
    let other = PlanFile::parse(&PLAN.replacen("title = \"", "title = \"Not approved: ", 1)).unwrap();
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    let refused = release(home, &other, &folder.path().join("other"), &options).map(drop).unwrap_err();
    assert!(refused.to_string().contains("nobody has prepared"), "{refused}");
}
