//! Functions of text in Spark. Positions and lengths count code points; case and spaces are ASCII's.

use pointillist_plan::{Function, Type};

use super::{formed, listed, misfit};
use crate::stage::Expression;
use crate::{Parameter, Refusal};

pub(super) fn lower(function: Function, operands: &[Expression]) -> Result<Expression, Refusal> {
    use Type::{Boolean, Integer, Text};
    match function {
        Function::Lower => formed(Text, LOWER, operands),
        Function::Upper => formed(Text, UPPER, operands),
        Function::Trim => formed(Text, "trim(BOTH ' ' FROM {0})", operands),
        Function::Length => formed(Integer, "CAST(char_length({0}) AS BIGINT)", operands),
        Function::Substring if operands.len() == 2 => formed(Text, BEHIND, operands),
        Function::Substring => formed(Text, BETWEEN, operands),
        Function::Concat => Ok(concat(operands)),
        Function::StartsWith => formed(Boolean, "startswith({0}, {1})", operands),
        Function::Position => formed(Integer, "CAST(instr({0}, {1}) AS BIGINT)", operands),
        _ => Err(misfit()),
    }
}

/// `lower` would change letters beyond ASCII.
pub(super) const LOWER: &str = "translate({0}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')";
const UPPER: &str = "translate({0}, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')";

/// From a position on; those before the first count and are empty. No text is as long as the ends that positions get here.
const BEHIND: &str = "transform(array(struct({0} AS a, {1} AS b)), r -> CASE WHEN r.b IS NOT NULL THEN \
     substring(r.a, CAST(least(greatest(r.b, 1L), 1000000000L) AS INT)) END)[0]";
/// The same up to the position b + c, which saturates. The difference of two positions from one on always fits.
const BETWEEN: &str = "transform(array(struct({0} AS a, {1} AS b, {2} AS c)), r -> \
     CASE WHEN r.b IS NOT NULL AND r.c >= 0L THEN \
     substring(r.a, CAST(least(greatest(r.b, 1L), 1000000000L) AS INT), \
     CAST(greatest(least(greatest(coalesce(try_add(r.b, r.c), 9223372036854775807L), 1L) - greatest(r.b, 1L), \
     1000000000L), 0L) AS INT)) END)[0]";

/// One after the other, NULL as nothing; cut to 10,000 bytes, between characters: behind the last byte that a byte follows
/// which continues no character. The cast to text does not look at the bytes, which are whole characters.
fn concat(operands: &[Expression]) -> Expression {
    if operands.is_empty() {
        return Expression::parameter(Type::Text, Parameter::Text(Some(String::new())));
    }
    let joined = listed(Type::Text, "concat_ws('', {0})", operands, ", ");
    Expression::of(
        Type::Text,
        "transform(array({0}), x -> CASE WHEN octet_length(x) <= 10000 THEN x ELSE \
         transform(array(CAST(x AS BINARY)), y -> CAST(substring(y, 1, CASE \
         WHEN substring(y, 10001, 1) < X'80' OR substring(y, 10001, 1) >= X'C0' THEN 10000 \
         WHEN substring(y, 10000, 1) < X'80' OR substring(y, 10000, 1) >= X'C0' THEN 9999 \
         WHEN substring(y, 9999, 1) < X'80' OR substring(y, 9999, 1) >= X'C0' THEN 9998 \
         ELSE 9997 END) AS STRING))[0] END)[0]",
        &[&joined],
    )
}
