//! `INTERVAL` literals of days, weeks, months and years.

use sqlparser::ast::{DateTimeField, Expr, Interval, UnaryOperator, Value as Literal, ValueWithSpan};

use crate::refusal::{Refusal, shown};

/// The longest interval, in units: longer ones leave the calendar anyway.
const UNITS_MAX: i64 = 10_000_000;

/// The months and the days of an interval.
pub(crate) fn read(interval: &Interval) -> Result<(i64, i64), Refusal> {
    let Interval {
        value,
        leading_field,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    } = interval
    else {
        return Err(wrong("INTERVAL"));
    };
    let text = text_of(value).ok_or_else(|| wrong("INTERVAL"))?;
    let mut words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    if let Some(field) = leading_field {
        words.push(field_word(field).ok_or_else(|| wrong(&text))?.to_owned());
    }
    if words.is_empty() || !words.len().is_multiple_of(2) {
        return Err(wrong(&text));
    }
    let (mut months, mut days) = (0i64, 0i64);
    for pair in words.chunks(2) {
        let count: i64 = pair[0].parse().map_err(|_| wrong(&text))?;
        if count.abs() > UNITS_MAX {
            return Err(wrong(&text));
        }
        match pair[1].as_str() {
            "day" | "days" => days += count,
            "week" | "weeks" => days += 7 * count,
            "month" | "months" | "mon" | "mons" => months += count,
            "year" | "years" => months += 12 * count,
            _ => return Err(wrong(&text)),
        }
    }
    Ok((months, days))
}

fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Value(ValueWithSpan {
            value: Literal::SingleQuotedString(text) | Literal::Number(text, false),
            ..
        }) => Some(text.clone()),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match expr.as_ref() {
            Expr::Value(ValueWithSpan { value: Literal::Number(text, false), .. }) => {
                Some(format!("-{text}"))
            }
            _ => None,
        },
        _ => None,
    }
}

fn field_word(field: &DateTimeField) -> Option<&'static str> {
    match field {
        DateTimeField::Day | DateTimeField::Days => Some("day"),
        DateTimeField::Week(None) | DateTimeField::Weeks => Some("week"),
        DateTimeField::Month | DateTimeField::Months => Some("month"),
        DateTimeField::Year | DateTimeField::Years => Some("year"),
        _ => None,
    }
}

fn wrong(text: &str) -> Refusal {
    Refusal::parameter(
        format!("the interval '{}' is not made of days, weeks, months or years", shown(text)),
        "write INTERVAL '3 months' or INTERVAL '7' DAY, for example",
    )
}
