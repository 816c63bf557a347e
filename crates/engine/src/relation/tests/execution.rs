//! People's relations from tables to groups, as the engine runs them, against the definition.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use pointillist_catalog::Value;
use pointillist_mechanisms::ContributionBound;
use pointillist_plan::{Aggregation, KeyColumn, Measure, Quantity, Relation, Scalar, Type};

use super::naive::{Cell, Row};
use super::trees::{TYPES, tree};
use super::world::{FileRow, TABLES, World, array};
use super::{defined, names};
use crate::aggregate::aggregate_with;
use crate::bound::HashKey;
use crate::relation::Prepared;
use crate::rows::{MemoryTable, Origin};
use crate::tests::Chance;
use crate::{EngineError, EngineOptions};

/// By key: people, and rows.
pub(super) type Counts = BTreeMap<Vec<Cell>, (i128, i128)>;

/// How a run differs from others, which must not show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    seed: u64,
    memory_bytes: usize,
    threads: usize,
    /// Names are texts in some tables.
    texts: bool,
    hash_key: u64,
}

/// Counts rows by everything that is in them.
pub(super) fn counting(relation: &Relation, groups_max: u64, rows_max: u64) -> Aggregation {
    let kinds = relation.types();
    Aggregation {
        relation: relation.clone(),
        filter: None,
        bound: ContributionBound::new(groups_max, rows_max).unwrap(),
        keys: kinds
            .into_iter()
            .enumerate()
            .map(|(column, kind)| KeyColumn { value: Scalar::Column(column), kind })
            .collect(),
        domain: None,
        measures: vec![Measure { counted: None, quantity: Quantity::Rows }],
    }
}

