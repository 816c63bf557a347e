//! Functions of text, byte by byte (`COLLATE "C"`), counted in characters.
//!
//! **Total.** Positions and counts are moved into the range of 32 bits, far beyond the longest text, before they become
//! `int4`; a negative count, on which `substr` raises, is NULL. What is longer than 10,000 bytes is cut between characters:
//! a character begins where a byte is not 10xxxxxx.

use pointillist_plan::{Function, Type};

use super::super::pattern;
use super::{bytewise, list, nul, ours};
use crate::stage::{Expression, Stage};
use crate::{Parameter, Refusal};

/// The most arguments of one call; PostgreSQL takes 100.
const ARGUMENTS_MAX: usize = 90;

pub(super) fn call(
    stage: &mut Stage,
    function: Function,
    values: Vec<Expression>,
) -> Result<Expression, Refusal> {
    let text = |form, operands: &[&Expression]| Ok(Expression::of(Type::Text, form, operands));
    match (function, values.as_slice()) {
        (Function::Lower, [value]) => text("pg_catalog.lower({0})", &[&bytewise(value)]),
        (Function::Upper, [value]) => text("pg_catalog.upper({0})", &[&bytewise(value)]),
        (Function::Trim, [value]) => text("pg_catalog.btrim({0}, ' ')", &[value]),
        (Function::Length, [value]) => {
            Ok(Expression::of(Type::Integer, "pg_catalog.char_length({0})::int8", &[value]))
        }
        (Function::Substring, [value, start]) => text(
            "pg_catalog.substr({0}, pg_catalog.int8smaller(pg_catalog.int8larger({1}, 1::int8), 1000000000::int8)::int4)",
            &[value, start],
        ),
        (Function::Substring, [value, start, count]) => {
            let (start, count) = (stage.name(start.clone())?, stage.name(count.clone())?);
            text(
                "pg_catalog.substr({0}, \
                 pg_catalog.int8smaller(pg_catalog.int8larger({1}, 1::int8), 1000000000::int8)::int4, \
                 pg_catalog.numeric_larger(pg_catalog.numeric_smaller(\
                 {1}::numeric + CASE WHEN {2} >= 0 THEN {2} END::numeric, 1000000000::numeric) - \
                 pg_catalog.int8smaller(pg_catalog.int8larger({1}, 1::int8), 1000000000::int8)::numeric, \
                 0::numeric)::int4)",
                &[value, &start, &count],
            )
        }
        (Function::Concat, [value]) => text("COALESCE({0}, '')", &[value]),
        (Function::Concat, _) => concat(stage, values),
        (Function::StartsWith, [value, beginning]) => Ok(Expression::of(
            Type::Boolean,
            "pg_catalog.starts_with({0}, {1})",
            &[&bytewise(value), &bytewise(beginning)],
        )),
        (Function::Position, [value, part]) => Ok(Expression::of(
            Type::Integer,
            "pg_catalog.strpos({0}, {1})::int8",
            &[&bytewise(value), &bytewise(part)],
        )),
        _ => Err(ours()),
    }
}

/// One after the other, NULL as nothing, cut to 10,000 bytes.
fn concat(stage: &mut Stage, mut values: Vec<Expression>) -> Result<Expression, Refusal> {
    while values.len() > 1 {
        let joined =
            values.chunks(ARGUMENTS_MAX).map(|some| list(Type::Text, "pg_catalog.concat({0})", ", ", some));
        values = joined.collect();
    }
    let joined = stage.name(values.pop().ok_or_else(ours)?)?;
    Ok(Expression::of(
        Type::Text,
        "CASE WHEN pg_catalog.octet_length({0}) <= 10000 THEN {0} ELSE pg_catalog.convert_from(\
         pg_catalog.substr(pg_catalog.convert_to({0}, 'UTF8'), 1, CASE \
         WHEN pg_catalog.get_byte(pg_catalog.convert_to({0}, 'UTF8'), 10000) & 192 <> 128 THEN 10000 \
         WHEN pg_catalog.get_byte(pg_catalog.convert_to({0}, 'UTF8'), 9999) & 192 <> 128 THEN 9999 \
         WHEN pg_catalog.get_byte(pg_catalog.convert_to({0}, 'UTF8'), 9998) & 192 <> 128 THEN 9998 \
         ELSE 9997 END), 'UTF8') END",
        &[&joined],
    ))
}

/// LIKE, whose escape is `\\` where none is named.
pub(super) fn like(
    value: &Expression,
    pattern: &str,
    escape: Option<char>,
    ignore_case: bool,
) -> Result<Expression, Refusal> {
    let pattern = Parameter::Text(Some(pattern::normal(pattern, escape, ignore_case)?));
    if pattern.has_nul() {
        return Err(nul());
    }
    let form = match ignore_case {
        true => "(pg_catalog.lower({0}) LIKE {1})",
        false => "({0} LIKE {1})",
    };
    let pattern = Expression::parameter(Type::Text, pattern);
    Ok(Expression::of(Type::Boolean, form, &[&bytewise(value), &pattern]))
}
