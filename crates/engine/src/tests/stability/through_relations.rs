//! The same claims where rows come through joins, unions, windows, groups and links.
//!
//! **Specification.** What a plan claims about one person rests on bounding alone, which comes last. So every aggregation that
//! the planner makes of one table keeps its claims when that table is replaced by any relation with the same columns.
//! **Neighbours.** A person leaves with all rows; of linked rows, which others may own as well, all stay: those that nobody
//! else owns lead nowhere then.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_catalog::{ColumnType, Value};
use pointillist_plan::{
    Aggregation, Comparison, ExactAggregate, ExactFunction, Frame, FrameEnd, Join, JoinKind, Link, Order,
    Owner, Ownership, Relation, Scalar, Scan, ScanColumn, Type, Window, WindowFunction,
};

use super::moved::{Claims, Vector, check, vector};
use super::town::{self, NEWCOMER, Row};
use super::{Bench, NamedWhenPanicking, grammar};
use crate::EngineOptions;
use crate::aggregate::aggregate_with;
use crate::bound::HashKey;
use crate::relation::Prepared;
use crate::rows::{MemoryTable, Origin};
use crate::tests::Chance;

/// How many statements are tried in each way.
const EACH: usize = 30;
/// How many public rows a row finds.
pub(super) const FAIRS: usize = 150;

pub(super) const WAYS: [&str; 13] = [
    "self-join",
    "left join",
    "full join",
    "semi join",
    "anti join",
    "not in",
    "union",
    "distinct",
    "window",
    "public join",
    "group of all columns",
    "group of one column",
    "link",
];

/// A relation with the columns of a table.
pub(super) fn through(way: &str, scan: &Scan) -> Relation {
    let table = || Relation::Table(scan.clone());
    let width = scan.columns.len();
    let types = table().types();
    let first = |relation: Relation| Relation::Map {
        input: Box::new(relation),
        filter: None,
        columns: (0..width).map(Scalar::Column).collect(),
    };
    let key = || (0..width.min(1)).map(|column| (Scalar::Column(column), Scalar::Column(column))).collect();
    let join = |right: Relation, kind, keys| {
        first(Relation::Join(Box::new(Join { left: table(), right, kind, keys, condition: None })))
    };
    let last_is_null = || Scalar::IsNull(Box::new(Scalar::Column(width - 1)));
    let filtered = |filter: Option<Scalar>| Relation::Map {
        input: Box::new(table()),
        filter,
        columns: (0..width).map(Scalar::Column).collect(),
    };
    let some = || filtered((width > 0).then(|| Scalar::Not(Box::new(last_is_null()))));
    let few = || filtered(Some(if width > 0 { last_is_null() } else { Scalar::Null(Type::Boolean) }));
    match way {
        "self-join" => join(table(), JoinKind::Inner, Vec::new()),
        "left join" => join(some(), JoinKind::Left, key()),
        "full join" => join(some(), JoinKind::Full, key()),
        "semi join" => join(some(), JoinKind::Semi, key()),
        "anti join" => join(few(), JoinKind::Anti, key()),
        "not in" => join(few(), JoinKind::NotIn, key()),
        "union" => Relation::Union(vec![table(), some(), table()]),
        "distinct" => Relation::Distinct(Box::new(table())),
        "window" => windowed(table(), &types, first),
        "public join" => {
            let integer = ColumnType::Integer { bounds: None };
            let columns = vec![ScanColumn { name: "one".to_owned(), kind: integer }];
            let fairs = Scan { table: "fairs".to_owned(), columns, filter: None, owner: Owner::Nobody };
            let one = Scalar::Constant(Value::Integer(1));
            join(Relation::Table(fairs), JoinKind::Inner, vec![(one, Scalar::Column(0))])
        }
        "group of all columns" => Relation::Group {
            input: Box::new(table()),
            keys: (0..width).map(Scalar::Column).collect(),
            aggregates: Vec::new(),
        },
        "group of one column" => Relation::Group {
            input: Box::new(table()),
            keys: (0..width.min(1)).map(Scalar::Column).collect(),
            aggregates: (1..width.max(1))
                .filter(|column| *column < width)
                .map(|column| ExactAggregate {
                    function: [ExactFunction::Minimum, ExactFunction::Mode][column % 2],
                    value: Scalar::Column(column),
                    counted: None,
                    distinct: false,
                })
                .collect(),
        },
        _ => {
            let [column, table, key] = ["ref", "register", "id"].map(str::to_owned);
            let owner = Owner::Column("person".to_owned());
            let owner = Owner::Link(Box::new(Link { column, table, key, owner }));
            Relation::Table(Scan { owner, ..scan.clone() })
        }
    }
}

