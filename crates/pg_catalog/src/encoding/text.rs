//! The text format, as PostgreSQL writes it with `DateStyle` ISO, `IntervalStyle` postgres and `bytea_output` hex.

use crate::{Base, PgType, PgValue};

use super::{array_text, interval, moments};

/// The value as a client reads it in text format; `None` for NULL.
pub fn encode_text(value: &PgValue, kind: PgType) -> Option<String> {
    if kind == PgType::of(Base::Void) {
        return Some(String::new());
    }
    Some(match value {
        PgValue::Null => return None,
        PgValue::Bool(true) => "t".to_owned(),
        PgValue::Bool(false) => "f".to_owned(),
        PgValue::Int(value) => value.to_string(),
        PgValue::Float(value) if kind.base == Base::Float4 => float4_text(*value as f32),
        PgValue::Float(value) => float8_text(*value),
        PgValue::Numeric(digits) => digits.clone(),
        PgValue::Text(text) => text.clone(),
        PgValue::Date(days) => moments::date_text(*days),
        PgValue::Timestamp(micros) => {
            let offset = if kind.base == Base::Timestamptz { "+00" } else { "" };
            moments::timestamp_text(*micros, offset)
        }
        PgValue::Interval { months, days, microseconds } => interval::text(*months, *days, *microseconds),
        PgValue::Reg { name, .. } => name.clone(),
        PgValue::Array { elements, lower } => {
            let element = kind.element().unwrap_or(PgType::of(kind.base));
            match is_vector(kind) {
                true => array_text::vector(elements, element),
                false => array_text::array(elements, *lower, element),
            }
        }
        PgValue::Record(fields) => array_text::record(fields),
    })
}

/// Whether a value is written as numbers with spaces between them.
fn is_vector(kind: PgType) -> bool {
    !kind.is_array && matches!(kind.base, Base::Int2Vector | Base::OidVector)
}

/// The shortest digits that read back as the same number.
fn float8_text(value: f64) -> String {
    float_text(value, format!("{value:e}"), value.to_string(), 15)
}

fn float4_text(value: f32) -> String {
    float_text(value.into(), format!("{value:e}"), value.to_string(), 6)
}

/// PostgreSQL writes an exponent below -4 and from `digits` on.
fn float_text(value: f64, scientific: String, plain: String, digits: i32) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits).contains(&exponent) {
        return plain;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
