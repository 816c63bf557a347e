//! Budgets that renew with the rows: every month is a population of its own, and no question looks into another.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use pointillist_catalog::Catalog;
use pointillist_curator::{
    Ask, AskError, Curator, OWNER, Paid, Reply, Settings, StartError, accept, rehearse,
};
use pointillist_engine::{Engine, EngineOptions, Source};
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::Ledger;
use pointillist_plan::Relation;
use pointillist_query::{Options, Statement, statement};
use tempfile::TempDir;

use crate::clinic::{ask, open, place};

const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 10, delta = 1e-6 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 40
max_contributions = 40
periods = { column = "day", every = "month" }

[table.visits.columns]
day = { type = "date", lower = "2026-01-01", upper = "2026-03-31" }
ward = { type = "text", public_keys = ["heart", "lung", "bone"] }
cost = { type = "integer", lower = 0, upper = 100 }

[table.labs]
scope = "patients"
source = "labs.csv"
privacy_unit = "patient"
max_groups = 40
max_contributions = 40
periods = { column = "at", every = "month" }

[table.labs.columns]
at = { type = "timestamp", lower = "2026-01-01T00:00:00", upper = "2026-02-28T23:59:59" }
value = { type = "integer", lower = 0, upper = 9 }

[table.wards]
public = true
source = "wards.csv"

[table.wards.columns]
ward = { type = "text" }
floor = { type = "integer", lower = 0, upper = 3 }

[scope.staff]
budget = { rho = 1, delta = 1e-6 }

[table.shifts]
scope = "staff"
source = "shifts.csv"
privacy_unit = "nurse"

[analyst.ana]
shares = { patients = { rho = 4, delta = 5e-7 } }
"#;

/// Visits of thirty people in the first three months; `shift` changes every row that is not of January.
fn visits(shift: usize) -> String {
    let mut text = "patient,day,ward,cost\n".to_owned();
    for row in 0..180_usize {
        let (patient, month) = (row % 30, 1 + row / 60);
        let moved = if month == 1 { 0 } else { shift };
        let ward = ["heart", "lung", "bone"][(row + moved) % 3];
        let cost = (row * 7 + moved) % 101;
        writeln!(text, "{},2026-{month:02}-{:02},{ward},{cost}", (patient + moved) % 30, 1 + row % 28)
            .unwrap();
        if moved > 0 && row % 2 == 0 {
            writeln!(text, "{patient},2026-{month:02}-01,{ward},{cost}").unwrap();
        }
    }
    // Rows of no period: without a day, not a day, before the first month, behind the last, and on the edge of January.
    for day in ["", "soon", "2025-12-31", "2026-04-01", "1999-01-15"] {
        for patient in 0..=shift {
            writeln!(text, "{patient},{day},heart,{}", 50 + shift).unwrap();
        }
    }
    text
}

/// The same of another table, with moments on the edges of a month.
fn labs(shift: usize) -> String {
    let mut text = "patient,at,value\n".to_owned();
    for patient in 0..30 {
        writeln!(text, "{patient},2026-01-01T00:00:00,{}", patient % 10).unwrap();
        writeln!(text, "{patient},2026-01-31T23:59:59.999999,{}", patient % 7).unwrap();
        writeln!(text, "{},2026-02-01T00:00:00,{}", (patient + shift) % 30, (patient + shift) % 10).unwrap();
        if shift > 0 {
            writeln!(text, "{patient},2025-12-31T23:59:59.999999,9\n{patient},,9").unwrap();
        }
    }
    text
}

fn write(folder: &Path, shift: usize) {
    fs::write(folder.join("visits.csv"), visits(shift)).unwrap();
    fs::write(folder.join("labs.csv"), labs(shift)).unwrap();
    fs::write(folder.join("wards.csv"), "ward,floor\nheart,1\nlung,2\nbone,3\n").unwrap();
    fs::write(folder.join("shifts.csv"), "nurse\n1\n2\n").unwrap();
}

fn hospital() -> (TempDir, Curator) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0);
    let curator = open(folder.path(), CATALOG, pointillist_curator::ReplyClock::IMMEDIATE);
    (folder, curator)
}

fn options(pairs: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    pairs.iter().for_each(|(name, text)| options.set(name, text).unwrap());
    options
}

fn asked(curator: &Curator, analyst: &str, sql: &str, month: &str, rho: &str) -> Result<Reply, AskError> {
    let options = options(&[("period", month), ("rho", rho)]);
    curator.ask(&Ask { options, ..ask(analyst, sql, None) })
}

