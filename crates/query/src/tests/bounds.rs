//! Ranges and domains against a small evaluator: no value of any row lies outside.

use pointillist_catalog::{Column, ColumnType, Value};
use pointillist_plan::{Arithmetic, Comparison, Function, Scalar, Type};

use super::fixture::rational;
use crate::bounds::{Range, never_null, range};
use crate::domain;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn columns() -> Vec<Column> {
    let column = |name: &str, kind| {
        let (name, stored_as) = (name.to_owned(), None);
        Column { name, stored_as, kind, public_keys: None, nullable: true }
    };
    vec![
        column("a", ColumnType::Integer { bounds: Some((-3, 7)) }),
        column("b", ColumnType::Integer { bounds: None }),
        column("c", ColumnType::Number { bounds: Some((rational("-2.5"), rational("4"))), step: None }),
        column("d", ColumnType::Number { bounds: None, step: None }),
    ]
}

/// A row within the declared bounds; NULL is always possible.
fn row(dice: &mut Dice) -> Vec<Option<Value>> {
    let integers = [i64::MIN, -7, -1, 0, 1, 5, 1_000_000, i64::MAX];
    let numbers = [-1e300, -3.5, -0.5, 0.0, 0.25, 2.0, 1e18, 1e300];
    let mut row = vec![
        Some(Value::Integer(dice.roll(11) as i64 - 3)),
        Some(Value::Integer(integers[dice.roll(8) as usize])),
        Value::number(-2.5 + 6.5 * dice.roll(14) as f64 / 13.0),
        Value::number(numbers[dice.roll(8) as usize]),
    ];
    for value in &mut row {
        if dice.roll(6) == 0 {
            *value = None;
        }
    }
    row
}

/// A random expression of a type, over the columns above.
fn expression(kind: Type, depth: u32, dice: &mut Dice) -> Scalar {
    let integer = kind == Type::Integer;
    if depth == 0 || dice.roll(5) == 0 {
        return match dice.roll(3) {
            0 if integer => Scalar::Constant(Value::Integer(dice.roll(9) as i64 - 4)),
            0 => Scalar::Constant(Value::Number(dice.roll(9) as f64 / 2.0 - 2.0)),
            1 => Scalar::Column(if integer { 0 } else { 2 }),
            _ => Scalar::Column(if integer { 1 } else { 3 }),
        };
    }
    let next = |dice: &mut Dice| expression(kind, depth - 1, dice);
    let boxed = |scalar| Box::new(scalar);
    match dice.roll(11) {
        0..=3 => {
            use Arithmetic::{Add, Divide, Multiply, Remainder, Subtract};
            let how = [Add, Subtract, Multiply, Divide, Remainder][dice.roll(5) as usize];
            Scalar::Arithmetic(how, boxed(next(dice)), boxed(next(dice)))
        }
        4 => {
            let test = Scalar::Compare(Comparison::Less, boxed(next(dice)), boxed(next(dice)));
            let last = if dice.roll(3) == 0 { Scalar::Null(kind) } else { next(dice) };
            Scalar::Case(vec![(test, next(dice))], boxed(last))
        }
        5 => Scalar::Call(Function::Least, vec![next(dice), next(dice)]),
        6 => Scalar::Call(Function::Greatest, vec![next(dice), next(dice)]),
        7 => Scalar::Call(Function::Coalesce, vec![next(dice), next(dice)]),
        8 => Scalar::Call(Function::Absolute, vec![next(dice)]),
        9 if integer => Scalar::Cast(boxed(expression(Type::Number, depth - 1, dice)), Type::Integer),
        9 => Scalar::Cast(boxed(expression(Type::Integer, depth - 1, dice)), Type::Number),
        _ if integer => Scalar::Call(Function::Sign, vec![next(dice)]),
        _ => {
            let all = [Function::Floor, Function::Ceiling, Function::SquareRoot, Function::Exponential];
            Scalar::Call(all[dice.roll(4) as usize], vec![next(dice)])
        }
    }
}

