//! Functions of one number.
//!
//! **Total.** Square roots and logarithms see only what they have a value for. The exponential function overflows above the
//! logarithm of the largest float and is zero, where PostgreSQL raises, up to that of 2^-1075: floats next to these ends
//! are hundreds of ulps of the result away from them, so that any C library is on the same side.
//! **Minus zero** is what floor and ceiling may say of a number between −1 and 0; adding zero makes it zero.

use pointillist_plan::{Function, Type};

use super::ours;
use crate::Refusal;
use crate::stage::{Expression, Stage};

pub(super) fn unary(stage: &mut Stage, function: Function, value: Expression) -> Result<Expression, Refusal> {
    let (form, once) = match function {
        Function::Absolute => ("pg_catalog.abs({0})", true),
        Function::Sign => ("pg_catalog.sign({0})", true),
        Function::Floor => ("(pg_catalog.floor({0}) + 0::float8)", true),
        Function::Ceiling => ("(pg_catalog.ceil({0}) + 0::float8)", true),
        Function::SquareRoot => ("pg_catalog.sqrt(CASE WHEN {0} >= 0 THEN {0} END)", false),
        Function::NaturalLogarithm => ("pg_catalog.ln(CASE WHEN {0} > 0 THEN {0} END)", false),
        Function::CommonLogarithm => ("pg_catalog.log(CASE WHEN {0} > 0 THEN {0} END)", false),
        Function::Exponential => (
            "CASE WHEN {0} < '-745.1332191019411'::float8 THEN 0 ELSE pg_catalog.exp(\
             CASE WHEN {0} >= '-745.1332191019411'::float8 AND {0} <= '709.782712893384'::float8 THEN {0} END) END",
            false,
        ),
        _ => return Err(ours()),
    };
    let value = if once { value } else { stage.name(value)? };
    Ok(Expression::of(Type::Number, form, &[&value]))
}
