//! Chosen rows of files.

use std::collections::BTreeMap;
use std::io::Write;

use pointillist_catalog::Catalog;
use pointillist_query::{Options, training_rows};

use crate::{Engine, EngineError, EngineOptions, Source};

const CATALOG: &str = "
[scope.people]
budget = { rho = 0.5, delta = 1e-9 }
[table.persons]
source = 'rows.csv'
scope = 'people'
privacy_unit = 'row'
[table.persons.columns]
age = { type = 'integer', lower = 0, upper = 99 }
city = { type = 'text', public_keys = ['Ulm', 'Bonn'] }
[table.visits]
source = 'rows.csv'
scope = 'people'
privacy_unit = 'who'
max_groups = 1
max_contributions = 2
[table.visits.columns]
age = { type = 'integer', lower = 0, upper = 99 }
city = { type = 'text', public_keys = ['Ulm', 'Bonn'] }
";

fn file(folder: &std::path::Path, rows: usize) {
    let mut file = std::fs::File::create(folder.join("rows.csv")).unwrap();
    writeln!(file, "who,age,city").unwrap();
    for row in 0..rows {
        let city = ["Ulm", "Bonn", "Rom", ""][row % 4];
        writeln!(
            file,
            "{},{},{city}",
            row / 5,
            if row % 7 == 0 { "none".to_owned() } else { row.to_string() }
        )
        .unwrap();
    }
}

#[test]
fn files_are_read_as_often_as_needed_and_once_changed_never_again() {
    let catalog = Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    for (table, chosen) in [("persons", 3_000), ("visits", 1_200)] {
        for memory_bytes in [1 << 12, 1 << 30] {
            file(folder.path(), 3_000);
            let engine = Engine::new(EngineOptions { memory_bytes, threads: 2 }).unwrap();
            let sql = format!("SELECT age, city FROM {table}");
            let rows = training_rows(&catalog, &sql, None, &Options::default()).unwrap();
            let source = Source::open(folder.path(), "rows.csv").unwrap();
            let sources = BTreeMap::from([(table.to_owned(), source)]);
            let scan = engine.scan_training(&sources, &rows).unwrap();
            let table = engine.training_rows(scan, &rows).unwrap();
            let walk = || {
                let mut codes = Vec::new();
                table.for_each_block(&mut |block| codes.extend_from_slice(block)).map(|()| codes)
            };
            let first = walk().unwrap();
            assert_eq!(first.len(), 2 * chosen);
            assert_eq!(first, walk().unwrap());
            if table.prepared.ownership() == &pointillist_plan::Ownership::EachRow {
                assert_eq!(first[..10], [0, 1, 2, 2, 3, 0, 4, 0, 5, 1], "NULL, listed and other values");
                assert_eq!(first[2 * 150], 100, "a value outside goes to the end");
            }
            let kept = table.kept.get().is_some();
            assert_eq!(kept, memory_bytes > 1 << 12, "what fits is kept");
            file(folder.path(), 2_999);
            match kept {
                true => assert_eq!(first, walk().unwrap()),
                false => assert!(matches!(walk(), Err(EngineError::Scan(_)))),
            }
        }
    }
}

/// Specification: whoever stops listening stops the reading, and can begin anew.
#[test]
fn a_walk_that_is_given_up_harms_nobody() {
    let catalog = Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), 20_000);
    let engine = Engine::new(EngineOptions { memory_bytes: 0, threads: 2 }).unwrap();
    let rows = training_rows(&catalog, "SELECT age FROM persons", None, &Options::default()).unwrap();
    let source = Source::open(folder.path(), "rows.csv").unwrap();
    let scan = engine.scan_training(&BTreeMap::from([("persons".to_owned(), source)]), &rows).unwrap();
    let table = engine.training_rows(scan, &rows).unwrap();
    for _ in 0..3 {
        let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            table.for_each_block(&mut |_| panic!("enough"))
        }));
        assert!(stopped.is_err());
    }
    let mut count = 0;
    table.for_each_block(&mut |block| count += block.len()).unwrap();
    assert_eq!(count, 20_000);
}
