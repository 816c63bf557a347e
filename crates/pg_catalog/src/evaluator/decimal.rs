//! Decimal numbers, as far as catalogs need them: thirty-eight digits.

use std::cmp::Ordering;

use super::plan::Arithmetic;
use crate::{PgError, PgValue};

/// Digits behind the point that a quotient gets.
const QUOTIENT_DIGITS: u32 = 16;
/// Digits behind the point that are kept at all.
const SCALE_MAX: u32 = 30;

/// A number times a power of ten.
#[derive(Clone, Copy)]
struct Decimal {
    digits: i128,
    scale: u32,
}

/// From a numeric or an integer; `None` for NaN, infinities and too many digits.
fn read(value: &PgValue) -> Option<Decimal> {
    match value {
        PgValue::Int(value) => Some(Decimal { digits: i128::from(*value), scale: 0 }),
        PgValue::Numeric(text) => parse(text),
        _ => None,
    }
}

fn parse(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, unsigned) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|sign| sign.is_ascii_digit()) {
        return None;
    }
    let digits: i128 = digits.parse().ok()?;
    let digits = if negative { -digits } else { digits };
    let scale = i64::try_from(fraction.len()).ok()? - i64::from(exponent);
    if scale < 0 {
        let power = 10i128.checked_pow(u32::try_from(-scale).ok()?)?;
        return Some(Decimal { digits: digits.checked_mul(power)?, scale: 0 });
    }
    let scale = u32::try_from(scale).ok().filter(|scale| *scale <= SCALE_MAX)?;
    Some(Decimal { digits, scale })
}

fn write(number: Decimal) -> PgValue {
    let scale = number.scale as usize;
    let sign = if number.digits < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    PgValue::Numeric(format!("{sign}{whole}{point}{fraction}"))
}

fn rescaled(number: Decimal, scale: u32) -> Option<i128> {
    number.digits.checked_mul(10i128.checked_pow(scale.checked_sub(number.scale)?)?)
}

fn aligned(left: Decimal, right: Decimal) -> Option<(i128, i128, u32)> {
    let scale = left.scale.max(right.scale);
    Some((rescaled(left, scale)?, rescaled(right, scale)?, scale))
}

pub(super) fn compare(left: &PgValue, right: &PgValue) -> Option<Ordering> {
    let exact = || {
        let (left, right, _) = aligned(read(left)?, read(right)?)?;
        Some(left.cmp(&right))
    };
    exact().or_else(|| {
        let float = |value: &PgValue| match value {
            PgValue::Int(value) => Some(*value as f64),
            PgValue::Numeric(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        let (left, right) = (float(left)?, float(right)?);
        Some(left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan())))
    })
}

/// The whole number that this is, if it is one.
pub(super) fn whole(text: &str) -> Option<i128> {
    let number = parse(text)?;
    let power = 10i128.checked_pow(number.scale)?;
    (number.digits % power == 0).then(|| number.digits / power)
}

/// To the nearest whole number, halves away from zero.
pub(super) fn rounded(text: &str) -> Option<i128> {
    let number = parse(text)?;
    let power = 10i128.checked_pow(number.scale)?;
    Some(divided(number.digits, power))
}

/// With so many digits behind the point.
pub(crate) fn with_scale(value: &PgValue, scale: u32) -> Option<PgValue> {
    let number = read(value)?;
    let scale = scale.min(SCALE_MAX);
    if scale >= number.scale {
        return Some(write(Decimal { digits: rescaled(number, scale)?, scale }));
    }
    let power = 10i128.checked_pow(number.scale - scale)?;
    Some(write(Decimal { digits: divided(number.digits, power), scale }))
}

/// A quotient, halves away from zero; `under` is positive.
fn divided(over: i128, under: i128) -> i128 {
    let (quotient, rest) = (over / under, over % under);
    let up = rest.unsigned_abs() >= under.unsigned_abs().div_ceil(2);
    if up { quotient + over.signum() } else { quotient }
}

pub(super) fn calculate(op: Arithmetic, left: &PgValue, right: &PgValue) -> Result<PgValue, PgError> {
    let too_large = || PgError::new("22003", "numeric field overflow");
    let (Some(left), Some(right)) = (read(left), read(right)) else {
        return Err(too_large());
    };
    if matches!(op, Arithmetic::Divide | Arithmetic::Modulo) && right.digits == 0 {
        return Err(PgError::new("22012", "division by zero"));
    }
    checked(op, left, right).map(write).ok_or_else(too_large)
}

fn checked(op: Arithmetic, left: Decimal, right: Decimal) -> Option<Decimal> {
    Some(match op {
        Arithmetic::Plus | Arithmetic::Minus | Arithmetic::Modulo => {
            let (left, right, scale) = aligned(left, right)?;
            let digits = match op {
                Arithmetic::Plus => left.checked_add(right)?,
                Arithmetic::Minus => left.checked_sub(right)?,
                _ => left.checked_rem(right)?,
            };
            Decimal { digits, scale }
        }
        Arithmetic::Multiply => {
            let scale = left.scale + right.scale;
            let product = Decimal { digits: left.digits.checked_mul(right.digits)?, scale };
            if scale > SCALE_MAX { parse_scaled(product)? } else { product }
        }
        Arithmetic::Divide => {
            let scale = QUOTIENT_DIGITS.max(left.scale).max(right.scale);
            let over = left
                .digits
                .checked_mul(10i128.checked_pow((scale + right.scale).checked_sub(left.scale)?)?)?;
            let (over, under) = if right.digits < 0 {
                (over.checked_neg()?, right.digits.checked_neg()?)
            } else {
                (over, right.digits)
            };
            Decimal { digits: divided(over, under), scale }
        }
        _ => return None,
    })
}

fn parse_scaled(number: Decimal) -> Option<Decimal> {
    let power = 10i128.checked_pow(number.scale - SCALE_MAX)?;
    Some(Decimal { digits: divided(number.digits, power), scale: SCALE_MAX })
}

/// A number as it is written, without an exponent.
pub(super) fn written(text: &str) -> Option<PgValue> {
    parse(text).map(write)
}
