//! Tables of one release agree with each other, are whole and not negative, and are near the truth.

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_publication::{
    Figure, PlanFile, PublishOptions, Published, PublishedTable, explain, publish,
};

use super::people::{people, place};

const PLAN: &str = r#"
name = "people"
title = "People"
budget = { rho = 1000 }
[[table]]
name = "pairs"
from = "people"
marginals = ["sex", "region", "age"]
ways = 2
lower = true
[[table]]
name = "places"
from = "people"
hierarchy = ["country", "region", "district"]
lookup = "places"
[[table]]
name = "ages"
from = "people"
histogram = "age"
width = 8
ranges = true
[[table]]
name = "by_sex"
sql = "SELECT sex, count(*) AS persons FROM people GROUP BY sex"
[[table]]
name = "mean_age"
sql = "SELECT sex, avg(age) AS age FROM people GROUP BY sex"
"#;

fn published(rho: &str, count: usize) -> Published {
    let place = place(count);
    let file = PlanFile::parse(&PLAN.replace("1000", rho)).unwrap();
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    publish(&place.home, &place.curator(), &file, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn whole(table: &PublishedTable) -> BTreeMap<Vec<Option<Value>>, i128> {
    let value = |cell: Option<Figure>| match cell {
        Some(Figure::Whole(whole)) => whole,
        other => panic!("{}: {other:?}", table.name),
    };
    table.rows.iter().map(|row| (row.keys.clone(), value(row.cells[0].value))).collect()
}

/// The sums of a table over all but some of its keys.
fn summed(table: &PublishedTable, keys: &[&str]) -> BTreeMap<Vec<Option<Value>>, i128> {
    let places: Vec<usize> =
        keys.iter().map(|key| table.keys.iter().position(|own| own.name == *key).unwrap()).collect();
    let mut sums = BTreeMap::new();
    for (row, value) in whole(table) {
        *sums.entry(places.iter().map(|at| row[*at].clone()).collect()).or_insert(0) += value;
    }
    sums
}

/// Specification: every table is the sum of every finer one, and no number is negative; at an ordinary and at a tiny price.
#[test]
fn tables_agree_wherever_they_overlap() {
    for rho in ["1000", "0.01"] {
        let release = published(rho, 3000);
        let counts: Vec<&PublishedTable> =
            release.tables.iter().filter(|table| table.measures[0].is_count).collect();
        assert!(counts.len() >= 12, "{}", counts.len());
        let mut compared = 0;
        for fine in &counts {
            assert!(whole(fine).values().all(|value| *value >= 0), "{}", fine.name);
            for coarse in &counts {
                let names: Vec<&str> = coarse.keys.iter().map(|key| key.name.as_str()).collect();
                let has = |name: &&str| fine.keys.iter().any(|key| key.name == *name);
                // Ages in bins, and the places of districts, are other columns: those tables are about other rows.
                let apart = |name: &str| (name == "ages", name.starts_with("places"));
                let is_overlap = names.iter().all(has) && apart(&fine.name) == apart(&coarse.name);
                if fine.name != coarse.name && is_overlap {
                    assert_eq!(
                        summed(fine, &names),
                        whole(coarse),
                        "{} and {} at {rho}",
                        fine.name,
                        coarse.name
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared >= 18, "{compared}");
    }
}

/// Specification: at a very high price the numbers are the truth, of the rows that have a listed value in every column.
#[test]
fn without_noise_the_numbers_are_those_of_the_rows() {
    let release = published("900000", 3000);
    let mut truth: BTreeMap<Vec<Option<Value>>, i128> = BTreeMap::new();
    for line in people(3000).lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != "x" && fields[1] != "nowhere" && fields[2].parse::<i64>().unwrap() <= 63 {
            let key = [fields[0], fields[1]].map(|text| Some(Value::Text(text.to_owned())));
            *truth.entry(key.to_vec()).or_insert(0) += 1;
        }
    }
    let table = release.tables.iter().find(|table| table.name == "pairs_sex_region").unwrap();
    let shown: BTreeMap<_, _> = whole(table).into_iter().filter(|(_, count)| *count != 0).collect();
    assert_eq!(shown, truth);
    // Another column, so other rows: whatever else people have not written down, their district is listed.
    let places = release.tables.iter().find(|table| table.name == "places_country").unwrap();
    let in_a = people(3000).lines().skip(1).filter(|line| !line.contains(",e")).count() as i128;
    assert_eq!(whole(places)[&vec![Some(Value::Text("a".to_owned()))]], in_a);
}

/// Specification: what is explained is what is charged, and the ledger has it.
#[test]
fn what_is_explained_is_what_is_paid() {
    let place = place(500);
    let file = PlanFile::parse(PLAN).unwrap();
    let expected = explain(&place.home, &file).unwrap_or_else(|error| panic!("{error}"));
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    let curator = place.curator();
    let release = publish(&place.home, &curator, &file, &options).unwrap();
    assert_eq!(release.facts.accounting.charged, expected.charged);
    let spent = curator.ledger().balance("people").unwrap().unwrap().spent;
    assert_eq!(spent, expected.charged.amount());
    // The same plan about the same data has the same numbers, for nothing.
    let again = publish(&place.home, &curator, &file, &options).unwrap();
    assert_eq!((release.is_repeat, again.is_repeat), (false, true));
    assert_eq!((again.facts, again.tables), (release.facts, release.tables));
    assert_eq!(curator.ledger().balance("people").unwrap().unwrap().spent, spent);
}

/// Specification: a budget of ε at δ is spent as far as the tight account allows, which is further than the ledger's own
/// conversion of ρ goes, and never beyond.
#[test]
fn an_epsilon_is_spent_by_the_tight_account() {
    let place = place(500);
    let file = PlanFile::parse(&PLAN.replace("{ rho = 1000 }", "{ epsilon = 1, delta = 1e-9 }")).unwrap();
    let expected = explain(&place.home, &file).unwrap_or_else(|error| panic!("{error}"));
    let tight = expected.tight.unwrap().epsilon.to_f64_upper();
    let by_filter = expected.by_filter.unwrap().epsilon.to_f64_upper();
    assert!(tight <= 1.0 && tight > 0.99, "{tight}");
    assert!(by_filter > 1.02, "{by_filter}");
}
