//! One value of a physical array, whatever its type, and what it says as a declared type.
//!
//! **Guarantee.** [`cells`] reads any row of any array without failing; types that [`readable`] refuses, and
//! everything that a cell does not say, are NULL. Nothing depends on other rows.

use std::borrow::Cow;

use arrow::array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, TimeUnit, i256};

use pointillist_catalog::calendar::{self, DAY};

use super::parse;

/// One value as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// None.
    Null,
    /// True or false.
    Boolean(bool),
    /// Any width, signed or not.
    Integer(i128),
    /// A single.
    Single(f32),
    /// A double.
    Double(f64),
    /// Digits, and how many of them stand behind the point.
    Decimal(i256, i8),
    /// Text or bytes.
    Bytes(&'a [u8]),
    /// Days since 1970-01-01.
    Day(i64),
    /// Units since 1970-01-01T00:00:00 UTC.
    Moment(i64, TimeUnit),
}

/// Whether values of this type can be read as anything but NULL.
pub(super) fn readable(kind: &DataType) -> bool {
    match kind {
        DataType::Boolean
        | DataType::Float16
        | DataType::Float32
        | DataType::Float64
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(_, _)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::Decimal32(_, _)
        | DataType::Decimal64(_, _)
        | DataType::Decimal128(_, _)
        | DataType::Decimal256(_, _) => true,
        // An array of empty values can claim any length without holding a byte.
        DataType::FixedSizeBinary(width) => *width > 0,
        DataType::Dictionary(_, values) => readable(values),
        other => other.is_integer(),
    }
}

/// The values of an array, by row.
pub(super) fn cells<'a>(array: &'a dyn Array) -> Box<dyn Fn(usize) -> Cell<'a> + 'a> {
    macro_rules! primitive {
        ($kind:ty, $cell:expr) => {{
            let array = array.as_primitive::<$kind>();
            Box::new(move |row| if array.is_null(row) { Cell::Null } else { $cell(array.value(row)) })
        }};
    }
    macro_rules! bytes {
        ($array:expr) => {{
            let array = $array;
            Box::new(
                move |row| {
                    if array.is_null(row) { Cell::Null } else { Cell::Bytes(array.value(row).as_ref()) }
                },
            )
        }};
    }
    match array.data_type() {
        DataType::Boolean => {
            let array = array.as_boolean();
            Box::new(move |row| if array.is_null(row) { Cell::Null } else { Cell::Boolean(array.value(row)) })
        }
        DataType::Int8 => primitive!(Int8Type, |value| Cell::Integer(i128::from(value))),
        DataType::Int16 => primitive!(Int16Type, |value| Cell::Integer(i128::from(value))),
        DataType::Int32 => primitive!(Int32Type, |value| Cell::Integer(i128::from(value))),
        DataType::Int64 => primitive!(Int64Type, |value| Cell::Integer(i128::from(value))),
        DataType::UInt8 => primitive!(UInt8Type, |value| Cell::Integer(i128::from(value))),
        DataType::UInt16 => primitive!(UInt16Type, |value| Cell::Integer(i128::from(value))),
        DataType::UInt32 => primitive!(UInt32Type, |value| Cell::Integer(i128::from(value))),
        DataType::UInt64 => primitive!(UInt64Type, |value| Cell::Integer(i128::from(value))),
        DataType::Float16 => primitive!(Float16Type, |value| Cell::Single(f32::from(value))),
        DataType::Float32 => primitive!(Float32Type, Cell::Single),
        DataType::Float64 => primitive!(Float64Type, Cell::Double),
        DataType::Decimal32(_, scale) => {
            let scale = *scale;
            primitive!(Decimal32Type, |value| Cell::Decimal(i256::from(value), scale))
        }
        DataType::Decimal64(_, scale) => {
            let scale = *scale;
            primitive!(Decimal64Type, |value| Cell::Decimal(i256::from(value), scale))
        }
        DataType::Decimal128(_, scale) => {
            let scale = *scale;
            primitive!(Decimal128Type, |value| Cell::Decimal(i256::from_i128(value), scale))
        }
        DataType::Decimal256(_, scale) => {
            let scale = *scale;
            primitive!(Decimal256Type, |value| Cell::Decimal(value, scale))
        }
        DataType::Date32 => primitive!(Date32Type, |value| Cell::Day(i64::from(value))),
        // Milliseconds that should be whole days.
        DataType::Date64 => primitive!(Date64Type, |value: i64| match value % 86_400_000 {
            0 => Cell::Day(value / 86_400_000),
            _ => Cell::Moment(value, TimeUnit::Millisecond),
        }),
        DataType::Timestamp(unit, _) => match *unit {
            TimeUnit::Second => {
                primitive!(TimestampSecondType, |value| Cell::Moment(value, TimeUnit::Second))
            }
            TimeUnit::Millisecond => {
                primitive!(TimestampMillisecondType, |value| Cell::Moment(value, TimeUnit::Millisecond))
            }
            TimeUnit::Microsecond => {
                primitive!(TimestampMicrosecondType, |value| Cell::Moment(value, TimeUnit::Microsecond))
            }
            TimeUnit::Nanosecond => {
                primitive!(TimestampNanosecondType, |value| Cell::Moment(value, TimeUnit::Nanosecond))
            }
        },
        DataType::Utf8 => bytes!(array.as_string::<i32>()),
        DataType::LargeUtf8 => bytes!(array.as_string::<i64>()),
        DataType::Utf8View => bytes!(array.as_string_view()),
        DataType::Binary => bytes!(array.as_binary::<i32>()),
        DataType::LargeBinary => bytes!(array.as_binary::<i64>()),
        DataType::BinaryView => bytes!(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => bytes!(array.as_fixed_size_binary()),
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let (keys, values) = (cells(dictionary.keys()), cells(dictionary.values().as_ref()));
            let entries = dictionary.values().len();
            Box::new(move |row| match keys(row) {
                Cell::Integer(key) => match usize::try_from(key) {
                    Ok(key) if key < entries => values(key),
                    _ => Cell::Null,
                },
                _ => Cell::Null,
            })
        }
        _ => Box::new(|_| Cell::Null),
    }
}

