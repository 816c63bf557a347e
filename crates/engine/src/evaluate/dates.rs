//! Functions of dates and timestamps. A day outside the calendar of years 1 to 9999 has no parts: NULL.

use arrow::datatypes::{Date32Type, Int64Type, TimestampMicrosecondType};
use pointillist_plan::{DatePart, Type};

use super::calendar::{self, Civil};
use super::operand::{self, Operand};

/// A part of a date or timestamp, as an integer; a date is its midnight.
pub(super) fn part(value: &Operand, part: DatePart) -> Operand {
    let values = if let Some(lane) = value.lane::<Date32Type>() {
        operand::map(lane, |days| part_of(days, 0, part))
    } else if let Some(lane) = value.lane::<TimestampMicrosecondType>() {
        operand::map(lane, |micros| {
            calendar::split(micros).and_then(|(days, rest)| part_of(days, rest, part))
        })
    } else {
        return Operand::null(Type::Integer);
    };
    operand::partial::<Int64Type>(values, &[value])
}

fn part_of(days: i32, micros: i64, part: DatePart) -> Option<i64> {
    let at = calendar::civil(days)?;
    let seconds = micros / 1_000_000;
    Some(match part {
        DatePart::Year => at.year.into(),
        DatePart::Quarter => ((at.month - 1) / 3 + 1).into(),
        DatePart::Month => at.month.into(),
        DatePart::Week => calendar::iso_week(days)?.into(),
        DatePart::Day => at.day.into(),
        DatePart::DayOfWeek => calendar::day_of_week(days).into(),
        DatePart::DayOfYear => calendar::day_of_year(at).into(),
        DatePart::Hour => seconds / 3600,
        DatePart::Minute => seconds / 60 % 60,
        DatePart::Second => seconds % 60,
    })
}

/// The beginning of the unit, in the same type. There is nothing to cut at a day of the week or of the year: NULL.
pub(super) fn truncate(value: &Operand, part: DatePart) -> Operand {
    if let Some(lane) = value.lane::<Date32Type>() {
        let values = operand::map(lane, |days| beginning(days, 0, part).map(|(days, _)| days));
        return operand::partial::<Date32Type>(values, &[value]);
    }
    let Some(lane) = value.lane::<TimestampMicrosecondType>() else { return Operand::null(Type::Date) };
    let values = operand::map(lane, |micros| {
        let (days, rest) = calendar::split(micros)?;
        beginning(days, rest, part).map(|(days, rest)| calendar::joined(days, rest))
    });
    operand::partial::<TimestampMicrosecondType>(values, &[value])
}

fn beginning(days: i32, micros: i64, part: DatePart) -> Option<(i32, i64)> {
    let at = calendar::civil(days)?;
    let first_of = |month| Some((calendar::days(Civil { year: at.year, month, day: 1 })?, 0));
    let cut_to = |unit: i64| Some((days, micros - micros % unit));
    match part {
        DatePart::Year => first_of(1),
        DatePart::Quarter => first_of((at.month - 1) / 3 * 3 + 1),
        DatePart::Month => first_of(at.month),
        // The calendar begins on a Monday, so the week's is in it.
        DatePart::Week => Some((days - calendar::since_monday(days), 0)),
        DatePart::Day => Some((days, 0)),
        DatePart::Hour => cut_to(3_600_000_000),
        DatePart::Minute => cut_to(60_000_000),
        DatePart::Second => cut_to(1_000_000),
        DatePart::DayOfWeek | DatePart::DayOfYear => None,
    }
}

pub(super) fn add_days(date: &Operand, days: &Operand) -> Operand {
    moved(date, days, |from, days| calendar::in_calendar(i64::from(from).checked_add(days)?))
}

pub(super) fn add_months(date: &Operand, months: &Operand) -> Operand {
    moved(date, months, calendar::add_months)
}

fn moved(date: &Operand, by: &Operand, function: impl Fn(i32, i64) -> Option<i32>) -> Operand {
    let (Some(from), Some(count)) = (date.lane::<Date32Type>(), by.lane::<Int64Type>()) else {
        return Operand::null(Type::Date);
    };
    let values =
        operand::zip(from, count, |from, count| function(calendar::in_calendar(i64::from(from))?, count));
    operand::partial::<Date32Type>(values, &[date, by])
}

/// The days from the second date to the first.
pub(super) fn days_between(to: &Operand, from: &Operand) -> Operand {
    let (Some(a), Some(b)) = (to.lane::<Date32Type>(), from.lane::<Date32Type>()) else {
        return Operand::null(Type::Integer);
    };
    let values = operand::zip(a, b, |a, b| {
        let (a, b) = (calendar::in_calendar(i64::from(a))?, calendar::in_calendar(i64::from(b))?);
        Some(i64::from(a) - i64::from(b))
    });
    operand::partial::<Int64Type>(values, &[to, from])
}
