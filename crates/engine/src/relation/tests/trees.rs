//! Random relations over a small world: two tables of people, one linked to them, one linked to that, and public ones.

use pointillist_catalog::{ColumnType, Value};
use pointillist_plan::{
    Arithmetic, Comparison, ExactAggregate, ExactFunction, Frame, FrameEnd, Function, Join, JoinKind, Link,
    Order, Owner, Relation, Scalar, Scan, ScanColumn, Type, Window, WindowFunction,
};

use crate::tests::Chance;

/// The columns that every table has beside those that say whose its rows are.
pub(crate) const TYPES: [Type; 3] = [Type::Integer, Type::Text, Type::Number];

/// A relation, at most so deep: people's or public.
pub(crate) fn tree(chance: &mut Chance, depth: usize, people: bool) -> Relation {
    if depth == 0 || chance.one_in(6) {
        return table(chance, people);
    }
    let down = |chance: &mut Chance| Box::new(tree(chance, depth - 1, people));
    match chance.below(if people { 12 } else { 13 }) {
        0 => {
            let input = down(chance);
            map(chance, input)
        }
        1..=4 => join(chance, depth, people),
        5 => {
            let kinds: Vec<Type> = (0..1 + chance.below(3)).map(|_| *chance.pick(&TYPES)).collect();
            let inputs = (0..2 + chance.below(2)).map(|_| {
                let input = down(chance);
                let types = input.types();
                let columns = kinds.iter().map(|kind| scalar(chance, &types, *kind, 1)).collect();
                Relation::Map { input, filter: None, columns }
            });
            Relation::Union(inputs.collect())
        }
        6 => {
            let input = down(chance);
            let types = input.types();
            let columns = (0..1 + chance.below(2)).map(|_| any(chance, &types).0).collect();
            Relation::Distinct(Box::new(Relation::Map { input, filter: None, columns }))
        }
        7 | 8 => {
            let input = down(chance);
            let types = input.types();
            Relation::Group {
                keys: (0..chance.below(3)).map(|_| any(chance, &types).0).collect(),
                aggregates: (0..1 + chance.below(3)).map(|_| aggregate(chance, &types)).collect(),
                input,
            }
        }
        9..=11 => {
            let input = down(chance);
            let types = input.types();
            let windows = (0..1 + chance.below(2)).map(|_| window(chance, &types)).collect();
            Relation::Window { input, windows }
        }
        _ => {
            let input = down(chance);
            let types = input.types();
            let fetch = chance.one_in(2).then(|| chance.below(5) as u64);
            Relation::Order { by: orders(chance, &types), skip: chance.below(3) as u64, fetch, input }
        }
    }
}

/// A table's rows.
pub(crate) fn table(chance: &mut Chance, people: bool) -> Relation {
    let tables = ["visits", "drugs", "lines", "notes"];
    let table = if people { tables[chance.below(4)] } else { "places" };
    let mut relation = people_table(table);
    // Sometimes the rows of a period.
    if let Relation::Table(scan) = &mut relation
        && people
        && chance.one_in(10)
    {
        scan.filter = Some(scalar(chance, &TYPES, Type::Boolean, 2));
    }
    relation
}

/// The table of this name.
pub(crate) fn people_table(table: &str) -> Relation {
    let person = || Owner::Column("person".to_owned());
    let link = |column: &str, table: &str, key: &str, owner: Owner| {
        let [column, table, key] = [column, table, key].map(str::to_owned);
        Owner::Link(Box::new(Link { column, table, key, owner }))
    };
    let lines = || link("visit", "visits", "id", person());
    let owner = match table {
        "visits" | "drugs" => person(),
        "lines" => lines(),
        "notes" => link("line", "lines", "number", lines()),
        _ => Owner::Nobody,
    };
    let kinds = [
        ColumnType::Integer { bounds: None },
        ColumnType::Text,
        ColumnType::Number { bounds: None, step: None },
    ];
    let columns =
        ["a", "b", "c"].into_iter().zip(kinds).map(|(name, kind)| ScanColumn { name: name.to_owned(), kind });
    Relation::Table(Scan { table: table.to_owned(), columns: columns.collect(), filter: None, owner })
}