/// All but the last two rows of each person, in some order.
fn windowed(table: Relation, types: &[Type], first: impl Fn(Relation) -> Relation) -> Relation {
    let order = types.iter().enumerate().map(|(column, kind)| Order {
        by: Scalar::Column(column),
        kind: *kind,
        descending: true,
        nulls_first: false,
    });
    let last = Window {
        function: WindowFunction::RowNumber,
        partition: Vec::new(),
        order: order.take(1).collect(),
        frame: Frame { by_rows: true, start: FrameEnd::First, end: FrameEnd::Current },
    };
    let number = Box::new(Scalar::Column(types.len()));
    let two = Box::new(Scalar::Constant(Value::Integer(2)));
    let numbered = Relation::Window { input: Box::new(table), windows: vec![last] };
    first(Relation::Map {
        input: Box::new(numbered),
        filter: Some(Scalar::Compare(Comparison::Greater, number, two)),
        columns: (0..types.len()).map(Scalar::Column).collect(),
    })
}

/// The engine's groups of the rows of a town, whose register knows everybody but those who have left.
fn run(
    bench: &Bench,
    aggregation: &Aggregation,
    name: &str,
    rows: &[Row],
    gone: Option<usize>,
    hash_key: u64,
) -> Vector {
    let tables: BTreeMap<&str, MemoryTable> = BTreeMap::from([
        (name, MemoryTable(vec![vec![town::whole_batch(&bench.catalog, name, rows)]])),
        ("fairs", MemoryTable(vec![vec![town::fairs(FAIRS)]])),
        ("register", MemoryTable(vec![vec![town::register(name, gone)]])),
    ]);
    let origins = |name: &str| tables.get(name).map(|table| table as &dyn Origin);
    let options = EngineOptions { memory_bytes: 1 << 22, threads: 1 };
    let groups = bench.runtime.block_on(async {
        let prepared = Prepared::new(&aggregation.relation, &origins, 1).await?;
        aggregate_with(HashKey::fixed(hash_key), Arc::new(prepared), aggregation, &options).await
    });
    vector(&groups.unwrap_or_else(|error| panic!("{error}: {aggregation:#?}")))
}

#[test]
fn nobody_moves_the_integers_further_through_relations() {
    let bench = Bench::new();
    let mut reached: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut accepted, mut compared) = (0, 0);
    for number in 0.. {
        if accepted == EACH * WAYS.len() {
            break;
        }
        let mut chance = Chance(0x4853_0007 + (number << 32));
        let question = grammar::question(&mut chance);
        let Ok(plan) = bench.plan(&question) else { continue };
        let Some(scan) = plan.aggregation.relation.table().cloned() else { continue };
        if !matches!(plan.aggregation.ownership(), Ownership::People(_)) {
            continue;
        }
        let way = WAYS[accepted % WAYS.len()];
        accepted += 1;
        let _named = NamedWhenPanicking(&question.sql);
        let claims = Claims::of(&plan);
        let aggregation = Aggregation { relation: through(way, &scan), ..plan.aggregation.clone() };
        let rows = town::rows(&mut chance);
        let crowd = town::with_newcomer(&mut chance, &rows, 30);
        let hash_key = chance.word();
        let linked = way == "link";
        for rows in [&rows, &crowd] {
            let with = run(&bench, &aggregation, &scan.table, rows, None, hash_key);
            for person in 0..=NEWCOMER {
                let rest: Vec<Row> =
                    rows.iter().filter(|row| linked || row.owner != Some(person)).cloned().collect();
                let without = run(&bench, &aggregation, &scan.table, &rest, Some(person), hash_key);
                let moved = check(&with, &without, &claims).unwrap_or_else(|violation| {
                    panic!("{violation:?} through a {way}: {}\n{claims:#?}\n{rows:#?}", question.sql)
                });
                *reached.entry(way).or_default() += usize::from(!moved.0.is_empty());
                compared += 1;
            }
        }
    }
    println!("compared {compared}, reached {reached:#?}");
    for way in WAYS {
        assert!(reached.get(way).is_some_and(|count| *count > 5), "{way}: {reached:?}");
    }
}