fn spent(curator: &Curator, scope: &str) -> String {
    let balance = curator.ledger().balance(scope).unwrap().expect("every period has a budget");
    balance.spent.loss().to_string()
}

const COUNT: &str = "SELECT count(*) AS n FROM visits";
const MONTHS: [&str; 3] = ["2026-01", "2026-02", "2026-03"];

/// Specification: each month has its own budget. What is asked about one leaves the others untouched, an exhausted one
/// refuses while the next answers, and an analyst's share is a share of each.
#[test]
fn each_month_spends_its_own_budget() {
    let (_folder, curator) = hospital();
    asked(&curator, OWNER, COUNT, "2026-01", "9").unwrap();
    let left = |curator: &Curator| MONTHS.map(|month| spent(curator, &format!("patients@{month}")));
    assert_eq!(left(&curator), ["9", "0", "0"]);
    let exhausted = asked(&curator, OWNER, "SELECT sum(cost) FROM visits", "2026-01", "2").unwrap_err();
    assert_eq!(exhausted.kind(), Kind::Budget, "{exhausted}");
    let reply = asked(&curator, OWNER, "SELECT sum(cost) FROM visits", "2026-02", "2").unwrap();
    assert_eq!(
        (reply.receipt.scope.as_str(), reply.left.spent.loss().to_string().as_str()),
        ("patients@2026-02", "2")
    );
    assert_eq!(left(&curator), ["9", "2", "0"]);
    asked(&curator, "ana", COUNT, "2026-02", "4").unwrap();
    assert!(asked(&curator, "ana", "SELECT avg(cost) FROM visits", "2026-02", "1").is_err());
    asked(&curator, "ana", COUNT, "2026-03", "4").unwrap();
    assert_eq!(left(&curator), ["9", "6", "4"]);
    assert!(curator.ledger().balance("patients").unwrap().is_none(), "there is no budget of no period");
}

/// Specification: the same words about two months are two questions, each with an answer of its own.
#[test]
fn answers_of_one_month_are_never_those_of_another() {
    let (_folder, curator) = hospital();
    let first = asked(&curator, OWNER, COUNT, "2026-01", "1").unwrap();
    let again = asked(&curator, OWNER, COUNT, "2026-01", "1").unwrap();
    assert_eq!((again.paid, &again.answer.rows), (Paid::Nothing, &first.answer.rows));
    let other = asked(&curator, OWNER, COUNT, "2026-02", "1").unwrap();
    assert_eq!(other.paid, Paid::InFull);
    // By day: the days of the month are the groups, and the wider question stays in the month.
    let days = "SELECT day, count(*) AS n FROM visits GROUP BY day";
    let february = asked(&curator, OWNER, days, "2026-02", "1").unwrap();
    assert_eq!(february.answer.rows.len(), 28);
    let some = "SELECT day, count(*) AS n FROM visits WHERE day >= DATE '2026-02-20' GROUP BY day";
    let part = asked(&curator, OWNER, some, "2026-02", "0.01").unwrap();
    assert_eq!((part.paid, part.answer.rows.len()), (Paid::Nothing, 9));
    assert_eq!(part.answer.rows[..], february.answer.rows[19..]);
}

/// Questions of every kind of relation: what looks at one row, joins of both kinds, windows, unions, steps about a person.
const QUESTIONS: [&str; 12] = [
    "SELECT ward, count(*), sum(cost) FROM visits GROUP BY ward",
    "SELECT day, count(*), count(DISTINCT patient) FROM visits GROUP BY day",
    "SELECT count(*) FROM visits v JOIN labs l ON v.patient = l.patient WHERE l.value > 3",
    "SELECT count(*) FROM visits v LEFT JOIN labs l ON v.patient = l.patient AND l.value = 9",
    "SELECT count(*), sum(v.cost) FROM visits v FULL JOIN labs l ON v.patient = l.patient",
    "SELECT floor, count(*) FROM visits JOIN wards ON visits.ward = wards.ward GROUP BY floor",
    "SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM labs l WHERE l.patient = v.patient AND l.value > 5)",
    "SELECT count(*) FROM visits v WHERE v.patient NOT IN (SELECT l.patient FROM labs l WHERE l.value > 5)",
    "SELECT n, count(*) FROM (SELECT patient, count(*) AS n, sum(cost) AS s FROM visits GROUP BY patient) p \
     WHERE n < 20 GROUP BY n",
    "SELECT count(*) FROM (SELECT cost, row_number() OVER (PARTITION BY patient ORDER BY day) AS k, \
     lag(cost) OVER (PARTITION BY patient ORDER BY day, cost) AS before FROM visits) w WHERE k <= 3 AND before < cost",
    "SELECT count(*), sum(x) FROM (SELECT patient, cost AS x FROM visits UNION ALL SELECT patient, value FROM labs) u",
    "SELECT count(*) FROM (SELECT DISTINCT patient, ward FROM visits) d JOIN (SELECT patient, max(cost) AS most FROM visits \
     GROUP BY patient) m ON d.patient = m.patient WHERE most > 50",
];

