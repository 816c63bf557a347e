//! The evaluator against cases written by hand, against a second interpreter on random expressions, and against
//! expressions that no planner would make.

mod random;
mod reference;
mod tables;
mod totality;
mod units;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringViewArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::Value;
use pointillist_plan::Type;

use super::operand;
pub(crate) use reference::interpret;

/// An array of a type from values; a value of another type is NULL. Numbers go in as they are.
fn array_of(kind: Type, values: &[Option<Value>]) -> ArrayRef {
    macro_rules! collected {
        ($variant:ident, $array:ty) => {
            Arc::new(
                values
                    .iter()
                    .map(
                        |value| {
                            if let Some(Value::$variant(value)) = value { Some(value.clone()) } else { None }
                        },
                    )
                    .collect::<$array>(),
            )
        };
    }
    match kind {
        Type::Boolean => collected!(Boolean, BooleanArray),
        Type::Integer => collected!(Integer, Int64Array),
        Type::Number => collected!(Number, Float64Array),
        Type::Text => collected!(Text, StringViewArray),
        Type::Date => collected!(Date, Date32Array),
        Type::Timestamp => collected!(Timestamp, TimestampMicrosecondArray),
    }
}

/// The values of an array of one of our types.
fn values_of(array: &ArrayRef) -> Vec<Option<Value>> {
    let value = |row: usize| match operand::kind_of(array).expect("one of our types") {
        Type::Boolean => Value::Boolean(array.as_boolean().value(row)),
        Type::Integer => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        Type::Number => Value::Number(array.as_primitive::<Float64Type>().value(row)),
        Type::Text => Value::Text(array.as_string_view().value(row).to_owned()),
        Type::Date => Value::Date(array.as_primitive::<Date32Type>().value(row)),
        Type::Timestamp => Value::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row)),
    };
    (0..array.len()).map(|row| array.is_valid(row).then(|| value(row))).collect()
}
