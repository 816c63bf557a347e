//! What the page says, and that every kind of table has its picture.

use pointillist_catalog::Value;
use pointillist_plan::Type;

use super::page;
use crate::Published;
use crate::sample::{row, sample, table};

/// A release with tables of every shape.
fn shapes() -> Published {
    let mut published = sample();
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let wave = |at: i64, error: f64| {
        let estimate = 400.0 + 300.0 * (at as f64 / 9.0).sin() + (at * 7919 % 13) as f64;
        (estimate.max(0.0).round() as i128, estimate, error)
    };
    let filled = |keys: Vec<Option<Value>>, at: i64, error: f64| {
        let (value, estimate, error) = wave(at, error);
        let mut row = row(keys, value, estimate, error);
        row.cells[0].is_noisy = error > 150.0;
        row
    };
    let regions = ["north", "south", "east", "west"];
    let mut bars = table("regions", "Visits by region", &[("region", Type::Text, false)]);
    bars.rows =
        (0..4).map(|at| filled(vec![text(regions[at as usize])], 9 * at, 35.0 + 60.0 * at as f64)).collect();
    let mut pairs = table(
        "pairs",
        "Visits by region and sex",
        &[("region", Type::Text, false), ("sex", Type::Text, false)],
    );
    pairs.rows = (0..8)
        .map(|at| {
            filled(
                vec![text(regions[at as usize / 2]), text(["female", "male"][at as usize % 2])],
                3 * at,
                40.0,
            )
        })
        .collect();
    let mut ages = table("ages", "Visits by age", &[("age", Type::Integer, true)]);
    ages.rows = (0..100).map(|age| filled(vec![Some(Value::Integer(age))], age, 45.0)).collect();
    let mut days =
        table("days", "Visits by day and sex", &[("sex", Type::Text, false), ("day", Type::Date, true)]);
    days.rows = (0..80)
        .map(|at| {
            filled(
                vec![
                    text(["female", "male"][at as usize / 40]),
                    Some(Value::Date(20_000 + 7 * (at as i32 % 40))),
                ],
                at,
                60.0,
            )
        })
        .collect();
    let mut grid = table(
        "grid",
        "Visits by hospital and month",
        &[("hospital", Type::Text, false), ("month", Type::Integer, false)],
    );
    grid.rows = (0..120)
        .map(|at| {
            filled(
                vec![text(&format!("Hospital {}", at / 12)), Some(Value::Integer(at % 12 + 1))],
                at,
                if at % 17 == 0 { 200.0 } else { 60.0 },
            )
        })
        .collect();
    let mut large = table("large", "Visits by street", &[("street", Type::Text, false)]);
    large.rows = (0..700).map(|at| filled(vec![text(&format!("Street {at}"))], at, 80.0)).collect();
    published.tables.extend([bars, pairs, ages, days, grid, large]);
    published
}

/// The words of a page, without its markup.
fn words(page: &str) -> String {
    let mut words = String::new();
    for part in page.split('<').skip(1) {
        words.push_str(part.split_once('>').map_or("", |(_, text)| text));
        words.push(' ');
    }
    words.replace('\u{a0}', " ")
}

#[test]
fn the_page_begins_with_the_finding_and_warns_of_an_embargo() {
    let page = page(&sample());
    let words = words(&page);
    let place = |text: &str| words.find(text).unwrap_or_else(|| panic!("{text}: {words}"));
    assert!(
        place("2 tables to see the picture by")
            < place("Embargo: not to be shown to others before 2026-12-01")
    );
    assert!(place("Embargo") < place("1,204"));
    assert!(place("1,204") < place("How wrong may these numbers be?"));
    let mut open = sample();
    open.facts.not_before = None;
    assert!(!super::page(&open).contains("Embargo"));
}

#[test]
fn the_page_says_what_it_cost_and_what_that_means() {
    let words = words(&page(&sample()));
    for said in [
        "ρ = 0.02",
        "ε = 0.98 at δ = 1e-9",
        "ε = 1.31 at δ = 1e-9",
        "ρ = 0.035",
        "2.83 times less noise",
        "2026-05-01",
        "ρ = 0.04",
        "right in at most 72.8 % of cases",
        "everything in `visits` that has one patient_id.",
        "Why this was measured as “residual”",
        "2.00 times as much noise",
        "too noisy",
        "CC-BY-4.0",
        "pointillist release verify FOLDER",
        "approved by",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
}

#[test]
fn every_shape_of_table_has_its_picture() {
    let page = page(&shapes());
    if let Some(path) = std::env::var_os("POINTILLIST_REPORT") {
        std::fs::write(path, &page).unwrap();
    }
    // Seven tables with keys and the comparison with chance, each for a screen and for a telephone.
    assert_eq!(page.matches("<svg").count(), 2 * 8, "{}", words(&page));
    assert!(words(&page).contains("The first 60 of 700 rows"));
    assert!(page.len() < 1_000_000, "{}", page.len());
}

#[test]
fn a_release_of_many_tables_stays_a_page() {
    let mut published = sample();
    let one = published.tables[0].clone();
    published.tables =
        (0..100).map(|at| crate::PublishedTable { name: format!("t{at}"), ..one.clone() }).collect();
    let page = page(&published);
    assert!(words(&page).contains("t99.csv") && page.matches("<svg").count() == 2 * 25);
}
