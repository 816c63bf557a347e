//! Attacks on joins and links that are known by name: what the worst person moves here, and what a careless engine lets
//! them move.

use pointillist_catalog::Value;
use pointillist_plan::{
    Comparison, Frame, FrameEnd, Join, JoinKind, Order, PAIRS_MAX, Relation, Scalar, Type, Window,
    WindowFunction,
};

use super::execution::{PLAIN, counting, run};
use super::naive::{Mutant, Row, naive};
use super::trees::people_table;
use super::world::{FileRow, LinkMutant, World};
use super::{Context, evaluated};
use crate::bound::HashKey;
use crate::relation::Table;
use crate::relation::join::Partners;

/// Somebody whom the others do not know.
const NEWCOMER: i64 = 99;

fn row(names: &[(&'static str, i64)], a: i64, b: &str) -> FileRow {
    let cells = [("a", Value::Integer(a)), ("b", Value::Text(b.to_owned())), ("c", Value::Number(0.0))];
    let names = names.iter().map(|(name, value)| (*name, Value::Integer(*value)));
    names.chain(cells).map(|(name, value)| (name, Some(value))).collect()
}

fn world(tables: &[(&'static str, Vec<FileRow>)]) -> World {
    let mut world = World::default();
    for (name, _) in super::world::TABLES {
        let rows = tables.iter().filter(|(table, _)| *table == name).flat_map(|(_, rows)| rows.clone());
        world.0.insert(name, rows.collect());
    }
    world
}

fn join(left: Relation, right: Relation, kind: JoinKind, keys: &[(usize, usize)]) -> Relation {
    let keys = keys.iter().map(|(left, right)| (Scalar::Column(*left), Scalar::Column(*right))).collect();
    Relation::Join(Box::new(Join { left, right, kind, keys, condition: None }))
}

/// The same with one column, which is the same in all rows, or a column of it.
fn seen(input: Relation, column: Option<usize>) -> Relation {
    let column = column.map_or(Scalar::Constant(Value::Integer(0)), Scalar::Column);
    Relation::Map { input: Box::new(input), filter: None, columns: vec![column] }
}

fn table(name: &str) -> Relation {
    people_table(name)
}

/// How far the rows of all groups move when the newcomer leaves.
fn engine_moves(relation: &Relation, world: &World, groups_max: u64, rows_max: u64) -> i128 {
    let aggregation = counting(relation, groups_max, rows_max);
    let rest = world.without(&Value::Integer(NEWCOMER));
    let [with, without] = [world, &rest].map(|world| run(&aggregation, world, PLAIN).unwrap());
    let keys = with.keys().chain(without.keys().filter(|key| !with.contains_key(*key)));
    let at = |counts: &super::execution::Counts, key| counts.get(key).map_or(0, |counts| counts.1);
    keys.map(|key| (at(&with, key) - at(&without, key)).abs()).sum()
}

/// The same for a careless engine: `bounded` is what it does to one person's rows at the end.
fn mutant_moves(
    relation: &Relation,
    world: &World,
    mutant: Option<Mutant>,
    leaf: &dyn Fn(&World, &Relation) -> Option<Vec<Row>>,
    rows_max: usize,
) -> i128 {
    let rest = world.without(&Value::Integer(NEWCOMER));
    let [with, without] = [world, &rest].map(|world| {
        let rows = naive(relation, &|relation| leaf(world, relation), mutant);
        kept(rows, rows_max)
    });
    let count = |rows: &[Row], cells: &Vec<Option<Value>>| {
        rows.iter().filter(|row| row.cells == *cells).count() as i128
    };
    let mut keys: Vec<_> = with.iter().chain(&without).map(|row| row.cells.clone()).collect();
    keys.sort();
    keys.dedup();
    keys.iter().map(|key| (count(&with, key) - count(&without, key)).abs()).sum()
}

/// At most so many rows of each owner.
fn kept(rows: Vec<Row>, rows_max: usize) -> Vec<Row> {
    if rows_max == usize::MAX {
        return rows;
    }
    let mut kept: Vec<Row> = Vec::new();
    for row in rows {
        if kept.iter().filter(|other| other.owner == row.owner).count() < rows_max {
            kept.push(row);
        }
    }
    kept
}

/// Twenty people with a visit each, and a line for each visit; the newcomer repeats all their visits' names.
fn borrowed_names() -> World {
    let newcomers = (0..20).map(|id| row(&[("person", NEWCOMER), ("id", id)], 0, "x"));
    let others = (0..20).map(|id| row(&[("person", id), ("id", id)], 0, "x"));
    let lines = (0..20).map(|id| row(&[("visit", id), ("number", id)], 0, "x"));
    world(&[("visits", newcomers.chain(others).collect()), ("lines", lines.collect())])
}

#[test]
fn names_that_somebody_repeats_move_only_that_persons_rows() {
    let world = borrowed_names();
    let lines = seen(table("lines"), None);
    assert_eq!(engine_moves(&lines, &world, 1, 1), 1);
    let leaf = |mutant| move |world: &World, relation: &Relation| world.leaf(relation, mutant);
    assert_eq!(mutant_moves(&lines, &world, None, &leaf(None), 1), 1);
    assert_eq!(mutant_moves(&lines, &world, None, &leaf(Some(LinkMutant::FirstOwner)), 1), 19);
    assert_eq!(mutant_moves(&lines, &world, None, &leaf(Some(LinkMutant::OneOwnerOrNone)), 1), 20);
    // Beside columns of what is linked to: without the same owner on both sides, others' rows pair with the newcomer's.
    let beside = seen(join(table("lines"), table("visits"), JoinKind::Inner, &[(0, 0)]), None);
    assert!(engine_moves(&beside, &world, 1, 1) <= 1);
    let careless = mutant_moves(&beside, &world, Some(Mutant::AnyOwnerJoins), &leaf(None), usize::MAX);
    assert!(careless > 20, "{careless}");
}

/// A visit whose fifty lines go with it, and fifty that stay and lead nowhere, are the same.
#[test]
fn lines_that_lead_nowhere_are_nobodys() {
    let visits =
        vec![row(&[("person", NEWCOMER), ("id", 1)], 0, "x"), row(&[("person", 2), ("id", 2)], 0, "x")];
    let lines = (0..50).map(|number| row(&[("visit", 1), ("number", number)], 0, "x")).collect();
    let whole = world(&[("visits", visits), ("lines", lines)]);
    let counts = |world: &World| run(&counting(&seen(table("lines"), None), 1, 3), world, PLAIN).unwrap();
    assert_eq!(counts(&whole).values().next(), Some(&(1, 3)));
    let gone = whole.without(&Value::Integer(NEWCOMER));
    let mut dangling = gone.clone();
    dangling.0.insert("lines", whole.0["lines"].clone());
    assert!(counts(&gone).is_empty() && counts(&dangling).is_empty());
}

#[test]
fn ten_thousand_public_partners_are_bounded_after_they_are_found() {
    let visits = (0..20).chain([NEWCOMER]).map(|person| row(&[("person", person), ("id", person)], 1, "x"));
    let places = (0..10_000).map(|_| row(&[], 1, "x"));
    let world = world(&[("visits", visits.collect()), ("places", places.collect())]);
    let relation = seen(join(table("visits"), table("places"), JoinKind::Inner, &[(0, 0)]), None);
    assert_eq!(engine_moves(&relation, &world, 1, 3), 3);
    let bounded_before = |world: &World, relation: &Relation| {
        let people = matches!(relation, Relation::Table(scan) if scan.table == "visits");
        world.leaf(relation, None).map(|rows| if people { kept(rows, 1) } else { rows })
    };
    assert_eq!(mutant_moves(&relation, &world, None, &bounded_before, usize::MAX), 10_000);
}

#[test]
fn a_person_with_many_rows_joins_themselves_unions_and_windows() {
    // Half of the newcomer's rows come before those of others.
    let own = |person: i64, rows: i64| {
        (0..rows).map(move |at| row(&[("person", person), ("id", at)], at - rows / 2, "x"))
    };
    let visits: Vec<FileRow> = (0..20).flat_map(|person| own(person, 1)).chain(own(NEWCOMER, 10)).collect();
    // Only the newcomer has drugs; only others have none.
    let drugs = own(NEWCOMER, 3).map(|mut row| {
        row.remove("id");
        row
    });
    let world = world(&[("visits", visits), ("drugs", drugs.collect())]);
    let leaf = |world: &World, relation: &Relation| world.leaf(relation, None);
    let of = |kind| seen(join(table("visits"), table("drugs"), kind, &[]), None);
    let twice = seen(join(table("visits"), table("visits"), JoinKind::Inner, &[]), None);
    let union = Relation::Union(vec![seen(table("visits"), None); 3]);
    let distinct = Relation::Distinct(Box::new(seen(table("visits"), Some(1))));
    let kinds =
        [JoinKind::Inner, JoinKind::Left, JoinKind::Full, JoinKind::Semi, JoinKind::Anti, JoinKind::NotIn];
    for relation in kinds.map(of).into_iter().chain([twice.clone(), union, distinct.clone()]) {
        assert!(engine_moves(&relation, &world, 1, 4) <= 4, "{relation:?}");
    }
    assert_eq!(engine_moves(&twice, &world, 1, 4), 4);
    assert_eq!(mutant_moves(&twice, &world, None, &leaf, usize::MAX), 100);
    assert!(mutant_moves(&twice, &world, Some(Mutant::AnyOwnerJoins), &leaf, usize::MAX) > 100);
    // Rows are numbered within a person: nobody's numbers move when the first leaves.
    let numbered = Relation::Window {
        input: Box::new(table("visits")),
        windows: vec![Window {
            function: WindowFunction::RowNumber,
            partition: vec![Scalar::Column(1)],
            order: Vec::new(),
            frame: Frame { by_rows: true, start: FrameEnd::First, end: FrameEnd::Last },
        }],
    };
    let numbers = seen(numbered, Some(3));
    assert!(engine_moves(&numbers, &world, 1, 1) <= 1);
    assert!(mutant_moves(&numbers, &world, Some(Mutant::AnyOwnerGroups), &leaf, 1) > 1);
    assert!(engine_moves(&distinct, &world, 1, 1) <= 1);
}

/// Specification: of a person who has too many pairs some are left out: which, follows from that person's rows; others keep
/// theirs. Equal keys count, not all rows.
#[test]
fn the_pairs_of_one_person_are_limited_and_others_keep_theirs() {
    let own = |person: i64, rows: i64| {
        (0..rows)
            .map(move |at| row(&[("person", person), ("id", at)], at, if at % 2 == 0 { "x" } else { "y" }))
    };
    let many: Vec<FileRow> = own(NEWCOMER, 1_000).chain(own(1, 3)).chain(own(2, 200)).collect();
    let mut reversed = many.clone();
    reversed.reverse();
    let twice = |keys: &[(usize, usize)]| join(table("visits"), table("visits"), JoinKind::Inner, keys);
    let rows = |keys: &[(usize, usize)], visits: &[FileRow]| {
        evaluated(&twice(keys), &world(&[("visits", visits.to_vec())]))
    };
    let all = rows(&[], &many);
    assert_eq!(all, rows(&[], &reversed));
    let of = |rows: &[Row], person: i64| {
        let owned = rows.iter().filter(|row| row.owner == Some(Value::Integer(person)));
        owned.cloned().collect::<Vec<Row>>()
    };
    let kept = of(&all, NEWCOMER).len();
    assert!((PAIRS_MAX / 4..=PAIRS_MAX).contains(&kept), "{kept}");
    assert_eq!((of(&all, 1).len(), of(&all, 2).len()), (9, 40_000));
    let without: Vec<FileRow> =
        many.iter().filter(|row| row["person"] != Some(Value::Integer(NEWCOMER))).cloned().collect();
    assert_eq!(rows(&[], &without), [of(&all, 1), of(&all, 2)].concat());
    assert_eq!(of(&rows(&[(0, 0)], &many), NEWCOMER).len(), 1_000);
}

/// Specification: however many public rows a row finds, few of them are in memory at a time.
#[test]
fn pairs_pass_by_in_pieces() {
    let visits: Vec<Row> =
        (0..30).map(|at| Row { owner: Some(Value::Integer(at)), cells: cells(1) }).collect();
    let places: Vec<Row> = (0..10_000).map(|_| Row { owner: None, cells: cells(1) }).collect();
    let types = super::trees::TYPES;
    let public = super::world::table(&places, &types, false);
    let Relation::Join(plan) = join(table("visits"), table("places"), JoinKind::Left, &[(0, 0)]) else {
        panic!("a join is a join")
    };
    let context = Context::people(HashKey::fixed(3));
    let partners = Partners::new(&context.hash_key, &plan, public, false, false).unwrap();
    let (mut pairs, mut largest) = (0, 0);
    let mut take = |part: Table| {
        pairs += part.rows();
        largest = largest.max(part.rows());
        Ok(())
    };
    partners.ask(&super::world::table(&visits, &types, true), None, &mut take).unwrap();
    assert_eq!((pairs, largest), (300_000, 8_192));
    assert_eq!(partners.most(), 10_000);
}

fn cells(a: i64) -> Vec<Option<Value>> {
    vec![Some(Value::Integer(a)), Some(Value::Text("x".to_owned())), None]
}

/// Specification: where each row is a person, a join that could make two rows of one is not begun.
#[test]
fn rows_that_are_people_find_at_most_one_public_row() {
    let Relation::Table(mut scan) = table("drugs") else { panic!("a table is a table") };
    scan.owner = pointillist_plan::Owner::EachRow;
    let rows = Relation::Table(scan);
    let places = |b: &[&str]| b.iter().map(|b| row(&[], 1, b)).collect::<Vec<FileRow>>();
    let drugs: Vec<FileRow> = (0..3).map(|at| row(&[("person", at)], 1, "x")).collect();
    let asked = |relation: &Relation, public: &[&str]| {
        let world = world(&[("drugs", drugs.clone()), ("places", places(public))]);
        run(&counting(&seen(relation.clone(), None), 1, 1), &world, PLAIN)
    };
    let by = |kind, keys: &[(usize, usize)]| join(rows.clone(), table("places"), kind, keys);
    let unique = asked(&by(JoinKind::Inner, &[(1, 1)]), &["x", "y"]).unwrap();
    assert_eq!(unique.values().map(|counts| counts.1).sum::<i128>(), 3);
    for kind in [JoinKind::Inner, JoinKind::Left] {
        let refused = asked(&by(kind, &[(0, 0)]), &["x", "y"]);
        assert!(matches!(refused, Err(crate::EngineError::ManyPartners)), "{kind:?}");
    }
    let semi = asked(&by(JoinKind::Semi, &[(0, 0)]), &["x", "y"]).unwrap();
    assert_eq!(semi.values().map(|counts| counts.1).sum::<i128>(), 3);
    let twice = Relation::Union(vec![rows.clone(), rows.clone()]);
    assert!(asked(&twice, &["x"]).is_err());
    assert!(asked(&Relation::Distinct(Box::new(rows.clone())), &["x"]).is_err());
    let pairs = Join {
        left: rows.clone(),
        right: rows,
        kind: JoinKind::Inner,
        keys: Vec::new(),
        condition: Some(Scalar::Compare(
            Comparison::Equal,
            Box::new(Scalar::Column(0)),
            Box::new(Scalar::Column(3)),
        )),
    };
    assert!(asked(&Relation::Join(Box::new(pairs)), &["x"]).is_err());
}

/// Specification: which of a person's equal rows is first in one order and last in another is that person's own affair: other
/// people's rows, whatever they are and however many, do not change what stands beside theirs.
#[test]
fn equal_rows_have_one_order_in_all_windows() {
    let window = |column, descending| Window {
        function: WindowFunction::RowNumber,
        partition: Vec::new(),
        order: vec![Order { by: Scalar::Column(column), kind: Type::Integer, descending, nulls_first: true }],
        frame: Frame { by_rows: false, start: FrameEnd::First, end: FrameEnd::Current },
    };
    let relation = Relation::Window {
        input: Box::new(Relation::Map {
            input: Box::new(table("visits")),
            filter: None,
            columns: vec![Scalar::Column(0)],
        }),
        windows: vec![window(0, false), window(0, true)],
    };
    let mut seen: Vec<Vec<Row>> = Vec::new();
    for others in [0, 1, 7, 40, 41, 300] {
        let mut rows: Vec<FileRow> = Vec::new();
        for number in 0..others.max(60) {
            if number < others {
                rows.push(row(&[("person", number % 5)], number * 7 % 3, "x"));
            }
            if number < 60 {
                rows.push(row(&[("person", NEWCOMER)], number / 30, "x"));
            }
        }
        let rows = evaluated(&relation, &world(&[("visits", rows)]));
        let newcomer = Some(Value::Integer(NEWCOMER));
        seen.push(rows.into_iter().filter(|row| row.owner == newcomer).collect());
        assert_eq!(seen[0].len(), 60);
    }
    assert!(seen.iter().all(|rows| *rows == seen[0]), "{seen:?}");
}
