//! Values brought to a type.

use super::decimal;
use super::types::{Category, category, element, is_integer, is_oid, is_reg};
use crate::evaluator::Session;
use crate::functions::system;
use crate::{Base, PgError, PgType, PgValue, SystemCatalog, decode_text, encode_text};

/// The value in another type.
pub(super) fn cast_value(
    catalog: &SystemCatalog,
    session: &Session<'_>,
    value: PgValue,
    from: PgType,
    to: PgType,
) -> Result<PgValue, PgError> {
    if value == PgValue::Null || from == to {
        return Ok(value);
    }
    match (element(from), element(to)) {
        (Some(from), Some(to_element)) => {
            let PgValue::Array { elements, lower } = value else { return Err(impossible(from, to)) };
            let cast = |item| cast_value(catalog, session, item, from, to_element);
            let elements = elements.into_iter().map(cast).collect::<Result<_, _>>()?;
            return Ok(PgValue::Array { elements, lower });
        }
        (None, Some(of)) if is_reg(of.base) => {
            let texts = cast_value(catalog, session, value, from, PgType::array(Base::Text))?;
            return cast_value(catalog, session, texts, PgType::array(Base::Text), to);
        }
        _ => {}
    }
    if let (true, PgValue::Int(_) | PgValue::Text(_) | PgValue::Reg { .. }) = (is_reg(to.base), &value) {
        let given = match value {
            PgValue::Reg { oid, .. } => PgValue::Int(i64::from(oid)),
            value => value,
        };
        return system::reg(catalog, session, to.base, &given);
    }
    if category(from) == Category::String {
        return from_text(value, to);
    }
    if category(to) == Category::String {
        let text = match value {
            PgValue::Bool(true) => "true".to_owned(),
            PgValue::Bool(false) => "false".to_owned(),
            value => encode_text(&value, from).unwrap_or_default(),
        };
        return from_text(PgValue::Text(text), to);
    }
    plain(value, from, to)
}

fn from_text(value: PgValue, to: PgType) -> Result<PgValue, PgError> {
    let PgValue::Text(text) = value else { return Err(impossible(to, to)) };
    if category(to) != Category::String {
        return decode_text(text.as_bytes(), to);
    }
    Ok(PgValue::Text(match to.base {
        Base::Name if text.len() > 63 => {
            let end = (0..=63).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text[..end].to_owned()
        }
        Base::Char => text.chars().take(1).collect(),
        _ => text,
    }))
}

/// Between numbers, booleans and moments.
fn plain(value: PgValue, from: PgType, to: PgType) -> Result<PgValue, PgError> {
    use PgValue::{Bool, Date, Float, Int, Numeric, Reg, Text, Timestamp};
    Ok(match (value, to.base) {
        (Int(value), base) if is_integer(base) || base == Base::Oid => {
            Int(in_range(i128::from(value), base)?)
        }
        (Reg { oid, .. }, base) if is_integer(base) || is_oid(base) => Int(in_range(i128::from(oid), base)?),
        (Float(value), base) if is_integer(base) => {
            let whole = value.round_ties_even();
            let fits = whole.is_finite() && whole.abs() < 1e19;
            Int(in_range(if fits { whole as i128 } else { i128::MAX }, base)?)
        }
        (Numeric(text), base) if is_integer(base) => {
            Int(in_range(decimal::rounded(&text).unwrap_or(i128::MAX), base)?)
        }
        (Int(value), Base::Float4 | Base::Float8) => Float(value as f64),
        (Float(value), Base::Float4) => Float(f64::from(value as f32)),
        (Float(value), Base::Float8) => Float(value),
        (Numeric(text), Base::Float4 | Base::Float8) => Float(text.parse().unwrap_or(f64::NAN)),
        (Int(value), Base::Numeric) => Numeric(value.to_string()),
        (Float(value), Base::Numeric) => {
            decimal::written(&value.to_string()).unwrap_or(Numeric("NaN".to_owned()))
        }
        (Int(value), Base::Bool) => Bool(value != 0),
        (Bool(value), Base::Int4) => Int(i64::from(value)),
        (Date(days), Base::Timestamp | Base::Timestamptz) => {
            Timestamp(i64::from(days).saturating_mul(86_400_000_000))
        }
        (Timestamp(value), Base::Timestamp | Base::Timestamptz) => Timestamp(value),
        (Timestamp(value), Base::Date) => {
            Date(i32::try_from(value.div_euclid(86_400_000_000)).map_err(|_| out_of_range(Base::Date))?)
        }
        (Text(text), _) => Text(text),
        _ => return Err(impossible(from, to)),
    })
}

/// The whole number, if the type holds it.
pub(super) fn in_range(value: i128, base: Base) -> Result<i64, PgError> {
    let range = match base {
        Base::Int2 => i128::from(i16::MIN)..=i128::from(i16::MAX),
        Base::Int4 => i128::from(i32::MIN)..=i128::from(i32::MAX),
        Base::Oid => i128::from(i32::MIN)..=i128::from(u32::MAX),
        _ => i128::from(i64::MIN)..=i128::from(i64::MAX),
    };
    if !range.contains(&value) {
        return Err(out_of_range(base));
    }
    let value = if base == Base::Oid && value < 0 { value + (1 << 32) } else { value };
    i64::try_from(value).map_err(|_| out_of_range(base))
}

fn out_of_range(base: Base) -> PgError {
    PgError::new("22003", format!("{} out of range", PgType::of(base).sql_name()))
}

fn impossible(from: PgType, to: PgType) -> PgError {
    PgError::new("42846", format!("cannot cast type {} to {}", from.sql_name(), to.sql_name()))
}
