//! Bounds as their owner meets them: a price first, then lines for the catalog.

use std::fs;

use serde_json::json;

use super::folder::Folder;
use super::{stderr, stdout};

/// Specification: without `--yes` nothing is spent; with it the lines stand alone on stdout as they are written, and the
/// catalog with them is accepted.
/// False alarm: below 1e-9. All of a thousand people are in one bucket of each histogram; at ρ = 1, σ is 1.
#[test]
fn a_proposal_is_bought_on_purpose_and_pasted() {
    let folder = Folder::new();
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    let catalog = catalog.replace("{ epsilon = 4.0, delta = 1e-9 }", "{ rho = 4, delta = 1e-9 }");
    fs::write(folder.join("pointillist.toml"), &catalog).expect("a file");
    let price = folder.run(&["bounds", "visits.cost", "--rho", "1"]);
    assert_eq!(price.status.code(), Some(2));
    assert!(
        stdout(&price).contains("ρ = 1)") && stderr(&price).contains("nothing was asked"),
        "{}",
        stderr(&price)
    );
    assert!(stderr(&price).contains("more than 10 people reach it"), "{}", stderr(&price));
    assert!(!folder.join(".pointillist").exists(), "nothing was asked");
    let bounds = folder.words(&["bounds", "visits.cost", "--rho", "1", "--yes"]);
    let line = "cost = { type = \"decimal\", lower = 10, upper = 50, step = 0.01 }";
    assert!(bounds.lines().any(|each| each == line), "{bounds}");
    let again = folder.json(&["bounds", "visits.cost", "--rho", "1"]);
    assert_eq!(again["paid"], json!("nothing"), "asked before, so nobody need agree to a price");
    let limits = folder.json(&["bounds", "visits", "--rho", "1", "--yes"]);
    let proposed = |place: usize| limits["bounds"][place]["proposed"].clone();
    assert_eq!((proposed(0), proposed(1), &limits["toml"]), (json!("2"), json!("2"), &json!(null)));
    assert_eq!(folder.json(&["budget"])["scopes"][0]["spent"]["rho"], json!("2"));
    let now = "cost   = { type = \"decimal\", lower = 0, upper = 100, step = 0.01 }";
    fs::write(folder.join("pointillist.toml"), catalog.replace(now, line)).expect("a file");
    folder.words(&["check"]);
}
