//! A small release with a bit of everything, for tests: keys of every type, a missing key, cells that are too noisy.

use pointillist_catalog::Value;
use pointillist_plan::Type;
use pointillist_privacy::{Delta, Epsilon, EpsilonDelta, Price, Rho};

use crate::*;

/// Two tables: one of everything, and a total.
pub(crate) fn sample() -> Published {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let keys = [("region", Type::Text, false), ("age", Type::Integer, true), ("day", Type::Date, true)];
    let mut by_region = table("by_region", "Visits by region", &keys);
    by_region.rows = vec![
        row(vec![text("north"), Some(Value::Integer(30)), Some(Value::Date(20_000))], 1204, 1203.25, 12.5),
        row(vec![text("south, \"far\""), Some(Value::Integer(-1)), None], 0, -3.5, 12.5),
        row(vec![text(""), None, Some(Value::Date(0))], 12, 12.0, 40.0),
    ];
    by_region.rows[2].cells[0].is_noisy = true;
    by_region.strategies = vec![
        StrategyLine { name: "flat".to_owned(), expected_error: 12.0, is_chosen: false },
        StrategyLine { name: "residual".to_owned(), expected_error: 6.0, is_chosen: true },
    ];
    by_region.notes = vec!["At most 2 visits of a patient count.".to_owned()];
    let mut total = table("total", "All visits", &[]);
    total.rows = vec![row(vec![], 1216, 1215.5, 20.0)];
    Published { facts: facts(), tables: vec![by_region, total], is_repeat: false }
}

/// A table without rows.
pub(crate) fn table(name: &str, title: &str, keys: &[(&str, Type, bool)]) -> PublishedTable {
    let key = |(name, kind, is_ordered): &(&str, Type, bool)| KeyColumn {
        name: (*name).to_owned(),
        kind: *kind,
        description: (*name == "region").then(|| "Where the hospital is".to_owned()),
        is_ordered: *is_ordered,
    };
    let measure = MeasureColumn {
        name: "n".to_owned(),
        kind: Type::Integer,
        is_count: true,
        description: Some("Visits".to_owned()),
    };
    PublishedTable {
        name: name.to_owned(),
        title: title.to_owned(),
        description: None,
        sql: format!("SELECT count(*) AS n FROM visits /* {name} */"),
        keys: keys.iter().map(key).collect(),
        measures: vec![measure],
        rows: Vec::new(),
        method: "the sum over all regions and what each adds to it, each with its own noise".to_owned(),
        strategies: Vec::new(),
        notes: Vec::new(),
    }
}

/// A row with a count.
pub(crate) fn row(keys: Vec<Option<Value>>, value: i128, estimate: f64, error: f64) -> Row {
    let interval = ((estimate - error).max(0.0), estimate + error);
    let cell = Cell {
        value: Some(Figure::Whole(value)),
        estimate: Some(estimate),
        interval: Some(interval),
        error_95: Some(error),
        is_noisy: false,
    };
    Row { keys, cells: vec![cell] }
}

/// What a release says of itself.
pub(crate) fn facts() -> ReleaseFacts {
    let rho = |text: &str| Price::zcdp(&Rho::parse(text).unwrap(), &Delta::zero());
    let said = |epsilon: &str| EpsilonDelta {
        epsilon: Epsilon::parse(epsilon).unwrap(),
        delta: Delta::parse("1e-9").unwrap(),
    };
    let some = |text: &str| Some(text.to_owned());
    ReleaseFacts {
        name: "hospital_2026".to_owned(),
        title: "Visits to hospitals, 2026".to_owned(),
        description: some("How many visits there were, where, and by whom."),
        licence: some("CC-BY-4.0"),
        citation: some("Ministry of Examples (2026): Visits to hospitals."),
        contact: some("data@example.org"),
        keywords: vec!["health".to_owned(), "visits".to_owned()],
        not_before: some("2026-12-01"),
        released_on: "2026-11-16".to_owned(),
        scope: "patients".to_owned(),
        unit: "everything in `visits` that has one patient_id".to_owned(),
        neighbours: "two data sets of which one has all rows of one patient and the other has none of them"
            .to_owned(),
        accounting: Accounting {
            charged: rho("0.02"),
            tight: Some(said("0.98")),
            by_filter: Some(said("1.31")),
            sum_of_parts: rho("0.035"),
            groups: vec![
                GroupLoss { size: 2, epsilon: 1.96, delta: 1e-9 },
                GroupLoss { size: 5, epsilon: 5.0, delta: 1e-9 },
            ],
            event_level_factor: Some(2.83),
        },
        measured: vec![Measured {
            what: "visits by region".to_owned(),
            mechanism: "discrete_gaussian".to_owned(),
            scale: "12.5".to_owned(),
            sensitivity: "2 regions of 2 visits: 2.82843 in the norm of the noise".to_owned(),
            price: "ρ = 0.02".to_owned(),
            grid: "1".to_owned(),
        }],
        data: vec![DataVersion { table: "visits".to_owned(), version: "2026-07".to_owned() }],
        software: "pointillist 0.1.0".to_owned(),
        plan_digest: "ab".repeat(32),
        plan_text: "name = \"hospital_2026\"\ntitle = \"Visits to hospitals, 2026\"\n".to_owned(),
        receipt: ReceiptRecord {
            seq: 17,
            hash: "cd".repeat(32),
            release_seq: 18,
            release_hash: "ef".repeat(32),
        },
        earlier: vec![EarlierRelease {
            seq: 9,
            released_on: "2026-05-01".to_owned(),
            charged: rho("0.02"),
            together: rho("0.04"),
        }],
        prepared_by: some("ana"),
        approved_by: some("bo"),
    }
}
