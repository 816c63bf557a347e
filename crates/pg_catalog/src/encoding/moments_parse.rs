//! Days and moments, read: ISO 8601 as clients write it.

use crate::{Base, PgError, PgType, PgValue};

use super::moments::{DAY, civil, days_from_civil};

/// PostgreSQL's days: 4714-11-24 BC to 5874897-12-31, and its moments, to 294276-12-31.
const DATE_FIRST: i64 = -2_451_545;
const DATE_LAST: i64 = 2_145_031_948;
const MOMENT_LAST: i64 = 107_104_200;

/// A day; a time beside it is left off.
pub(super) fn date(text: &str, kind: PgType) -> Result<PgValue, PgError> {
    match named(text) {
        Some(Named::Infinity) => return Ok(PgValue::Date(i32::MAX)),
        Some(Named::MinusInfinity) => return Ok(PgValue::Date(i32::MIN)),
        Some(Named::Epoch) => return Ok(PgValue::Date(-10_957)),
        None => {}
    }
    let days = read(text, kind)?.days;
    let in_range = (DATE_FIRST..=DATE_LAST).contains(&days).then(|| i32::try_from(days).ok()).flatten();
    in_range.map(PgValue::Date).ok_or_else(|| PgError::new("22008", format!("date out of range: \"{text}\"")))
}

/// A moment. An offset moves it where the type has time zones, and is left off where it has none.
pub(super) fn timestamp(text: &str, kind: PgType) -> Result<PgValue, PgError> {
    match named(text) {
        Some(Named::Infinity) => return Ok(PgValue::Timestamp(i64::MAX)),
        Some(Named::MinusInfinity) => return Ok(PgValue::Timestamp(i64::MIN)),
        Some(Named::Epoch) => return Ok(PgValue::Timestamp(-10_957 * DAY)),
        None => {}
    }
    let Moment { days, micros, offset_seconds } = read(text, kind)?;
    if !(DATE_FIRST..=MOMENT_LAST).contains(&days) {
        return Err(PgError::new("22008", format!("timestamp out of range: \"{text}\"")));
    }
    let offset = if kind.base == Base::Timestamptz { offset_seconds * 1_000_000 } else { 0 };
    Ok(PgValue::Timestamp(days * DAY + micros - offset))
}

enum Named {
    Infinity,
    MinusInfinity,
    Epoch,
}

fn named(text: &str) -> Option<Named> {
    match text.trim().to_ascii_lowercase().as_str() {
        "infinity" | "+infinity" => Some(Named::Infinity),
        "-infinity" => Some(Named::MinusInfinity),
        "epoch" => Some(Named::Epoch),
        _ => None,
    }
}

struct Moment {
    /// From 2000-01-01.
    days: i64,
    micros: i64,
    offset_seconds: i64,
}

/// `2020-01-01`, `20200101`, then perhaps a time, an offset and an era.
fn read(text: &str, kind: PgType) -> Result<Moment, PgError> {
    let malformed =
        || PgError::new("22007", format!("invalid input syntax for type {}: \"{text}\"", kind.sql_name()));
    let outside = || PgError::new("22008", format!("date/time field value out of range: \"{text}\""));
    let trimmed = text.trim();
    let lower = trimmed.to_ascii_lowercase();
    let (body, is_bc) = match lower.strip_suffix("bc") {
        Some(body) => (body.trim_end(), true),
        None => (lower.strip_suffix("ad").unwrap_or(&lower).trim_end(), false),
    };
    let ((year, month, day), rest) = day_fields(body).ok_or_else(malformed)?;
    let year = match (is_bc, year) {
        (_, 0) => return Err(outside()),
        (true, year) => 1 - year,
        (false, year) => year,
    };
    if !(1..=12).contains(&month) || day < 1 {
        return Err(outside());
    }
    let days = days_from_civil(year, month, day);
    if civil(days) != (year, month, day) {
        return Err(outside());
    }
    let rest = rest.strip_prefix('t').unwrap_or(rest).trim_start();
    let (micros, rest) = match rest.starts_with(|sign: char| sign.is_ascii_digit()) {
        true => time(rest).ok_or_else(malformed)?,
        false => (0, rest),
    };
    if !(0..=DAY).contains(&micros) {
        return Err(outside());
    }
    let offset_seconds = offset(rest.trim()).ok_or_else(malformed)?;
    Ok(Moment { days, micros, offset_seconds })
}

fn day_fields(text: &str) -> Option<((i64, i64, i64), &str)> {
    let (first, rest) = digits(text)?;
    if let Some(rest) = rest.strip_prefix('-') {
        let (month, rest) = digits(rest)?;
        let (day, rest) = digits(rest.strip_prefix('-')?)?;
        let is_short = first.len() <= 7 && month.len() <= 2 && day.len() <= 2;
        return is_short
            .then_some(())
            .and_then(|()| Some(((first.parse().ok()?, month.parse().ok()?, day.parse().ok()?), rest)));
    }
    let (year, tail) = first.split_at_checked(4).filter(|_| first.len() == 8)?;
    let (month, day) = tail.split_at(2);
    Some(((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?), rest))
}

/// Microseconds of `12:30`, `12:30:59.5`; fields out of range are more than a day.
fn time(text: &str) -> Option<(i64, &str)> {
    let (hours, rest) = digits(text)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?)?;
    let (seconds, rest) = match rest.strip_prefix(':') {
        Some(rest) => digits(rest)?,
        None => ("0", rest),
    };
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest).unwrap_or(("", rest)),
        None => ("", rest),
    };
    let field = |text: &str| if text.len() <= 2 { text.parse::<i64>().ok() } else { None };
    let (hours, minutes, seconds) = (field(hours)?, field(minutes)?, field(seconds)?);
    if minutes > 59 || seconds > 60 {
        return Some((i64::MAX, rest));
    }
    Some((((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + microseconds(fraction), rest))
}

/// Digits behind the point, rounded to six of them.
pub(super) fn microseconds(fraction: &str) -> i64 {
    let padded = format!("{fraction:0<7}");
    let seven: i64 = padded.get(..7).and_then(|seven| seven.parse().ok()).unwrap_or(0);
    (seven + 5) / 10
}

/// Seconds of `+02`, `-0330`, `+05:30`, `z`, `utc`.
fn offset(text: &str) -> Option<i64> {
    if matches!(text, "" | "z" | "utc" | "gmt" | "zulu" | "etc/utc") {
        return Some(0);
    }
    let (sign, body) = match text.strip_prefix('+') {
        Some(body) => (1, body),
        None => (-1, text.strip_prefix('-')?),
    };
    let parts: Vec<&str> = match body.len() == 4 && !body.contains(':') {
        true => vec![body.get(..2)?, body.get(2..)?],
        false => body.split(':').collect(),
    };
    let is_field =
        |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_field) {
        return None;
    }
    let field = |index: usize| parts.get(index).map_or(Some(0), |part| part.parse::<i64>().ok());
    let (hours, minutes, seconds) = (field(0)?, field(1)?, field(2)?);
    (hours <= 15 && minutes < 60 && seconds < 60).then_some(sign * ((hours * 60 + minutes) * 60 + seconds))
}

/// The digits at the start, at least one, and the rest.
pub(super) fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}
