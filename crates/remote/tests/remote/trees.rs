//! Random relations over the tables of a world, and random expressions of their rows.

use pointillist_catalog::{ColumnType, Value, calendar};
use pointillist_numbers::Rational;
use pointillist_plan::{
    Arithmetic, Comparison, ExactAggregate, ExactFunction, Frame, FrameEnd, Function, Join, JoinKind, Link,
    Order, Owner, Relation, Scalar, Scan, ScanColumn, Type, Window, WindowFunction,
};

use crate::cells::{self, Store};
use crate::chance::Chance;
use crate::world::CONTENT;

const TYPES: [Type; 6] =
    [Type::Integer, Type::Number, Type::Text, Type::Boolean, Type::Date, Type::Timestamp];

/// A relation, at most so deep: people's or public.
pub(crate) fn tree(chance: &mut Chance, depth: usize, people: bool) -> Relation {
    if depth == 0 || chance.one_in(4) {
        let table =
            if people { *chance.pick(&["visits", "visits", "drugs", "lines", "notes"]) } else { "places" };
        return table_of(chance, table);
    }
    let down = |chance: &mut Chance| Box::new(tree(chance, depth - 1, people));
    match chance.below(14) {
        0 | 1 => {
            let input = down(chance);
            let types = input.types();
            let filter = chance.one_in(2).then(|| scalar(chance, &types, Type::Boolean, 2));
            let columns = (0..1 + chance.below(4)).map(|_| any(chance, &types).0).collect();
            Relation::Map { input, filter, columns }
        }
        2..=6 => join(chance, depth, people),
        7 => {
            let kinds: Vec<Type> = (0..1 + chance.below(3)).map(|_| *chance.pick(&TYPES)).collect();
            let inputs = (0..2 + chance.below(2)).map(|_| {
                let input = down(chance);
                let types = input.types();
                let columns = kinds.iter().map(|kind| scalar(chance, &types, *kind, 1)).collect();
                Relation::Map { input, filter: None, columns }
            });
            Relation::Union(inputs.collect())
        }
        8 => {
            let input = down(chance);
            let types = input.types();
            let columns = (0..1 + chance.below(2)).map(|_| any(chance, &types).0).collect();
            Relation::Distinct(Box::new(Relation::Map { input, filter: None, columns }))
        }
        9..=11 => {
            let input = down(chance);
            let types = input.types();
            Relation::Group {
                keys: (0..chance.below(3)).map(|_| any(chance, &types).0).collect(),
                aggregates: (0..1 + chance.below(3)).map(|_| aggregate(chance, &types)).collect(),
                input,
            }
        }
        _ => {
            let input = down(chance);
            let types = input.types();
            let windows = (0..1 + chance.below(2)).map(|_| window(chance, &types)).collect();
            Relation::Window { input, windows }
        }
    }
}

/// Some columns of a table.
pub(crate) fn table_of(chance: &mut Chance, table: &str) -> Relation {
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
        "events" => Owner::EachRow,
        _ => Owner::Nobody,
    };
    let columns: Vec<ScanColumn> = (0..chance.below(6))
        .map(|_| {
            let (name, store) = *chance.pick(&CONTENT);
            ScanColumn { name: name.to_owned(), kind: declared(chance, store) }
        })
        .collect();
    let mut scan = Scan { table: table.to_owned(), columns, filter: None, owner };
    // Sometimes the rows of a period.
    if table != "places" && chance.one_in(10) {
        let types = Relation::Table(scan.clone()).types();
        scan.filter = Some(scalar(chance, &types, Type::Boolean, 1));
    }
    Relation::Table(scan)
}

/// What a column of a store may be declared as.
fn declared(chance: &mut Chance, store: Store) -> ColumnType {
    let bounded = chance.one_in(2);
    let integer = ColumnType::Integer { bounds: bounded.then_some((-3, 100)) };
    let bounds = || (Rational::from(-3), Rational::from(100));
    let number = ColumnType::Number { bounds: bounded.then(bounds), step: None };
    match store {
        Store::Int8 | Store::Int4 | Store::Int2 if chance.one_in(6) => number,
        Store::Int8 | Store::Int4 | Store::Int2 => integer,
        Store::Float8 | Store::Float4 | Store::Numeric if chance.one_in(4) => integer,
        Store::Float8 | Store::Float4 | Store::Numeric => number,
        Store::Text | Store::Varchar | Store::Label | Store::Uuid | Store::Padded => ColumnType::Text,
        Store::Boolean => ColumnType::Boolean,
        Store::Date => ColumnType::Date { bounds: bounded.then_some((0, 20_000)) },
        Store::Timestamp | Store::Zoned => {
            ColumnType::Timestamp { bounds: bounded.then_some((0, 1_600_000_000_000_000)) }
        }
    }
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
    let wants_more = kind != NotIn && chance.one_in(3);
    let condition = wants_more.then(|| scalar(chance, &both, Type::Boolean, 1));
    Relation::Join(Box::new(Join { left, right, kind, keys, condition }))
}

/// Something of a row, mostly one of its columns.
pub(crate) fn any(chance: &mut Chance, types: &[Type]) -> (Scalar, Type) {
    let kind = match types.is_empty() || chance.one_in(5) {
        true => *chance.pick(&TYPES),
        false => *chance.pick(types),
    };
    (scalar(chance, types, kind, 1), kind)
}

