//! Functions of days and moments of the years 1 to 9999.
//!
//! **Total.** A day or a moment is moved only where it stays within the calendar: by a constant, if it lies between two days
//! that are computed here; by another operand, if that lies between two numbers made of the day. So the number also fits
//! 32 bits before it becomes `int4`.
//! **Zones.** A day becomes a `timestamp` before a part of it is taken: `date_trunc` of a `date` would go through the
//! session's time zone.

use pointillist_catalog::{Value, calendar};
use pointillist_plan::{DatePart, Function, Scalar, Type};

use super::{integer, null, ours};
use crate::stage::{Expression, Stage};
use crate::{Parameter, Refusal};

/// The days of the calendar.
const DAYS: i64 = calendar::DAYS.1 as i64 - calendar::DAYS.0 as i64;
/// The months from year 0 to the first and to the last one of the calendar.
const MONTHS: (i64, i64) = (12, 119_999);

pub(super) fn call(
    stage: &mut Stage,
    function: Function,
    arguments: &[Scalar],
    values: Vec<Expression>,
) -> Result<Expression, Refusal> {
    match (function, values.as_slice()) {
        (Function::DatePart(part), [value]) => Ok(part_of(part, value)),
        (Function::DateTruncate(part), [value]) => Ok(truncated(part, value)),
        (Function::Epoch, [value]) => epoch(stage, value),
        (Function::DaysBetween, [to, from]) => {
            Ok(Expression::of(Type::Integer, "({0} - {1})::int8", &[to, from]))
        }
        (Function::AddDays, [from, by]) => match arguments.get(1) {
            Some(Scalar::Constant(Value::Integer(days))) => add_constant_days(stage, from, *days, by),
            _ => add_days(stage, from, by),
        },
        (Function::AddMonths, [from, by]) => match arguments.get(1) {
            Some(Scalar::Constant(Value::Integer(months))) => add_constant_months(stage, from, *months, by),
            _ => add_months(stage, from, by),
        },
        _ => Err(ours()),
    }
}

fn part_of(part: DatePart, value: &Expression) -> Expression {
    let form = match part {
        DatePart::Year => "pg_catalog.date_part('year', {0}::timestamp)::int8",
        DatePart::Quarter => "pg_catalog.date_part('quarter', {0}::timestamp)::int8",
        DatePart::Month => "pg_catalog.date_part('month', {0}::timestamp)::int8",
        DatePart::Week => "pg_catalog.date_part('week', {0}::timestamp)::int8",
        DatePart::Day => "pg_catalog.date_part('day', {0}::timestamp)::int8",
        DatePart::DayOfWeek => "pg_catalog.date_part('dow', {0}::timestamp)::int8",
        DatePart::DayOfYear => "pg_catalog.date_part('doy', {0}::timestamp)::int8",
        DatePart::Hour => "pg_catalog.date_part('hour', {0}::timestamp)::int8",
        DatePart::Minute => "pg_catalog.date_part('minute', {0}::timestamp)::int8",
        // With its fraction, which the cast alone would round.
        DatePart::Second => "pg_catalog.floor(pg_catalog.date_part('second', {0}::timestamp))::int8",
    };
    Expression::of(Type::Integer, form, &[value])
}

fn truncated(part: DatePart, value: &Expression) -> Expression {
    let is_day = value.kind == Type::Date;
    let form = match part {
        DatePart::Year => "pg_catalog.date_trunc('year', {0}::timestamp)",
        DatePart::Quarter => "pg_catalog.date_trunc('quarter', {0}::timestamp)",
        DatePart::Month => "pg_catalog.date_trunc('month', {0}::timestamp)",
        DatePart::Week => "pg_catalog.date_trunc('week', {0}::timestamp)",
        DatePart::Day | DatePart::Hour | DatePart::Minute | DatePart::Second if is_day => {
            return value.clone();
        }
        DatePart::Day => "pg_catalog.date_trunc('day', {0}::timestamp)",
        DatePart::Hour => "pg_catalog.date_trunc('hour', {0}::timestamp)",
        DatePart::Minute => "pg_catalog.date_trunc('minute', {0}::timestamp)",
        DatePart::Second => "pg_catalog.date_trunc('second', {0}::timestamp)",
        DatePart::DayOfWeek | DatePart::DayOfYear => return null(value.kind),
    };
    let cut = Expression::of(Type::Timestamp, form, &[value]);
    match is_day {
        true => Expression::of(Type::Date, "{0}::date", &[&cut]),
        false => cut,
    }
}

/// The seconds since 1970: microseconds as a number, which rounds them, by a million. A day's are exact.
fn epoch(stage: &mut Stage, value: &Expression) -> Result<Expression, Refusal> {
    if value.kind == Type::Date {
        let form = "(({0} - '1970-01-01'::date)::float8 * 86400::float8)";
        return Ok(Expression::of(Type::Number, form, &[value]));
    }
    // The seconds of a time of day are a float too, so near to its microseconds that rounding finds them.
    let value = stage.name(value.clone())?;
    let form = "((({0}::date - '1970-01-01'::date)::int8 * 86400000000::int8 + \
        pg_catalog.round(pg_catalog.date_part('epoch', {0}::time) * 1000000::float8)::int8)::float8 / 1000000::float8)";
    Ok(Expression::of(Type::Number, form, &[&value]))
}

