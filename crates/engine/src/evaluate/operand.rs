//! What an operation works on: a value for each row, or one value for all.
//!
//! Constants stay one value as long as they meet only constants, and enter kernels as such: a comparison with a
//! constant reads one column, not two.
//!
//! **Invariant.** The array has one of the six types; numbers in it are finite, with one zero, also where NULL
//! hides them; a constant has length one.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Datum, Float64Array, PrimitiveArray, StringViewArray,
    UInt32Array, new_null_array,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::take;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType,
};
use pointillist_catalog::Value;
use pointillist_plan::Type;

#[derive(Clone, Debug)]
pub(super) struct Operand {
    array: ArrayRef,
    constant: bool,
}

/// The values of an operand of a fixed width.
#[derive(Clone, Copy)]
pub(super) enum Lane<'a, T> {
    Each(&'a [T]),
    Same(T),
}

/// The type of an array, if it is one of ours.
pub(crate) fn kind_of(array: &dyn Array) -> Option<Type> {
    match array.data_type() {
        DataType::Boolean => Some(Type::Boolean),
        DataType::Int64 => Some(Type::Integer),
        DataType::Float64 => Some(Type::Number),
        DataType::Utf8View => Some(Type::Text),
        DataType::Date32 => Some(Type::Date),
        DataType::Timestamp(TimeUnit::Microsecond, None) => Some(Type::Timestamp),
        _ => None,
    }
}

/// The type of arrays of a type.
pub(crate) fn data_type(kind: Type) -> DataType {
    match kind {
        Type::Boolean => DataType::Boolean,
        Type::Integer => DataType::Int64,
        Type::Number => DataType::Float64,
        Type::Text => DataType::Utf8View,
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
    }
}

impl Operand {
    /// The result of an operation on operands: a constant if all of them are.
    pub(super) fn of(array: impl Array + 'static, operands: &[&Self]) -> Self {
        Self::new(Arc::new(array), operands)
    }

    pub(super) fn new(array: ArrayRef, operands: &[&Self]) -> Self {
        Self { array, constant: operands.iter().all(|operand| operand.constant) }
    }

    /// A column as it is; numbers that cannot be are NULL.
    pub(super) fn column(array: &ArrayRef) -> Self {
        match kind_of(array) {
            None => Self::null(Type::Boolean),
            Some(Type::Number) => Self { array: tidy(array), constant: false },
            Some(_) => Self { array: Arc::clone(array), constant: false },
        }
    }

    pub(super) fn constant(value: &Value) -> Self {
        let array: ArrayRef = match value {
            Value::Boolean(value) => return Self::boolean(*value),
            Value::Integer(value) => one::<Int64Type>(*value),
            Value::Number(value) => tidy(&one::<Float64Type>(*value)),
            Value::Text(value) => Arc::new(StringViewArray::from_iter_values([value])),
            Value::Date(value) => one::<Date32Type>(*value),
            Value::Timestamp(value) => one::<TimestampMicrosecondType>(*value),
        };
        Self { array, constant: true }
    }

    pub(super) fn boolean(value: bool) -> Self {
        Self { array: Arc::new(BooleanArray::from(vec![value])), constant: true }
    }

    pub(super) fn null(kind: Type) -> Self {
        Self { array: new_null_array(&data_type(kind), 1), constant: true }
    }

    pub(super) fn kind(&self) -> Type {
        kind_of(&self.array).unwrap_or(Type::Boolean)
    }

    pub(super) fn array(&self) -> &ArrayRef {
        &self.array
    }

    pub(super) fn is_constant(&self) -> bool {
        self.constant
    }

    /// One value for each row.
    pub(super) fn expand(&self, rows: usize) -> ArrayRef {
        if !self.constant {
            return Arc::clone(&self.array);
        }
        if let Some(truth) = self.booleans().filter(|array| array.is_valid(0)).map(|array| array.value(0)) {
            let all = if truth { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
            return Arc::new(BooleanArray::new(all, None));
        }
        // Taking a text again and again shares its bytes.
        take(&self.array, &UInt32Array::from_value(0, rows), None)
            .unwrap_or_else(|_| new_null_array(self.array.data_type(), rows))
    }

    pub(super) fn booleans(&self) -> Option<&BooleanArray> {
        self.array.as_boolean_opt()
    }

    pub(super) fn texts(&self) -> Option<Texts<'_>> {
        self.array.as_string_view_opt().map(|array| Texts { array, constant: self.constant })
    }

    pub(super) fn primitive<T: ArrowPrimitiveType>(&self) -> Option<&PrimitiveArray<T>> {
        self.array.as_primitive_opt::<T>()
    }

    pub(super) fn lane<T: ArrowPrimitiveType>(&self) -> Option<Lane<'_, T::Native>> {
        let values = self.primitive::<T>()?.values();
        match self.constant {
            true => values.first().copied().map(Lane::Same),
            false => Some(Lane::Each(values)),
        }
    }

    /// The one value of a constant; `None` if it is NULL, of another type or no constant.
    pub(super) fn only<T: ArrowPrimitiveType>(&self) -> Option<T::Native> {
        let array = self.primitive::<T>().filter(|array| self.constant && array.is_valid(0))?;
        array.values().first().copied()
    }

    /// Which of `rows` rows are not NULL.
    pub(super) fn validity(&self, rows: usize) -> Option<NullBuffer> {
        match self.constant {
            true => self.array.is_null(0).then(|| NullBuffer::new_null(rows)),
            false => self.array.nulls().cloned(),
        }
    }
}

