//! What holds no column is computed here, once, by the embedded evaluator, and travels as a value.
//!
//! **Guarantee.** The folded expression has the value of the expression in every row. Every part of it without a column is a
//! [`Scalar::Constant`] or a [`Scalar::Null`], and no part of it is NULL in every row because an operand of it is the word
//! NULL, except NULL itself. The constants are finite numbers with one zero, texts of at most 10,000 bytes, and days
//! and moments of the calendar: values that columns could hold.
//! **Why.** Planners compute constant parts before they know which rows will reach them, and may fail on what no row needs.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::{Value, calendar};
use pointillist_engine::evaluate;
use pointillist_plan::{Comparison, Function, Scalar, Type, type_of, visit};

use crate::Refusal;

/// The longest text that a row holds, in bytes.
const TEXT_BYTES_MAX: usize = 10_000;

/// The expression over columns of these types, folded.
pub(super) fn fold(scalar: &Scalar, columns: &[Type]) -> Result<Scalar, Refusal> {
    if type_of(scalar, columns).is_none() {
        return Err(Refusal::new(
            "the plan holds an expression without a type",
            "this is a mistake of ours: please report it",
        ));
    }
    let mut sofar = scalar.clone();
    // What becomes NULL may leave a larger part without columns: each round makes the expression smaller.
    loop {
        let folded = visit::replaced(&sofar, &mut |part| match part {
            Scalar::Null(_) | Scalar::Column(_) => None,
            _ if visit::columns(part).next().is_none() => Some(computed(part)),
            _ if is_null(part) => type_of(part, columns).map(|kind| Ok(Scalar::Null(kind))),
            _ => None,
        })?;
        if folded == sofar {
            return Ok(folded);
        }
        sofar = folded;
    }
}

/// A part without columns, as its value.
fn computed(part: &Scalar) -> Result<Scalar, Refusal> {
    let Some(kind) = type_of(part, &[]) else { return Ok(part.clone()) };
    match value_of(&evaluate(part, &[], 1), kind) {
        None => Ok(Scalar::Null(kind)),
        Some(value) => checked(value).map(Scalar::Constant),
    }
}

fn value_of(array: &ArrayRef, kind: Type) -> Option<Value> {
    array.is_valid(0).then(|| match kind {
        Type::Boolean => Value::Boolean(array.as_boolean().value(0)),
        Type::Integer => Value::Integer(array.as_primitive::<Int64Type>().value(0)),
        Type::Number => Value::Number(array.as_primitive::<Float64Type>().value(0)),
        Type::Text => Value::Text(array.as_string_view().value(0).to_owned()),
        Type::Date => Value::Date(array.as_primitive::<Date32Type>().value(0)),
        Type::Timestamp => Value::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(0)),
    })
}

/// Only what a column could hold: the forms of the dialects are total for that.
fn checked(value: Value) -> Result<Value, Refusal> {
    let outside = match &value {
        Value::Text(text) if text.len() > TEXT_BYTES_MAX => {
            return Err(Refusal::new(
                "the question holds a text of more than 10,000 bytes",
                "compare with a shorter text",
            ));
        }
        Value::Date(day) => calendar::in_calendar(i64::from(*day)).is_none(),
        Value::Timestamp(moment) => calendar::split(*moment).is_none(),
        Value::Boolean(_) | Value::Integer(_) | Value::Number(_) | Value::Text(_) => false,
    };
    match outside {
        true => Err(Refusal::new(
            "the question holds a date outside of the years 1 to 9999",
            "name a date within these years",
        )),
        false => Ok(value),
    }
}

/// Whether a part is NULL in every row because an operand that makes it so is the word NULL.
fn is_null(part: &Scalar) -> bool {
    match part {
        Scalar::Null(_) => true,
        Scalar::Not(inner) | Scalar::Cast(inner, _) | Scalar::Like { value: inner, .. } => is_null(inner),
        Scalar::Compare(Comparison::NotDistinct, ..) => false,
        Scalar::Compare(_, left, right) | Scalar::Arithmetic(_, left, right) => {
            is_null(left) || is_null(right)
        }
        Scalar::Call(Function::NullIf, arguments) => arguments.first().is_some_and(is_null),
        Scalar::Call(Function::Least | Function::Greatest | Function::Coalesce | Function::Concat, _) => {
            false
        }
        Scalar::Call(_, arguments) => arguments.iter().any(is_null),
        Scalar::Column(_) | Scalar::Constant(_) => false,
        Scalar::All(_) | Scalar::Any(_) | Scalar::IsNull(_) | Scalar::Case(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use pointillist_plan::Arithmetic;

    use super::*;

    fn number(value: f64) -> Scalar {
        Scalar::Constant(Value::Number(value))
    }

    fn sum(left: Scalar, right: Scalar) -> Scalar {
        Scalar::Arithmetic(Arithmetic::Add, Box::new(left), Box::new(right))
    }

    /// Specification: what no row can change is a value, NULL where the evaluator says so; what a row can change stays.
    #[test]
    fn what_holds_no_column_is_a_value() {
        let columns = [Type::Number];
        let root = Scalar::Call(Function::SquareRoot, vec![number(-1.0)]);
        let case = |last: Scalar| {
            let condition = Scalar::IsNull(Box::new(Scalar::Column(0)));
            Scalar::Case(vec![(condition, sum(number(1.0), number(2.0)))], Box::new(last))
        };
        let Scalar::Case(branches, last) = fold(&case(root.clone()), &columns).unwrap() else { panic!() };
        assert_eq!((&branches[0].1, *last), (&number(3.0), Scalar::Null(Type::Number)));
        // NULL + column is NULL, and what that leaves without a column is a value again.
        let lost = sum(Scalar::Column(0), root);
        assert_eq!(fold(&lost, &columns).unwrap(), Scalar::Null(Type::Number));
        let kept = Scalar::Call(Function::Coalesce, vec![lost.clone(), number(-0.0)]);
        let Scalar::Constant(Value::Number(zero)) = fold(&kept, &columns).unwrap() else { panic!() };
        assert_eq!(zero.to_bits(), 0);
        let distinct =
            Scalar::Compare(Comparison::NotDistinct, Box::new(Scalar::Column(0)), Box::new(number(1.0)));
        assert_eq!(fold(&distinct, &columns).unwrap(), distinct);
    }

    #[test]
    fn constants_are_what_a_column_could_hold() {
        let compared = |kind: Type, value: Value| {
            let same = Scalar::Compare(
                Comparison::Equal,
                Box::new(Scalar::Column(0)),
                Box::new(Scalar::Constant(value)),
            );
            fold(&same, &[kind])
        };
        assert!(compared(Type::Date, Value::Date(calendar::DAYS.1)).is_ok());
        assert!(compared(Type::Date, Value::Date(calendar::DAYS.1 + 1)).is_err());
        assert!(compared(Type::Timestamp, Value::Timestamp(i64::MIN)).is_err());
        assert!(compared(Type::Text, Value::Text("a".repeat(10_000))).is_ok());
        assert!(compared(Type::Text, Value::Text("a".repeat(10_001))).is_err());
        assert!(compared(Type::Text, Value::Date(0)).is_err(), "no type");
    }
}
