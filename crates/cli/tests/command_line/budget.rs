//! The budget as its owner meets it: overview, history, verification, decisions.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::folder::{COUNT, Folder};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

fn spent(folder: &Folder) -> Value {
    folder.json(&["budget"])["scopes"][0]["spent"]["rho"].clone()
}

#[test]
fn the_overview_shows_what_is_granted_spent_and_left() {
    let folder = Folder::new();
    let before = folder.words(&["budget"]);
    assert!(before.contains("scope people") && before.contains("Nobody has asked anything yet"), "{before}");
    assert!(!folder.join(".pointillist").exists(), "looking leaves nothing behind");
    folder.json(&["query", COUNT, "--rho", "0.01", "--as", "ana"]);
    let after = folder.words(&["budget"]);
    for part in
        ["scope people", "█", "░", "20.0 % spent", "0.04 of 0.05 left", "ana", "ben", "all answers so far"]
    {
        assert!(after.contains(part), "{part} is missing from\n{after}");
    }
    let json = folder.json(&["budget"]);
    let scope = &json["scopes"][0];
    assert_eq!(
        (&scope["scope"], &scope["model"], &scope["spent"]["rho"]),
        (&json!("people"), &json!("zcdp"), &json!("0.01"))
    );
    assert_eq!(scope["analysts"][0]["analyst"], "ana");
    assert_eq!(scope["analysts"][0]["remaining"]["rho"], "0.04");
}

#[test]
fn the_history_is_told_in_words() {
    let folder = Folder::new();
    assert!(folder.words(&["budget", "history"]).contains("no ledger yet"));
    for analyst in ["ana", "ben"] {
        folder.json(&["query", COUNT, "--rho", "0.01", "--as", analyst]);
    }
    let history = folder.words(&["budget", "history"]);
    for part in [
        "granted to scope people: ε = 4 at δ = 1e-9  (ρ = ",
        "granted to ana in people: ε = ",
        "ana asked about people and paid ε = ",
        COUNT,
        "recorded",
        "ben got answer",
        "of their share",
    ] {
        assert!(history.contains(part), "{part} is missing from\n{history}");
    }
    assert!(!history.contains("was opened"), "{history}");
    let records = folder.json(&["budget", "history", "--all"]);
    let kinds: Vec<&str> = records["records"]
        .as_array()
        .expect("records")
        .iter()
        .map(|record| record["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds[..2], ["epoch", "grant"]);
    assert!(
        kinds.contains(&"reserve") && kinds.contains(&"release") && kinds.contains(&"repeat"),
        "{kinds:?}"
    );
    let last = folder.json(&["budget", "history", "--last", "1"]);
    assert_eq!(last["records"].as_array().expect("records").len(), 1);
}

#[test]
fn the_chain_and_its_anchor_are_verified() {
    let folder = Folder::new();
    assert_eq!(folder.json(&["budget", "verify"])["records"], 0);
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    let words = folder.words(&["budget", "verify"]);
    assert!(words.contains("✓") && words.contains("ρ = 0.01"), "{words}");
    let json = folder.json(&["budget", "verify"]);
    assert_eq!(json["head"].as_str().expect("a hash").len(), 64);
    assert_eq!(json["spent"][0]["spent"]["rho"], "0.01");
}

/// Specification: a number edited in a file is no permission to spend.
#[test]
fn a_changed_budget_is_refused_until_the_owner_accepts_it() {
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    assert!(folder.words(&["budget", "grant"]).contains("nothing changes"));
    folder.edit("epsilon = 4.0", "epsilon = 8.0");
    let refused = folder.refused(&["query", COUNT, "--rho", "0.02"], 3);
    assert!(refused.contains("pointillist budget grant"), "{refused}");
    let shown = folder.run(&["budget", "grant"]);
    assert_eq!(shown.status.code(), Some(2));
    let words = super::stdout(&shown);
    assert!(words.contains("scope people") && words.contains("now") && words.contains("then"), "{words}");
    assert!(super::stderr(&shown).contains("--yes"));
    folder.refused(&["query", COUNT, "--rho", "0.02"], 3);
    folder.words(&["budget", "grant", "--yes"]);
    folder.json(&["query", COUNT, "--rho", "0.02"]);
    assert_eq!(spent(&folder), "0.03", "what was spent stays spent");
}

/// Specification: a restored backup is noticed, and going on never forgets what was spent.
#[test]
fn a_restored_backup_needs_the_owner_and_forgets_nothing() {
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    let (ledger, backup) = (folder.join(".pointillist/ledger"), folder.join("backup"));
    copy(&ledger, &backup);
    folder.json(&["query", COUNT, "--rho", "0.02"]);
    fs::remove_dir_all(&ledger).expect("the ledger goes");
    copy(&backup, &ledger);
    for command in [&["query", COUNT, "--rho", "0.01"][..], &["budget"], &["budget", "verify"]] {
        let words = folder.refused(command, 1);
        assert!(words.contains("`pointillist budget recover --restored`"), "{command:?}: {words}");
    }
    folder.refused(&["budget", "recover", "--missing-anchor", "--yes"], 2);
    let meaning = folder.refused(&["budget", "recover", "--restored"], 2);
    assert!(meaning.contains("stays spent") && meaning.contains("--yes"), "{meaning}");
    folder.words(&["budget", "recover", "--restored", "--yes"]);
    // Each command is a writer of its own, so the copy could be another history: its 0.01 is counted again.
    assert_eq!(spent(&folder), "0.04");
    assert!(folder.words(&["budget", "history"]).contains("restored copy"));
    assert!(folder.words(&["budget", "recover", "--restored"]).contains("nothing to recover"));
}

#[test]
fn a_lost_anchor_needs_the_owner() {
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    fs::remove_file(folder.join(".pointillist/anchor")).expect("the anchor goes");
    let words = folder.refused(&["query", COUNT, "--rho", "0.01"], 1);
    assert!(words.contains("`pointillist budget recover --missing-anchor`"), "{words}");
    folder.words(&["budget", "recover", "--missing-anchor", "--yes"]);
    assert_eq!(spent(&folder), "0.01");
}
