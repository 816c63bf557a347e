//! Releases as two people make them and others verify them.

use std::fs;

use super::folder::Folder;
use super::{stderr, stdout};

const PLAN: &str = "
name = \"visits\"
title = \"Visits\"
budget = { rho = 0.001, delta = 1e-10 }
[[table]]
name = \"by_region\"
sql = \"SELECT region, count(*) AS n FROM visits GROUP BY region\"
";

fn folder() -> Folder {
    let folder = Folder::new();
    fs::write(folder.join("plan.toml"), PLAN).expect("a file");
    folder
}

/// Specification: a release is verified at home and, with the key, elsewhere; with neither it is not, though it is whole.
#[test]
fn a_release_is_verified_at_home_and_elsewhere() {
    let folder = folder();
    folder.words(&["release", "plan.toml", "-o", "out"]);
    let at_home = folder.words(&["release", "verify", "out"]);
    for part in ["the key of this home", "not behind its anchor", "numbers are those of the ledger"] {
        assert!(at_home.contains(part), "{part} is missing from\n{at_home}");
    }
    assert!(folder.words(&["budget", "history"]).contains("published as the release visits"));
    assert!(folder.words(&["budget", "verify"]).contains("published: visits"));
    let key = folder.words(&["release", "key"]);
    assert!(key.starts_with("pointillist-ed25519:"), "{key}");
    let elsewhere = Folder::new();
    fs::remove_file(elsewhere.join("pointillist.toml")).expect("a file");
    fs::write(elsewhere.join("publisher.pub"), &key).expect("a file");
    let out = folder.join("out").to_str().expect("a path").to_owned();
    for trusted in ["publisher.pub", key.trim_end()] {
        let json = elsewhere.json(&["release", "verify", &out, "--key", trusted]);
        assert_eq!((&json["verified"], &json["release"]), (&true.into(), &"visits".into()));
    }
    let alone = elsewhere.run(&["release", "verify", &out]);
    assert_eq!(alone.status.code(), Some(1), "{}", stdout(&alone));
    assert!(stderr(&alone).contains("not verified") && stderr(&alone).contains("or name their key"));
    // One digit more.
    let table = folder.join("out/by_region.csv");
    let text = fs::read_to_string(&table).expect("a table");
    fs::write(&table, format!("{text}1")).expect("a file");
    let changed = folder.refused(&["release", "verify", "out"], 1);
    assert!(changed.contains("`by_region.csv` is not the file that was signed"), "{changed}");
    fs::write(&table, text).expect("a file");
    folder.words(&["release", "verify", "out"]);
    folder.refused(&["release", "verify", "out", "--key", "plan.toml"], 2);
}

/// Specification: where the catalog names approvers, each step says whose turn it is, and nothing is paid before the last.
#[test]
fn two_people_agree_before_a_release() {
    let folder = folder();
    folder.edit("[analyst.eve]", "[analyst.eve]\n[releases]\napprovers = [\"bo\"]");
    let release = ["release", "plan.toml", "-o", "out"];
    assert!(folder.refused(&release, 3).contains("prepare it, and let somebody else approve it: bo"));
    let prepared = folder.words(&["release", "prepare", "plan.toml", "--as", "ana"]);
    assert!(prepared.contains("ana prepared this plan"), "{prepared}");
    assert!(folder.refused(&release, 3).contains("let it be approved by bo"));
    let ana = folder.refused(&["release", "approve", "plan.toml", "--as", "ana"], 3);
    assert!(ana.contains("none of those who approve"), "{ana}");
    fs::write(folder.join("dearer.toml"), PLAN.replace("0.001", "0.002")).expect("a file");
    let dearer = folder.refused(&["release", "approve", "dearer.toml", "--as", "bo"], 3);
    assert!(dearer.contains("it has changed since"), "{dearer}");
    folder.json(&["release", "approve", "plan.toml", "--as", "bo"]);
    folder.words(&release);
    let statement = fs::read_to_string(folder.join("out/release.json")).expect("a statement");
    assert!(statement.contains("\"prepared_by\": \"ana\"") && statement.contains("\"approved_by\": \"bo\""));
    folder.words(&["release", "verify", "out"]);
}