/// An expression of a type.
pub(crate) fn scalar(chance: &mut Chance, types: &[Type], kind: Type, depth: usize) -> Scalar {
    let columns: Vec<usize> = (0..types.len()).filter(|column| types[*column] == kind).collect();
    if !columns.is_empty() && (depth == 0 || !chance.one_in(4)) {
        return Scalar::Column(*chance.pick(&columns));
    }
    if depth == 0 {
        return constant(chance, kind);
    }
    let of = |chance: &mut Chance, kind: Type| Box::new(scalar(chance, types, kind, depth - 1));
    if chance.one_in(4) {
        let condition = *of(chance, Type::Boolean);
        return match chance.below(3) {
            0 => Scalar::Case(vec![(condition, *of(chance, kind))], of(chance, kind)),
            1 => Scalar::Call(Function::Coalesce, vec![*of(chance, kind), *of(chance, kind)]),
            _ => Scalar::Call(Function::NullIf, vec![*of(chance, kind), *of(chance, kind)]),
        };
    }
    match kind {
        Type::Boolean => {
            let compared = *chance.pick(&TYPES);
            let how = *chance.pick(&[
                Comparison::Equal,
                Comparison::NotEqual,
                Comparison::Less,
                Comparison::GreaterOrEqual,
                Comparison::NotDistinct,
            ]);
            match chance.below(5) {
                0 => Scalar::IsNull(of(chance, compared)),
                1 => Scalar::Any(vec![*of(chance, Type::Boolean), *of(chance, Type::Boolean)]),
                2 => Scalar::Not(of(chance, Type::Boolean)),
                _ => Scalar::Compare(how, of(chance, compared), of(chance, compared)),
            }
        }
        Type::Integer if chance.one_in(3) => Scalar::Call(Function::Length, vec![*of(chance, Type::Text)]),
        Type::Integer | Type::Number => {
            let how = *chance.pick(&[Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply]);
            Scalar::Arithmetic(how, of(chance, kind), of(chance, kind))
        }
        Type::Text => {
            Scalar::Call(*chance.pick(&[Function::Lower, Function::Upper]), vec![*of(chance, kind)])
        }
        _ => constant(chance, kind),
    }
}

fn constant(chance: &mut Chance, kind: Type) -> Scalar {
    value(chance, kind).map_or(Scalar::Null(kind), Scalar::Constant)
}

/// A value that rows hold, or NULL.
pub(crate) fn value(chance: &mut Chance, kind: Type) -> Option<Value> {
    if chance.one_in(6) {
        return None;
    }
    Some(match kind {
        Type::Boolean => Value::Boolean(chance.one_in(2)),
        Type::Integer => Value::Integer(*chance.pick(&[0, 1, 1, 2, -1, 1 << 31, i64::MAX, i64::MIN])),
        Type::Number => Value::Number(*chance.pick(&[0.0, 1.5, 1.0, -2.0, 0.1, f64::MAX, f64::MIN, 5e-324])),
        Type::Text => Value::Text(cells::text(chance).chars().take(50).collect()),
        Type::Date => Value::Date(*chance.pick(&[0, -1, 18_321, calendar::DAYS.0, calendar::DAYS.1])),
        Type::Timestamp => {
            Value::Timestamp(*chance.pick(&[0, 1, -1, calendar::MOMENTS.0, calendar::MOMENTS.1]))
        }
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
    use ExactFunction::{Average, Count, Every, Maximum, Minimum, Mode, Sum};
    let function = match chance.one_in(12) {
        true => *chance.pick(&[Average, Mode]),
        false => *chance.pick(&[Count, Count, Sum, Minimum, Maximum, Every, ExactFunction::Some]),
    };
    let kind = match function {
        Every | ExactFunction::Some => Type::Boolean,
        Sum | Average => Type::Integer,
        _ => *chance.pick(&TYPES),
    };
    ExactAggregate {
        function,
        value: scalar(chance, types, kind, 1),
        counted: chance.one_in(3).then(|| scalar(chance, types, Type::Boolean, 1)),
        distinct: chance.one_in(3),
    }
}

fn window(chance: &mut Chance, types: &[Type]) -> Window {
    let (value, _) = any(chance, types);
    let mut order = orders(chance, types);
    let function = match chance.below(10) {
        0..=2 => WindowFunction::RowNumber,
        number @ (3 | 4) => {
            // A rank is among rows in an order.
            if order.is_empty() {
                let (by, kind) = any(chance, types);
                order.push(Order { by, kind, descending: false, nulls_first: true });
            }
            if number == 3 { WindowFunction::Rank } else { WindowFunction::DenseRank }
        }
        5..=8 => WindowFunction::Shifted { otherwise: None, value, back: *chance.pick(&[1, 0, -1, 2]) },
        _ => WindowFunction::First(value),
    };
    let partition = (0..chance.below(2)).map(|_| any(chance, types).0).collect();
    let frame = Frame { by_rows: false, start: FrameEnd::First, end: FrameEnd::Current };
    Window { function, partition, order, frame }
}
