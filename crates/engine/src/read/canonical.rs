//! Any physical array as the declared type.
//!
//! **Guarantee.** [`canonical`] is total and row-wise, and equal for equal values of whatever physical type: the
//! fast ways below say what [`Cell`] says, one value at a time.
//! **Choices.** Fractions become whole numbers by rounding halves away from zero. Zones lead to UTC. Numbers
//! too large for their type go to its nearest end where bounds are declared, and to NULL where none are. Bytes are text
//! if they are UTF-8, and NULL otherwise.

use std::sync::Arc;

use arrow::array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type,
};
use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryViewArray, BooleanArray, Date32Array, Float64Array,
    Int64Array, StringViewArray, StringViewBuilder, TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, TimeUnit, i256};

use super::TEXT_MAX;
use super::bounds::{Target, cut};
use super::cell::{self, cells};

/// The values as the declared type, inside its range.
pub(super) fn canonical(array: &ArrayRef, target: &Target) -> ArrayRef {
    target.settle(converted(array, target))
}

/// The values as the declared type. Its range is still to be applied: values may be infinite or outside.
pub(super) fn converted(array: &ArrayRef, target: &Target) -> ArrayRef {
    if *array.data_type() == target.data_type() {
        return Arc::clone(array);
    }
    match target {
        Target::Integer(_) => widened::<Int64Type>(array),
        Target::Number(_) => widened_to_double(array),
        Target::Text => texts(array),
        Target::Timestamp(_) => moments(array),
        Target::Boolean | Target::Date(_) => None,
    }
    .unwrap_or_else(|| one_by_one(array, target))
}

/// The general way: cell by cell.
pub(super) fn one_by_one(array: &ArrayRef, target: &Target) -> ArrayRef {
    let (cell, rows) = (cells(array.as_ref()), 0..array.len());
    match target {
        Target::Boolean => Arc::new(BooleanArray::from_iter(rows.map(|row| cell(row).boolean()))),
        Target::Integer(bounds) => {
            Arc::new(Int64Array::from_iter(rows.map(|row| cell(row).integer(bounds.is_some()))))
        }
        Target::Number(_) => Arc::new(Float64Array::from_iter(rows.map(|row| cell(row).number()))),
        Target::Text => {
            let mut builder = StringViewBuilder::with_capacity(array.len());
            // Cut before it is copied: an entry of a dictionary is copied for every row that names it.
            rows.for_each(|row| builder.append_option(cell(row).text().as_deref().map(cut)));
            Arc::new(builder.finish())
        }
        Target::Date(_) => Arc::new(Date32Array::from_iter(rows.map(|row| cell(row).date()))),
        Target::Timestamp(_) => {
            Arc::new(TimestampMicrosecondArray::from_iter(rows.map(|row| cell(row).timestamp())))
        }
    }
}

/// Integers that always fit.
fn widened<To: ArrowPrimitiveType>(array: &ArrayRef) -> Option<ArrayRef>
where
    To::Native: From<i8> + From<i16> + From<i32> + From<u8> + From<u16> + From<u32>,
{
    Some(match array.data_type() {
        DataType::Int8 => unary::<Int8Type, To>(array, From::from),
        DataType::Int16 => unary::<Int16Type, To>(array, From::from),
        DataType::Int32 => unary::<Int32Type, To>(array, From::from),
        DataType::UInt8 => unary::<UInt8Type, To>(array, From::from),
        DataType::UInt16 => unary::<UInt16Type, To>(array, From::from),
        DataType::UInt32 => unary::<UInt32Type, To>(array, From::from),
        _ => return None,
    })
}

fn widened_to_double(array: &ArrayRef) -> Option<ArrayRef> {
    Some(match array.data_type() {
        DataType::Float32 => unary::<Float32Type, Float64Type>(array, f64::from),
        #[allow(clippy::cast_precision_loss)] // The nearest double is what is wanted.
        DataType::Int64 => unary::<Int64Type, Float64Type>(array, |value| value as f64),
        DataType::Decimal128(_, scale) => unary::<Decimal128Type, Float64Type>(array, |digits| {
            cell::decimal_number(i256::from_i128(digits), *scale)
        }),
        _ => return widened::<Float64Type>(array),
    })
}

fn moments(array: &ArrayRef) -> Option<ArrayRef> {
    type Micros = TimestampMicrosecondType;
    let unit = match array.data_type() {
        DataType::Timestamp(unit, _) => *unit,
        _ => return None,
    };
    Some(match unit {
        TimeUnit::Second => unary::<TimestampSecondType, Micros>(array, |value| cell::micros(value, unit)),
        TimeUnit::Millisecond => {
            unary::<TimestampMillisecondType, Micros>(array, |value| cell::micros(value, unit))
        }
        TimeUnit::Microsecond => {
            Arc::new(array.as_primitive::<Micros>().clone().with_timezone_opt(None::<Arc<str>>))
        }
        TimeUnit::Nanosecond => {
            unary::<TimestampNanosecondType, Micros>(array, |value| cell::micros(value, unit))
        }
    })
}

/// Text without a copy, where all of it is UTF-8 and none of it is longer than a view can say.
fn texts(array: &ArrayRef) -> Option<ArrayRef> {
    if has_long_values(array) {
        return None;
    }
    let bytes: BinaryViewArray = match array.data_type() {
        DataType::Utf8 => return Some(Arc::new(StringViewArray::from(array.as_string::<i32>()))),
        DataType::LargeUtf8 => return Some(Arc::new(StringViewArray::from(array.as_string::<i64>()))),
        DataType::BinaryView => array.as_binary_view().clone(),
        DataType::Binary => array.as_binary::<i32>().into(),
        DataType::LargeBinary => array.as_binary::<i64>().into(),
        _ => return None,
    };
    Some(Arc::new(bytes.to_string_view().ok()?))
}

/// Whether an array whose values may be longer than views are has one that is longer than a text may be. Views count bytes in
/// 32 bits, and turning a longer value into one would lose the whole batch.
pub(super) fn has_long_values(array: &ArrayRef) -> bool {
    let offsets = match array.data_type() {
        DataType::LargeUtf8 => array.as_string::<i64>().value_offsets(),
        DataType::LargeBinary => array.as_binary::<i64>().value_offsets(),
        _ => return false,
    };
    offsets.windows(2).any(|ends| ends[1] - ends[0] > TEXT_MAX as i64)
}

fn unary<From: ArrowPrimitiveType, To: ArrowPrimitiveType>(
    array: &ArrayRef,
    value: impl Fn(From::Native) -> To::Native,
) -> ArrayRef {
    Arc::new(array.as_primitive::<From>().unary::<_, To>(value))
}