/// The rows of a table in any order, cut into any batches and partitions.
fn table(chance: &mut Chance, names: &[&str], rows: &[FileRow], texts: bool) -> MemoryTable {
    let mut rows = rows.to_vec();
    chance.shuffle(&mut rows);
    let name_kind = if texts && chance.one_in(2) { Type::Text } else { Type::Integer };
    let columns: Vec<(&str, Type)> =
        names.iter().map(|name| (*name, name_kind)).chain(["a", "b", "c"].into_iter().zip(TYPES)).collect();
    let batch = |rows: &[FileRow]| {
        let arrays = columns.iter().map(|(column, kind)| {
            let cells: Vec<Cell> = rows
                .iter()
                .map(|row| match (&row[column], kind) {
                    (Some(Value::Integer(name)), Type::Text) => Some(Value::Text(name.to_string())),
                    (cell, _) => cell.clone(),
                })
                .collect();
            array(*kind, &cells)
        });
        let arrays: Vec<_> = arrays.collect();
        let fields = columns
            .iter()
            .zip(&arrays)
            .map(|((name, _), array)| Field::new(*name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(schema, arrays, &options).unwrap()
    };
    let mut partitions = vec![Vec::new(); 1 + chance.below(3)];
    partitions[0].push(batch(&[]));
    while !rows.is_empty() {
        let part = rows.split_off(rows.len() - 1 - chance.below(rows.len().min(3)));
        let at = chance.below(partitions.len());
        partitions[at].push(batch(&part));
    }
    MemoryTable(partitions)
}

/// The engine's groups.
pub(super) fn run(
    aggregation: &Aggregation,
    world: &World,
    how: Circumstances,
) -> Result<Counts, EngineError> {
    let mut chance = Chance(how.seed);
    let tables: BTreeMap<&str, MemoryTable> = TABLES
        .iter()
        .map(|(name, names)| (*name, table(&mut chance, names, &world.0[name], how.texts)))
        .collect();
    let origins = |name: &str| tables.get(name).map(|table| table as &dyn Origin);
    let options = EngineOptions { memory_bytes: how.memory_bytes, threads: how.threads };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let groups = runtime.block_on(async {
        let prepared = Prepared::new(&aggregation.relation, &origins, how.threads).await?;
        aggregate_with(HashKey::fixed(how.hash_key), Arc::new(prepared), aggregation, &options).await
    })?;
    let counts = groups.keys().iter().zip(groups.people()).zip(groups.totals(0));
    Ok(counts.map(|((key, people), rows)| (key.clone(), (*people, *rows))).collect())
}

fn counted(rows: &[Row]) -> Counts {
    let mut people: BTreeMap<Vec<Cell>, (BTreeSet<Cell>, i128)> = BTreeMap::new();
    for row in rows {
        let entry = people.entry(row.cells.clone()).or_default();
        entry.0.insert(row.owner.clone());
        entry.1 += 1;
    }
    people.into_iter().map(|(key, (people, rows))| (key, (people.len() as i128, rows))).collect()
}

pub(super) const PLAIN: Circumstances =
    Circumstances { seed: 1, memory_bytes: 1 << 20, threads: 1, texts: false, hash_key: 7 };

fn circumstances(chance: &mut Chance, hash_key: u64) -> Circumstances {
    Circumstances {
        seed: chance.word(),
        memory_bytes: *chance.pick(&[0, 600, 5_000, 1 << 20]),
        threads: 1 + chance.below(3),
        texts: chance.one_in(2),
        hash_key,
    }
}

/// Specification: whatever the order of rows, the ends of batches, the number of threads and passes, and the types in which
/// files store names, the rows that are bounded are those of the definition.
#[test]
fn peoples_relations_run_as_defined() {
    let mut seen = BTreeMap::new();
    let (mut with_rows, mut one_way) = (0, 0);
    for number in 0..1_200 {
        let mut chance = Chance(0x7265_6c02 + (number << 32));
        let depth = chance.below(4);
        let relation = tree(&mut chance, depth, true);
        let world = World::random(&mut chance);
        let aggregation = counting(&relation, 1 << 40, 1 << 40);
        let expected = counted(&defined(&relation, &world, None, None));
        for _ in 0..3 {
            let how = circumstances(&mut chance, 7);
            let found =
                run(&aggregation, &world, how).unwrap_or_else(|error| panic!("{error}: {relation:#?}"));
            assert_eq!(found, expected, "{how:?}\n{relation:#?}\n{world:#?}");
        }
        names(&relation, &mut seen);
        with_rows += usize::from(!expected.is_empty());
        one_way += usize::from(!expected.is_empty() && super::super::prepared::streams(&relation));
    }
    println!("{with_rows} with rows, {one_way} of them one way, {seen:#?}");
    assert!(with_rows > 400 && one_way > 100, "{with_rows} {one_way}");
}

/// Specification: under one hash key, a person who leaves moves at most as many groups as are kept of them, each by one person
/// and at most as many rows; and nothing else shows which rows were read first.
#[test]
fn bounding_comes_after_relations() {
    let mut reached = 0;
    for number in 0..600 {
        let mut chance = Chance(0x7265_6c03 + (number << 32));
        let depth = 1 + chance.below(3);
        let relation = tree(&mut chance, depth, true);
        let world = World::random(&mut chance);
        let (groups_max, rows_max) = (1 + chance.below(2) as u64, 1 + chance.below(2) as u64);
        let mut aggregation = counting(&relation, groups_max, rows_max);
        aggregation.keys.truncate(chance.below(3));
        let hash_key = chance.word();
        let found = |world: &World, how| {
            run(&aggregation, world, Circumstances { hash_key, ..how })
                .unwrap_or_else(|error| panic!("{error}"))
        };
        let whole = found(&world, PLAIN);
        // People who are known by texts have other hashes, and may keep other groups.
        let how = Circumstances { texts: false, ..circumstances(&mut chance, hash_key) };
        assert_eq!(whole, found(&world, how), "{relation:#?}\n{world:#?}");
        for person in world.people() {
            let rest = found(&world.without(&person), PLAIN);
            let keys: BTreeSet<_> = whole.keys().chain(rest.keys()).collect();
            let at = |counts: &Counts, key| counts.get(key).copied().unwrap_or_default();
            let moved: Vec<(i128, i128)> = keys
                .into_iter()
                .map(|key| (at(&whole, key).0 - at(&rest, key).0, at(&whole, key).1 - at(&rest, key).1))
                .filter(|moved| *moved != (0, 0))
                .collect();
            assert!(moved.len() as u64 <= groups_max, "{moved:?} {relation:#?}\n{world:#?}");
            for (people, rows) in &moved {
                assert_eq!(*people, 1, "{relation:#?}\n{world:#?}");
                assert!((1..=i128::from(rows_max)).contains(rows), "{moved:?} {relation:#?}\n{world:#?}");
            }
            reached += usize::from(
                moved.len() as u64 == groups_max
                    && moved.iter().any(|(_, rows)| *rows == i128::from(rows_max) && rows_max > 1),
            );
        }
    }
    println!("reached {reached}");
    assert!(reached > 10, "{reached}");
}
