//! `+ - * /` of numbers: NULL where the result is not finite, zero where it is too small.
//!
//! PostgreSQL raises where a sum, product or quotient overflows, and where a product or quotient of numbers other than zero
//! is zero. The guards say exactly when that happens.
//! **With a constant** the operation is monotone in the other operand, and the guard compares that with the first float for
//! which it would raise (`threshold.rs`). Most sums with constants cannot overflow (the constant is below half an ulp of
//! the largest float) and have no guard.
//! **Sum** of two of one sign, one of them from H = 2^1023 on: it overflows if the sum of the halves, which are exact (one
//! below 1 cannot matter), is 2^1023 after rounding.
//! **Product** of two from 1 on: overflows if (a·2^-512)(b·2^-512), rounded as the product is, is not below 1. Of two below
//! 1: zero if a·b ≤ 2^-1075 exactly. The rounded product of a·2^537 and b·2^537 tells, unless it is 1/2: then the sign
//! of its rounding error does, which Dekker's method finds (T. J. Dekker, A floating-point technique for extending the
//! available precision, 1971, §5).
//! **Quotient** with |b| from 1 on: zero if |a|·2^537 ≤ |b|·2^-538, both exact. With |b| below 1: overflows if |a|·2^-512 ≥
//! |b|·2^512, both exact for |a| from 1e-16 on, and no quotient of floats lies between the largest float and 2^1024;
//! below 1e-16 the quotient by the smallest float is finite.
//! **Minus zero** comes of products and quotients only, where one operand is zero: adding zero makes it zero.

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Scalar, Type};

use super::integers::Operand;
use super::threshold::{largest, smallest};
use super::{null, number};
use crate::Refusal;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};

macro_rules! is_sum_finite {
    ($same_sign:literal, $sum:literal) => {
        concat!(
            "CASE WHEN pg_catalog.abs({0}) < '8.98846567431158e307'::float8",
            " AND pg_catalog.abs({1}) < '8.98846567431158e307'::float8 OR NOT ",
            $same_sign,
            " THEN ",
            $sum,
            " WHEN pg_catalog.float8larger(pg_catalog.abs({0}), pg_catalog.abs({1})) * '0.5'::float8",
            " + CASE WHEN pg_catalog.float8smaller(pg_catalog.abs({0}), pg_catalog.abs({1})) < 1 THEN 0",
            " ELSE pg_catalog.float8smaller(pg_catalog.abs({0}), pg_catalog.abs({1})) * '0.5'::float8 END",
            " < '8.98846567431158e307'::float8 THEN ",
            $sum,
            " END"
        )
    };
}

const ADD: &str = is_sum_finite!("(({0} < 0) = ({1} < 0))", "{0} + {1}");
const SUBTRACT: &str = is_sum_finite!("(({0} < 0) <> ({1} < 0))", "{0} - {1}");

/// P = 2^-512, Q = 2^537; {2} is whether a·Q·b·Q, which is 1/2 rounded, is more.
const MULTIPLY: &str = "CASE WHEN pg_catalog.abs({0}) >= 1 AND pg_catalog.abs({1}) >= 1 THEN \
    CASE WHEN pg_catalog.abs(({0} * '7.458340731200207e-155'::float8) * ({1} * '7.458340731200207e-155'::float8)) < 1 \
    THEN {0} * {1} END \
    WHEN pg_catalog.abs({0}) >= 1 OR pg_catalog.abs({1}) >= 1 OR {0} = 0 OR {1} = 0 \
    OR (pg_catalog.abs({0}) >= '1e-150'::float8 AND pg_catalog.abs({1}) >= '1e-150'::float8) \
    THEN {0} * {1} + 0::float8 \
    WHEN pg_catalog.abs(({0} * '4.4989137945431964e161'::float8) * ({1} * '4.4989137945431964e161'::float8)) \
    > '0.5'::float8 THEN {0} * {1} \
    WHEN CASE WHEN pg_catalog.abs(({0} * '4.4989137945431964e161'::float8) * ({1} * '4.4989137945431964e161'::float8)) \
    = '0.5'::float8 THEN {2} END THEN {0} * {1} \
    WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN 0 END";

