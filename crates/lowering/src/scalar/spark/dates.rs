//! Functions of dates and timestamps in Spark. Days are of the years 1 to 9999.
//!
//! Timestamps have no time zone; what Spark does only with moments in one goes through the session's, which is UTC.

use pointillist_plan::{DatePart, Function, Type};

use super::{formed, misfit, null};
use crate::Refusal;
use crate::stage::Expression;

/// A part as an integer; a date is its midnight.
pub(super) fn part(operands: &[Expression], part: DatePart) -> Result<Expression, Refusal> {
    let kind = kind_of(operands)?;
    let form = match part {
        DatePart::Year => "CAST(year({0}) AS BIGINT)",
        DatePart::Quarter => "CAST(quarter({0}) AS BIGINT)",
        DatePart::Month => "CAST(month({0}) AS BIGINT)",
        DatePart::Week => "CAST(weekofyear({0}) AS BIGINT)",
        DatePart::Day => "CAST(day({0}) AS BIGINT)",
        DatePart::DayOfWeek => "CAST(dayofweek({0}) - 1 AS BIGINT)",
        DatePart::DayOfYear => "CAST(dayofyear({0}) AS BIGINT)",
        DatePart::Hour | DatePart::Minute | DatePart::Second if kind == Type::Date => {
            "CASE WHEN {0} IS NOT NULL THEN 0L END"
        }
        DatePart::Hour => "CAST(hour({0}) AS BIGINT)",
        DatePart::Minute => "CAST(minute({0}) AS BIGINT)",
        DatePart::Second => "CAST(second({0}) AS BIGINT)",
    };
    formed(Type::Integer, form, operands)
}

/// The beginning of the unit, in the same type.
pub(super) fn truncate(operands: &[Expression], part: DatePart) -> Result<Expression, Refusal> {
    let kind = kind_of(operands)?;
    let form = match (kind, part) {
        // There is nothing to cut.
        (_, DatePart::DayOfWeek | DatePart::DayOfYear) => return Ok(null(kind)),
        (Type::Date, DatePart::Day | DatePart::Hour | DatePart::Minute | DatePart::Second) => "{0}",
        (Type::Date, DatePart::Year) => "trunc({0}, 'YEAR')",
        (Type::Date, DatePart::Quarter) => "trunc({0}, 'QUARTER')",
        (Type::Date, DatePart::Month) => "trunc({0}, 'MONTH')",
        (Type::Date, DatePart::Week) => "trunc({0}, 'WEEK')",
        (_, DatePart::Year) => "CAST(trunc(CAST({0} AS DATE), 'YEAR') AS TIMESTAMP_NTZ)",
        (_, DatePart::Quarter) => "CAST(trunc(CAST({0} AS DATE), 'QUARTER') AS TIMESTAMP_NTZ)",
        (_, DatePart::Month) => "CAST(trunc(CAST({0} AS DATE), 'MONTH') AS TIMESTAMP_NTZ)",
        (_, DatePart::Week) => "CAST(trunc(CAST({0} AS DATE), 'WEEK') AS TIMESTAMP_NTZ)",
        (_, DatePart::Day) => "CAST(CAST({0} AS DATE) AS TIMESTAMP_NTZ)",
        (_, DatePart::Hour) => "CAST(date_trunc('HOUR', CAST({0} AS TIMESTAMP)) AS TIMESTAMP_NTZ)",
        (_, DatePart::Minute) => "CAST(date_trunc('MINUTE', CAST({0} AS TIMESTAMP)) AS TIMESTAMP_NTZ)",
        (_, DatePart::Second) => "CAST(date_trunc('SECOND', CAST({0} AS TIMESTAMP)) AS TIMESTAMP_NTZ)",
    };
    formed(kind, form, operands)
}

pub(super) fn lower(function: Function, operands: &[Expression]) -> Result<Expression, Refusal> {
    let kind = kind_of(operands)?;
    match (function, kind) {
        // Whole seconds are exact; micros become the nearest number, then the nearest quotient, as the evaluator's do.
        (Function::Epoch, Type::Date) => {
            formed(Type::Number, "(CAST(unix_date({0}) AS DOUBLE) * 86400D)", operands)
        }
        (Function::Epoch, _) => {
            formed(Type::Number, "(CAST(unix_micros(CAST({0} AS TIMESTAMP)) AS DOUBLE) / 1000000D)", operands)
        }
        (Function::AddDays, Type::Date) => formed(kind, DAYS_FROM_DATE, operands),
        (Function::AddDays, _) => formed(kind, DAYS_FROM_TIMESTAMP, operands),
        (Function::AddMonths, Type::Date) => formed(kind, MONTHS_FROM_DATE, operands),
        (Function::AddMonths, _) => formed(kind, MONTHS_FROM_TIMESTAMP, operands),
        (Function::DaysBetween, Type::Date) => {
            formed(Type::Integer, "CAST(datediff({0}, {1}) AS BIGINT)", operands)
        }
        _ => Err(misfit()),
    }
}

// The count that moves is cut to what no day of the calendar could be moved by, so that it fits wherever it is computed;
// the condition says whether the day arrives in the calendar.
const DAYS_FROM_DATE: &str = "transform(array(struct({0} AS a, {1} AS b)), r -> \
     CASE WHEN r.b >= datediff(DATE'0001-01-01', r.a) AND r.b <= datediff(DATE'9999-12-31', r.a) THEN \
     date_add(r.a, CAST(least(greatest(r.b, -4000000L), 4000000L) AS INT)) END)[0]";
const DAYS_FROM_TIMESTAMP: &str = "transform(array(struct({0} AS a, {1} AS b)), r -> \
     CASE WHEN r.b >= datediff(DATE'0001-01-01', CAST(r.a AS DATE)) \
     AND r.b <= datediff(DATE'9999-12-31', CAST(r.a AS DATE)) THEN \
     timestampadd(DAY, CAST(least(greatest(r.b, -4000000L), 4000000L) AS INT), r.a) END)[0]";
const MONTHS_FROM_DATE: &str = "transform(array(struct({0} AS a, {1} AS b)), r -> \
     CASE WHEN r.b >= 13 - year(r.a) * 12 - month(r.a) AND r.b <= 120000 - year(r.a) * 12 - month(r.a) THEN \
     add_months(r.a, CAST(least(greatest(r.b, -120000L), 120000L) AS INT)) END)[0]";
const MONTHS_FROM_TIMESTAMP: &str = "transform(array(struct({0} AS a, {1} AS b)), r -> \
     CASE WHEN r.b >= 13 - year(r.a) * 12 - month(r.a) AND r.b <= 120000 - year(r.a) * 12 - month(r.a) THEN \
     timestampadd(MONTH, CAST(least(greatest(r.b, -120000L), 120000L) AS INT), r.a) END)[0]";

fn kind_of(operands: &[Expression]) -> Result<Type, Refusal> {
    match operands.first().map(|first| first.kind) {
        Some(kind @ (Type::Date | Type::Timestamp)) => Ok(kind),
        _ => Err(misfit()),
    }
}
