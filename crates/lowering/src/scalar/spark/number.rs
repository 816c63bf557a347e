//! Functions of numbers in Spark.
//!
//! `exp`, `ln`, `log10` and `power` are Java's: total, and equal to the embedded ones but for the last bit.

use pointillist_catalog::Value;
use pointillist_plan::{Function, Scalar, Type};

use super::arithmetic::finite;
use super::{formed, integer, misfit, null, number};
use crate::Refusal;
use crate::stage::Expression;

pub(super) fn lower(function: Function, operands: &[Expression]) -> Result<Expression, Refusal> {
    let number = |form| formed(Type::Number, form, operands);
    match (function, operands.first().map(|first| first.kind)) {
        (Function::Absolute, Some(Type::Integer)) => formed(
            Type::Integer,
            "transform(array({0}), x -> CASE WHEN x < 0L THEN coalesce(try_subtract(0L, x), 9223372036854775807L) \
             ELSE x END)[0]",
            operands,
        ),
        (Function::Sign, Some(Type::Integer)) => {
            formed(Type::Integer, "CAST(signum(CAST({0} AS DOUBLE)) AS BIGINT)", operands)
        }
        (Function::Absolute, _) => number("abs({0})"),
        (Function::Sign, _) => number("signum({0})"),
        // These give a BIGINT, and raise beyond it in ANSI mode; from 2^52 on all numbers are whole.
        (Function::Floor, _) => number(
            "transform(array({0}), x -> \
             CASE WHEN abs(x) < 4503599627370496D THEN \
             CAST(floor(greatest(least(x, 4503599627370496D), -4503599627370496D)) AS DOUBLE) + 0D ELSE x END)[0]",
        ),
        (Function::Ceiling, _) => number(
            "transform(array({0}), x -> \
             CASE WHEN abs(x) < 4503599627370496D THEN \
             CAST(ceil(greatest(least(x, 4503599627370496D), -4503599627370496D)) AS DOUBLE) + 0D ELSE x END)[0]",
        ),
        (Function::SquareRoot, _) => number("sqrt({0})").map(finite),
        (Function::Exponential, _) => number("exp({0})").map(finite),
        (Function::NaturalLogarithm, _) => number("ln({0})").map(finite),
        (Function::CommonLogarithm, _) => number("log10({0})").map(finite),
        (Function::Power, _) => number("power({0}, {1})").map(finite),
        _ => Err(misfit()),
    }
}

/// Half away from zero; `round` goes through decimal text, so 1.005 would become 1.01.
pub(super) fn round(value: Expression, places: &[Scalar]) -> Result<Expression, Refusal> {
    let places = match places {
        [] => 0,
        [Scalar::Constant(Value::Integer(places))] => *places,
        [Scalar::Null(_)] => return Ok(null(Type::Number)),
        _ => return Err(misfit()),
    };
    let scale: f64 = format!("1e{}", places.unsigned_abs().min(308)).parse().map_err(|_| misfit())?;
    let scale = number(scale);
    Ok(match places {
        309.. => value,
        1.. => Expression::of(
            Type::Number,
            "transform(array({0}), x -> transform(array(x * {1}), y -> CASE WHEN abs(y) < 4503599627370496D THEN \
             signum(y) * (CAST(floor(least(abs(y), 4503599627370496D)) AS DOUBLE) + \
             CASE WHEN abs(y) - CAST(floor(least(abs(y), 4503599627370496D)) AS DOUBLE) >= 0.5D THEN 1D ELSE 0D END) / {1} + 0D \
             ELSE x END)[0])[0]",
            &[&value, &scale],
        ),
        0 => whole(&value),
        -308..0 => {
            let scaled = whole(&Expression::of(Type::Number, "({0} / {1})", &[&value, &scale]));
            finite(Expression::of(Type::Number, "({0} * {1})", &[&scaled, &scale]))
        }
        _ => Expression::of(Type::Number, "CASE WHEN {0} IS NOT NULL THEN 0D END", &[&value]),
    })
}

/// The nearest whole number, half away from zero.
fn whole(value: &Expression) -> Expression {
    Expression::of(
        Type::Number,
        "transform(array({0}), y -> CASE WHEN abs(y) < 4503599627370496D THEN \
         signum(y) * (CAST(floor(least(abs(y), 4503599627370496D)) AS DOUBLE) + \
         CASE WHEN abs(y) - CAST(floor(least(abs(y), 4503599627370496D)) AS DOUBLE) >= 0.5D THEN 1D ELSE 0D END) + 0D \
         ELSE y END)[0]",
        &[value],
    )
}

/// 0 below the lower end, 1..=count in equal parts of the range, count + 1 from the upper end on.
pub(super) fn width_bucket(value: Expression, constants: &[Scalar]) -> Result<Expression, Refusal> {
    use Value::{Integer, Number};
    let (lower, upper, count) = match constants {
        [
            Scalar::Constant(Number(lower)),
            Scalar::Constant(Number(upper)),
            Scalar::Constant(Integer(count)),
        ] => (*lower, *upper, *count),
        [lower, upper, count] if [lower, upper, count].iter().any(|end| matches!(end, Scalar::Null(_))) => {
            return Ok(null(Type::Integer));
        }
        _ => return Err(misfit()),
    };
    if lower >= upper || count < 1 {
        return Ok(null(Type::Integer));
    }
    // As the evaluator does: a range that is not finite is measured in halves.
    let half = if (upper - lower).is_finite() { 1.0 } else { 0.5 };
    let width = upper * half - lower * half;
    let constants = [
        number(lower + 0.0),
        number(upper + 0.0),
        integer(count.saturating_add(1)),
        number(half),
        number(lower * half + 0.0),
        number(width),
        number(count as f64),
        integer(count),
        integer(count - 1),
    ];
    let mut operands = vec![&value];
    operands.extend(&constants);
    // The cast gets what fits, whatever x is: at most the largest number below 2^63.
    Ok(Expression::of(
        Type::Integer,
        "transform(array({0}), x -> CASE WHEN x < {1} THEN 0L WHEN x >= {2} THEN {3} WHEN x IS NOT NULL THEN \
         transform(array((x * {4} - {5}) / {6} * {7}), y -> CASE WHEN y >= 9223372036854775808D THEN {8} \
         ELSE least(CAST(greatest(least(y, 9223372036854774784D), 0D) AS BIGINT), {9}) + 1L END)[0] END)[0]",
        &operands,
    ))
}
