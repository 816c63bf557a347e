//! Expressions with their types, and how types meet.
//!
//! Whole numbers become numbers beside a number, dates become timestamps beside a timestamp, and a quoted literal
//! becomes whatever stands beside it — when the question is planned, so that one that does not fit is refused
//! before any row is read. Nothing else changes its type unasked.

use pointillist_catalog::{Value, calendar};
use pointillist_plan::{Scalar, Type, type_of_value};

use crate::parameter_type;
use crate::refusal::{Refusal, shown};

/// An expression and its type; `None` is a bare NULL, which fits anywhere.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) scalar: Scalar,
    pub(crate) kind: Option<Type>,
}

impl Typed {
    pub(crate) fn new(scalar: Scalar, kind: Type) -> Self {
        Self { scalar, kind: Some(kind) }
    }

    pub(crate) fn constant(value: Value) -> Self {
        let kind = type_of_value(&value);
        Self::new(Scalar::Constant(value), kind)
    }

    pub(crate) fn null() -> Self {
        Self { scalar: Scalar::Null(Type::Text), kind: None }
    }

    pub(crate) fn boolean(scalar: Scalar) -> Self {
        Self::new(scalar, Type::Boolean)
    }

    /// The type, text for a bare NULL.
    pub(crate) fn known(&self) -> Type {
        self.kind.unwrap_or(Type::Text)
    }

    /// The same value where a type is needed, if it becomes that type by itself.
    pub(crate) fn into_type(self, wanted: Type, place: &str) -> Result<Scalar, Refusal> {
        match (self.kind, self.scalar) {
            (None, _) => Ok(Scalar::Null(wanted)),
            (Some(kind), scalar) if kind == wanted => Ok(scalar),
            (Some(_), Scalar::Constant(Value::Text(text))) => literal_as(&text, wanted).map(Scalar::Constant),
            (Some(Type::Integer), Scalar::Constant(Value::Integer(number))) if wanted == Type::Number => {
                // Beyond 2^53 the nearest number stands in, as everywhere where a whole number meets a number.
                Ok(Scalar::Constant(Value::Number(number as f64)))
            }
            (Some(Type::Integer), scalar) if wanted == Type::Number => {
                Ok(Scalar::Cast(Box::new(scalar), wanted))
            }
            (Some(Type::Date), scalar) if wanted == Type::Timestamp => {
                Ok(Scalar::Cast(Box::new(scalar), wanted))
            }
            (Some(kind), _) => Err(Refusal::mismatch(
                format!("{place} takes {}, but this is {}", wanted.words(), kind.words()),
                format!("write CAST(… AS {}), or use another column", wanted.sql_name()),
            )),
        }
    }
}

/// The type at which values meet, or a refusal that names the place.
pub(crate) fn common_type<'t>(
    values: impl IntoIterator<Item = &'t Typed>,
    place: &str,
) -> Result<Type, Refusal> {
    let mut common: Option<(Type, bool)> = None;
    for value in values {
        let Some(kind) = value.kind else { continue };
        let literal = matches!(value.scalar, Scalar::Constant(Value::Text(_)));
        common = Some(match common {
            None => (kind, literal),
            Some((known, known_literal)) if known == kind => (known, known_literal && literal),
            Some((known, false)) if literal => (known, false),
            Some((_, true)) => (kind, literal),
            Some((known, _)) => match (known, kind) {
                (Type::Integer, Type::Number) | (Type::Number, Type::Integer) => (Type::Number, false),
                (Type::Date, Type::Timestamp) | (Type::Timestamp, Type::Date) => (Type::Timestamp, false),
                _ => {
                    return Err(Refusal::mismatch(
                        format!("{place} mixes {} and {}", known.words(), kind.words()),
                        "give both sides one type, with CAST(… AS …) if need be",
                    ));
                }
            },
        });
    }
    Ok(common.map_or(Type::Text, |(kind, _)| kind))
}

/// All values at their common type.
pub(crate) fn unify(values: Vec<Typed>, place: &str) -> Result<(Vec<Scalar>, Type), Refusal> {
    let kind = common_type(&values, place)?;
    let scalars = values.into_iter().map(|value| value.into_type(kind, place)).collect::<Result<_, _>>()?;
    Ok((scalars, kind))
}

