//! What owners are told.

use std::collections::BTreeMap;

use super::*;
use crate::tests::SURFACE;

fn report(text: &str) -> Report {
    Catalog::parse(text).unwrap_or_else(|error| panic!("{error}")).report()
}

fn words<'r>(statements: &'r [Statement], place: &str) -> &'r str {
    &statements.iter().find(|statement| statement.place == place).unwrap().words
}

#[track_caller]
fn assert_finds(report: &Report, severity: Severity, place: &str, words: &str) {
    let found = report.findings.iter().any(|finding| {
        finding.severity == severity
            && finding.place == place
            && finding.words.contains(words)
            && !finding.advice.is_empty()
    });
    assert!(found, "no {severity:?} at {place} about {words}:\n{:#?}", report.findings);
}

#[test]
fn the_example_is_told_in_plain_words() {
    let report = report(SURFACE);
    assert_eq!(
        words(&report.protected, "table.visits"),
        "a person is one value of `patient_id` (user level): all their rows together are protected; rows without \
         `patient_id` have no owner and are never read; scope `patients` pays"
    );
    assert_eq!(
        words(&report.protected, "table.prescriptions"),
        "a row belongs to whom `visits` names where `visits.id` equals `visit_id` (user level); rows whose link leads \
         nowhere have no owner and are never read; scope `patients` pays"
    );
    assert_eq!(
        words(&report.protected, "table.hospitals"),
        "public: nobody is protected, and anyone may read every row"
    );
    assert_eq!(
        words(&report.visible, "scope.patients"),
        "everything asked about one person costs at most ε = 4 at δ = 1e-9 (ρ = 0.1995; δ = 5e-10 of it pays for keys \
         that must be earned)"
    );
    assert_eq!(
        words(&report.visible, "table.visits"),
        "analysts can name `cost` (decimal from 0 to 10000 in steps of 0.01); `age` (integer from 0 to 120); `region` \
         (text, 4 public keys); `day` (date from 2020-01-01 to 2026-12-31); `ward` (text)"
    );
    assert_eq!(words(&report.visible, "analyst.ana"), "may spend ρ = 0.1 and δ = 2e-10 of `patients`");
    assert!(report.findings.iter().all(|finding| finding.severity == Severity::Note), "{report:#?}");
    assert_finds(&report, Severity::Note, "table.visits.columns.ward", "must be earned");
    assert_finds(&report, Severity::Note, "table.prescriptions", "how many groups one person may touch");
    assert_finds(&report, Severity::Note, "table.prescriptions", "how many rows one person may add");
}

const RISKY: &str = r#"
[scope.people]
budget = { epsilon = 6, delta = 1e-5 }
[scope.strict]
model = "pure"
budget = { epsilon = 5 }
[scope.idle]
budget = { rho = 1e-3, delta = 1e-9 }

[table.visits]
scope = "people"
source = "v"
privacy_unit = "patient_id"
[table.visits.columns]
patient_id = { type = "text", public_keys = ["ana", "bo"] }
wide = { type = "integer", lower = 0, upper = 4_000_000_000 }
fine = { type = "decimal", lower = 0, upper = 1, step = 1e-17 }
loose = { type = "decimal" }
day = { type = "date" }

[table.clicks]
scope = "people"
source = "c"
privacy_unit = "row"

[table.lone]
scope = "strict"
source = "l"
privacy_unit = "row"
[table.lone.columns]
word = { type = "text" }

[table.addresses]
public = true
source = "a"
[table.addresses.columns]
Patient_ID = { type = "text" }

[scope.ties]
budget = { epsilon = 1, delta = 1e-9 }

[graph.ties]
scope = "ties"
source = "t"
nodes = "n"
privacy = "edge"

[analyst.ana]
shares = { people = { rho = 5, delta = 1e-12 }, strict = { epsilon = 6 } }
"#;

#[test]
fn what_looks_risky_is_told() {
    let report = report(RISKY);
    for (place, words) in [
        ("scope.people.budget", "an ε over 5"),
        ("scope.people.budget", "δ = 0.00001 is the chance"),
        (
            "table.addresses.columns.Patient_ID",
            "a public table has `Patient_ID`, which leads to people in `visits`",
        ),
        (
            "table.clicks",
            "every row counts as another person here, but `visits` of the same scope names people",
        ),
        ("table.visits.columns.patient_id", "the public keys of this column name people"),
        ("graph.ties", "edge privacy hides one tie"),
        ("analyst.ana.shares.people", "above the budget"),
        ("analyst.ana.shares.strict", "above the budget"),
    ] {
        assert_finds(&report, Severity::Risk, place, words);
    }
    for (place, words) in [
        ("scope.idle", "no table or graph"),
        ("table.visits", "how many groups"),
        ("table.visits.columns.wide", "the bounds are 4000000000 apart"),
        ("table.visits.columns.fine", "finer than a 64-bit float"),
        ("table.visits.columns.loose", "SUM and AVG of this column are refused"),
        ("table.visits.columns.day", "MIN, MAX and MEDIAN"),
        ("table.lone", "event level"),
        ("table.lone.columns.word", "the pure model has none"),
        ("table.clicks", "no column is declared"),
    ] {
        assert_finds(&report, Severity::Note, place, words);
    }
    assert!(!report.findings.iter().any(|finding| finding.place == "scope.strict.budget"), "5 is not over 5");
    let first_note = report.findings.iter().position(|finding| finding.severity == Severity::Note).unwrap();
    assert!(report.findings[first_note..].iter().all(|finding| finding.severity == Severity::Note));
}

#[test]
fn delta_is_compared_with_the_number_of_people() {
    let catalog = Catalog::parse(SURFACE).unwrap();
    let risks = |people: u64| {
        let report = catalog.report_for(&BTreeMap::from([("patients".to_owned(), people)]));
        report.findings.into_iter().filter(|finding| finding.severity == Severity::Risk).count()
    };
    assert_eq!([0, 10_000, 31_622, 31_623, u64::MAX].map(risks), [0, 0, 0, 1, 1]);
}

#[test]
fn an_enormous_budget_is_a_risk_and_an_empty_catalog_is_not() {
    let report = report("[scope.a]\nbudget = { rho = 1e6, delta = 1e-9 }");
    assert_finds(&report, Severity::Risk, "scope.a.budget", "an ε over 5");
    assert_finds(&Catalog::default().report(), Severity::Note, "analyst", "no analyst is declared");
}