/// Rows by what is in them.
pub(crate) fn map(chance: &mut Chance, input: Box<Relation>) -> Relation {
    let types = input.types();
    let filter = chance.one_in(2).then(|| scalar(chance, &types, Type::Boolean, 2));
    let columns = (0..1 + chance.below(3)).map(|_| any(chance, &types).0).collect();
    Relation::Map { input, filter, columns }
}

fn join(chance: &mut Chance, depth: usize, people: bool) -> Relation {
    use JoinKind::{Anti, Full, Inner, Left, NotIn, Semi};
    let (left, right, kinds): (_, _, &[JoinKind]) = match (people, chance.below(4)) {
        (true, 0) => (true, false, &[Inner, Left, Semi, Anti, NotIn]),
        (true, 1) => (false, true, &[Inner]),
        _ => (people, people, &[Inner, Left, Full, Semi, Anti, NotIn]),
    };
    let kind = *chance.pick(kinds);
    let (left, right) = (tree(chance, depth - 1, left), tree(chance, depth - 1, right));
    let (left_types, right_types) = (left.types(), right.types());
    let keys = (0..chance.below(3))
        .map(|_| {
            let (key, kind) = any(chance, &left_types);
            (key, scalar(chance, &right_types, kind, 0))
        })
        .collect();
    let both = [left_types, right_types].concat();
    let condition = chance.one_in(3).then(|| scalar(chance, &both, Type::Boolean, 2));
    Relation::Join(Box::new(Join { left, right, kind, keys, condition }))
}

fn any(chance: &mut Chance, types: &[Type]) -> (Scalar, Type) {
    let kind = *chance.pick(&[Type::Integer, Type::Integer, Type::Text, Type::Number, Type::Boolean]);
    (scalar(chance, types, kind, 1), kind)
}

/// An expression of a type.
pub(crate) fn scalar(chance: &mut Chance, types: &[Type], kind: Type, depth: usize) -> Scalar {
    let columns: Vec<usize> = (0..types.len()).filter(|column| types[*column] == kind).collect();
    if !columns.is_empty() && (depth == 0 || !chance.one_in(3)) {
        return Scalar::Column(*chance.pick(&columns));
    }
    if depth == 0 {
        return constant(chance, kind);
    }
    let of = |chance: &mut Chance, kind: Type| Box::new(scalar(chance, types, kind, depth - 1));
    match kind {
        Type::Boolean => {
            let compared = *chance.pick(&[Type::Integer, Type::Text, Type::Number]);
            let how = *chance.pick(&[Comparison::Equal, Comparison::Less, Comparison::NotDistinct]);
            match chance.below(4) {
                0 => Scalar::IsNull(of(chance, compared)),
                1 => Scalar::Any(vec![*of(chance, Type::Boolean), *of(chance, Type::Boolean)]),
                _ => Scalar::Compare(how, of(chance, compared), of(chance, compared)),
            }
        }
        Type::Integer | Type::Number => match chance.below(3) {
            0 => Scalar::Arithmetic(Arithmetic::Add, of(chance, kind), of(chance, kind)),
            1 => Scalar::Call(Function::Coalesce, vec![*of(chance, kind), *of(chance, kind)]),
            _ => constant(chance, kind),
        },
        _ => constant(chance, kind),
    }
}

fn constant(chance: &mut Chance, kind: Type) -> Scalar {
    value(chance, kind).map_or(Scalar::Null(kind), Scalar::Constant)
}