fn evaluate(scalar: &Scalar, row: &[Option<Value>]) -> Option<Value> {
    let of = |inner: &Scalar| evaluate(inner, row);
    match scalar {
        Scalar::Column(column) => row[*column].clone(),
        Scalar::Constant(value) => Some(value.clone()),
        Scalar::Null(_) => None,
        Scalar::Arithmetic(how, left, right) => match (of(left)?, of(right)?) {
            (Value::Integer(a), Value::Integer(b)) => match how {
                Arithmetic::Add => Some(a.saturating_add(b)),
                Arithmetic::Subtract => Some(a.saturating_sub(b)),
                Arithmetic::Multiply => Some(a.saturating_mul(b)),
                Arithmetic::Divide => (b != 0).then(|| a.saturating_div(b)),
                Arithmetic::Remainder => (b != 0).then(|| a.wrapping_rem(b)),
            }
            .map(Value::Integer),
            (Value::Number(a), Value::Number(b)) => Value::number(match how {
                Arithmetic::Add => a + b,
                Arithmetic::Subtract => a - b,
                Arithmetic::Multiply => a * b,
                Arithmetic::Divide => a / b,
                Arithmetic::Remainder => a % b,
            }),
            other => panic!("{other:?}"),
        },
        Scalar::Compare(Comparison::Less, left, right) => Some(Value::Boolean(of(left)? < of(right)?)),
        Scalar::Case(branches, last) => {
            let taken = branches.iter().find(|(test, _)| of(test) == Some(Value::Boolean(true)));
            taken.map_or_else(|| of(last), |(_, value)| of(value))
        }
        Scalar::Cast(inner, Type::Number) => match of(inner)? {
            Value::Integer(number) => Value::number(number as f64),
            other => panic!("{other:?}"),
        },
        Scalar::Cast(inner, Type::Integer) => match of(inner)? {
            Value::Number(number) => {
                (number.abs() < 9e18).then(|| Value::Integer(number.round_ties_even() as i64))
            }
            other => panic!("{other:?}"),
        },
        Scalar::Call(Function::Least, all) => all.iter().filter_map(of).min(),
        Scalar::Call(Function::Greatest, all) => all.iter().filter_map(of).max(),
        Scalar::Call(Function::Coalesce, all) => all.iter().find_map(of),
        Scalar::Call(function, all) => match (function, of(&all[0])?) {
            (Function::Absolute, Value::Integer(number)) => Some(Value::Integer(number.saturating_abs())),
            (Function::Absolute, Value::Number(number)) => Value::number(number.abs()),
            (Function::Sign, Value::Integer(number)) => Some(Value::Integer(number.signum())),
            (Function::Floor, Value::Number(number)) => Value::number(number.floor()),
            (Function::Ceiling, Value::Number(number)) => Value::number(number.ceil()),
            (Function::SquareRoot, Value::Number(number)) => Value::number(number.sqrt()),
            (Function::Exponential, Value::Number(number)) => Value::number(number.exp()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Specification: 20,000 random expressions, ten rows each; every value lies in the expression's range, a value is
/// there where one is promised, and keys of whole numbers lie in their domain.
#[test]
fn no_value_lies_outside_its_range() {
    let columns = columns();
    let mut dice = Dice(3);
    let mut bounded = 0;
    for _ in 0..20_000 {
        let kind = if dice.roll(2) == 0 { Type::Integer } else { Type::Number };
        let scalar = expression(kind, 4, &mut dice);
        let range = range(&scalar, &columns);
        bounded += u32::from(range.finite().is_some());
        let keys = domain::of(&scalar, &columns);
        for _ in 0..10 {
            let row = row(&mut dice);
            let value = evaluate(&scalar, &row);
            assert!(value.is_some() || !never_null(&scalar, &columns), "{scalar:?} is NULL for {row:?}");
            let inside = match (&value, range) {
                (None, _) | (_, Range::Other) => true,
                (Some(_), Range::Empty) => false,
                (Some(Value::Integer(number)), Range::Whole(low, high)) => {
                    low.is_none_or(|low| low <= *number) && high.is_none_or(|high| *number <= high)
                }
                (Some(Value::Number(number)), Range::Real(low, high)) => low <= *number && *number <= high,
                _ => false,
            };
            assert!(inside, "{scalar:?} is {value:?} outside {range:?} for {row:?}");
            if let (Some(keys), Some(_)) = (&keys, &value) {
                assert!(keys.values.contains(&value), "{scalar:?} is {value:?}, no key of {keys:?}");
            }
        }
    }
    assert!(bounded > 2000, "{bounded} expressions have bounds");
}

/// The way out that messages name works for any column.
#[test]
fn clamping_by_hand_gives_bounds() {
    let number = |value| Scalar::Constant(Value::Number(value));
    let clamped = Scalar::Call(
        Function::Least,
        vec![Scalar::Call(Function::Greatest, vec![Scalar::Column(3), number(0.0)]), number(200.0)],
    );
    assert_eq!(range(&clamped, &columns()), Range::Real(0.0, 200.0));
}
