//! The same for rows that a model is trained on: whatever is chosen is chosen of each person alone.
//!
//! **Specification.** For statements of every kind of row, on small hostile tables, under one hash key: what is chosen of
//! all rows is the disjoint union of what is chosen of each person's rows, which is as many of them as there are, and at
//! most `rows_max`. So one person more or less is at most `rows_max` rows more or less. Order of rows, ends of batches,
//! number of partitions, of threads and of passes do not show, not even in the order of what is chosen; and going through
//! the rows again shows the same blocks.
//! **Power.** Some person reaches `rows_max`, some person has more rows than that, and some statement needs several passes.
//! **Chance.** Seeds are fixed: the test says the same on every machine.

use std::collections::{BTreeMap, BTreeSet};

use pointillist_catalog::Catalog;
use pointillist_plan::{Code, Ownership, TrainingRows};
use pointillist_query::{Options, training_rows};

use super::through_relations::{FAIRS, WAYS, through};
use super::town::{self, NEWCOMER, Row};
use super::{NamedWhenPanicking, cut};
use crate::bound::HashKey;
use crate::rows::{MemoryTable, Origin};
use crate::tests::Chance;
use crate::{Engine, EngineOptions, evaluate};

const STATEMENTS: u64 = 150;

const FEATURES: [&str; 16] = [
    "flag",
    "small",
    "wide",
    "listed",
    "cost",
    "odd",
    "debt",
    "region",
    "day",
    "seen",
    "small + 1 AS more",
    "small > 1 AS large",
    "LEAST(GREATEST(real, 0), 5) AS clamped",
    "COALESCE(region, 'none') AS somewhere",
    "CASE WHEN word = 'a' THEN 'a' WHEN real > 1 THEN NULL ELSE 'b' END AS cases",
    "EXTRACT(MONTH FROM day) AS month",
];

/// Rows of one table, and such as look at several rows of a person.
const FROM: [&str; 9] = [
    "visits",
    "trips",
    "marks",
    "events",
    "(SELECT a.* FROM visits a JOIN visits b ON a.person = b.person) AS pairs",
    "(SELECT a.* FROM trips a LEFT JOIN trips b ON a.person = b.person AND a.small = b.small) AS pairs",
    "(SELECT DISTINCT person, flag, small, wide, listed, cost, odd, debt, real, region, word, day, seen FROM visits) AS once",
    "(SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY small) AS place FROM marks) AS numbered",
    "(SELECT * FROM visits UNION ALL SELECT * FROM visits WHERE small > 0) AS twice",
];

fn statement(chance: &mut Chance) -> (String, Option<String>) {
    let mut items: Vec<&str> = FEATURES.to_vec();
    chance.shuffle(&mut items);
    items.truncate(1 + chance.below(4));
    let name = |item: &str| item.split(" AS ").last().unwrap_or(item).to_owned();
    let target = (items.len() > 1 && chance.one_in(2)).then(|| name(items[0]));
    let filter = ["", " WHERE small >= 0", " WHERE flag OR region <> 'north'", " WHERE word IS NULL"];
    let sql = format!("SELECT {} FROM {}{}", items.join(", "), chance.pick(&FROM), chance.pick(&filter));
    (sql, target)
}

/// The rows of a town's tables, in partitions of batches.
fn tables<'r>(
    catalog: &Catalog,
    rows: &'r TrainingRows,
    partitions: &[Vec<Vec<Row>>],
) -> BTreeMap<&'r str, MemoryTable> {
    let table = |name: &str| {
        let batch = |rows: &Vec<Row>| town::whole_batch(catalog, name, rows);
        MemoryTable(partitions.iter().map(|batches| batches.iter().map(batch).collect()).collect())
    };
    rows.relation.tables().into_iter().map(|name| (name, table(name))).collect()
}

/// The blocks of one walk, and of a second one.
fn blocks(
    engine: &Engine,
    catalog: &Catalog,
    rows: &TrainingRows,
    partitions: &[Vec<Vec<Row>>],
    hash_key: u64,
) -> Vec<Vec<u32>> {
    chosen_of(engine, rows, &tables(catalog, rows, partitions), hash_key)
}

fn chosen_of(
    engine: &Engine,
    rows: &TrainingRows,
    tables: &BTreeMap<&str, MemoryTable>,
    hash_key: u64,
) -> Vec<Vec<u32>> {
    let origins = |name: &str| tables.get(name).map(|table| table as &dyn Origin);
    let scan = engine.prepare_training(&origins, rows).unwrap();
    let table = engine.training_rows_with(HashKey::fixed(hash_key), scan, rows).unwrap();
    let walk = || {
        let mut blocks = Vec::new();
        table.for_each_block(&mut |block| blocks.push(block.to_vec())).unwrap();
        blocks
    };
    let (first, second) = (walk(), walk());
    assert_eq!(first, second, "the same blocks in the same order");
    assert_eq!(first, walk());
    let full = 4 * table.width();
    let lengths: Vec<usize> = first.iter().map(Vec::len).collect();
    if let [before @ .., last] = lengths.as_slice() {
        assert!(before.iter().all(|length| *length == full) && (1..=full).contains(last), "{lengths:?}");
    }
    let mut codes = first.concat();
    for row in codes.chunks_exact(table.width()) {
        for (code, column) in row.iter().zip(rows.columns()) {
            assert!(*code <= column.code.last(), "{code} of {}", column.name);
        }
        assert!(rows.target.is_none() || row.last() != Some(&0), "a row without target");
    }
    let width = table.width();
    let mut all = Vec::new();
    while !codes.is_empty() {
        let rest = codes.split_off(width);
        all.push(std::mem::replace(&mut codes, rest));
    }
    all
}