/// P = 2^-512, S = 2^512, Q = 2^537, R = 2^-538.
const DIVIDE: &str = "CASE WHEN {1} = 0 THEN NULL WHEN {0} = 0 THEN CASE WHEN {1} IS NOT NULL THEN 0 END \
    WHEN pg_catalog.abs({1}) >= 1 THEN CASE WHEN pg_catalog.abs({0}) >= 1 THEN {0} / {1} \
    WHEN pg_catalog.abs({0}) * '4.4989137945431964e161'::float8 \
    <= pg_catalog.abs({1}) * '1.1113793747425387e-162'::float8 THEN 0 ELSE {0} / {1} END \
    WHEN pg_catalog.abs({0}) >= '1e-16'::float8 THEN \
    CASE WHEN pg_catalog.abs({0}) * '7.458340731200207e-155'::float8 \
    >= pg_catalog.abs({1}) * '1.3407807929942597e154'::float8 THEN NULL ELSE {0} / {1} END \
    ELSE {0} / {1} END";

pub(super) fn arithmetic(
    stage: &mut Stage,
    how: Arithmetic,
    left: Operand,
    right: Operand,
) -> Result<Expression, Refusal> {
    let constants = (constant(left.0), constant(right.0));
    let (a, b) = (left.1, right.1);
    match (how, constants) {
        (Arithmetic::Add, (None, Some(c))) => sum(stage, a, c),
        (Arithmetic::Add, (Some(c), None)) => sum(stage, b, c),
        (Arithmetic::Subtract, (None, Some(c))) => sum(stage, a, -c),
        (Arithmetic::Subtract, (Some(c), None)) => difference(stage, c, b),
        (Arithmetic::Multiply, (None, Some(c))) => product(stage, a, c),
        (Arithmetic::Multiply, (Some(c), None)) => product(stage, b, c),
        (Arithmetic::Divide, (None, Some(c))) => quotient(stage, a, c),
        (Arithmetic::Divide, (Some(c), None)) => quotient_of(stage, c, b),
        (Arithmetic::Remainder, _) => Err(Refusal::new(
            "PostgreSQL has no remainder of numbers with fractions",
            "cast both to whole numbers, or use floor and multiplication",
        )),
        (how, _) => {
            let (a, b) = (stage.name(a)?, stage.name(b)?);
            Ok(match how {
                Arithmetic::Add => Expression::of(Type::Number, ADD, &[&a, &b]),
                Arithmetic::Subtract => Expression::of(Type::Number, SUBTRACT, &[&a, &b]),
                Arithmetic::Divide => Expression::of(Type::Number, DIVIDE, &[&a, &b]),
                _ => {
                    let sql = Sql::form(MULTIPLY, &[&a.sql, &b.sql, &is_more(&a.sql, &b.sql)]);
                    Expression::new(Type::Number, sql, &[&a, &b])
                }
            })
        }
    }
}

fn constant(scalar: &Scalar) -> Option<f64> {
    match scalar {
        Scalar::Constant(Value::Number(value)) => Some(*value),
        _ => None,
    }
}

/// Whether |a|·2^537·|b|·2^537 is more than 1/2, where it is 1/2 rounded: Dekker's error of the product.
fn is_more(a: &Sql, b: &Sql) -> Sql {
    let parts = |operand: &Sql| {
        let scaled = Sql::form("(pg_catalog.abs({0}) * '4.4989137945431964e161'::float8)", &[operand]);
        let high = Sql::form("({0} * 134217729::float8 - ({0} * 134217729::float8 - {0}))", &[&scaled]);
        let low = Sql::form("({0} - {1})", &[&scaled, &high]);
        (high, low)
    };
    let ((a_high, a_low), (b_high, b_low)) = (parts(a), parts(b));
    Sql::form(
        "((({0} * {2} - '0.5'::float8) + {0} * {3}) + {1} * {2}) + {1} * {3} > 0",
        &[&a_high, &a_low, &b_high, &b_low],
    )
}

/// a + c for a constant c: NULL where the sum is not finite.
fn sum(stage: &mut Stage, a: Expression, c: f64) -> Result<Expression, Refusal> {
    let end = largest(|x| (x + c.abs()).is_finite()).unwrap_or(0.0);
    // A constant of minus zero would be another parameter than zero.
    let written = number(c + 0.0);
    if end == f64::MAX {
        return Ok(Expression::of(Type::Number, "({0} + {1})", &[&a, &written]));
    }
    let a = stage.name(a)?;
    Ok(match c > 0.0 {
        true => Expression::of(
            Type::Number,
            "CASE WHEN {0} <= {2} THEN {0} + {1} END",
            &[&a, &written, &number(end)],
        ),
        false => Expression::of(
            Type::Number,
            "CASE WHEN {0} >= {2} THEN {0} + {1} END",
            &[&a, &written, &number(-end)],
        ),
    })
}

