//! Rounding to decimal places, and equal parts of a range: the evaluator's float operations, one by one.
//!
//! **Total.** Before each product and quotient stands the range of operands for which it neither overflows nor becomes zero;
//! its ends are computed here, by the same operations. What lies outside needs no operation: it has no digits to round
//! away, or is nearer to zero than half a unit.

use pointillist_catalog::Value;
use pointillist_plan::{Scalar, Type};

use super::threshold::largest;
use super::{integer, null, number, ours};
use crate::Refusal;
use crate::stage::{Expression, Stage};

/// Half away from zero. `round(float8)` is half to even, and floor(x + 1/2) is wrong just below 1/2.
const ROUND: &str = "(pg_catalog.trunc({0}) + CASE WHEN pg_catalog.abs({0} - pg_catalog.trunc({0})) >= '0.5'::float8 \
    THEN pg_catalog.sign({0}) ELSE 0 END + 0::float8)";

/// To constant decimal places, none if there is no second argument.
pub(super) fn round(
    stage: &mut Stage,
    value: Expression,
    places: Option<&Scalar>,
) -> Result<Expression, Refusal> {
    let places = match places {
        None => 0,
        Some(Scalar::Constant(Value::Integer(places))) => *places,
        Some(_) => return Err(ours()),
    };
    let of = |form, operands: &[&Expression]| Expression::of(Type::Number, form, operands);
    // The evaluator's own power of ten.
    let scale: f64 = format!("1e{}", places.unsigned_abs().min(308)).parse().unwrap_or(f64::MAX);
    let written = number(scale);
    match places {
        309.. => Ok(value),
        ..=-309 => Ok(of("({0} * 0::float8 + 0::float8)", &[&value])),
        0 => {
            let value = stage.name(value)?;
            Ok(of(ROUND, &[&value]))
        }
        1.. => {
            let value = stage.name(value)?;
            // Twice what rounding can change: certainly beyond it, certainly finite after scaling.
            let end = number(9_007_199_254_740_992.0 / scale);
            let scaled =
                of("CASE WHEN pg_catalog.abs({0}) < {1} THEN {0} * {2} END", &[&value, &end, &written]);
            let scaled = stage.name(scaled)?;
            let rounded = of(ROUND, &[&scaled]);
            let form =
                "CASE WHEN pg_catalog.abs({0}) < '4503599627370496'::float8 THEN {1} / {2} ELSE {3} END";
            Ok(of(form, &[&scaled, &rounded, &written, &value]))
        }
        _ => {
            let value = stage.name(value)?;
            let scaled = of(
                "CASE WHEN pg_catalog.abs({0}) < {1} THEN 0 ELSE {0} / {2} END",
                &[&value, &number(scale * 0.25), &written],
            );
            let scaled = stage.name(scaled)?;
            let rounded = stage.name(of(ROUND, &[&scaled]))?;
            let end = number(largest(|x| (x * scale).is_finite()).unwrap_or(0.0));
            Ok(of("CASE WHEN pg_catalog.abs({0}) <= {1} THEN {0} * {2} END", &[&rounded, &end, &written]))
        }
    }
}

/// 0 below the range, 1 to `count` in it, `count` + 1 from its upper end on.
pub(super) fn width_bucket(
    stage: &mut Stage,
    value: Expression,
    range: &[Scalar],
) -> Result<Expression, Refusal> {
    let [
        Scalar::Constant(Value::Number(lower)),
        Scalar::Constant(Value::Number(upper)),
        Scalar::Constant(Value::Integer(count)),
    ] = range
    else {
        return Err(ours());
    };
    let (lower, upper, count) = (*lower, *upper, *count);
    if lower >= upper || count < 1 {
        return Ok(null(Type::Integer));
    }
    let value = stage.name(value)?;
    // A range that is not finite is measured in halves. Half of the smallest float would be zero, and raise; beside
    // the lower end of such a range, which is beyond 1e291, nothing below 1 matters.
    let is_finite = (upper - lower).is_finite();
    let half = if is_finite { 1.0 } else { 0.5 };
    let width = upper * half - lower * half;
    let above = match is_finite {
        true => "({0} - {1})",
        false => "(CASE WHEN pg_catalog.abs({0}) < 1 THEN 0 ELSE {0} * '0.5'::float8 END - {1})",
    };
    let (lower_end, upper_end) = (number(lower), number(upper));
    let above = Expression::of(Type::Number, above, &[&value, &number(lower * half)]);
    // What is that small is in the first part, of up to 2^63 parts, and the quotient might be zero.
    let (small, written_width, parts) = (number(width * 1e-20), number(width), number(count as f64));
    let part = Expression::of(
        Type::Number,
        "CASE WHEN {0} >= {1} AND {0} < {2} THEN CASE WHEN {3} < {4} THEN 0 ELSE {3} / {5} * {6} END END",
        &[&value, &lower_end, &upper_end, &above, &small, &written_width, &parts],
    );
    let part = stage.name(part)?;
    // Rounding may reach the upper end.
    let last = (count as f64 as i64).clamp(0, count - 1) + 1;
    Ok(Expression::of(
        Type::Integer,
        "CASE WHEN {0} < {1} THEN 0 WHEN {0} >= {2} THEN {3} WHEN {4} >= {5} THEN {6} \
         ELSE pg_catalog.int8smaller(pg_catalog.trunc(CASE WHEN {4} < {5} THEN {4} END)::int8, {7}) + 1 END",
        &[
            &value,
            &lower_end,
            &upper_end,
            &integer(count.saturating_add(1)),
            &part,
            &parts,
            &integer(last),
            &integer(count - 1),
        ],
    ))
}
