//! Published bars hold what they say: the number without noise lies between them 94 to 97.5 times in a hundred.
//!
//! **False alarms.** One table is measured flat, so that every cell has noise of its own: 20 releases of 1,024 cells. If bars
//! hold 95 %, a share below 94 % is 6.5 deviations away: less than 1e-10. Tables that are measured together share noise;
//! they are looked at with a bound that even 100 independent cells would fall below with less than 1e-9 (24 or more misses
//! of 100 at 5 % each: 4e-10).

use std::fmt::Write as _;

use pointillist_catalog::Value;
use pointillist_publication::{PlanFile, PublishOptions, PublishedTable, publish};

use super::people::Place;

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 1000, delta = 1e-6 }
[table.people]
scope = "people"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
height = { type = "integer", lower = 0, upper = 1023 }
sex = { type = "text", public_keys = ["f", "m"] }
age = { type = "integer", lower = 0, upper = 99 }
"#;

const PLAN: &str = r#"
name = "bars"
title = "Bars"
budget = { rho = 0.02RUN }
[[table]]
name = "heights"
sql = "SELECT height, count(*) AS n FROM people GROUP BY height"
[[table]]
name = "ages"
from = "people"
where = "height >= 0"
marginals = ["sex", "age"]
ways = 2
lower = true
"#;

/// The share of cells whose interval holds the truth.
fn held(table: &PublishedTable, truth: impl Fn(&[Option<Value>]) -> f64) -> (usize, usize) {
    let holds = |row: &&pointillist_publication::Row| {
        let (low, high) = row.cells[0].interval.unwrap();
        (low..=high).contains(&truth(&row.keys))
    };
    (table.rows.iter().filter(holds).count(), table.rows.len())
}

#[test]
fn published_bars_hold_what_they_say() {
    let mut text = "height,sex,age\n".to_owned();
    let person = |number: usize| (number * 7919 % 1024, number % 2, (number / 2) % 100);
    let people = 10_000;
    for number in 0..people {
        let (height, sex, age) = person(number);
        let _ = writeln!(text, "{height},{},{age}", ["f", "m"][sex]);
    }
    let place = Place::new(CATALOG, &[("people.csv", text)]);
    let curator = place.curator();
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    let count = |wanted: &dyn Fn((usize, usize, usize)) -> bool| {
        (0..people).filter(|n| wanted(person(*n))).count() as f64
    };
    let heights: Vec<f64> = (0..1024).map(|height| count(&|(own, _, _)| own == height)).collect();
    let ages: Vec<f64> = (0..100).map(|age| count(&|(_, _, own)| own == age)).collect();
    let whole = |value: &Option<Value>| match value {
        Some(Value::Integer(whole)) => *whole as usize,
        other => panic!("{other:?}"),
    };
    let (mut flat, mut together) = ((0, 0), (0, 0));
    for run in 0..20 {
        // Every run has a price of its own, so that every run has noise of its own.
        let file = PlanFile::parse(&PLAN.replace("RUN", &format!("{run:02}"))).unwrap();
        let release = publish(&place.home, &curator, &file, &options).unwrap();
        let table = |name: &str| release.tables.iter().find(|table| table.name == name).unwrap();
        let (hits, cells) = held(table("heights"), |keys| heights[whole(&keys[0])]);
        flat = (flat.0 + hits, flat.1 + cells);
        let (hits, cells) = held(table("ages_age"), |keys| ages[whole(&keys[0])]);
        together = (together.0 + hits, together.1 + cells);
    }
    let share = |(hits, cells): (usize, usize)| hits as f64 / cells as f64;
    assert!((0.94..=0.975).contains(&share(flat)), "{flat:?}");
    assert!(share(together) > 0.76, "{together:?}");
}