/// c − b for a constant c: NULL where the difference is not finite.
fn difference(stage: &mut Stage, c: f64, b: Expression) -> Result<Expression, Refusal> {
    let end = largest(|x| (x + c.abs()).is_finite()).unwrap_or(0.0);
    let written = number(c);
    if end == f64::MAX {
        return Ok(Expression::of(Type::Number, "({1} - {0})", &[&b, &written]));
    }
    let b = stage.name(b)?;
    Ok(match c > 0.0 {
        true => Expression::of(
            Type::Number,
            "CASE WHEN {0} >= {2} THEN {1} - {0} END",
            &[&b, &written, &number(-end)],
        ),
        false => Expression::of(
            Type::Number,
            "CASE WHEN {0} <= {2} THEN {1} - {0} END",
            &[&b, &written, &number(end)],
        ),
    })
}

/// a·c for a constant c: NULL where it is not finite, zero where it would be lost below the smallest number.
fn product(stage: &mut Stage, a: Expression, c: f64) -> Result<Expression, Refusal> {
    let written = number(c);
    if c == 0.0 || c.abs() == 1.0 {
        return Ok(Expression::of(Type::Number, "({0} * {1} + 0::float8)", &[&a, &written]));
    }
    let a = stage.name(a)?;
    Ok(match c.abs() > 1.0 {
        true => within(&a, "{0} * {1}", &written, largest(|x| (x * c.abs()).is_finite())),
        false => beyond(&a, "{0} * {1}", &written, smallest(|x| x * c.abs() > 0.0)),
    })
}

/// a / c for a constant c, as a product is.
fn quotient(stage: &mut Stage, a: Expression, c: f64) -> Result<Expression, Refusal> {
    let written = number(c);
    if c == 0.0 {
        return Ok(null(Type::Number));
    }
    let a = stage.name(a)?;
    Ok(match c.abs() < 1.0 {
        true => within(&a, "{0} / {1}", &written, largest(|x| (x / c.abs()).is_finite())),
        false => beyond(&a, "{0} / {1}", &written, smallest(|x| x / c.abs() > 0.0)),
    })
}

/// The value up to a distance from zero, NULL from there on.
fn within(a: &Expression, value: &'static str, c: &Expression, end: Option<f64>) -> Expression {
    let value = Sql::form(value, &[&a.sql, &c.sql]);
    let end = number(end.unwrap_or(0.0));
    let sql = Sql::form(
        "CASE WHEN pg_catalog.abs({0}) <= {1} THEN {2} + 0::float8 END",
        &[&a.sql, &end.sql, &value],
    );
    Expression::new(Type::Number, sql, &[a])
}

/// The value from a distance from zero on, zero up to there.
fn beyond(a: &Expression, value: &'static str, c: &Expression, start: Option<f64>) -> Expression {
    let value = Sql::form(value, &[&a.sql, &c.sql]);
    // Where even the largest float would become zero, which no constant does, all are beyond that.
    let start = number(start.unwrap_or(f64::MAX));
    let sql =
        Sql::form("CASE WHEN pg_catalog.abs({0}) < {1} THEN 0 ELSE {2} END", &[&a.sql, &start.sql, &value]);
    Expression::new(Type::Number, sql, &[a])
}

/// c / b.
fn quotient_of(stage: &mut Stage, c: f64, b: Expression) -> Result<Expression, Refusal> {
    if c == 0.0 {
        // 0 / b is zero, or NULL by zero.
        return Ok(Expression::of(Type::Number, "(0::float8 * NULLIF({0}, 0) + 0::float8)", &[&b]));
    }
    let b = stage.name(b)?;
    let finite_from = smallest(|x| (c / x).is_finite()).unwrap_or(f64::MAX);
    let zero_beyond = largest(|x| x == 0.0 || c / x != 0.0).unwrap_or(f64::MAX);
    let form =
        "CASE WHEN pg_catalog.abs({0}) > {3} THEN 0 WHEN pg_catalog.abs({0}) >= {2} THEN {1} / {0} END";
    Ok(Expression::of(Type::Number, form, &[&b, &number(c), &number(finite_from), &number(zero_beyond)]))
}
