//! A value in another type, as PostgreSQL casts it where PostgreSQL has the cast; NULL where it has no value there.
//!
//! | from \ to | boolean | integer | number | text | date | timestamp |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | boolean | itself | 1, 0 | 1, 0 | `true`, `false` | NULL | NULL |
//! | integer | not 0 | itself | nearest | digits | NULL | NULL |
//! | number | not 0 | nearest, half to even; NULL beyond 64 bits | itself | shortest | NULL | NULL |
//! | text | words | digits | decimal | itself | ISO 8601 | ISO 8601 |
//! | date | NULL | NULL | NULL | `2026-12-31` | itself | midnight |
//! | timestamp | NULL | NULL | NULL | `2026-12-31 23:59:59.5` | its day | itself |
//!
//! Text is read without ASCII white space around it. Truth values are `true`, `yes`, `on`, `1`, `false`, `no`,
//! `off`, `0` and their beginnings that mean one thing, in any case. A number is written with the fewest digits
//! that mean it, with an exponent below 10⁻⁴ and from 10¹⁵ on; one too small to be read is zero. A text is read
//! as a date also if it is a timestamp, and the other way round. Days outside the calendar are NULL.

use std::fmt::Write;

use arrow::array::{Array, BooleanArray};
use arrow::datatypes::{ArrowPrimitiveType, Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::calendar::{self, Civil};
use pointillist_plan::Type;

use super::operand::{self, Operand, span};
use super::{number, text};

/// 2^63 as a float.
const INTEGER_END: f64 = 9_223_372_036_854_775_808.0;

pub(super) fn cast(value: &Operand, to: Type) -> Operand {
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    let cast = match (value.kind(), to) {
        (from, to) if from == to => Some(value.clone()),
        (Boolean, Integer) => from_booleans::<Int64Type>(value, [0, 1]),
        (Boolean, Number) => from_booleans::<Float64Type>(value, [0.0, 1.0]),
        (Integer, Boolean) => is_not_zero::<Int64Type>(value),
        (Number, Boolean) => is_not_zero::<Float64Type>(value),
        (Integer, Number) => Some(number::from_integers(value)),
        (Number, Integer) => map::<Float64Type, Int64Type>(value, rounded),
        (Date, Timestamp) => map::<Date32Type, TimestampMicrosecondType>(value, |days| {
            Some(calendar::moment(calendar::in_calendar(i64::from(days))?, 0))
        }),
        (Timestamp, Date) => map::<TimestampMicrosecondType, Date32Type>(value, |micros| {
            calendar::split(micros).map(|(days, _)| days)
        }),
        (_, Text) => to_text(value),
        (Text, Boolean) => read_booleans(value),
        (Text, Integer) => read::<Int64Type>(value, |text| text.parse().ok()),
        (Text, Number) => read_numbers(value),
        (Text, Date) => read::<Date32Type>(value, |text| {
            calendar::parse_date_or_timestamp(text).and_then(calendar::split).map(|(day, _)| day)
        }),
        (Text, Timestamp) => read::<TimestampMicrosecondType>(value, calendar::parse_date_or_timestamp),
        (Boolean | Integer | Number, Date | Timestamp) | (Date | Timestamp, Boolean | Integer | Number) => {
            None
        }
        (Boolean, Boolean) | (Integer, Integer) | (Number, Number) => None,
        (Date, Date) | (Timestamp, Timestamp) => None,
    };
    cast.unwrap_or_else(|| Operand::null(to))
}

fn map<A: ArrowPrimitiveType, B: ArrowPrimitiveType>(
    value: &Operand,
    function: impl Fn(A::Native) -> Option<B::Native>,
) -> Option<Operand> {
    Some(operand::partial::<B>(operand::map(value.lane::<A>()?, function), &[value]))
}

/// Half to even, as PostgreSQL rounds double precision.
fn rounded(number: f64) -> Option<i64> {
    let whole = number.round_ties_even();
    // The cast saturates, so the limits are checked before it.
    (-INTEGER_END..INTEGER_END).contains(&whole).then_some(whole as i64)
}

fn from_booleans<T: ArrowPrimitiveType>(value: &Operand, [no, yes]: [T::Native; 2]) -> Option<Operand> {
    let values = value.booleans()?.values().iter().map(|truth| if truth { yes } else { no }).collect();
    Some(operand::whole::<T>(values, &[value]))
}

fn is_not_zero<T: ArrowPrimitiveType>(value: &Operand) -> Option<Operand> {
    let values = operand::map(value.lane::<T>()?, |value| value != T::Native::default());
    Some(Operand::of(BooleanArray::new(values.into(), operand::strict(&[value])), &[value]))
}

fn read<T: ArrowPrimitiveType>(
    value: &Operand,
    parse: impl Fn(&str) -> Option<T::Native>,
) -> Option<Operand> {
    let texts = value.texts()?;
    let values = (0..span(&[value])).map(|row| parse(bare(texts.get(row)?))).collect();
    Some(operand::partial::<T>(values, &[value]))
}

fn read_numbers(value: &Operand) -> Option<Operand> {
    let texts = value.texts()?;
    // What is no number becomes one that does not exist, as do `inf` and `nan`, which the parser knows.
    let parse = |text: &str| bare(text).parse().unwrap_or(f64::NAN);
    let values = (0..span(&[value])).map(|row| texts.get(row).map_or(f64::NAN, parse)).collect();
    Some(operand::finite(values, &[value]))
}

fn read_booleans(value: &Operand) -> Option<Operand> {
    let texts = value.texts()?;
    let values = (0..span(&[value])).map(|row| truth(bare(texts.get(row)?)));
    Some(Operand::of(values.collect::<BooleanArray>(), &[value]))
}

fn truth(text: &str) -> Option<bool> {
    // No word is longer, and lower case needs a copy.
    let word = (text.len() <= 5).then(|| text.to_ascii_lowercase())?;
    match word.as_str() {
        "t" | "tr" | "tru" | "true" | "y" | "ye" | "yes" | "on" | "1" => Some(true),
        "f" | "fa" | "fal" | "fals" | "false" | "n" | "no" | "of" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Without the white space that PostgreSQL skips.
fn bare(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c'])
}

fn to_text(value: &Operand) -> Option<Operand> {
    let array = value.array();
    let rows = span(&[value]);
    let valid = |row: usize| array.is_valid(row).then_some(());
    let written = match value.kind() {
        Type::Text => return Some(value.clone()),
        Type::Boolean => {
            let values = value.booleans()?.values();
            text::written(rows, |row, scratch| {
                scratch.push_str(if values.value(row) { "true" } else { "false" });
                valid(row)
            })
        }
        Type::Integer => {
            let values = value.primitive::<Int64Type>()?.values();
            text::written(rows, |row, scratch| write!(scratch, "{}", values[row]).ok().and(valid(row)))
        }
        Type::Number => {
            let values = value.primitive::<Float64Type>()?.values();
            text::written(rows, |row, scratch| write_number(values[row], scratch).and(valid(row)))
        }
        Type::Date => {
            let values = value.primitive::<Date32Type>()?.values();
            text::written(rows, |row, scratch| write_date(values[row], scratch).and(valid(row)))
        }
        Type::Timestamp => {
            let values = value.primitive::<TimestampMicrosecondType>()?.values();
            text::written(rows, |row, scratch| write_timestamp(values[row], scratch).and(valid(row)))
        }
    };
    Some(Operand::of(written, &[value]))
}

fn write_number(value: f64, to: &mut String) -> Option<()> {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    if (-4..15).contains(&exponent) {
        return write!(to, "{value}").ok();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(to, "{digits}e{sign}{:02}", exponent.unsigned_abs()).ok()
}

fn write_date(days: i32, to: &mut String) -> Option<()> {
    let Civil { year, month, day } = calendar::civil(days)?;
    write!(to, "{year:04}-{month:02}-{day:02}").ok()
}

fn write_timestamp(micros: i64, to: &mut String) -> Option<()> {
    let (days, rest) = calendar::split(micros)?;
    write_date(days, to)?;
    let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
    write!(to, " {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60).ok()?;
    if fraction > 0 {
        write!(to, ".{fraction:06}").ok()?;
        to.truncate(to.trim_end_matches('0').len());
    }
    Some(())
}
