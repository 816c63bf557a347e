//! A catalog that is declared anew beside a curator that goes on answering.

use std::fs;
use std::time::{Duration, Instant};

use pointillist_catalog::Catalog;
use pointillist_curator::{Clock, Curator, Home, OWNER, Paid, ReplyClock, StartError};
use pointillist_errors::{Explained, Kind};

use crate::clinic::{CATALOG, Clinic, ask, open, visits};

const COUNT: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 2) count(*) AS n FROM people";
const QUANTUM: Duration = Duration::from_millis(700);

fn declared(catalog: &str) -> Catalog {
    Catalog::parse(catalog).unwrap()
}

/// A new version of the people, whose file is another now.
fn later() -> String {
    CATALOG.replace("source = \"people.csv\"", "source = \"people.csv\"\nversion = \"later\"")
}

fn people(count: usize) -> String {
    "age,region\n".to_owned() + &"30,north\n".repeat(count)
}

fn count(curator: &Curator) -> (Paid, f64) {
    let reply = curator.ask(&ask("ana", COUNT, None)).unwrap();
    let value = reply.answer.rows[0].values[0].clone().unwrap();
    let pointillist_catalog::Value::Integer(value) = value else { panic!("{value:?}") };
    (reply.paid, value as f64)
}

/// Specification: of another version of a table nothing is answered from what was read or recorded of the one before, in
/// either direction. False alarm: noise of σ = 1/2 leaves ±50 with probability below 1e-1000.
#[test]
fn another_version_is_read_and_paid_for_anew() {
    let clinic = Clinic::new(&visits(10));
    fs::write(clinic.folder.path().join("people.csv"), people(400)).unwrap();
    let (paid, before) = count(&clinic.curator);
    assert!(paid == Paid::InFull && (before - 400.0).abs() < 50.0);
    fs::write(clinic.folder.path().join("people.csv"), people(900)).unwrap();
    let new = clinic.curator.redeclared(declared(&later())).unwrap();
    let (paid, after) = count(&new);
    assert!(paid == Paid::InFull && (after - 900.0).abs() < 50.0, "{after}");
    assert_eq!(count(&new), (Paid::Nothing, after));
    assert_eq!(count(&clinic.curator), (Paid::Nothing, before), "the old one still knows what it said");
}

/// Specification: other bounds are another question.
#[test]
fn other_bounds_are_another_question() {
    let clinic = Clinic::new(&visits(10));
    let sum = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.5) sum(age) FROM people";
    let narrower = CATALOG.replace("upper = 120", "upper = 60");
    assert_eq!(clinic.curator.ask(&ask("ana", sum, None)).unwrap().paid, Paid::InFull);
    let new = clinic.curator.redeclared(declared(&narrower)).unwrap();
    assert_eq!(new.ask(&ask("ana", sum, None)).unwrap().paid, Paid::InFull);
    let again = new.redeclared(declared(CATALOG)).unwrap();
    assert_eq!(again.ask(&ask("ana", sum, None)).unwrap().paid, Paid::Nothing, "it was asked before");
}

/// Specification: a question that is on its way finishes under the catalog that it was asked under, and the same question
/// waits for it under the new one: one flight, one payment.
#[test]
fn a_question_on_its_way_finishes_under_its_own_catalog() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    fs::write(folder.path().join("people.csv"), people(50)).unwrap();
    let old = open(folder.path(), CATALOG, ReplyClock { quantum: Some(QUANTUM), quanta: None });
    let pending = old.ask_until(&ask("ana", COUNT, None)).unwrap();
    let without = declared(&CATALOG.replace("max_groups = 3", "max_groups = 2"));
    let new = old.redeclared(without).unwrap();
    drop(old);
    let due = pending.due();
    let again = new.ask_until(&ask("ana", COUNT, None)).unwrap();
    assert!(Instant::now() >= due, "the same question waits across catalogs");
    let first = pending.collect().unwrap();
    let second = again.collect().unwrap();
    assert_eq!((first.paid, second.paid), (Paid::InFull, Paid::Nothing));
    assert_eq!(first.answer.rows, second.answer.rows);
    let mut gone = declared(CATALOG.split("[table.people]").next().unwrap());
    gone.analysts = new.catalog().analysts.clone();
    let pending = new.ask_until(&ask("ana", &COUNT.replace("rho = 2", "rho = 3"), None)).unwrap();
    let without = new.redeclared(gone).unwrap();
    assert_eq!(without.ask(&ask("ana", COUNT, None)).unwrap_err().kind(), Kind::UnknownTable);
    assert_eq!(pending.collect().unwrap().paid, Paid::InFull);
}

