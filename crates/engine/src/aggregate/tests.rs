//! The aggregation of small plans over batches in memory.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::Grid;
use pointillist_numbers::Rational;
use pointillist_plan::{
    Comparison, Form, KeyColumn, Measure, Owner, Relation, Scan, ScanColumn, Type, Units,
};

use super::*;

/// Columns: city, age, spend; after them the owner.
fn visits(owners: ArrayRef) -> RecordBatch {
    let city =
        StringViewArray::from(vec![Some("Ulm"), Some("Bonn"), None, Some("Ulm"), Some("Ulm"), Some("Bonn")]);
    let age = Int64Array::from(vec![Some(30), Some(40), Some(50), None, Some(17), Some(41)]);
    let spend = Float64Array::from(vec![Some(1.5), Some(250.0), Some(-3.0), Some(2.25), Some(9.0), None]);
    let columns: [(&str, ArrayRef); 4] =
        [("city", Arc::new(city)), ("age", Arc::new(age)), ("spend", Arc::new(spend)), ("__owner", owners)];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
}

fn numbers() -> ArrayRef {
    Arc::new(Int64Array::from(vec![Some(1), Some(1), Some(2), Some(1), Some(3), Some(1)]))
}

fn measure(counted: Option<Scalar>, quantity: Quantity) -> Measure {
    Measure { counted, quantity }
}

/// Spend from 0 to 100 in quarters.
fn spend(excess: Excess) -> Quantity {
    let grid = Grid::new(Rational::zero(), Rational::from(100), Rational::ratio(1, 4)).unwrap();
    Quantity::Total {
        value: Scalar::Column(2),
        units: Units { grid, form: Form::Linear { offset: 0, factor: 1 } },
        excess,
    }
}

fn older_than(age: i64) -> Scalar {
    let age = Scalar::Constant(Value::Integer(age));
    Scalar::Compare(Comparison::Greater, Box::new(Scalar::Column(1)), Box::new(age))
}

fn by_city(owner: Owner, bound: ContributionBound, measures: Vec<Measure>) -> Aggregation {
    Aggregation {
        relation: Relation::Table(Scan {
            table: "visits".to_owned(),
            columns: Vec::new(),
            filter: None,
            owner,
        }),
        filter: None,
        bound,
        keys: vec![KeyColumn { value: Scalar::Column(0), kind: Type::Text }],
        domain: None,
        measures,
    }
}

fn column() -> Owner {
    Owner::Column("person".to_owned())
}

fn bound(groups_max: u64, rows_max: u64) -> ContributionBound {
    ContributionBound::new(groups_max, rows_max).unwrap()
}

/// Each group's key, people and totals.
type Shown = Vec<(Option<String>, i128, Vec<i128>)>;

fn run(partitions: &[Vec<RecordBatch>], aggregation: &Aggregation, options: &EngineOptions) -> Shown {
    let schema = partitions[0][0].schema();
    let input = crate::rows::MemoryScan::shared(schema, partitions.to_vec());
    let input = Arc::new(Prepared::one(input, &aggregation.relation));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let groups = runtime
        .block_on(aggregate(input, aggregation, &Choice::Fresh, options))
        .unwrap_or_else(|e| panic!("{e}"));
    let text = |key: &[Option<Value>]| match key {
        [Some(Value::Text(text))] => Some(text.clone()),
        _ => None,
    };
    let totals = |at: usize| (0..groups.measures()).map(|measure| groups.totals(measure)[at]).collect();
    let keys = groups.keys().iter().enumerate();
    keys.map(|(at, key)| (text(key), groups.people()[at], totals(at))).collect()
}

fn group(city: &str, people: i128, totals: &[i128]) -> (Option<String>, i128, Vec<i128>) {
    ((!city.is_empty()).then(|| city.to_owned()), people, totals.to_vec())
}

#[test]
fn people_are_bounded_in_every_group_and_keys_come_in_their_order() {
    let everything = vec![
        measure(None, Quantity::Rows),
        measure(Some(older_than(18)), Quantity::Rows),
        measure(None, Quantity::People),
        measure(None, spend(Excess::Clamp)),
        measure(Some(older_than(18)), spend(Excess::Clamp)),
        measure(None, spend(Excess::Thin { refinement: 1 })),
    ];
    let aggregation = by_city(column(), bound(2, 1), everything);
    // In quarters: Ulm is 6 + 9 of person 1, which one row can hold, or 7½ as one row of their mean, and 36 of 3:
    // 87 halves of quarters.
    let expected = [
        group("", 1, &[1, 1, 1, 0, 0, 0]),
        group("Bonn", 1, &[1, 1, 1, 400, 400, 800]),
        group("Ulm", 2, &[2, 1, 2, 51, 6, 87]),
    ];
    let texts = StringViewArray::from(vec![
        Some("ann"),
        Some("ann"),
        Some("bo"),
        Some("ann"),
        Some("cy"),
        Some("ann"),
    ]);
    for owners in [numbers(), Arc::new(texts)] {
        let batch = visits(owners);
        let rows = |from, to| vec![batch.slice(from, to - from)];
        for partitions in [vec![rows(0, 6)], vec![rows(0, 2), rows(2, 5), rows(5, 6)]] {
            assert_eq!(run(&partitions, &aggregation, &EngineOptions::default()), expected);
            // Without any allowance the rows are read again for every few people.
            let none = EngineOptions { memory_bytes: 0, ..EngineOptions::default() };
            assert_eq!(run(&partitions, &aggregation, &none), expected);
        }
    }
}

