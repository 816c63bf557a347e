//! The declared type of a column, and the range of that type.
//!
//! **Guarantee.** After [`Target::settle`] every value lies inside the type's own range: 64-bit integers, finite
//! doubles without minus zero, days and moments of the years 1 to 9999. A value outside of it is NULL, or, in a column
//! with declared bounds, the nearest value of the type.
//! **Declared bounds do not change what is read.** They say how far one row may move a sum, and it is the sum that
//! applies them, on the grid of its measure (`evaluate/units.rs`). Conditions and keys see the value of the file.
//! **Cost.** Arrays that are inside already are passed on without a copy, after one pass over their values.

use std::sync::Arc;

use arrow::array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, StringViewBuilder};
use arrow::datatypes::{DataType, TimeUnit};
use pointillist_catalog::{ColumnType, calendar};

use super::TEXT_MAX;

/// What a column is read as. A range is where values beyond the type go to its nearest end; without one they are NULL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    /// True or false.
    Boolean,
    /// Whole numbers.
    Integer(Option<(i64, i64)>),
    /// Doubles.
    Number(Option<(f64, f64)>),
    /// Text.
    Text,
    /// Days.
    Date(Option<(i32, i32)>),
    /// Moments.
    Timestamp(Option<(i64, i64)>),
}

/// The Arrow type that a declared column has after reading.
pub fn canonical_type(kind: &ColumnType) -> DataType {
    Target::from(kind).data_type()
}

impl From<&ColumnType> for Target {
    fn from(kind: &ColumnType) -> Self {
        match kind {
            ColumnType::Boolean => Self::Boolean,
            ColumnType::Integer { bounds } => Self::Integer(bounds.map(|_| (i64::MIN, i64::MAX))),
            ColumnType::Number { bounds, .. } => Self::Number(bounds.as_ref().map(|_| (f64::MIN, f64::MAX))),
            ColumnType::Text => Self::Text,
            ColumnType::Date { bounds } => Self::Date(bounds.map(|_| calendar::DAYS)),
            ColumnType::Timestamp { bounds } => Self::Timestamp(bounds.map(|_| calendar::MOMENTS)),
        }
    }
}

impl Target {
    /// The declared bounds of a column, for counting what lies outside of them.
    pub(super) fn within_bounds(kind: &ColumnType) -> Self {
        match kind {
            ColumnType::Integer { bounds: Some(bounds) } => Self::Integer(Some(*bounds)),
            ColumnType::Number { bounds: Some((lower, upper)), .. } => {
                // Doubles inside of the bounds. Where no double is inside, both are the one above.
                let finite = |value: f64| value.clamp(f64::MIN, f64::MAX) + 0.0;
                let lower = finite(lower.to_f64_upper());
                Self::Number(Some((lower, finite(upper.to_f64_lower()).max(lower))))
            }
            ColumnType::Date { bounds: Some(bounds) } => Self::Date(Some(*bounds)),
            ColumnType::Timestamp { bounds: Some(bounds) } => Self::Timestamp(Some(*bounds)),
            other => Self::from(other),
        }
    }

    /// The Arrow type.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Integer(_) => DataType::Int64,
            Self::Number(_) => DataType::Float64,
            Self::Text => DataType::Utf8View,
            Self::Date(_) => DataType::Date32,
            Self::Timestamp(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
        }
    }

    /// Values of the right type, inside its range.
    pub(super) fn settle(&self, array: ArrayRef) -> ArrayRef {
        match *self {
            Self::Boolean | Self::Integer(None) => array,
            Self::Integer(Some(bounds)) => moved::<Int64Type>(array, bounds),
            Self::Number(bounds) => number(array, bounds),
            Self::Text => capped(array),
            Self::Date(Some(bounds)) => moved::<Date32Type>(array, bounds),
            Self::Date(None) => kept::<Date32Type>(array, calendar::DAYS),
            Self::Timestamp(Some(bounds)) => moved::<TimestampMicrosecondType>(array, bounds),
            Self::Timestamp(None) => kept::<TimestampMicrosecondType>(array, calendar::MOMENTS),
        }
    }
}

/// Whether all values, those behind NULL included, are in the range.
fn inside<T: Copy + PartialOrd>(values: &[T], (lower, upper): (T, T)) -> bool {
    // No early exit: the loop without branches is the fast one.
    values.iter().fold(true, |inside, value| inside & (*value >= lower) & (*value <= upper))
}

fn moved<T: ArrowPrimitiveType>(array: ArrayRef, (lower, upper): (T::Native, T::Native)) -> ArrayRef
where
    T::Native: Copy + PartialOrd,
{
    let values = array.as_primitive::<T>();
    if inside(values.values(), (lower, upper)) {
        return array;
    }
    let nearest = |value| {
        if value < lower {
            lower
        } else if value > upper {
            upper
        } else {
            value
        }
    };
    Arc::new(values.unary::<_, T>(nearest))
}

fn kept<T: ArrowPrimitiveType>(array: ArrayRef, (lower, upper): (T::Native, T::Native)) -> ArrayRef
where
    T::Native: Copy + PartialOrd,
{
    let values = array.as_primitive::<T>();
    if inside(values.values(), (lower, upper)) {
        return array;
    }
    Arc::new(values.unary_opt::<_, T>(|value| (value >= lower && value <= upper).then_some(value)))
}

fn number(array: ArrayRef, bounds: Option<(f64, f64)>) -> ArrayRef {
    let values = array.as_primitive::<Float64Type>();
    let (lower, upper) = bounds.unwrap_or((f64::MIN, f64::MAX));
    let minus_zero = |value: &f64| value.to_bits() == 1 << 63;
    // NaN compares false, and is outside.
    if inside(values.values(), (lower, upper))
        & !values.values().iter().fold(false, |any, v| any | minus_zero(v))
    {
        return array;
    }
    Arc::new(values.unary_opt::<_, Float64Type>(|value| {
        let exists = !value.is_nan() && (bounds.is_some() || value.is_finite());
        // Adding zero leaves every number as it is, except that minus zero becomes zero.
        exists.then(|| value.max(lower).min(upper) + 0.0)
    }))
}

fn capped(array: ArrayRef) -> ArrayRef {
    let texts = array.as_string_view();
    let longest = texts.lengths().fold(0, |longest, length| longest.max(length as usize));
    if longest <= TEXT_MAX {
        return array;
    }
    let mut builder = StringViewBuilder::with_capacity(texts.len());
    for text in texts {
        builder.append_option(text.map(cut));
    }
    Arc::new(builder.finish())
}

/// As much of a text as is kept.
pub(super) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_MAX)]
}
