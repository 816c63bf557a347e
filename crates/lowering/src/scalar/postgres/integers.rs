//! Whole numbers of 64 bits, saturating.
//!
//! **Total.** A sum with a constant is taken of an operand that is first moved to where the sum fits: the sum is then the end
//! of the range exactly where it would saturate. Everything else that might not fit is computed in `numeric`, whose
//! results of two whole numbers of 64 bits are exact, and moved into the range. The transition functions of `min` and
//! `max` (`int8larger`, `numeric_smaller`, …) are strict where LEAST and GREATEST skip NULL.

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Function, Scalar, Type};

use super::{integer, null};
use crate::stage::Expression;

/// An operand and how it is written in the dialect.
pub(super) type Operand<'a> = (&'a Scalar, Expression);

/// In range, of a `numeric`.
macro_rules! saturated {
    ($form:literal) => {
        concat!(
            "pg_catalog.numeric_larger(pg_catalog.numeric_smaller(",
            $form,
            ", '9223372036854775807'::numeric), '-9223372036854775808'::numeric)::int8"
        )
    };
}

pub(super) fn arithmetic(how: Arithmetic, left: Operand, right: Operand) -> Expression {
    use Arithmetic::{Add, Divide, Multiply, Remainder, Subtract};
    let (a, b) = (&left.1, &right.1);
    let of = |form, operands: &[&Expression]| Expression::of(Type::Integer, form, operands);
    match (how, constant(left.0), constant(right.0)) {
        (Add, None, Some(c)) => plus(a, c, b),
        (Add, Some(c), None) => plus(b, c, a),
        (Subtract, None, Some(c)) => minus(a, c, b),
        (Subtract, Some(c), None) => less(c, a, b),
        (Divide | Remainder, _, Some(0)) => null(Type::Integer),
        // The only quotient that does not fit is that of the least whole number by −1.
        (Divide, _, Some(-1)) => less(0, &integer(0), a),
        (Divide, _, Some(_)) => of("({0} / {1})", &[a, b]),
        (Divide, Some(c), None) if c > i64::MIN => of("({0} / NULLIF({1}, 0))", &[a, b]),
        (Add, _, _) => of(saturated!("{0}::numeric + {1}::numeric"), &[a, b]),
        (Subtract, _, _) => of(saturated!("{0}::numeric - {1}::numeric"), &[a, b]),
        (Multiply, _, _) => of(saturated!("{0}::numeric * {1}::numeric"), &[a, b]),
        // The quotient of two `numeric` is rounded at some digit; `div` is exact.
        (Divide, _, _) => of(saturated!("pg_catalog.div({0}::numeric, NULLIF({1}, 0)::numeric)"), &[a, b]),
        // The remainder of the least whole number by −1 is 0 in PostgreSQL too.
        (Remainder, _, _) => of("({0} % NULLIF({1}, 0))", &[a, b]),
    }
}

pub(super) fn unary(function: Function, value: &Expression) -> Expression {
    let form = match function {
        Function::Absolute => "pg_catalog.abs(pg_catalog.int8larger({0}, '-9223372036854775807'::int8))",
        _ => "pg_catalog.int8larger(pg_catalog.int8smaller({0}, 1::int8), '-1'::int8)",
    };
    Expression::of(Type::Integer, form, &[value])
}

fn constant(scalar: &Scalar) -> Option<i64> {
    match scalar {
        Scalar::Constant(Value::Integer(value)) => Some(*value),
        _ => None,
    }
}

/// a + c for a constant c: `a` is cut first where the sum would pass 64 bits.
fn plus(a: &Expression, c: i64, written: &Expression) -> Expression {
    let (form, end) = match c >= 0 {
        true => ("(pg_catalog.int8smaller({0}, {1}) + {2})", i64::MAX - c),
        false => ("(pg_catalog.int8larger({0}, {1}) + {2})", i64::MIN - c),
    };
    Expression::of(Type::Integer, form, &[a, &integer(end), written])
}

/// a − c for a constant c: `a` is cut first where the difference would pass 64 bits.
fn minus(a: &Expression, c: i64, written: &Expression) -> Expression {
    let (form, end) = match c >= 0 {
        true => ("(pg_catalog.int8larger({0}, {1}) - {2})", i64::MIN + c),
        false => ("(pg_catalog.int8smaller({0}, {1}) - {2})", i64::MAX + c),
    };
    Expression::of(Type::Integer, form, &[a, &integer(end), written])
}

/// c − b.
fn less(c: i64, written: &Expression, b: &Expression) -> Expression {
    let (form, end) = match c >= 0 {
        true => ("({2} - pg_catalog.int8larger({0}, {1}))", c - i64::MAX),
        // c − MIN, which fits because c is negative.
        false => ("({2} - pg_catalog.int8smaller({0}, {1}))", c.wrapping_sub(i64::MIN)),
    };
    Expression::of(Type::Integer, form, &[b, &integer(end), written])
}
