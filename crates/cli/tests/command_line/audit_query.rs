//! Questions in SQL, audited through the curator.

use std::fs;

use super::folder::Folder;
use super::{stderr, stdout};

/// A table where every row is said to be another person.
fn rows_are_people() -> Folder {
    let folder = Folder::new();
    folder.edit("privacy_unit = \"person\"\nmax_groups = 2\nmax_contributions = 2", "privacy_unit = \"row\"");
    folder
}

fn audit(folder: &Folder, more: &[&str]) -> (Option<i32>, serde_json::Value) {
    let question = ["audit", "query", "SELECT COUNT(*) FROM visits", "--epsilon", "4", "--releases", "200"];
    let output = folder.run(&[&question, more, &["--json"]].concat());
    let found = serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    (output.status.code(), found)
}

/// False alarm: 1e-9, the audit's own.
#[test]
fn a_real_question_is_cleared_and_no_ledger_is_touched() {
    let folder = rows_are_people();
    fs::remove_file(folder.join("visits.csv")).expect("a file");
    let (code, found) = audit(&folder, &[]);
    assert_eq!(code, Some(0), "{found}");
    let subject = &found["subjects"][0];
    assert_eq!(subject["verdict"], "cleared", "{found}");
    assert!(subject["guarantees"][0]["claimed"].as_f64() > Some(0.0), "{found}");
    assert!(!folder.join(".pointillist").exists());
}

/// Specification: a catalog that calls every row a person, while a person has hundreds, is found out.
/// Power: the person moves the count by 300 where the noise has a deviation of two; every release tells.
#[test]
fn a_catalog_that_lies_about_people_is_refuted() {
    let (code, found) = audit(&rows_are_people(), &["--person", "person"]);
    assert_eq!((code, &found["subjects"][0]["verdict"]), (Some(1), &"refuted".into()), "{found}");
    // The claim is about rows, and the finding says whose rows differ.
    assert_eq!(found["subjects"][0]["subject"], "SELECT COUNT(*) FROM visits, all rows of one person");
    assert_eq!(found["settings"]["person"], "person");
}

#[test]
fn questions_that_cannot_be_audited_get_a_hint() {
    let folder = Folder::new();
    folder.refused(&["audit", "query", "SELECT cost FROM visits"], 3);
    for arguments in [
        &["audit", "query", "SELECT COUNT(*) FROM nothing"][..],
        &["audit", "query", "SELECT COUNT(*) FROM visits", "--epsilon", "0"],
        &["audit", "query", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--releases", "1"],
        &[
            "audit",
            "query",
            "SELECT COUNT(*) FROM visits",
            "--epsilon",
            "1",
            "--on-data",
            "--person",
            "nobody",
        ],
        &["audit", "query", "SELECT COUNT(*) FROM visits", "--catalog", "none.toml"],
    ] {
        folder.refused(arguments, 2);
    }
    folder.edit("source = \"visits.csv\"", "source = \"visits.parquet\"");
    folder.refused(&["audit", "query", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--on-data"], 2);
}
