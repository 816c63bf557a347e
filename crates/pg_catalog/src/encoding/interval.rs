//! Lengths of time as text: `1 year 2 mons -3 days +04:05:06.7`.

use crate::PgValue;

use super::moments::{DAY, time_text};
use super::moments_parse::{digits, microseconds};

/// PostgreSQL's style: a positive part after a negative one carries its sign.
pub(super) fn text(months: i32, days: i32, micros: i64) -> String {
    let mut parts = Vec::new();
    let mut was_negative = false;
    for (value, unit) in [(months / 12, "year"), (months % 12, "mon"), (days, "day")] {
        if value == 0 {
            continue;
        }
        let sign = if was_negative && value > 0 { "+" } else { "" };
        let plural = if value == 1 { "" } else { "s" };
        parts.push(format!("{sign}{value} {unit}{plural}"));
        was_negative = value < 0;
    }
    if micros != 0 || parts.is_empty() {
        let sign = match (micros < 0, was_negative) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        };
        // The least number has no opposite; PostgreSQL has the same edge.
        parts.push(format!("{sign}{}", time_text(micros.checked_abs().unwrap_or(i64::MAX))));
    }
    parts.join(" ")
}

/// Months, days and microseconds, while they are added up.
#[derive(Default)]
struct Sum {
    months: i64,
    days: i64,
    micros: i64,
}

impl Sum {
    fn add(&mut self, number: Number, unit: &str) -> Option<()> {
        let (months, days, micros) =
            match unit.strip_suffix('s').filter(|unit| unit.len() > 1).unwrap_or(unit) {
                "microsecond" | "usec" | "us" | "u" => (0, 0, 1),
                "millisecond" | "msec" | "m" if unit != "m" => (0, 0, 1_000),
                "second" | "sec" | "s" => (0, 0, 1_000_000),
                "minute" | "min" | "m" => (0, 0, 60_000_000),
                "hour" | "hr" | "h" => (0, 0, 3_600_000_000),
                "day" | "d" => (0, 1, 0),
                "week" | "w" => (0, 7, 0),
                "month" | "mon" => (1, 0, 0),
                "year" | "yr" | "y" => (12, 0, 0),
                "decade" | "dec" => (120, 0, 0),
                "century" | "c" => (1200, 0, 0),
                _ => return None,
            };
        self.months = self.months.checked_add(number.whole.checked_mul(months)?)?;
        self.days = self.days.checked_add(number.whole.checked_mul(days)?)?;
        self.micros = self.micros.checked_add(number.whole.checked_mul(micros)?)?;
        // A fraction of a unit is one of the next smaller: a month has 30 days.
        let part = i128::from(number.millionths);
        self.months = self.months.checked_add(i64::try_from(part * i128::from(months) / 1_000_000).ok()?)?;
        let month_days = part * i128::from(months) % 1_000_000 * 30;
        let all_days = month_days + part * i128::from(days);
        self.days = self.days.checked_add(i64::try_from(all_days / 1_000_000).ok()?)?;
        let rest = all_days % 1_000_000 * i128::from(DAY) + part * i128::from(micros);
        self.micros = self.micros.checked_add(i64::try_from(rest / 1_000_000).ok()?)?;
        Some(())
    }

    fn value(&self, sign: i64) -> Option<PgValue> {
        Some(PgValue::Interval {
            months: i32::try_from(self.months * sign).ok()?,
            days: i32::try_from(self.days * sign).ok()?,
            microseconds: self.micros.checked_mul(sign)?,
        })
    }
}

/// A number with at most six digits behind its point.
struct Number {
    whole: i64,
    millionths: i64,
}

/// Reads words (`1 day 2 hours ago`), a clock (`04:05:06`) and ISO 8601 (`P1DT2H`).
pub(super) fn parse(text: &str) -> Option<PgValue> {
    let lower = text.trim().to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix('p') {
        return iso(rest);
    }
    let body = lower.strip_prefix('@').unwrap_or(&lower).trim();
    let (mut rest, sign) = match body.strip_suffix("ago") {
        Some(body) => (body.trim(), -1),
        None => (body, 1),
    };
    if rest.is_empty() {
        return None;
    }
    let mut sum = Sum::default();
    while !rest.is_empty() {
        let (number, after, is_negative) = number(rest)?;
        if after.starts_with(':') {
            let (micros, after) = clock(rest.trim_start_matches(['+', '-']))?;
            sum.micros = sum.micros.checked_add(if is_negative { -micros } else { micros })?;
            rest = after.trim_start();
            continue;
        }
        let after = after.trim_start();
        let end = after.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        sum.add(number, if unit.is_empty() { "s" } else { unit })?;
        rest = after.trim_start();
    }
    sum.value(sign)
}

fn iso(text: &str) -> Option<PgValue> {
    let mut sum = Sum::default();
    let (mut rest, mut in_time) = (text, false);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('t').filter(|_| !in_time) {
            (rest, in_time) = (after, true);
            continue;
        }
        let (number, after, _) = number(rest)?;
        let mut signs = after.chars();
        let unit = match (signs.next()?, in_time) {
            ('y', false) => "year",
            ('m', false) => "month",
            ('w', false) => "week",
            ('d', false) => "day",
            ('h', true) => "hour",
            ('m', true) => "minute",
            ('s', true) => "second",
            _ => return None,
        };
        sum.add(number, unit)?;
        rest = signs.as_str();
    }
    sum.value(1)
}

/// A signed number, the rest, and whether it has a minus.
fn number(text: &str) -> Option<(Number, &str, bool)> {
    let (is_negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, rest) = digits(body).or_else(|| body.starts_with('.').then_some(("0", body)))?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest).unwrap_or(("", rest)),
        None => ("", rest),
    };
    let sign = if is_negative { -1 } else { 1 };
    let whole: i64 = whole.parse().ok()?;
    Some((Number { whole: whole * sign, millionths: microseconds(fraction) * sign }, rest, is_negative))
}

/// Microseconds of `4:05` or `04:05:06.7`.
fn clock(text: &str) -> Option<(i64, &str)> {
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
    let (hours, minutes, seconds): (i64, i64, i64) =
        (hours.parse().ok()?, minutes.parse().ok()?, seconds.parse().ok()?);
    if minutes > 59 || seconds > 60 {
        return None;
    }
    let whole = hours.checked_mul(3600)?.checked_add(minutes * 60 + seconds)?.checked_mul(1_000_000)?;
    Some((whole.checked_add(microseconds(fraction))?, rest))
}