#[test]
fn rows_that_fail_the_filter_or_have_no_owner_are_left_out_before_bounding() {
    let owners: ArrayRef =
        Arc::new(Int64Array::from(vec![Some(1), None, Some(2), Some(1), Some(1), Some(1)]));
    let mut aggregation = by_city(column(), bound(1, 9), vec![measure(None, Quantity::Rows)]);
    aggregation.filter = Some(older_than(29));
    // Person 1 keeps one of Ulm and Bonn; the row of 17 years and the one of unknown age never count.
    for _ in 0..20 {
        let shown = run(&[vec![visits(Arc::clone(&owners))]], &aggregation, &EngineOptions::default());
        let kept = if shown[1].0.as_deref() == Some("Ulm") { "Ulm" } else { "Bonn" };
        assert_eq!(shown, [group("", 1, &[1]), group(kept, 1, &[1])]);
    }
}

#[test]
fn declared_groups_appear_in_their_order_and_others_never_use_up_a_bound() {
    let key = |city: &str| vec![Some(Value::Text(city.to_owned()))];
    let mut aggregation = by_city(column(), bound(1, 9), vec![measure(None, Quantity::Rows)]);
    aggregation.domain = Some(vec![key("Ulm"), key("Aachen")]);
    for _ in 0..20 {
        let shown = run(&[vec![visits(numbers())]], &aggregation, &EngineOptions::default());
        assert_eq!(shown, [group("Ulm", 2, &[3]), group("Aachen", 0, &[0])]);
    }
}

#[test]
fn rows_that_are_people_are_simply_added_up() {
    let measures = vec![
        measure(None, Quantity::Rows),
        measure(Some(older_than(18)), Quantity::People),
        measure(None, spend(Excess::Thin { refinement: 1 })),
    ];
    let mut aggregation = by_city(Owner::EachRow, ContributionBound::one_row(), measures);
    let batch = visits(numbers()).project(&[0, 1, 2]).unwrap();
    let expected = [group("", 1, &[1, 1, 0]), group("Bonn", 2, &[2, 2, 800]), group("Ulm", 3, &[3, 1, 102])];
    for partitions in [vec![vec![batch.clone()]], vec![vec![batch.slice(0, 3)], vec![batch.slice(3, 3)]]] {
        assert_eq!(run(&partitions, &aggregation, &EngineOptions::default()), expected);
        // Without any allowance the rows are read again for every key.
        let none = EngineOptions { memory_bytes: 0, ..EngineOptions::default() };
        assert_eq!(run(&partitions, &aggregation, &none), expected);
    }
    aggregation.keys.clear();
    aggregation.filter = Some(older_than(1000));
    let shown = run(&[vec![batch]], &aggregation, &EngineOptions::default());
    assert_eq!(shown, [group("", 0, &[0, 0, 0])], "without keys there is always one group");
}

/// Specification: a file of more keys than there is memory for is read again until every key has been counted, whole. Power:
/// whoever went on with what a pass that was given up has left in the queue of the scan would miss rows.
#[test]
fn a_file_of_very_many_keys_is_read_in_passes() {
    let folder = tempfile::TempDir::new().unwrap();
    let lines: String = (0..60_000).map(|row| format!("{},{}\n", row % 30_000, row % 7)).collect();
    std::fs::write(folder.path().join("t.csv"), format!("city,age\n{lines}")).unwrap();
    let column = |name: &str, kind| ScanColumn { name: name.to_owned(), kind };
    let columns = vec![column("city", ColumnType::Text), column("age", ColumnType::Integer { bounds: None })];
    let mut aggregation =
        by_city(Owner::EachRow, ContributionBound::one_row(), vec![measure(None, Quantity::Rows)]);
    aggregation.relation =
        Relation::Table(Scan { table: "t".to_owned(), columns, filter: None, owner: Owner::EachRow });
    for memory_bytes in [1 << 30, 1 << 20] {
        let engine = crate::Engine::new(EngineOptions { memory_bytes, threads: 3 }).unwrap();
        let source = crate::Source::open(folder.path(), "t.csv").unwrap();
        let sources = [("t".to_owned(), source)].into_iter().collect();
        let scan = engine.scan(&sources, &aggregation).unwrap();
        let groups = engine.aggregate(scan, &aggregation).unwrap();
        assert_eq!(groups.keys().len(), 30_000, "{memory_bytes}");
        assert!(groups.people().iter().chain(groups.totals(0)).all(|count| *count == 2), "{memory_bytes}");
        assert!(groups.keys().is_sorted(), "{memory_bytes}");
    }
}