fn sorted(rows: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut rows = rows.to_vec();
    rows.sort();
    rows
}

#[test]
fn what_is_chosen_is_chosen_of_each_person_alone() {
    let catalog = town::catalog();
    let engine = |memory_bytes, threads| Engine::new(EngineOptions { memory_bytes, threads }).unwrap();
    let (whole, tight, narrow) = (engine(1 << 20, 1), engine(0, 2), engine(2_000, 3));
    let (mut reached, mut cut_down, mut kinds, mut people) = (0, 0, BTreeSet::new(), 0);
    for number in 0..STATEMENTS {
        let mut chance = Chance(0x4853_0011 + (number << 32));
        let (sql, target) = statement(&mut chance);
        let _named = NamedWhenPanicking(&sql);
        let mut rows = training_rows(&catalog, &sql, target.as_deref(), &Options::default())
            .unwrap_or_else(|refusal| panic!("{sql}: {refusal}, {}", refusal.hint()));
        rows.columns().for_each(|column| {
            kinds.insert(match column.code {
                Code::Number(_) => "number",
                Code::Category(_) => "category",
                Code::Truth => "truth",
            });
        });
        let data = town::rows(&mut chance);
        let crowd = town::with_newcomer(&mut chance, &data, 30);
        let hash_key = chance.word();
        let chosen = |engine: &Engine, rows: &TrainingRows, data: &[Row]| {
            blocks(engine, &catalog, rows, &[vec![data.to_vec()]], hash_key)
        };
        let all = chosen(&whole, &rows, &crowd);
        if rows.ownership() == Ownership::EachRow {
            assert_eq!(all, chosen(&tight, &rows, &crowd), "in the order of the file");
            let each = crowd.iter().flat_map(|row| chosen(&whole, &rows, std::slice::from_ref(row)));
            assert_eq!(all, each.collect::<Vec<_>>(), "each row becomes itself or nothing");
            continue;
        }
        people += 1;
        let mut of_each = Vec::new();
        for person in 0..=NEWCOMER {
            let own: Vec<Row> = crowd.iter().filter(|row| row.owner == Some(person)).cloned().collect();
            let mine = sorted(&chosen(&whole, &rows, &own));
            let most = std::mem::replace(&mut rows.rows_max, u32::MAX);
            let everything = sorted(&chosen(&whole, &rows, &own));
            rows.rows_max = most;
            assert_eq!(mine.len(), everything.len().min(most as usize), "as many as there are");
            let mut rest = everything.clone();
            for row in &mine {
                let at = rest.binary_search(row).expect("a row of the person's own");
                rest.remove(at);
            }
            reached += usize::from(mine.len() == most as usize);
            cut_down += usize::from(mine.len() < everything.len());
            of_each.extend(mine);
        }
        assert_eq!(sorted(&all), sorted(&of_each), "people do not see each other");
        for engine in [&whole, &tight, &narrow] {
            let partitions = cut(&mut chance, &crowd);
            assert_eq!(all, blocks(engine, &catalog, &rows, &partitions, hash_key), "order shows");
        }
    }
    assert_eq!(kinds.len(), 3);
    assert!(people > 90 && reached > 100 && cut_down > 50, "{people} {reached} {cut_down}");
}