impl<'a> Cell<'a> {
    /// As true or false.
    pub(super) fn boolean(self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(value),
            Self::Bytes(_) => parse::boolean(self.utf8()?),
            _ => match self.number()? {
                0.0 => Some(false),
                1.0 => Some(true),
                _ => None,
            },
        }
    }

    /// As the nearest whole number, halves away from zero.
    pub(super) fn integer(self, bounded: bool) -> Option<i64> {
        match self {
            Self::Boolean(value) => Some(i64::from(value)),
            Self::Integer(value) => parse::narrow(value, bounded),
            Self::Single(value) => parse::whole(f64::from(value), bounded),
            Self::Double(value) => parse::whole(value, bounded),
            Self::Decimal(digits, scale) => {
                parse::narrow(parse::decimal(&decimal_text(digits, scale))?, bounded)
            }
            Self::Bytes(_) => parse::integer(self.utf8()?, bounded),
            Self::Null | Self::Day(_) | Self::Moment(_, _) => None,
        }
    }

    /// As a double: the nearest one, perhaps infinite, never NaN.
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Self::Boolean(value) => Some(f64::from(u8::from(value))),
            #[allow(clippy::cast_precision_loss)] // The nearest double is what is wanted.
            Self::Integer(value) => Some(value as f64),
            Self::Single(value) => Some(f64::from(value)).filter(|value| !value.is_nan()),
            Self::Double(value) => Some(value).filter(|value| !value.is_nan()),
            Self::Decimal(digits, scale) => Some(decimal_number(digits, scale)),
            Self::Bytes(_) => parse::number(self.utf8()?),
            Self::Null | Self::Day(_) | Self::Moment(_, _) => None,
        }
    }

    /// As a day: of a moment, the day in UTC. Saturates far outside of the calendar.
    pub(super) fn date(self) -> Option<i32> {
        let days = match self {
            Self::Day(days) => days,
            Self::Moment(value, unit) => value.div_euclid(per_second(unit) * 86_400),
            Self::Bytes(_) => return parse::date(self.utf8()?),
            _ => return None,
        };
        Some(i32::try_from(days).unwrap_or(if days < 0 { i32::MIN } else { i32::MAX }))
    }

    /// As a moment in UTC, in microseconds; of a day, its midnight. Saturates far outside of the calendar.
    pub(super) fn timestamp(self) -> Option<i64> {
        match self {
            Self::Day(days) => Some(days.saturating_mul(DAY)),
            Self::Moment(value, unit) => Some(micros(value, unit)),
            Self::Bytes(_) => parse::timestamp(self.utf8()?),
            _ => None,
        }
    }

    /// As people would write it.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        Some(match self {
            Self::Null => return None,
            Self::Boolean(value) => Cow::Borrowed(if value { "true" } else { "false" }),
            Self::Integer(value) => Cow::Owned(value.to_string()),
            Self::Single(value) if value.is_finite() => Cow::Owned((value + 0.0).to_string()),
            Self::Double(value) if value.is_finite() => Cow::Owned((value + 0.0).to_string()),
            Self::Single(_) | Self::Double(_) => return None,
            Self::Decimal(digits, scale) => Cow::Owned(decimal_text(digits, scale)),
            Self::Bytes(bytes) => Cow::Borrowed(std::str::from_utf8(bytes).ok()?),
            Self::Day(days) => Cow::Owned(calendar::day_text(days)),
            Self::Moment(value, unit) => Cow::Owned(calendar::moment_text(value, per_second(unit))),
        })
    }

    fn utf8(self) -> Option<&'a str> {
        match self {
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }
}

