//! `+ - * / %` in Spark: integers saturate, a number that is not finite is NULL, and so is everything divided by zero.

use pointillist_plan::{Arithmetic, Type};

use super::misfit;
use crate::Refusal;
use crate::stage::Expression;

pub(super) fn lower(how: Arithmetic, left: &Expression, right: &Expression) -> Result<Expression, Refusal> {
    match (left.kind, right.kind) {
        (Type::Integer, Type::Integer) => Ok(Expression::of(Type::Integer, integers(how), &[left, right])),
        (Type::Number, Type::Number) => {
            Ok(finite(Expression::of(Type::Number, numbers(how), &[left, right])))
        }
        _ => Err(misfit()),
    }
}

/// Where the exact result does not fit, its sign is that of the end that it is beyond.
fn integers(how: Arithmetic) -> &'static str {
    match how {
        Arithmetic::Add => {
            "transform(array(struct({0} AS a, {1} AS b)), r -> CASE WHEN r.a IS NOT NULL AND r.b IS NOT NULL THEN \
             coalesce(try_add(r.a, r.b), if(r.a < 0L, -9223372036854775808L, 9223372036854775807L)) END)[0]"
        }
        Arithmetic::Subtract => {
            "transform(array(struct({0} AS a, {1} AS b)), r -> CASE WHEN r.a IS NOT NULL AND r.b IS NOT NULL THEN \
             coalesce(try_subtract(r.a, r.b), if(r.a < 0L, -9223372036854775808L, 9223372036854775807L)) END)[0]"
        }
        Arithmetic::Multiply => {
            "transform(array(struct({0} AS a, {1} AS b)), r -> CASE WHEN r.a IS NOT NULL AND r.b IS NOT NULL THEN \
             coalesce(try_multiply(r.a, r.b), \
             if((r.a < 0L) <> (r.b < 0L), -9223372036854775808L, 9223372036854775807L)) END)[0]"
        }
        // The only quotient that does not fit is that of the least integer by −1, which is never divided by.
        Arithmetic::Divide => {
            "transform(array(struct({0} AS a, {1} AS b)), r -> CASE WHEN r.b = -1L \
             THEN CASE WHEN r.a IS NOT NULL THEN coalesce(try_subtract(0L, r.a), 9223372036854775807L) END \
             ELSE r.a DIV CASE WHEN r.b <> 0L AND r.b <> -1L THEN r.b END END)[0]"
        }
        Arithmetic::Remainder => "try_mod({0}, {1})",
    }
}

/// Java's arithmetic is that of IEEE 754, and its remainder is exact.
fn numbers(how: Arithmetic) -> &'static str {
    match how {
        Arithmetic::Add => "({0} + {1})",
        Arithmetic::Subtract => "({0} - {1})",
        Arithmetic::Multiply => "({0} * {1})",
        Arithmetic::Divide => "try_divide({0}, {1})",
        Arithmetic::Remainder => "try_mod({0}, {1})",
    }
}

/// NULL where the number is not finite; one zero. NaN is larger than all numbers in Spark.
pub(super) fn finite(number: Expression) -> Expression {
    let form = "transform(array({0}), x -> CASE WHEN abs(x) <= 1.7976931348623157E308D THEN x + 0D END)[0]";
    Expression::of(Type::Number, form, &[&number])
}