/// Statements about several rows of a person.
const STATEMENTS: [&str; 14] = [
    "SELECT a.region, COUNT(*), SUM(a.cost) FROM visits a JOIN visits b ON a.person = b.person GROUP BY a.region",
    "SELECT SUM(a.cost) FROM visits a JOIN loose b ON a.person = b.person AND a.small <= b.small",
    "SELECT COUNT(*), AVG(a.odd) FROM trips a LEFT JOIN trips b ON a.person = b.person AND a.small = b.small",
    "SELECT COUNT(*) FROM trips a FULL JOIN trips b ON a.person = b.person AND b.small > 1",
    "SELECT region, COUNT(*) FROM trips WHERE person IN (SELECT person FROM trips WHERE small = 1) GROUP BY region",
    "SELECT COUNT(*), SUM(cost) FROM trips WHERE person NOT IN (SELECT person FROM trips WHERE small = 1)",
    "SELECT SUM(a.cost) FROM trips a WHERE EXISTS (SELECT 1 FROM trips b WHERE a.person = b.person AND b.flag)",
    "SELECT SUM(n) FROM (SELECT person, COUNT(*) AS n FROM trips GROUP BY person) AS x",
    "SELECT AVG(m) FROM (SELECT person, MAX(cost) AS m FROM marks GROUP BY person) AS x",
    "SELECT region, COUNT(*) FROM (SELECT DISTINCT person, region FROM trips) AS x GROUP BY region",
    "SELECT SUM(cost) FROM (SELECT person, cost FROM trips UNION ALL SELECT person, cost FROM trips) AS x",
    "SELECT region, COUNT(*) FROM (SELECT region, ROW_NUMBER() OVER (PARTITION BY person ORDER BY small) AS n \
     FROM trips) AS x WHERE n = 1 GROUP BY region",
    "SELECT SUM(b) FROM (SELECT LAG(cost) OVER (PARTITION BY person ORDER BY small) AS b FROM trips) AS x",
    "SELECT COUNT(*) FROM (SELECT person, SUM(cost) OVER (PARTITION BY person ORDER BY day) AS s FROM marks) AS x \
     WHERE s > 3",
];

/// Specification: what the planner makes of joins, subqueries, groups and windows keeps its claims, too.
#[test]
fn nobody_moves_what_is_asked_about_several_rows() {
    let bench = Bench::new();
    let (mut accepted, mut reached, mut refused) = (0, 0, Vec::new());
    for (number, sql) in STATEMENTS.into_iter().enumerate() {
        let question = grammar::Question { sql: sql.to_owned(), features: Default::default() };
        let plan = match bench.plan(&question) {
            Ok(plan) => plan,
            Err(refusal) => {
                refused.push(format!("{sql}: {}", refusal.message()));
                continue;
            }
        };
        accepted += 1;
        let _named = NamedWhenPanicking(sql);
        let (aggregation, claims) = (&plan.aggregation, Claims::of(&plan));
        assert!(aggregation.relation.table().is_none(), "several rows of a person are looked at");
        for round in 0..25 {
            let mut chance = Chance(0x4853_0008 + ((number * 100 + round) as u64) * 0x1_0000_0000);
            let rows = town::rows(&mut chance);
            let crowd = town::with_newcomer(&mut chance, &rows, 20);
            let hash_key = chance.word();
            for rows in [&rows, &crowd] {
                let with = bench.run(aggregation, rows, hash_key);
                for rest in super::neighbours(aggregation, rows) {
                    let without = bench.run(aggregation, &rest, hash_key);
                    let moved = check(&with, &without, &claims).unwrap_or_else(|violation| {
                        panic!("{violation:?}: {sql}\n{claims:#?}\n{rows:#?}\n{with:?}\n{without:?}")
                    });
                    reached += usize::from(!moved.0.is_empty());
                }
            }
        }
    }
    println!("accepted {accepted}, reached {reached}, refused {refused:#?}");
    assert!(accepted >= 9 && reached > 100, "{accepted} {reached} {refused:#?}");
}