/// Microseconds; what is finer goes to the earlier one.
pub(super) fn micros(value: i64, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => value.saturating_mul(1_000_000),
        TimeUnit::Millisecond => value.saturating_mul(1000),
        TimeUnit::Microsecond => value,
        TimeUnit::Nanosecond => value.div_euclid(1000),
    }
}

/// The nearest double.
pub(super) fn decimal_number(digits: i256, scale: i8) -> f64 {
    const EXACT: u128 = 1 << 53;
    match (digits.to_i128(), usize::try_from(scale)) {
        // Both are doubles without rounding, so that the quotient is rounded once.
        #[allow(clippy::cast_precision_loss)]
        (Some(digits), Ok(scale)) if digits.unsigned_abs() <= EXACT && scale <= 22 => {
            digits as f64 / 10_f64.powi(scale as i32)
        }
        _ => decimal_text(digits, scale).parse().unwrap_or(0.0),
    }
}

/// Digits with a point, without zeros at the end of a fraction.
fn decimal_text(digits: i256, scale: i8) -> String {
    let text = digits.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    if scale <= 0 {
        let zeros = if digits == "0" { 0 } else { usize::from(scale.unsigned_abs()) };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let scale = usize::from(scale.unsigned_abs());
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (before, after) = padded.split_at(padded.len() - scale);
    match after.trim_end_matches('0') {
        "" => format!("{sign}{before}"),
        after => format!("{sign}{before}.{after}"),
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_say_the_same_as_text_number_and_integer() {
        for (digits, scale, text, number, integer) in [
            (12_345, 2, "123.45", 123.45, 123),
            (-5, 1, "-0.5", -0.5, -1),
            (500, 2, "5", 5.0, 5),
            (7, -3, "7000", 7000.0, 7000),
            (0, -3, "0", 0.0, 0),
            (
                1,
                127,
                "0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                      000000000000000000000000000000000000000001",
                1e-127,
                0,
            ),
        ] {
            let cell = Cell::Decimal(i256::from_i128(digits), scale);
            assert_eq!(cell.text().as_deref(), Some(text));
            assert_eq!(cell.number(), Some(number));
            assert_eq!(cell.integer(false), Some(integer));
        }
        for digits in [i256::MIN, i256::MAX] {
            for scale in [i8::MIN, 0, i8::MAX] {
                let cell = Cell::Decimal(digits, scale);
                assert!(cell.number().is_some() && cell.text().is_some());
                assert!(cell.integer(true).is_some());
            }
        }
    }

    #[test]
    fn floats_without_a_fraction_read_like_integers() {
        assert_eq!(Cell::Double(5.0).text(), Cell::Integer(5).text());
        assert_eq!(Cell::Double(-0.0).text().as_deref(), Some("0"));
        assert_eq!(Cell::Single(0.1).text().as_deref(), Some("0.1"));
        assert_eq!(Cell::Double(f64::NAN).text(), None);
    }
}
