//! A value as the whole number that is summed, as `engine/src/evaluate/units.rs` makes it.
//!
//! **Guarantee.** Whatever the value is, the whole number lies between the extremes that the form has on the grid: the index
//! is clamped to the grid before the form is applied. NULL stays NULL. Nothing can fail: a float is moved to the ends of the
//! grid before anything is subtracted from it or divided by anything, and what would divide to less than the least float is
//! decided before it is divided.

use pointillist_numbers::Rational;
use pointillist_plan::{Form, Type, Units};

use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Dialect, Parameter, Refusal};

/// The largest magnitude of a row's whole number.
const UNIT_MAX: i128 = 1 << 62;

fn whole(value: i64) -> Sql {
    Sql::parameter(Parameter::Integer(Some(value)))
}

fn float(value: f64) -> Sql {
    Sql::parameter(Parameter::Number(Some(value)))
}

/// The whole number of a value.
pub(crate) fn units(stage: &mut Stage, value: Expression, units: &Units) -> Result<Expression, Refusal> {
    let (low, high) = units.form.extremes(&units.grid);
    let last = units.grid.last_index();
    let fits = low.abs() <= UNIT_MAX
        && high.abs() <= UNIT_MAX
        && (units.form != Form::CentredSquare || last < 1 << 31);
    if !fits {
        return Err(Refusal::new(
            "a measure's whole numbers pass 2^62",
            "declare tighter bounds or a coarser step",
        ));
    }
    let index = index(stage, value, units)?;
    Ok(match units.form {
        Form::Linear { offset: 0, factor: 1 } => index,
        Form::Linear { offset, factor } => {
            let sql = Sql::form("({1} + {0} * {2})", &[&index.sql, &whole(offset), &whole(factor)]);
            Expression::new(Type::Integer, sql, &[&index])
        }
        Form::CentredSquare => {
            let centred = Sql::form("(2 * {0} - {1})", &[&index.sql, &whole(last)]);
            let centred = stage.name(Expression::new(Type::Integer, centred, &[&index]))?;
            let sql = Sql::form("(2 * {0} * {0} - {1})", &[&centred.sql, &whole(last * last)]);
            Expression::new(Type::Integer, sql, &[&centred])
        }
    })
}

/// The index of the nearest point of the grid.
fn index(stage: &mut Stage, value: Expression, units: &Units) -> Result<Expression, Refusal> {
    let (grid, dialect) = (&units.grid, stage.dialect);
    let last = grid.last_index();
    let is_whole = grid.step() == &Rational::one() && grid.lower().is_integer();
    let lower_whole = if is_whole { i64::try_from(grid.lower().numerator().clone()).ok() } else { None };
    let value = match value.kind {
        Type::Date | Type::Timestamp => as_integer(dialect, stage.name(value)?),
        _ => value,
    };
    if let (Type::Integer, Some(lower)) = (value.kind, lower_whole) {
        let upper = lower.saturating_add(last);
        let sql = match dialect {
            Dialect::Postgres => "(pg_catalog.int8larger(pg_catalog.int8smaller({0}, {2}), {1}) - {1})",
            // Both skip NULL; adding it back keeps it.
            Dialect::Spark => "(CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END - {1})",
        };
        let value = if dialect == Dialect::Spark { stage.name(value)? } else { value };
        let sql = Sql::form(sql, &[&value.sql, &whole(lower), &whole(upper)]);
        return Ok(Expression::new(Type::Integer, sql, &[&value]));
    }
    let value = match (dialect, value.kind) {
        (_, Type::Number) => value,
        (Dialect::Postgres, Type::Integer) => Expression::of(Type::Number, "{0}::float8", &[&value]),
        (Dialect::Spark, Type::Integer) => Expression::of(Type::Number, "CAST({0} AS DOUBLE)", &[&value]),
        _ => {
            return Err(Refusal::new(
                "a measure adds up what is no number",
                "add up numbers, days or moments",
            ));
        }
    };
    float_index(stage, value, units)
}

/// ⌊(v − lower)/step + 1/2⌋ in floats, between zero and the last index.
fn float_index(stage: &mut Stage, value: Expression, units: &Units) -> Result<Expression, Refusal> {
    let (grid, last) = (&units.grid, units.grid.last_index());
    let (lower, step) = (grid.lower().to_f64_nearest(), grid.step().to_f64_nearest().max(f64::from_bits(1)));
    // A float whose index is the last: all beyond it have the same.
    let upper = [last as f64, last as f64 + 1.0, 2.0 * (last as f64 + 1.0)]
        .into_iter()
        .map(|steps| lower + step * steps)
        .find(|upper| (upper - lower).is_finite() && ((upper - lower) / step + 0.5) as i64 >= last);
    let is_sound = |upper: &f64| ((upper - lower) / step + 0.5) < 9.0e18 && step * 0.25 > 0.0;
    let upper = upper.filter(is_sound).ok_or_else(|| {
        Refusal::new("a measure's grid does not fit floats", "declare tighter bounds or a coarser step")
    })?;
    let dialect = stage.dialect;
    let distance = match dialect {
        Dialect::Postgres => "(pg_catalog.float8larger(pg_catalog.float8smaller({0}, {2}), {1}) - {1})",
        Dialect::Spark => "(CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END - {1})",
    };
    let value = if dialect == Dialect::Spark { stage.name(value)? } else { value };
    let distance = Sql::form(distance, &[&value.sql, &float(lower), &float(upper)]);
    let distance = stage.name(Expression::new(Type::Number, distance, &[&value]))?;
    // Less than a quarter of a step is index zero, and would divide to nothing.
    let form = match dialect {
        Dialect::Postgres => {
            "CASE WHEN {0} < {1} THEN 0 ELSE pg_catalog.int8smaller(pg_catalog.trunc({0} / {2} + 0.5::float8)::int8, {3}) END"
        }
        Dialect::Spark => {
            "CASE WHEN {0} < {1} THEN 0L WHEN {0} IS NOT NULL THEN least(CAST(floor({0} / {2} + 0.5D) AS BIGINT), {3}) END"
        }
    };
    let sql = Sql::form(form, &[&distance.sql, &float(step * 0.25), &float(step), &whole(last)]);
    Ok(Expression::new(Type::Integer, sql, &[&distance]))
}

/// Days or microseconds since 1970.
fn as_integer(dialect: Dialect, value: Expression) -> Expression {
    let form = match (dialect, value.kind) {
        (Dialect::Postgres, Type::Date) => "({0} - '1970-01-01'::date)::int8",
        (Dialect::Spark, Type::Date) => "CAST(unix_date({0}) AS BIGINT)",
        // A day's seconds in floats are exact to the microsecond; those since 1970, which PostgreSQL 13 has as floats, are not.
        (Dialect::Postgres, _) => {
            "(({0}::date - '1970-01-01'::date)::int8 * 86400000000 + pg_catalog.round(pg_catalog.date_part('epoch', {0}::time) * 1000000::float8)::int8)"
        }
        (Dialect::Spark, _) => "unix_micros(CAST({0} AS TIMESTAMP))",
    };
    Expression::of(Type::Integer, form, &[&value])
}