/// The day or moment moved where it lies between two days, both included.
fn moved_between(
    stage: &mut Stage,
    from: &Expression,
    (first, last): (i32, i32),
    forms: (&'static str, &'static str),
    by: &Expression,
) -> Result<Expression, Refusal> {
    let from = stage.name(from.clone())?;
    let (kind, form, ends) = match from.kind {
        Type::Date => (Type::Date, forms.0, [first, last].map(|day| Parameter::Date(Some(day)))),
        _ => {
            let ends = [calendar::moment(first, 0), calendar::moment(last, calendar::DAY - 1)];
            (Type::Timestamp, forms.1, ends.map(|moment| Parameter::Timestamp(Some(moment))))
        }
    };
    let [first, last] = ends.map(|end| Expression::parameter(kind, end));
    Ok(Expression::of(kind, form, &[&from, &first, &last, by]))
}

fn add_constant_days(
    stage: &mut Stage,
    from: &Expression,
    days: i64,
    by: &Expression,
) -> Result<Expression, Refusal> {
    if !(-DAYS..=DAYS).contains(&days) {
        return Ok(null(from.kind));
    }
    // Both fit: neither is further from the calendar than the calendar is long.
    let day = |end: i32, by: i64| calendar::in_calendar(i64::from(end) - by).unwrap_or(end);
    let range = match days >= 0 {
        true => (calendar::DAYS.0, day(calendar::DAYS.1, days)),
        false => (day(calendar::DAYS.0, days), calendar::DAYS.1),
    };
    let forms = (
        "CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} + {3}::int4 END",
        "CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} + pg_catalog.make_interval(0, 0, 0, {3}::int4) END",
    );
    moved_between(stage, from, range, forms, by)
}

fn add_days(stage: &mut Stage, from: &Expression, by: &Expression) -> Result<Expression, Refusal> {
    let (from, by) = (stage.name(from.clone())?, stage.name(by.clone())?);
    let form = match from.kind {
        Type::Date => {
            "CASE WHEN {1} BETWEEN '0001-01-01'::date - {0} AND '9999-12-31'::date - {0} THEN {0} + {1}::int4 END"
        }
        _ => {
            "CASE WHEN {1} BETWEEN '0001-01-01'::date - {0}::date AND '9999-12-31'::date - {0}::date \
             THEN {0} + pg_catalog.make_interval(0, 0, 0, {1}::int4) END"
        }
    };
    Ok(Expression::of(from.kind, form, &[&from, &by]))
}

fn add_constant_months(
    stage: &mut Stage,
    from: &Expression,
    months: i64,
    by: &Expression,
) -> Result<Expression, Refusal> {
    if months.unsigned_abs() > (MONTHS.1 - MONTHS.0).unsigned_abs() {
        return Ok(null(from.kind));
    }
    let (first, last) = (MONTHS.0 - months.min(0), MONTHS.1 - months.max(0));
    // The first day of the first month and the last of the last one from which the calendar is not left.
    let months_from_start = |month: i64| month - MONTHS.0;
    let first = calendar::add_months(calendar::DAYS.0, months_from_start(first));
    let next = calendar::add_months(calendar::DAYS.0, months_from_start(last) + 1);
    let range = (first.unwrap_or(calendar::DAYS.0), next.map_or(calendar::DAYS.1, |next| next - 1));
    let forms = (
        "CASE WHEN {0} >= {1} AND {0} <= {2} THEN ({0} + pg_catalog.make_interval(0, {3}::int4))::date END",
        "CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} + pg_catalog.make_interval(0, {3}::int4) END",
    );
    moved_between(stage, from, range, forms, by)
}

fn add_months(stage: &mut Stage, from: &Expression, by: &Expression) -> Result<Expression, Refusal> {
    let (from, by) = (stage.name(from.clone())?, stage.name(by.clone())?);
    let month = "(pg_catalog.date_part('year', {0}::timestamp) * 12 \
        + pg_catalog.date_part('month', {0}::timestamp) - 1)::int8";
    let month = stage.name(Expression::of(Type::Integer, month, &[&from]))?;
    let form = match from.kind {
        Type::Date => {
            "CASE WHEN {1} BETWEEN {3} - {2} AND {4} - {2} \
             THEN ({0} + pg_catalog.make_interval(0, {1}::int4))::date END"
        }
        _ => {
            "CASE WHEN {1} BETWEEN {3} - {2} AND {4} - {2} THEN {0} + pg_catalog.make_interval(0, {1}::int4) END"
        }
    };
    let (first, last) = (integer(MONTHS.0), integer(MONTHS.1));
    Ok(Expression::of(from.kind, form, &[&from, &by, &month, &first, &last]))
}
