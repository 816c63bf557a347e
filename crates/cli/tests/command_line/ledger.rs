//! Where the ledger is, as its owner meets it. Moving it to a database is tested where there is one: in `curator`.

use std::fs;

use super::folder::{COUNT, Folder};

#[test]
fn a_ledger_in_its_folder_says_where_it_is() {
    let folder = Folder::new();
    let before = folder.json(&["ledger"]);
    assert_eq!((&before["records"], &before["shared"]), (&0.into(), &false.into()));
    assert!(!folder.join(".pointillist").exists(), "looking leaves nothing behind");
    folder.json(&["query", COUNT, "--rho", "0.01", "--as", "ana"]);
    let words = folder.words(&["ledger"]);
    assert!(words.contains("records  ") && words.contains("One process at a time has it open."), "{words}");
    assert!(folder.json(&["ledger"])["records"].as_u64().is_some_and(|records| records > 0));
}

/// Specification: what a catalog would not accept is refused before anything moves.
#[test]
fn a_ledger_moves_only_to_what_is_declared() {
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.01", "--as", "ana"]);
    let records = || fs::read(folder.join(".pointillist/ledger/ledger.sqlite")).expect("records");
    let before = records();
    let refusal =
        folder.refused(&["ledger", "move", "--to", "postgres:main", "--anchor", "postgres:other"], 2);
    assert!(refusal.contains("there is no connection `main`"), "{refusal}");
    let refusal = folder.refused(&["ledger", "move", "--to", "sqlite"], 2);
    assert!(refusal.contains("already"), "{refusal}");
    let refusal = folder.refused(&["ledger", "fence", "9f86d081884c7d659a2feaa0c55ad015"], 2);
    assert!(refusal.contains("one process at a time"), "{refusal}");
    assert_eq!(records(), before);
    folder.json(&["query", COUNT, "--rho", "0.01", "--as", "ben"]);
}
