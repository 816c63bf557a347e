//! Numbers put together by operators.

use super::cast::in_range;
use super::decimal;
use super::plan::Arithmetic;
use crate::{Base, PgError, PgValue};

/// The value of an operator whose result has this type.
pub(super) fn calculated(
    op: Arithmetic,
    left: &PgValue,
    right: &PgValue,
    to: Base,
) -> Result<PgValue, PgError> {
    match (left, right) {
        (PgValue::Null, _) | (_, PgValue::Null) => Ok(PgValue::Null),
        (PgValue::Date(one), PgValue::Date(other)) => Ok(PgValue::Int(i64::from(*one) - i64::from(*other))),
        (PgValue::Date(day), PgValue::Int(days)) => {
            let days = if op == Arithmetic::Minus { days.checked_neg() } else { Some(*days) };
            let day = days
                .and_then(|days| i64::from(*day).checked_add(days))
                .and_then(|day| i32::try_from(day).ok());
            day.map(PgValue::Date).ok_or_else(|| PgError::new("22008", "date out of range"))
        }
        _ if matches!(to, Base::Float4 | Base::Float8) => floats(op, left, right),
        (PgValue::Int(left), PgValue::Int(right)) if to != Base::Numeric => {
            Ok(PgValue::Int(in_range(whole(op, i128::from(*left), i128::from(*right))?, to)?))
        }
        _ => decimal::calculate(op, left, right),
    }
}

fn whole(op: Arithmetic, left: i128, right: i128) -> Result<i128, PgError> {
    let by_zero = || PgError::new("22012", "division by zero");
    let shift = || u32::try_from(right & 63).unwrap_or(0);
    Ok(match op {
        Arithmetic::Plus => left + right,
        Arithmetic::Minus => left - right,
        Arithmetic::Multiply => left.saturating_mul(right),
        Arithmetic::Divide => left.checked_div(right).ok_or_else(by_zero)?,
        Arithmetic::Modulo => left.checked_rem(right).ok_or_else(by_zero)?,
        Arithmetic::BitAnd => left & right,
        Arithmetic::BitOr => left | right,
        Arithmetic::BitXor => left ^ right,
        Arithmetic::ShiftLeft => left << shift(),
        Arithmetic::ShiftRight => left >> shift(),
        Arithmetic::Power => return Err(by_zero()),
    })
}

fn floats(op: Arithmetic, left: &PgValue, right: &PgValue) -> Result<PgValue, PgError> {
    let float = |value: &PgValue| match value {
        PgValue::Int(value) => *value as f64,
        PgValue::Float(value) => *value,
        PgValue::Numeric(text) => text.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    let (left, right) = (float(left), float(right));
    Ok(PgValue::Float(match op {
        Arithmetic::Plus => left + right,
        Arithmetic::Minus => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide | Arithmetic::Modulo if right == 0.0 => {
            return Err(PgError::new("22012", "division by zero"));
        }
        Arithmetic::Divide => left / right,
        Arithmetic::Modulo => left % right,
        _ => left.powf(right),
    }))
}