/// A value in another type because the asker said so: NULL where it has none.
pub(crate) fn cast(value: Typed, wanted: Type) -> Result<Typed, Refusal> {
    let scalar = match (value.kind, value.scalar) {
        (None, _) => Scalar::Null(wanted),
        (Some(kind), scalar) if kind == wanted => {
            // A cast to text makes a literal a value: it no longer becomes what stands beside it, but it is the
            // same text, so nothing needs to happen.
            if let Scalar::Constant(Value::Text(text)) = &scalar {
                parameter_type::learned(text, wanted);
            }
            scalar
        }
        (_, Scalar::Constant(Value::Text(text))) => Scalar::Constant(literal_as(&text, wanted)?),
        (Some(Type::Integer), Scalar::Constant(Value::Integer(number))) if wanted == Type::Number => {
            Scalar::Constant(Value::Number(number as f64))
        }
        (Some(kind), scalar) if castable(kind, wanted) => Scalar::Cast(Box::new(scalar), wanted),
        (Some(kind), _) => {
            return Err(Refusal::mismatch(
                format!("{} cannot be cast to {}", kind.words(), wanted.words()),
                "leave the cast out, or go through text",
            ));
        }
    };
    Ok(Typed::new(scalar, wanted))
}

fn castable(from: Type, to: Type) -> bool {
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    matches!(
        (from, to),
        (Text, _)
            | (_, Text)
            | (Boolean, Integer)
            | (Integer, Boolean)
            | (Integer, Number)
            | (Number, Integer)
            | (Date, Timestamp)
            | (Timestamp, Date)
    )
}

/// What a quoted literal means as a value of a type.
pub(crate) fn literal_as(text: &str, kind: Type) -> Result<Value, Refusal> {
    if let Some(sample) = parameter_type::learned(text, kind) {
        return Ok(sample);
    }
    let trimmed = text.trim();
    let value = match kind {
        Type::Text => Some(Value::Text(text.to_owned())),
        Type::Boolean => match trimmed.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "on" | "1" => Some(Value::Boolean(true)),
            "false" | "f" | "no" | "off" | "0" => Some(Value::Boolean(false)),
            _ => None,
        },
        Type::Integer => trimmed.parse().ok().map(Value::Integer),
        Type::Number => number(trimmed),
        Type::Date => calendar::parse_date(day_of(trimmed)).map(Value::Date),
        Type::Timestamp => moment(trimmed).map(Value::Timestamp),
    };
    value.ok_or_else(|| {
        let example = match kind {
            Type::Boolean => "'true'",
            Type::Integer => "42",
            Type::Number => "3.5",
            Type::Text => "'text'",
            Type::Date => "'2026-12-31'",
            Type::Timestamp => "'2026-12-31 23:59:59'",
        };
        Refusal::parameter(
            format!("'{}' is not {}", shown(text), kind.words()),
            format!("write it like {example}"),
        )
    })
}

/// The day of what may be a moment, as it is written: what PostgreSQL makes a date of.
fn day_of(text: &str) -> &str {
    match moment(text) {
        Some(_) => text.get(..10).unwrap_or(text),
        None => text,
    }
}

/// A moment, in UTC where it says how far from that it was written: `2026-12-31 23:59:59+01:00`.
fn moment(text: &str) -> Option<i64> {
    let at = text.get(10..)?.find(['+', '-', 'Z', 'z']).map(|at| at + 10);
    let Some(at) = at else { return calendar::parse_date_or_timestamp(text) };
    let (written, offset) = (text[..at].trim_end(), &text.as_bytes()[at..]);
    let digits = |tens: u8, ones: u8| {
        (tens.is_ascii_digit() && ones.is_ascii_digit())
            .then(|| i64::from((tens - b'0') * 10 + (ones - b'0')))
    };
    let (sign, hours, minutes) = match *offset {
        [b'Z' | b'z'] => (b'+', 0, 0),
        [sign, h0, h1] => (sign, digits(h0, h1)?, 0),
        [sign, h0, h1, m0, m1] | [sign, h0, h1, b':', m0, m1] => (sign, digits(h0, h1)?, digits(m0, m1)?),
        _ => return None,
    };
    if hours > 15 || minutes > 59 {
        return None;
    }
    let offset = (hours * 60 + minutes) * 60_000_000;
    let written = calendar::parse_timestamp(written)?;
    if sign == b'-' { written.checked_add(offset) } else { written.checked_sub(offset) }
}

/// A finite number as people write it: digits, a point, an exponent; no NaN, no infinity.
pub(crate) fn number(text: &str) -> Option<Value> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    text.parse().ok().filter(|_| plain).and_then(Value::number)
}
