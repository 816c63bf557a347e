//! From a file to a first useful answer: drafts, guesses, checks, names that SQL cannot say.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::folder::Folder;
use super::{stderr, stdout};

/// Two thousand people with one row each, as a spreadsheet writes them: semicolons, capitals and blanks in names.
fn survey() -> String {
    let mut text = String::from("Person;Hours per week;Home Region;Income\n");
    for person in 0..2000 {
        let region = if person % 2 == 0 { "north" } else { "south" };
        writeln!(text, "{person};{};{region};{}.50", 10 + person % 50, 1000 + person)
            .expect("a string grows");
    }
    text
}

fn empty_folder(file: &str, text: &str) -> Folder {
    let folder = Folder::new();
    fs::remove_file(folder.join("pointillist.toml")).expect("the catalog goes");
    fs::write(folder.join(file), text).expect("a file");
    folder
}

/// Specification: two commands, no edit, and the first answer is useful. False alarm: below 1e-9, the interval of a count is
/// widened to eight times its width, and it holds the truth with 95 % as it is.
#[test]
fn two_commands_lead_from_a_file_to_a_useful_answer() {
    let folder = empty_folder("survey.csv", &survey());
    let init = folder.run(&["init", "survey.csv", "--unit", "row", "--guess"]);
    assert!(init.status.success(), "{}", stderr(&init));
    assert!(stderr(&init).contains("GUESSED") && stderr(&init).contains("public"), "{}", stderr(&init));
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    for part in [
        "hours_per_week = { type = \"integer\", name = \"Hours per week\", lower = 0, upper = 100 }",
        "home_region = { type = \"text\", name = \"Home Region\" }",
        "income = { type = \"decimal\", name = \"Income\", lower = 0, upper = 5000 }",
        "privacy_unit = \"row\"",
    ] {
        assert!(catalog.contains(part), "{part} is missing from\n{catalog}");
    }
    assert!(!catalog.contains("max_groups") && !catalog.contains("FILL_IN"), "{catalog}");
    assert!(!catalog.contains("north"), "no value of a row is copied:\n{catalog}");

    let sql =
        "SELECT home_region, count(*) AS n, avg(hours_per_week) AS hours FROM survey GROUP BY home_region";
    let answer = folder.json(&["query", sql, "--epsilon", "0.5"]);
    let rows = answer["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2, "{answer}");
    for (row, intervals) in rows.iter().zip(answer["intervals"].as_array().expect("intervals")) {
        for (column, truth) in [(1, 1000.0), (2, 34.5)] {
            let ends = [0, 1].map(|end| intervals[column][end].as_f64().expect("an end"));
            let value = row[column].as_f64().expect("a number");
            assert!((value - truth).abs() < 8.0 * (ends[1] - ends[0]), "{answer}");
            assert!(ends[1] - ends[0] < truth, "an interval that says something: {answer}");
        }
    }
    let report = folder.run(&["check"]);
    assert!(report.status.success(), "{}", stdout(&report));
}

/// Specification: with a unit the draft counts how many rows most people have, and says that it did.
#[test]
fn a_unit_makes_the_draft_complete() {
    let folder = empty_folder("survey.csv", &survey());
    folder.words(&["init", "survey.csv", "--unit", "person", "--guess"]);
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    assert!(catalog.contains("privacy_unit = \"Person\""), "{catalog}");
    for line in ["max_groups = 1 ", "max_contributions = 1 "] {
        assert!(catalog.contains(line), "one row a person:\n{catalog}");
    }
    folder.json(&["query", "SELECT count(*) FROM survey", "--epsilon", "0.5"]);
    folder.json(&["query", "SELECT count(DISTINCT \"Person\") FROM survey", "--epsilon", "0.1"]);
    let wrong = folder.refused(&["init", "survey.csv", "--unit", "persn", "--force"], 2);
    assert!(wrong.contains("Hours per week") && wrong.contains("--unit row"), "{wrong}");
    // Without --guess no row is read, and still nothing is missing.
    folder.words(&["init", "survey.csv", "--unit", "Person", "--force"]);
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    assert!(catalog.contains("no row was read") && !catalog.contains("GUESSED"), "{catalog}");
    assert!(!catalog.contains("lower = 0, upper = 100 }"), "{catalog}");
}

/// Specification: `check` is not content where COUNT(*) would then fail, and says where answers would be noise.
#[test]
fn check_says_what_a_first_question_would_meet() {
    let folder = Folder::new();
    let errors = |folder: &Folder| {
        let output = folder.run(&["check", "--json"]);
        let report: Value = serde_json::from_str(&stdout(&output)).expect("one object");
        (output.status.code(), report["errors"].as_u64().expect("a number"), stdout(&output))
    };
    let (code, count, _) = errors(&folder);
    assert_eq!((code, count), (Some(0), 0));
    folder.edit("max_contributions = 2\n", "");
    let (code, count, words) = errors(&folder);
    assert_eq!((code, count), (Some(2), 1), "{words}");
    assert!(words.contains("COUNT(*) is refused"), "{words}");
    folder.edit("max_groups = 2\n", "max_groups = 2\nmax_contributions = 500\n");
    let (code, _, words) = errors(&folder);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("mostly noise") && words.contains("lower max_contributions"), "{words}");
    fs::remove_file(folder.join("visits.csv")).expect("the data goes");
    let (code, count, words) = errors(&folder);
    assert_eq!((code, count), (Some(2), 1), "{words}");
}

/// Specification: tables and columns can be listed from the catalog alone, as commands and as SQL.
#[test]
fn analysts_can_see_what_there_is_to_ask() {
    let folder = Folder::new();
    fs::remove_file(folder.join("visits.csv")).expect("the data goes");
    for command in [&["tables"][..], &["query", "SHOW TABLES"], &["query", "show tables;", "--as", "ana"]] {
        let words = folder.words(command);
        assert!(words.contains("visits") && words.contains("people") && words.contains("person"), "{words}");
    }
    for command in [&["tables", "visits"][..], &["query", "DESCRIBE visits"], &["query", "desc VISITS"]] {
        let words = folder.words(command);
        for part in ["region", "2 public", "ward", "earned", "decimal", "100", "COUNT(DISTINCT"] {
            assert!(words.contains(part), "{part} is missing from\n{words}");
        }
    }
    let tables = folder.json(&["tables"]);
    assert_eq!(tables["tables"][0]["columns"][0]["public_keys"][1], "south");
    assert_eq!(tables["tables"][0]["columns"][2]["upper"], "100");
    let described = folder.json(&["query", "DESCRIBE visits"]);
    assert_eq!(described["rows"][2][1], "decimal");
    let unknown = folder.refused(&["query", "DESCRIBE patients"], 2);
    assert!(unknown.contains("visits"), "{unknown}");
    assert!(!folder.join(".pointillist").exists(), "listing leaves nothing behind");
}