/// Specification: the same through joins, unions, windows, groups, public rows and links: when a person leaves, at most
/// `rows_max` rows leave, and none comes. Of linked rows, which others may own as well, all stay in the table.
#[test]
fn nobody_takes_more_rows_along_through_relations() {
    let catalog = town::catalog();
    let engine = |memory_bytes| Engine::new(EngineOptions { memory_bytes, threads: 2 }).unwrap();
    let (wide, narrow) = (engine(1 << 22), engine(4_000));
    let (mut reached, mut number): (BTreeMap<&str, usize>, u64) = (BTreeMap::new(), 0);
    for way in WAYS {
        for _ in 0..10 {
            number += 1;
            let mut chance = Chance(0x4853_0015 + (number << 32));
            let table = *chance.pick(&["visits", "trips", "marks"]);
            let (sql, target) = statement(&mut chance);
            let items = sql.split(" FROM ").next().unwrap_or_default();
            // Some features have a FROM of their own.
            let items = if items.contains("EXTRACT") { "SELECT small, region" } else { items };
            let target = target.filter(|target| items.contains(target.as_str()) && items.contains(','));
            let sql = format!("{items} FROM {table}");
            let _named = NamedWhenPanicking(&sql);
            let mut rows = training_rows(&catalog, &sql, target.as_deref(), &Options::default()).unwrap();
            rows.relation = through(way, rows.relation.table().unwrap());
            let data = town::rows(&mut chance);
            let crowd = town::with_newcomer(&mut chance, &data, 12);
            let hash_key = chance.word();
            let run = |engine: &Engine, data: &[Row], gone: Option<usize>| {
                let tables = BTreeMap::from([
                    (table, MemoryTable(vec![vec![town::whole_batch(&catalog, table, data)]])),
                    ("fairs", MemoryTable(vec![vec![town::fairs(FAIRS)]])),
                    ("register", MemoryTable(vec![vec![town::register(table, gone)]])),
                ]);
                chosen_of(engine, &rows, &tables, hash_key)
            };
            let with = run(&wide, &crowd, None);
            assert_eq!(with, run(&narrow, &crowd, None), "passes show");
            for person in 0..=NEWCOMER {
                let stays = |row: &&Row| way == "link" || row.owner != Some(person);
                let rest: Vec<Row> = crowd.iter().filter(stays).cloned().collect();
                let without = run(&wide, &rest, Some(person));
                let mut left = sorted(&with);
                for row in &without {
                    let at = left.binary_search(row).unwrap_or_else(|_| panic!("a row came through a {way}"));
                    left.remove(at);
                }
                assert!(left.len() <= rows.rows_max as usize, "{} rows left through a {way}", left.len());
                *reached.entry(way).or_default() += usize::from(left.len() == rows.rows_max as usize);
            }
        }
    }
    for way in WAYS {
        assert!(reached.get(way).is_some_and(|count| *count > 3), "{way}: {reached:?}");
    }
}

/// Specification: a code is the place of a value, as the plan says it, computed here one value at a time and exactly.
/// Between two grid points the engine's floats may name the other one.
#[test]
fn codes_are_those_of_the_plan() {
    let catalog = town::catalog();
    let engine = Engine::new(EngineOptions { memory_bytes: 0, threads: 1 }).unwrap();
    let (mut compared, mut nothing, mut ends) = (0, 0, 0);
    for number in 0..60 {
        let mut chance = Chance(0x4853_0013 + (number << 32));
        let items: Vec<&str> = FEATURES.to_vec();
        let sql = format!("SELECT {} FROM events", items.join(", "));
        let rows = training_rows(&catalog, &sql, None, &Options::default()).unwrap();
        let data = town::rows(&mut chance);
        let coded = blocks(&engine, &catalog, &rows, &[vec![data.clone()]], 7);
        let mut expected = Vec::new();
        for row in &data {
            let batch = town::whole_batch(&catalog, "events", std::slice::from_ref(row));
            let scan = rows.relation.table().unwrap();
            let columns: Vec<_> = scan
                .columns
                .iter()
                .map(|column| batch.column_by_name(&column.name).unwrap().clone())
                .collect();
            let value = |scalar| town::value_at(&evaluate(scalar, &columns, 1), 0);
            if rows
                .filter
                .as_ref()
                .is_some_and(|filter| value(filter) != Some(pointillist_catalog::Value::Boolean(true)))
            {
                continue;
            }
            expected.push(
                rows.columns()
                    .map(|column| (exact(&column.code, value(&column.value)), &column.code))
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(coded.len(), expected.len());
        for (row, wanted) in coded.iter().zip(&expected) {
            for (code, (exact, how)) in row.iter().zip(wanted) {
                let near = matches!(how, Code::Number(_)) && *code > 0 && *exact > 0;
                assert!(code.abs_diff(*exact) <= u32::from(near), "{code} is not {exact} of {how:?}");
                compared += 1;
                nothing += usize::from(*code == 0);
                ends += usize::from(*code == how.last());
            }
        }
    }
    assert!(compared > 2_000 && nothing > 100 && ends > 100, "{compared} {nothing} {ends}");
}

fn exact(code: &Code, value: Option<pointillist_catalog::Value>) -> u32 {
    use pointillist_catalog::Value;
    let index = match (code, value) {
        (Code::Category(values), value) => {
            values.iter().position(|listed| *listed == value).map(|at| at as i64)
        }
        (_, None) => None,
        (Code::Truth, Some(Value::Boolean(truth))) => Some(i64::from(truth)),
        (Code::Number(grid), Some(Value::Number(number))) => grid.index_of_f64(number),
        (Code::Number(grid), Some(Value::Integer(whole) | Value::Timestamp(whole))) => {
            Some(grid.index_of(&pointillist_numbers::Rational::from(whole)))
        }
        (Code::Number(grid), Some(Value::Date(day))) => {
            Some(grid.index_of(&pointillist_numbers::Rational::from(i64::from(day))))
        }
        (_, Some(other)) => panic!("{other:?} is of another type than its code"),
    };
    index.map_or(0, |index| u32::try_from(index + 1).unwrap())
}