/// A value that makes trouble, or NULL.
pub(crate) fn value(chance: &mut Chance, kind: Type) -> Option<Value> {
    if chance.one_in(5) {
        return None;
    }
    Some(match kind {
        Type::Boolean => Value::Boolean(chance.one_in(2)),
        Type::Integer => Value::Integer(*chance.pick(&[0, 1, 1, 2, -1, i64::MAX, i64::MIN])),
        Type::Number => Value::Number(*chance.pick(&[0.0, 1.5, 1.5, -2.0, 0.1, f64::MAX, f64::MIN, 5e-324])),
        Type::Text => Value::Text((*chance.pick(&["", "a", "a", "b", "\0", "\u{ffff}a"])).to_owned()),
        Type::Date => Value::Date(*chance.pick(&[0, 1, -1])),
        Type::Timestamp => Value::Timestamp(*chance.pick(&[0, 1, -1])),
    })
}

fn orders(chance: &mut Chance, types: &[Type]) -> Vec<Order> {
    (0..chance.below(3))
        .map(|_| {
            let (by, kind) = any(chance, types);
            Order { by, kind, descending: chance.one_in(2), nulls_first: chance.one_in(2) }
        })
        .collect()
}

fn aggregate(chance: &mut Chance, types: &[Type]) -> ExactAggregate {
    use ExactFunction::{
        Average, Count, Every, Maximum, Minimum, Mode, QuantileContinuous, QuantileDiscrete, Sum, Variance,
    };
    let share = *chance.pick(&[0.0, 0.25, 0.5, 1.0]);
    let variance = Variance { sample: chance.one_in(2), root: chance.one_in(2) };
    let function = *chance.pick(&[
        Count,
        Sum,
        Sum,
        Average,
        Minimum,
        Maximum,
        Mode,
        QuantileContinuous(share),
        QuantileDiscrete(share),
        variance,
        Every,
        ExactFunction::Some,
    ]);
    let kind = match function {
        Every | ExactFunction::Some => Type::Boolean,
        Sum | Average | QuantileContinuous(_) | Variance { .. } => {
            *chance.pick(&[Type::Integer, Type::Number])
        }
        _ => *chance.pick(&[Type::Integer, Type::Number, Type::Text, Type::Boolean]),
    };
    ExactAggregate {
        function,
        value: scalar(chance, types, kind, 1),
        counted: chance.one_in(3).then(|| scalar(chance, types, Type::Boolean, 1)),
        distinct: chance.one_in(3),
    }
}

fn window(chance: &mut Chance, types: &[Type]) -> Window {
    let (value, kind) = any(chance, types);
    let function = match chance.below(14) {
        0 => WindowFunction::RowNumber,
        1 => WindowFunction::Rank,
        2 => WindowFunction::DenseRank,
        3 => WindowFunction::PercentRank,
        4 => WindowFunction::CumulativeDistribution,
        5 => WindowFunction::Tiles(1 + chance.below(5) as u64),
        6 | 7 => WindowFunction::Shifted {
            otherwise: chance.one_in(2).then(|| scalar(chance, types, kind, 1)),
            value,
            back: *chance.pick(&[1, 0, -1, 2, i64::MIN, i64::MAX]),
        },
        8 => WindowFunction::First(value),
        9 => WindowFunction::Last(value),
        10 => WindowFunction::Nth(value, 1 + chance.below(3) as u64),
        _ => WindowFunction::Aggregate(aggregate(chance, types)),
    };
    let far = *chance.pick(&[0, 1, 2, u64::MAX]);
    let by_rows = chance.one_in(2);
    let ends: &[FrameEnd] = match by_rows {
        true => {
            &[FrameEnd::First, FrameEnd::Before(far), FrameEnd::Current, FrameEnd::After(far), FrameEnd::Last]
        }
        false => &[FrameEnd::First, FrameEnd::Current, FrameEnd::Last],
    };
    Window {
        function,
        partition: (0..chance.below(2)).map(|_| any(chance, types).0).collect(),
        order: orders(chance, types),
        frame: Frame { by_rows, start: *chance.pick(ends), end: *chance.pick(ends) },
    }
}
