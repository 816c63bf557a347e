//! Budgets that renew with the rows, as their owner and analysts meet them.

use std::fs;

use serde_json::json;

use super::folder::Folder;
use super::{stderr, stdout};

/// The small catalog, with a month for every row.
fn folder() -> Folder {
    let folder = Folder::new();
    let visits = fs::read_to_string(folder.join("visits.csv")).expect("a file");
    let mut lines = visits.lines().enumerate();
    let dated = |(at, line): (usize, &str)| format!("{line},2026-{:02}-15\n", 1 + at % 3);
    let head = lines.next().map(|(_, head)| format!("{head},day\n")).expect("a header");
    fs::write(folder.join("visits.csv"), head + &lines.map(dated).collect::<String>()).expect("a file");
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    let catalog = catalog
        .replace("max_groups = 2\n", "max_groups = 2\nperiods = { column = \"day\", every = \"month\" }\n")
        .replace(
            "ward   =",
            "day = { type = \"date\", lower = \"2026-01-01\", upper = \"2026-12-31\" }\nward   =",
        );
    fs::write(folder.join("pointillist.toml"), catalog).expect("a file");
    folder
}

const COUNT: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region";

/// Specification: a month is asked about by name, behind every door, and its own budget pays; what is said of many months
/// stays short, and says what they come to.
#[test]
fn a_month_is_asked_about_and_pays() {
    let folder = folder();
    let refused = folder.run(&["query", COUNT]);
    assert!(stderr(&refused).contains("the months are 2026-01 to 2026-12"), "{}", stderr(&refused));
    let reply = folder.json(&["query", COUNT, "--period", "2026-02", "--rho", "0.01", "--as", "ana"]);
    assert_eq!(reply["receipt"]["scope"], "people@2026-02");
    let quote = folder.words(&["explain", COUNT, "--period", "2026-03"]);
    assert!(quote.contains("people@2026-03"), "{quote}");
    folder.json(&["rehearse", COUNT, "--period", "2026-03"]);
    let shell = folder.shell(&format!(
        "printf '%s;\\n' \"SET pointillist.period = '2026-05'\" \"{COUNT}\" | {} shell --rho 0.01",
        env!("CARGO_BIN_EXE_pointillist")
    ));
    assert!(stdout(&shell).contains("people@2026-05") || shell.status.success(), "{}", stderr(&shell));
    let budget = folder.json(&["budget"]);
    let names: Vec<&str> =
        budget["scopes"].as_array().expect("a list").iter().filter_map(|of| of["scope"].as_str()).collect();
    assert_eq!(names, ["people@2026-02", "people@2026-05"]);
    let periods = &budget["periods"][0];
    assert_eq!((&periods["count"], &periods["untouched"]), (&json!(12), &json!(10)));
    assert_eq!(periods["spent"]["rho"], "0.02");
    let words = folder.words(&["budget"]);
    for part in
        ["10 months are untouched of 12", "somebody who has rows in all 12 months", "scope people@2026-02"]
    {
        assert!(words.contains(part), "{part} is missing from\n{words}");
    }
    assert!(words.lines().count() < 20, "{words}");
    let check = folder.run(&["check"]);
    assert!(stdout(&check).contains("each month has its own budget"), "{}", stdout(&check));
    let tables = folder.json(&["tables"]);
    assert_eq!(tables["tables"][0]["periods"]["first"], "2026-01");
    assert!(folder.words(&["tables"]).contains("people, each month from 2026-01 to 2026-12"));
}

/// Specification: new months are shown together before they are accepted.
#[test]
fn new_months_are_accepted_together() {
    let folder = folder();
    folder.json(&["query", COUNT, "--period", "2026-02", "--rho", "0.01"]);
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    fs::write(folder.join("pointillist.toml"), catalog.replace("2026-12-31", "2027-12-31")).expect("a file");
    let refused = folder.run(&["query", COUNT, "--period", "2026-02"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    let shown = stdout(&folder.run(&["budget", "grant"]));
    assert!(shown.contains("12 periods alike") && shown.lines().count() < 20, "{shown}");
    folder.words(&["budget", "grant", "--yes"]);
    folder.json(&["query", COUNT, "--period", "2027-12", "--rho", "0.01"]);
}
