//! Released values as Arrow arrays and back: what expressions on answers, and Arrow files of them, need.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringViewArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::Value;
use pointillist_plan::Type;

/// The values as an array of this type; a value of another type, which no plan makes, is NULL.
pub fn array<'a>(kind: Type, values: impl Iterator<Item = Option<&'a Value>>) -> ArrayRef {
    macro_rules! collect {
        ($array:ty, $variant:ident, $read:expr) => {
            Arc::new(
                values
                    .map(|value| match value {
                        Some(Value::$variant(value)) => Some($read(value)),
                        _ => None,
                    })
                    .collect::<$array>(),
            )
        };
    }
    match kind {
        Type::Boolean => collect!(BooleanArray, Boolean, |value: &bool| *value),
        Type::Integer => collect!(Int64Array, Integer, |value: &i64| *value),
        Type::Number => collect!(Float64Array, Number, |value: &f64| *value),
        Type::Text => collect!(StringViewArray, Text, |value: &'a String| value.as_str()),
        Type::Date => collect!(Date32Array, Date, |value: &i32| *value),
        Type::Timestamp => collect!(TimestampMicrosecondArray, Timestamp, |value: &i64| *value),
    }
}

/// The value at a place of such an array.
pub fn value(kind: Type, array: &ArrayRef, row: usize) -> Option<Value> {
    if row >= array.len() || array.is_null(row) {
        return None;
    }
    Some(match kind {
        Type::Boolean => Value::Boolean(array.as_boolean_opt()?.value(row)),
        Type::Integer => Value::Integer(array.as_primitive_opt::<Int64Type>()?.value(row)),
        Type::Number => Value::number(array.as_primitive_opt::<Float64Type>()?.value(row))?,
        Type::Text => Value::Text(array.as_string_view_opt()?.value(row).to_owned()),
        Type::Date => Value::Date(array.as_primitive_opt::<Date32Type>()?.value(row)),
        Type::Timestamp => Value::Timestamp(array.as_primitive_opt::<TimestampMicrosecondType>()?.value(row)),
    })
}