impl Datum for Operand {
    fn get(&self) -> (&dyn Array, bool) {
        (&self.array, self.constant)
    }
}

/// How many rows a result has: one if all operands are constants.
pub(super) fn span(operands: &[&Operand]) -> usize {
    operands.iter().find(|operand| !operand.constant).map_or(1, |operand| operand.array.len())
}

/// Which rows of a result are not NULL, if it is NULL wherever an operand is.
pub(super) fn strict(operands: &[&Operand]) -> Option<NullBuffer> {
    let rows = span(operands);
    operands
        .iter()
        .fold(None, |sofar, operand| NullBuffer::union(sofar.as_ref(), operand.validity(rows).as_ref()))
}

/// A function of every value, also where NULL hides one: the function must be total.
pub(super) fn map<A: Copy, R>(lane: Lane<A>, function: impl Fn(A) -> R) -> Vec<R> {
    match lane {
        Lane::Same(value) => vec![function(value)],
        Lane::Each(values) => values.iter().map(|value| function(*value)).collect(),
    }
}

/// The same for two operands.
pub(super) fn zip<A: Copy, B: Copy, R>(
    left: Lane<A>,
    right: Lane<B>,
    function: impl Fn(A, B) -> R,
) -> Vec<R> {
    match (left, right) {
        (Lane::Each(left), Lane::Each(right)) => {
            left.iter().zip(right).map(|(a, b)| function(*a, *b)).collect()
        }
        (Lane::Each(left), Lane::Same(b)) => left.iter().map(|a| function(*a, b)).collect(),
        (Lane::Same(a), Lane::Each(right)) => right.iter().map(|b| function(a, *b)).collect(),
        (Lane::Same(a), Lane::Same(b)) => vec![function(a, b)],
    }
}

/// Values, and NULL where an operand is.
pub(super) fn whole<T: ArrowPrimitiveType>(values: Vec<T::Native>, operands: &[&Operand]) -> Operand {
    Operand::of(PrimitiveArray::<T>::new(values.into(), strict(operands)), operands)
}

/// Values or none, and NULL where an operand is.
pub(super) fn partial<T: ArrowPrimitiveType>(
    values: Vec<Option<T::Native>>,
    operands: &[&Operand],
) -> Operand {
    let some = BooleanBuffer::collect_bool(values.len(), |row| values[row].is_some());
    let nulls = NullBuffer::union(strict(operands).as_ref(), Some(&NullBuffer::new(some)));
    let values: Vec<T::Native> = values.into_iter().map(Option::unwrap_or_default).collect();
    Operand::of(PrimitiveArray::<T>::new(values.into(), shown(nulls)), operands)
}

/// Numbers, NULL where they are not finite and where an operand is NULL.
pub(super) fn finite(values: Vec<f64>, operands: &[&Operand]) -> Operand {
    Operand::of(tidied(values, strict(operands)), operands)
}

fn tidied(mut values: Vec<f64>, nulls: Option<NullBuffer>) -> Float64Array {
    let finite = NullBuffer::new(BooleanBuffer::collect_bool(values.len(), |row| values[row].is_finite()));
    for value in &mut values {
        // Adding zero makes minus zero zero.
        *value = if value.is_finite() { *value + 0.0 } else { 0.0 };
    }
    Float64Array::new(values.into(), shown(NullBuffer::union(nulls.as_ref(), Some(&finite))))
}

/// Kernels are faster without a bitmap.
fn shown(nulls: Option<NullBuffer>) -> Option<NullBuffer> {
    nulls.filter(|nulls| nulls.null_count() > 0)
}

/// The reader gives finite numbers with one zero; whatever comes from elsewhere is made so.
fn tidy(array: &ArrayRef) -> ArrayRef {
    let Some(numbers) = array.as_primitive_opt::<Float64Type>() else { return Arc::clone(array) };
    // Without branches, and in integers, so that it runs over several numbers at a time: x + 0 has other bits than
    // x only for minus zero, and 0·x is zero only for finite x.
    let odd = |x: f64| ((x + 0.0).to_bits() ^ x.to_bits()) | (x * 0.0).abs().to_bits();
    let fine = numbers.values().iter().fold(0, |sofar, x| sofar | odd(*x)) == 0;
    match fine {
        true => Arc::clone(array),
        false => Arc::new(tidied(numbers.values().to_vec(), numbers.nulls().cloned())),
    }
}

fn one<T: ArrowPrimitiveType>(value: T::Native) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(vec![value].into(), None))
}

/// The texts of an operand.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a> {
    array: &'a StringViewArray,
    constant: bool,
}

impl<'a> Texts<'a> {
    pub(super) fn get(&self, row: usize) -> Option<&'a str> {
        let row = if self.constant { 0 } else { row };
        self.array.is_valid(row).then(|| self.array.value(row))
    }
}
