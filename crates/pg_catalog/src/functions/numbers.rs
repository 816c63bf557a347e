//! Functions of numbers.

use super::{Function, INT4, INT8, Returns, Takes, int, strict};
use crate::evaluator::decimal_with_scale;
use crate::{Base, PgError, PgType, PgValue};

const NUMERIC: Takes = Takes::Is(PgType::of(Base::Numeric));
const FLOAT: Takes = Takes::Is(PgType::of(Base::Float8));

pub(super) const FUNCTIONS: &[Function] = &[
    strict("abs", &[INT4], Returns::Same, abs),
    strict("abs", &[INT8], Returns::Same, abs),
    strict("abs", &[NUMERIC], Returns::Same, abs),
    strict("abs", &[FLOAT], Returns::Same, abs),
    strict("floor", &[FLOAT], Returns::Same, |_, given| float(given, f64::floor)),
    strict("floor", &[NUMERIC], Returns::Same, |_, given| whole(given, false)),
    strict("ceil", &[FLOAT], Returns::Same, |_, given| float(given, f64::ceil)),
    strict("ceil", &[NUMERIC], Returns::Same, |_, given| whole(given, true)),
    strict("ceiling", &[FLOAT], Returns::Same, |_, given| float(given, f64::ceil)),
    strict("ceiling", &[NUMERIC], Returns::Same, |_, given| whole(given, true)),
    strict("round", &[FLOAT], Returns::Same, |_, given| float(given, f64::round_ties_even)),
    strict("round", &[NUMERIC], Returns::Same, |_, given| rounded(given, 0)),
    strict("round", &[NUMERIC, INT4], Returns::Same, |_, given| rounded(given, int(given, 1))),
    strict("mod", &[INT4, INT4], Returns::Same, modulo),
    strict("mod", &[INT8, INT8], Returns::Same, modulo),
];

fn too_large() -> PgError {
    PgError::new("22003", "value out of range")
}

fn abs(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(match given.first() {
        Some(PgValue::Int(value)) => PgValue::Int(value.checked_abs().ok_or_else(too_large)?),
        Some(PgValue::Float(value)) => PgValue::Float(value.abs()),
        Some(PgValue::Numeric(text)) => PgValue::Numeric(text.trim_start_matches('-').to_owned()),
        _ => PgValue::Null,
    })
}

fn float(given: &[PgValue], of: fn(f64) -> f64) -> Result<PgValue, PgError> {
    match given.first() {
        Some(PgValue::Float(value)) => Ok(PgValue::Float(of(*value))),
        _ => Ok(PgValue::Null),
    }
}

/// The next whole number down, or up.
fn whole(given: &[PgValue], up: bool) -> Result<PgValue, PgError> {
    let Some(PgValue::Numeric(text)) = given.first() else { return Ok(PgValue::Null) };
    let (head, tail) = text.split_once('.').unwrap_or((text, ""));
    let number: i128 = head.parse().map_err(|_| too_large())?;
    let rest = tail.bytes().any(|digit| digit != b'0');
    let negative = text.starts_with('-');
    let step = match (rest, up, negative) {
        (true, true, false) => 1,
        (true, false, true) => -1,
        _ => 0,
    };
    Ok(PgValue::Numeric((number + step).to_string()))
}

fn rounded(given: &[PgValue], digits: i64) -> Result<PgValue, PgError> {
    let digits = u32::try_from(digits).map_err(|_| too_large())?;
    given.first().and_then(|value| decimal_with_scale(value, digits)).ok_or_else(too_large)
}

fn modulo(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let (over, under) = (int(given, 0), int(given, 1));
    if under == 0 {
        return Err(PgError::new("22012", "division by zero"));
    }
    Ok(PgValue::Int(over.checked_rem(under).unwrap_or(0)))
}