/// The exact groups of a question, which only tests can see.
fn groups(folder: &Path, catalog: &Catalog, sql: &str, month: &str) -> String {
    let price =
        options(&[("period", month), ("rho", "1"), ("max_groups", "40"), ("max_contributions", "1000")]);
    let planned = statement(catalog, sql, &price)
        .unwrap_or_else(|refusal| panic!("{sql}: {}", refusal.explanation().text()));
    let Statement::Rows(plan) = planned else { panic!("{sql} is about rows") };
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let mut text = String::new();
    for part in plan.parts() {
        assert_eq!(part.scope, format!("patients@{month}"));
        let names = part.aggregation.relation.tables();
        let source = |name: &str| Source::open(folder, &catalog.tables[name].source).unwrap();
        let sources: BTreeMap<String, Source> =
            names.iter().map(|name| ((*name).to_owned(), source(name))).collect();
        let groups =
            engine.aggregate(engine.scan(&sources, &part.aggregation).unwrap(), &part.aggregation).unwrap();
        let totals: Vec<&[i128]> = (0..groups.measures()).map(|measure| groups.totals(measure)).collect();
        write!(text, "{:?} {:?} {totals:?};", groups.keys(), groups.people()).unwrap();
    }
    text
}

/// Specification: whatever happens to rows of other months, and to rows of none, what is added up about January is the
/// same integers. The test can see changes: those of February do change.
#[test]
fn rows_of_other_months_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::parse(CATALOG).unwrap();
    let all = |shift: usize, month: &str| {
        write(folder.path(), shift);
        QUESTIONS.map(|sql| groups(folder.path(), &catalog, sql, month))
    };
    let (january, february) = (all(0, "2026-01"), all(0, "2026-02"));
    for shift in [1, 4, 11] {
        let (same, other) = (all(shift, "2026-01"), all(shift, "2026-02"));
        for (at, sql) in QUESTIONS.iter().enumerate() {
            assert_eq!(january[at], same[at], "{sql}");
            assert_ne!(february[at], other[at], "{sql}");
        }
    }
    // January alone, as if there were nothing else.
    write(folder.path(), 0);
    let only = |text: String| {
        let rows = text.lines().enumerate().filter(|(at, line)| *at == 0 || line.contains(",2026-01-"));
        rows.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    fs::write(folder.path().join("visits.csv"), only(visits(0))).unwrap();
    fs::write(folder.path().join("labs.csv"), only(labs(0))).unwrap();
    for (sql, all) in QUESTIONS.iter().zip(&january) {
        assert_eq!(&groups(folder.path(), &catalog, sql, "2026-01"), all, "{sql}");
    }
}

/// Specification: a row without a day, or with one outside of the bounds, is in no month.
#[test]
fn rows_of_no_period_are_never_read() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 0);
    let catalog = Catalog::parse(CATALOG).unwrap();
    let counts = MONTHS.map(|month| groups(folder.path(), &catalog, COUNT, month));
    assert!(counts.iter().all(|groups| groups.contains("[60]")), "{counts:?}");
    // 185 rows are in the file.
    assert_eq!(visits(0).lines().count() - 1, 185);
}

/// Specification: what belongs to no period is refused beside what does, by name, and the other way round.
#[test]
fn a_question_is_about_one_period_or_about_none() {
    let (_folder, curator) = hospital();
    let refusal = |sql: &str, month: Option<&str>| {
        let options = options(&month.map(|month| vec![("period", month)]).unwrap_or_default());
        curator.ask(&Ask { options, ..ask(OWNER, sql, None) }).unwrap_err().explanation().text()
    };
    let text = refusal(COUNT, None);
    assert!(
        text.contains("the question does not say which") && text.contains("2026-01 to 2026-03"),
        "{text}"
    );
    let text = refusal(COUNT, Some("2026-04"));
    assert!(text.contains("`visits` has no period `2026-04`"), "{text}");
    let text = refusal("SELECT count(*) FROM labs", Some("2026-03"));
    assert!(text.contains("`labs` has no period `2026-03`") && text.contains("2026-01 to 2026-02"), "{text}");
    let text = refusal("SELECT count(*) FROM shifts", Some("2026-01"));
    assert!(text.contains("`shifts` has no periods"), "{text}");
    assert_eq!(MONTHS.map(|month| spent(&curator, &format!("patients@{month}"))), ["0", "0", "0"]);
}

