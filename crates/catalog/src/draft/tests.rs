//! Drafts: what owners see first.

use super::*;
use crate::{Catalog, Value};

fn draft() -> Draft {
    let mut draft = Draft::new();
    let column = |name: &str, guessed| (name.to_owned(), guessed);
    draft.add(DraftTable::new(
        "data/Visits 2026.csv.gz",
        [
            column("patient_id", GuessedType::Integer),
            column("cost", GuessedType::Number),
            column("Full Name", GuessedType::Text),
            column("ward", GuessedType::Unknown),
            column("Ward", GuessedType::Unknown),
            column("day", GuessedType::Date),
            column("bad\nline\" = 1", GuessedType::Text),
        ],
    ));
    draft.add(DraftTable::new(
        "visits_2026.parquet",
        [column("at", GuessedType::Timestamp), column("ok", GuessedType::Boolean)],
    ));
    draft.add(DraftTable::new("data/*.csv", []));
    draft
}

#[test]
fn a_draft_is_refused_until_it_says_whose_rows_they_are() {
    let text = draft().to_toml();
    let refusal = Catalog::parse(&text).unwrap_err().to_string();
    assert!(refusal.contains("the privacy unit is not filled in yet"), "{refusal}");
    let filled = text.replace("\"FILL_IN\"", "\"patient_id\"");
    let catalog = Catalog::parse(&filled).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let names: Vec<&str> = catalog.tables.keys().map(String::as_str).collect();
    assert_eq!(names, ["csv", "visits_2026", "visits_2026_2"]);
    let columns: Vec<&str> = catalog.tables["visits_2026"].columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(columns, ["cost", "ward", "ward_2", "day"]);
    assert_eq!(catalog.tables["visits_2026"].columns[2].name_in_file(), "Ward");
}

#[test]
fn a_draft_reads_well() {
    let mut draft = Draft::new();
    let columns =
        [("patient_id", GuessedType::Integer), ("cost", GuessedType::Number), ("ward", GuessedType::Text)];
    draft.add(DraftTable::new("visits.parquet", columns.map(|(name, guessed)| (name.to_owned(), guessed))));
    let expected = r#"# A Pointillist catalog, drafted from headers and types alone: no row was read.
# Analysts may read all of this file. Choose every number from what is possible, never from the data.
# Fill in what is marked FILL_IN, then run `pointillist check`.

[scope.people]                              # the population: name it after whom the rows are about
budget = { epsilon = 1.0, delta = 1e-9 }    # all that may ever be learnt about one person: decide before the first question
# model = "pure"                            # a guarantee without δ, then budget = { epsilon = 1.0 }

[table.visits]
scope = "people"
source = "visits.parquet"
privacy_unit = "FILL_IN"                    # whose row is it? patient_id, by its name; or "row" if every row is another person
max_groups = 3                              # groups one person may touch in one answer; noise grows with it
max_contributions = 3                       # rows one person may add to one group; noise grows with it

[table.visits.columns]
# patient_id = { type = "integer" }         # left out, as its name suggests that it names people
cost = { type = "decimal" }                 # for sums add for example: lower = 0, upper = 10000, step = 0.01
ward = { type = "text" }                    # for keys that need not be earned add: public_keys = ["a", "b"]

# [analyst.ana]
# shares = { people = { rho = 0.001, delta = 1e-10 } }   # who may ask, and how much of the budget they may spend
"#;
    assert_eq!(draft.to_toml(), expected);
}

/// Specification: with guesses and a unit nothing is left to fill in; every guess is marked, no text of a row is copied,
/// and the draft says that it tells about rows.
#[test]
fn a_guessed_draft_is_a_catalog_and_says_what_it_tells() {
    let column = |name: &str, guessed, range| DraftColumn { name: name.to_owned(), guessed, range };
    let integers = |low, high| Some((Value::Integer(low), Value::Integer(high)));
    let columns = vec![
        column("Person", GuessedType::Integer, integers(1, 977)),
        column("Hours per week", GuessedType::Integer, integers(1, 99)),
        column("2nd job", GuessedType::Text, None),
        column("pay", GuessedType::Number, Some((Value::Number(0.5), Value::Number(41.25)))),
        column("late", GuessedType::Boolean, None),
    ];
    let unit = DraftUnit::Column { name: "Person".to_owned(), rows_of_a_person: Some(4) };
    let mut draft = Draft::new();
    draft.add(DraftTable::guessed("t.csv", columns.clone()).owned_by(unit));
    assert!(draft.is_complete());
    let text = draft.to_toml();
    let catalog = Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let table = &catalog.tables["t"];
    let names: Vec<(&str, &str)> =
        table.columns.iter().map(|column| (column.name.as_str(), column.name_in_file())).collect();
    assert_eq!(
        names,
        [
            ("hours_per_week", "Hours per week"),
            ("column_2nd_job", "2nd job"),
            ("pay", "pay"),
            ("late", "late")
        ]
    );
    for part in [
        "privacy_unit = \"Person\"",
        "max_groups = 3 ",
        "max_contributions = 5 ",
        "lower = 0, upper = 100 }",
        "lower = 0, upper = 50 }",
        "Analysts may read all",
        "was read off the rows",
    ] {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
    for line in text.lines().filter(|line| line.contains("lower = ") || line.contains("type = \"boolean")) {
        assert!(line.contains("GUESSED"), "{line}");
    }
    for seen in ["977", "99", "41.25"] {
        assert!(!text.contains(seen), "{seen} is a value of a row\n{text}");
    }
    let mut rows = Draft::new();
    rows.add(DraftTable::guessed("t.csv", columns).owned_by(DraftUnit::Row));
    let text = rows.to_toml();
    assert!(!text.contains("max_groups") && !text.contains("max_contributions"), "{text}");
    assert!(Catalog::parse(&text).is_ok(), "{text}");
}

/// Specification: what rows decided says so: a limit on groups that is smaller than the usual one was read off them.
#[test]
fn a_limit_on_groups_that_rows_made_smaller_is_marked() {
    let line = |rows: Option<u64>| {
        let unit = DraftUnit::Column { name: "person".to_owned(), rows_of_a_person: rows };
        let mut draft = Draft::new();
        let name = "person".to_owned();
        let columns = vec![DraftColumn { name, guessed: GuessedType::Integer, range: None }];
        draft.add(DraftTable::guessed("t.csv", columns).owned_by(unit));
        let text = draft.to_toml();
        text.lines().find(|line| line.starts_with("max_groups")).expect("a limit").to_owned()
    };
    assert!(
        line(Some(1)).starts_with("max_groups = 1 ") && line(Some(1)).contains("GUESSED"),
        "{}",
        line(Some(1))
    );
    for usual in [line(Some(40)), line(None)] {
        assert!(usual.starts_with("max_groups = 3 ") && !usual.contains("GUESSED"), "{usual}");
    }
}

#[test]
fn names_of_people_are_told_from_names_of_things() {
    for name in [
        "patient_id",
        "patientId",
        "Patient ID",
        "id",
        "ID",
        "email",
        "user",
        "customer_name",
        "userid",
        "first_name",
        "name",
        "household_uuid",
    ] {
        assert!(looks_like_a_person(name), "{name}");
    }
    for name in [
        "cost",
        "paid",
        "ward_name",
        "user_rating",
        "patient_age",
        "humid",
        "valid",
        "account_balance",
        "",
        "_",
    ] {
        assert!(!looks_like_a_person(name), "{name}");
    }
}
