//! A value in another type, in Spark; NULL where it has none there. The table of casts is in `engine/src/evaluate/cast.rs`.
//!
//! Text is matched with a pattern of ours before it is read, because Spark reads more (`1d`, `0x1p3`, `inf`, `2026-1-1`,
//! zones). The patterns give back nothing that they have taken (`++`, `?+`), so matching takes time in proportion to the text.

use pointillist_plan::Type;

use super::arithmetic::finite;
use super::null;
use super::text;
use crate::Refusal;
use crate::stage::Expression;

pub(super) fn lower(value: Expression, to: Type) -> Result<Expression, Refusal> {
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    let form = match (value.kind, to) {
        (from, to) if from == to => return Ok(value),
        (Boolean, Integer) => "CAST({0} AS BIGINT)",
        (Boolean | Integer, Number) => "CAST({0} AS DOUBLE)",
        (Integer, Boolean) => "({0} <> 0L)",
        (Number, Boolean) => "({0} <> 0D)",
        // Half to even; the bare cast cuts, and saturates or raises by mode.
        (Number, Integer) => {
            "CAST(transform(array({0}), x -> \
             CASE WHEN x >= -9223372036854775808D AND x < 9223372036854775808D THEN rint(x) END)[0] AS BIGINT)"
        }
        (Date, Timestamp) => "CAST({0} AS TIMESTAMP_NTZ)",
        (Timestamp, Date) => "CAST({0} AS DATE)",
        (Number, Text) => {
            return Err(Refusal::new(
                "Spark does not write numbers as text with the fewest digits that mean them",
                "round the number to whole ones, or group it by WIDTH_BUCKET, before it becomes text",
            ));
        }
        (Boolean | Integer | Date | Timestamp, Text) => "CAST({0} AS STRING)",
        (Text, Boolean) => return Ok(truth(value)),
        (Text, Integer) => {
            let form = "transform(array({0}), x -> \
                 CASE WHEN x RLIKE '\\\\A[+-]?+[0-9]++\\\\z' THEN try_cast(x AS BIGINT) END)[0]";
            return Ok(Expression::of(to, form, &[&bare(value)]));
        }
        (Text, Number) => {
            let form = "transform(array({0}), x -> CASE WHEN x RLIKE \
                 '\\\\A[+-]?+(?>[0-9]++(?>[.][0-9]*+)?+|[.][0-9]++)(?>[eE][+-]?+[0-9]++)?+\\\\z' \
                 THEN try_cast(x AS DOUBLE) END)[0]";
            return Ok(finite(Expression::of(to, form, &[&bare(value)])));
        }
        (Text, Date) => return Ok(Expression::of(to, DATE, &[&bare(value)])),
        (Text, Timestamp) => return Ok(Expression::of(to, TIMESTAMP, &[&bare(value)])),
        (Boolean | Integer | Number, Date | Timestamp) | (Date | Timestamp, Boolean | Integer | Number) => {
            return Ok(null(to));
        }
        (Boolean, Boolean) | (Integer, Integer) | (Number, Number) => return Ok(value),
        (Text, Text) | (Date, Date) | (Timestamp, Timestamp) => return Ok(value),
    };
    Ok(Expression::of(to, form, &[&value]))
}

/// Without the white space that is skipped.
fn bare(value: Expression) -> Expression {
    Expression::of(Type::Text, "trim(BOTH ' \\t\\n\\r\\u000b\\u000c' FROM {0})", &[&value])
}

fn truth(value: Expression) -> Expression {
    let word = Expression::of(Type::Text, text::LOWER, &[&bare(value)]);
    Expression::of(
        Type::Boolean,
        "transform(array({0}), x -> \
         CASE WHEN x IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1') THEN true \
         WHEN x IN ('f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0') THEN false END)[0]",
        &[&word],
    )
}

// A day, perhaps with a time of at most six places. Whether the month has the day is for the cast to say.
const DATE: &str = "transform(array({0}), x -> CASE WHEN x RLIKE \
     '\\\\A(?!0000)[0-9][0-9][0-9][0-9]-(?>0[1-9]|1[0-2])-(?>0[1-9]|[12][0-9]|3[01])\
     (?>[ Tt](?>[01][0-9]|2[0-3]):[0-5][0-9](?>:[0-5][0-9](?>[.][0-9][0-9]?+[0-9]?+[0-9]?+[0-9]?+[0-9]?+)?+)?+)?+\\\\z' \
     THEN try_cast(substring(x, 1, 10) AS DATE) END)[0]";
const TIMESTAMP: &str = "transform(array({0}), x -> CASE WHEN x RLIKE \
     '\\\\A(?!0000)[0-9][0-9][0-9][0-9]-(?>0[1-9]|1[0-2])-(?>0[1-9]|[12][0-9]|3[01])\
     (?>[ Tt](?>[01][0-9]|2[0-3]):[0-5][0-9](?>:[0-5][0-9](?>[.][0-9][0-9]?+[0-9]?+[0-9]?+[0-9]?+[0-9]?+)?+)?+)?+\\\\z' \
     THEN try_cast(concat(substring(x, 1, 10), CASE WHEN char_length(x) > 10 \
     THEN concat(' ', substring(x, 12)) ELSE '' END) AS TIMESTAMP_NTZ) END)[0]";