/// Specification: a period that a moved bound reaches is new permission to spend, and waits for the owner; so do another
/// period column and another length.
#[test]
fn a_new_period_waits_for_the_owner() {
    let (folder, curator) = hospital();
    asked(&curator, OWNER, COUNT, "2026-01", "9").unwrap();
    drop(curator);
    let folder = folder.path();
    let reopen = |catalog: &str| {
        let ledger = Ledger::open(&place(folder), Default::default()).unwrap();
        Curator::with_ledger(folder, Catalog::parse(catalog).unwrap(), ledger, Settings::beside(folder))
    };
    let longer = CATALOG.replace("2026-03-31", "2026-04-30");
    let refused = reopen(&longer).err().expect("a new budget");
    assert!(
        matches!(&refused, StartError::BudgetChanged { whose, .. } if whose.contains("patients@2026-04")),
        "{refused}"
    );
    let day = "day = { type = \"date\", lower";
    let renamed = CATALOG.replace(day, "day = { type = \"date\", name = \"left\", lower");
    assert!(matches!(reopen(&renamed).err().unwrap(), StartError::DatasetChanged { .. }));
    let quarters = CATALOG.replace("every = \"month\"", "every = \"quarter\"");
    assert!(reopen(&quarters).is_err());
    let ledger = Ledger::open(&place(folder), Default::default()).unwrap();
    let changes = accept(&Catalog::parse(&longer).unwrap(), &ledger).unwrap();
    assert_eq!(changes.len(), 2, "the month, and a share of it: {changes:?}");
    drop(ledger);
    let curator = reopen(&longer).unwrap();
    asked(&curator, OWNER, COUNT, "2026-04", "9").unwrap();
    assert_eq!(spent(&curator, "patients@2026-01"), "9", "what was spent stays spent");
    drop(curator);
    // Fewer periods: nothing to accept, and the others keep what they have spent.
    let curator = reopen(CATALOG).unwrap();
    assert!(asked(&curator, OWNER, COUNT, "2026-04", "1").is_err());
}

/// Specification: two tables of one file find the period of a row in the same column, or no curator opens: a row that is
/// in two periods would be paid for twice.
#[test]
fn a_row_has_one_period_under_every_name() {
    let (folder, curator) = hospital();
    drop(curator);
    let twice = format!(
        "{CATALOG}[table.stays]\nscope = \"patients\"\nsource = \"visits.csv\"\nprivacy_unit = \"patient\"\n\
         periods = {{ column = \"day\", every = \"month\" }}\n[table.stays.columns]\n\
         day = {{ type = \"date\", lower = \"2026-01-01\", upper = \"2026-03-31\" }}\n"
    );
    let other = twice.replacen(
        "[table.stays.columns]\nday = {",
        "[table.stays.columns]\nday = { name = \"left\",",
        1,
    );
    let check = |catalog: &str| {
        pointillist_curator::one_payer_a_file(folder.path(), &Catalog::parse(catalog).unwrap())
    };
    check(&twice).expect("the same column of the file");
    let refused = check(&other).unwrap_err().explanation().text();
    assert!(refused.contains("paid for twice") && refused.contains("one period"), "{refused}");
}

/// Specification: a rehearsal is about the same rows of made-up people: those of the period.
#[test]
fn a_rehearsal_is_about_the_period_too() {
    let catalog = Catalog::parse(CATALOG).unwrap();
    let price = options(&[("period", "2026-02"), ("rho", "1")]);
    let ask = |sql: &str, price: &Options| Ask { options: price.clone(), ..Ask::new(sql, "owner") };
    let by_day = ask("SELECT day, count(*) AS n FROM visits GROUP BY day", &price);
    let rehearsal = rehearse(&catalog, &by_day).unwrap();
    assert_eq!(rehearsal.answer.rows.len(), 28);
    assert!(rehearse(&catalog, &ask(COUNT, &options(&[("rho", "1")]))).is_err());
    let Statement::Rows(plan) = statement(&catalog, COUNT, &price).unwrap() else { panic!("rows") };
    let Relation::Table(scan) = &plan.parts()[0].aggregation.relation else { panic!("one table") };
    assert!(scan.filter.is_some(), "the condition is at the table");
}
