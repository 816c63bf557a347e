//! Three-valued logic, and one value or another: both sides are always computed, then one is taken row by row.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::kernels::{boolean, zip};
use arrow::datatypes::{ArrowPrimitiveType, Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_plan::{Comparison, Function, Type};

use super::comparison::compare;
use super::operand::{Lane, Operand, span};

pub(super) fn not(value: &Operand) -> Operand {
    match value.booleans() {
        Some(values) => Operand::of(BooleanArray::new(!values.values(), values.nulls().cloned()), &[value]),
        None => Operand::null(Type::Boolean),
    }
}

/// `AND` (`all`) or `OR` of two truth values.
pub(super) fn join(left: &Operand, right: &Operand, all: bool) -> Operand {
    if (left.kind(), right.kind()) != (Type::Boolean, Type::Boolean) {
        return Operand::null(Type::Boolean);
    }
    let rows = span(&[left, right]);
    let (a, b) = (left.expand(rows), right.expand(rows));
    let joined = match (a.as_boolean_opt(), b.as_boolean_opt()) {
        (Some(a), Some(b)) if all => boolean::and_kleene(a, b),
        (Some(a), Some(b)) => boolean::or_kleene(a, b),
        _ => return Operand::null(Type::Boolean),
    };
    joined.map_or_else(|_| Operand::null(Type::Boolean), |array| Operand::of(array, &[left, right]))
}

/// Never NULL.
pub(super) fn is_null(value: &Operand) -> Operand {
    let array = value.array();
    let nulls = match array.nulls() {
        Some(nulls) => !nulls.inner(),
        None => BooleanBuffer::new_unset(array.len()),
    };
    Operand::of(BooleanArray::new(nulls, None), &[value])
}

/// `yes` where the condition is true, `no` where it is false or NULL. Two types together are NULL.
pub(super) fn select(condition: &Operand, yes: &Operand, no: &Operand) -> Operand {
    let Some(mask) = condition.booleans().filter(|_| yes.kind() == no.kind()) else {
        return Operand::null(no.kind());
    };
    let mask = match mask.nulls() {
        Some(nulls) => mask.values() & nulls.inner(),
        None => mask.values().clone(),
    };
    if condition.is_constant() {
        return if mask.value(0) { yes.clone() } else { no.clone() };
    }
    match no.kind() {
        Type::Integer => select_primitive::<Int64Type>(&mask, yes, no),
        Type::Number => select_primitive::<Float64Type>(&mask, yes, no),
        Type::Date => select_primitive::<Date32Type>(&mask, yes, no),
        Type::Timestamp => select_primitive::<TimestampMicrosecondType>(&mask, yes, no),
        Type::Boolean | Type::Text => zip::zip(&BooleanArray::new(mask, None), yes, no).ok(),
    }
    .map_or_else(|| Operand::null(no.kind()), |array| Operand::new(array, &[condition]))
}

fn select_primitive<T: ArrowPrimitiveType>(
    mask: &BooleanBuffer,
    yes: &Operand,
    no: &Operand,
) -> Option<ArrayRef> {
    let rows = mask.len();
    let values: Vec<T::Native> = match (yes.lane::<T>()?, no.lane::<T>()?) {
        (Lane::Same(a), Lane::Same(b)) => mask.iter().map(|yes| if yes { a } else { b }).collect(),
        (Lane::Each(a), Lane::Same(b)) => picked(mask, a, std::iter::repeat_n(&b, rows)),
        (Lane::Same(a), Lane::Each(b)) => {
            mask.iter().zip(b).map(|(yes, b)| if yes { a } else { *b }).collect()
        }
        (Lane::Each(a), Lane::Each(b)) => picked(mask, a, b.iter()),
    };
    let nulls = match (yes.validity(rows), no.validity(rows)) {
        (None, None) => None,
        (yes, no) => {
            let valid = |nulls: Option<NullBuffer>| {
                nulls.map_or_else(|| BooleanBuffer::new_set(rows), NullBuffer::into_inner)
            };
            Some(NullBuffer::new(&(mask & &valid(yes)) | &(&!mask & &valid(no))))
        }
    };
    Some(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
}

fn picked<'a, T: Copy + 'a>(mask: &BooleanBuffer, a: &[T], b: impl Iterator<Item = &'a T>) -> Vec<T> {
    mask.iter().zip(a).zip(b).map(|((yes, a), b)| if yes { *a } else { *b }).collect()
}

/// NULL where the two are equal, else the first.
pub(super) fn null_if(value: &Operand, other: &Operand) -> Operand {
    if value.kind() != other.kind() {
        return Operand::null(value.kind());
    }
    select(&compare(Comparison::Equal, value, other), &Operand::null(value.kind()), value)
}

/// The first argument of `Coalesce`, `Least` or `Greatest`, before it meets a second.
pub(super) fn folded_alone(function: Function, first: Operand) -> Operand {
    match function {
        Function::Coalesce => first,
        _ if first.kind() == Type::Boolean => Operand::null(Type::Boolean),
        _ => first,
    }
}

/// The value of `Coalesce`, `Least` or `Greatest` so far, and one argument more.
pub(super) fn fold(function: Function, sofar: &Operand, next: &Operand) -> Operand {
    let keep = match function {
        Function::Coalesce => not(&is_null(sofar)),
        // One truth value with another has no least: `sofar` is NULL then, and so must the next be.
        _ if next.kind() == Type::Boolean => return Operand::null(sofar.kind()),
        // Where `sofar` is NULL the comparison is not true, and the other one is taken.
        Function::Least => join(&is_null(next), &compare(Comparison::LessOrEqual, sofar, next), false),
        _ => join(&is_null(next), &compare(Comparison::GreaterOrEqual, sofar, next), false),
    };
    select(&keep, sofar, next)
}