/// Specification: a catalog is refused as it would be when a curator is opened, word for word, and the curator goes on as
/// it is; a new analyst with a share of a budget that was granted is no new permission to spend, and is told to the ledger.
#[test]
fn a_catalog_is_refused_as_it_is_when_a_curator_opens() {
    for (from, to) in [
        ("rho = 50", "rho = 51"),
        ("rho = 20", "rho = 21"),
        ("source = \"people.csv\"", "source = \"visits.csv\""),
        ("privacy_unit = \"row\"", "privacy_unit = \"age\""),
        (
            "[analyst.ana]",
            "[table.new]\nscope = \"patients\"\nsource = \"new.csv\"\nprivacy_unit = \"row\"\n[analyst.ana]",
        ),
        ("[scope.patients]", "[scope.more]\nbudget = { rho = 1, delta = 1e-9 }\n[scope.patients]"),
    ] {
        let clinic = Clinic::new(&visits(10));
        let changed = declared(&CATALOG.replace(from, to));
        let redeclared =
            clinic.curator.redeclared(changed.clone()).err().map(|error| error.explanation().text());
        assert!(count(&clinic.curator).0 == Paid::InFull, "it goes on");
        let Clinic { folder, curator } = clinic;
        drop(curator);
        let opened = Home::new(folder.path().to_owned(), changed.clone());
        let place = crate::clinic::place(folder.path());
        let settings = pointillist_curator::Settings { place, ..opened.settings(Clock::Immediate) };
        let opened =
            Curator::open(folder.path(), changed, settings).err().map(|error| error.explanation().text());
        assert!(redeclared.is_some(), "{to}");
        assert_eq!(redeclared, opened, "{to}");
    }
    let clinic = Clinic::new(&visits(10));
    let joined = format!("{CATALOG}\n[analyst.eve]\nshares = {{ patients = {{ rho = 3, delta = 1e-7 }} }}\n");
    let new = clinic.curator.redeclared(declared(&joined)).unwrap();
    assert_eq!(new.ask(&ask("eve", COUNT, None)).unwrap().paid, Paid::InFull);
    assert!(clinic.curator.ask(&ask("eve", COUNT, None)).is_err(), "the old catalog does not know her");
    assert!(matches!(
        new.redeclared(declared(&joined.replace("rho = 3", "rho = 4"))),
        Err(StartError::BudgetChanged { .. })
    ));
}

/// Specification: what is embargoed can be named by the owner at the machine, and by nobody through a curator.
#[test]
fn a_curator_does_not_know_what_is_embargoed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("visits.csv"), visits(3)).unwrap();
    fs::write(folder.path().join("people.csv"), people(5)).unwrap();
    fs::write(folder.path().join("early.csv"), "n\n1\n").unwrap();
    let early = "[table.early]\npublic = true\nsource = \"early.csv\"\n[table.early.columns]\nn = { type = \"integer\" }\n";
    let mut home = Home::new(folder.path().to_owned(), declared(CATALOG));
    home.embargoed.extend(declared(early).tables);
    let curator = home.curator(Clock::Declared).unwrap();
    for sql in ["SELECT n FROM early", "EXPLAIN SELECT n FROM early", "DESCRIBE early"] {
        for analyst in ["ana", OWNER] {
            let ask = ask(analyst, sql, None);
            assert_eq!(curator.execute(&ask).unwrap_err().kind(), Kind::UnknownTable, "{sql}");
            assert_eq!(curator.describe(&ask).unwrap_err().kind(), Kind::UnknownTable, "{sql}");
        }
        assert_eq!(home.describe(&ask("ana", sql, None)).unwrap_err().kind(), Kind::UnknownTable, "{sql}");
        assert!(home.describe(&ask(OWNER, sql, None)).is_ok(), "{sql}");
    }
}
