//! Functions of dates and timestamps. A day outside the calendar of years 1 to 9999 has no parts: NULL.

use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::calendar;
use pointillist_plan::{DatePart, Type, date_units};

use super::operand::{self, Operand};

/// A part of a date or timestamp, as an integer; a date is its midnight.
pub(super) fn part(value: &Operand, part: DatePart) -> Operand {
    let values = if let Some(lane) = value.lane::<Date32Type>() {
        operand::map(lane, |days| date_units::part(days, 0, part))
    } else if let Some(lane) = value.lane::<TimestampMicrosecondType>() {
        operand::map(lane, |micros| {
            calendar::split(micros).and_then(|(days, rest)| date_units::part(days, rest, part))
        })
    } else {
        return Operand::null(Type::Integer);
    };
    operand::partial::<Int64Type>(values, &[value])
}

/// The beginning of the unit, in the same type. There is nothing to cut at a day of the week or of the year: NULL.
pub(super) fn truncate(value: &Operand, part: DatePart) -> Operand {
    if let Some(lane) = value.lane::<Date32Type>() {
        let values = operand::map(lane, |days| date_units::truncate(days, 0, part).map(|(days, _)| days));
        return operand::partial::<Date32Type>(values, &[value]);
    }
    let Some(lane) = value.lane::<TimestampMicrosecondType>() else { return Operand::null(Type::Date) };
    let values = operand::map(lane, |micros| {
        let (days, rest) = calendar::split(micros)?;
        date_units::truncate(days, rest, part).map(|(days, rest)| calendar::moment(days, rest))
    });
    operand::partial::<TimestampMicrosecondType>(values, &[value])
}

/// The seconds from 1970 to a date's midnight or to a moment.
pub(super) fn epoch(value: &Operand) -> Operand {
    let values = if let Some(lane) = value.lane::<Date32Type>() {
        operand::map(lane, |days| date_units::epoch(days, 0))
    } else if let Some(lane) = value.lane::<TimestampMicrosecondType>() {
        operand::map(lane, |micros| {
            calendar::split(micros).and_then(|(days, rest)| date_units::epoch(days, rest))
        })
    } else {
        return Operand::null(Type::Number);
    };
    operand::partial::<Float64Type>(values, &[value])
}

pub(super) fn add_days(date: &Operand, days: &Operand) -> Operand {
    moved(date, days, |from, days| calendar::in_calendar(i64::from(from).checked_add(days)?))
}

pub(super) fn add_months(date: &Operand, months: &Operand) -> Operand {
    moved(date, months, calendar::add_months)
}

fn moved(date: &Operand, by: &Operand, function: impl Fn(i32, i64) -> Option<i32>) -> Operand {
    let Some(count) = by.lane::<Int64Type>() else { return Operand::null(date.kind()) };
    if let Some(from) = date.lane::<TimestampMicrosecondType>() {
        let values = operand::zip(from, count, |from, count| {
            let (day, rest) = calendar::split(from)?;
            Some(calendar::moment(function(day, count)?, rest))
        });
        return operand::partial::<TimestampMicrosecondType>(values, &[date, by]);
    }
    let Some(from) = date.lane::<Date32Type>() else { return Operand::null(Type::Date) };
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
