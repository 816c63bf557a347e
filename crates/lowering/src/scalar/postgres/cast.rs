//! A value in another type; what has no value there is NULL. Reading text is in `parse.rs`.

use pointillist_plan::Type;

use super::{null, parse};
use crate::Refusal;
use crate::stage::{Expression, Stage};

pub(super) fn cast(stage: &mut Stage, value: Expression, to: Type) -> Result<Expression, Refusal> {
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    let form = match (value.kind, to) {
        (from, to) if from == to => return Ok(value),
        (Boolean, Integer) => "{0}::int4::int8",
        (Boolean, Number) => "{0}::int4::float8",
        (Integer | Number, Boolean) => "({0} <> 0)",
        (Integer, Number) => "{0}::float8",
        (Number, Integer) => {
            // Half to even in both. No float lies between 2^63 − 1/2 and 2^63.
            let value = stage.name(value)?;
            let form = "(CASE WHEN {0} >= '-9223372036854775808'::float8 \
                        AND {0} < '9223372036854775808'::float8 THEN {0} END)::int8";
            return Ok(Expression::of(to, form, &[&value]));
        }
        (Date, Timestamp) => "{0}::timestamp",
        (Timestamp, Date) => "{0}::date",
        // Both write the fewest digits that mean the number, but not always the same: 101390447851464.125 is as near to
        // ….12 as to ….13, and PostgreSQL passes over 6.94377810124327e16, which is in the middle between two numbers.
        (Number, Text) => {
            return Err(Refusal::new(
                "PostgreSQL writes some numbers with other digits",
                "cast a number with a fraction to a whole number first, or use the number itself",
            ));
        }
        (Boolean | Integer | Date | Timestamp, Text) => "{0}::text",
        (Text, Boolean) => return Ok(parse::boolean(&value)),
        (Text, Integer) => return parse::integer(stage, value),
        (Text, Number) => return parse::number(stage, value),
        (Text, Date | Timestamp) => return parse::moment(stage, value, to),
        (Boolean | Integer | Number, Date | Timestamp) => return Ok(null(to)),
        (Date | Timestamp, Boolean | Integer | Number) => return Ok(null(to)),
        (Boolean, Boolean) | (Integer, Integer) | (Number, Number) => return Ok(value),
        (Text, Text) | (Date, Date) | (Timestamp, Timestamp) => return Ok(value),
    };
    Ok(Expression::of(to, form, &[&value]))
}
