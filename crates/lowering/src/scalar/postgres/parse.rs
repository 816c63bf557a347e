//! Text as a truth value, a number, a day or a moment; NULL where it is none.
//!
//! **Total.** PostgreSQL's input functions raise on what they cannot read, and read more than the language does (`infinity`,
//! `epoch`, `0x10`, `24:00`). A text is cast only where an expression of the grammar has matched the same text, and
//! where its size has been looked at: whole numbers through `numeric`, which holds 10,000 digits; days by the lengths of
//! months; numbers by the power of ten of their first digit.
//! **Numbers.** `float8` raises on 1e400 and on 1e-400, and `numeric` on 1e200000. Let the first digit other than zero stand
//! for 10^lead. Below 10^-330 the value is zero and above 10^310 there is none; between, a text of 10,000 bytes has at
//! most 10,400 decimals, which `numeric` holds exactly (16,383), and its value is compared with 2^-1075, up to which it is
//! zero, and 2^1024 − 2^970, from which on there is none.

use pointillist_numbers::UBig;
use pointillist_plan::Type;

use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Parameter, Refusal};

/// Without the white space that PostgreSQL skips.
const BARE: &str = "pg_catalog.btrim(({0} COLLATE \"C\"), E' \\t\\n\\r\\x0b\\x0c')";

/// `2026-12-31`, `2026-12-31 23:59`, `2026-12-31T23:59:59.5`. Months and days are looked at apart.
const MOMENT: &str = "'^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\
    ([ Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?$'";
/// A leap year, and the dash behind it.
const LEAP: &str = "'^([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-'";
const NUMBER: &str = "'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'";

pub(super) fn boolean(value: &Expression) -> Expression {
    let bare = Expression::of(Type::Text, BARE, &[value]);
    let form = "CASE pg_catalog.lower({0}) \
        WHEN 't' THEN true WHEN 'tr' THEN true WHEN 'tru' THEN true WHEN 'true' THEN true \
        WHEN 'y' THEN true WHEN 'ye' THEN true WHEN 'yes' THEN true WHEN 'on' THEN true WHEN '1' THEN true \
        WHEN 'f' THEN false WHEN 'fa' THEN false WHEN 'fal' THEN false WHEN 'fals' THEN false \
        WHEN 'false' THEN false WHEN 'n' THEN false WHEN 'no' THEN false WHEN 'of' THEN false \
        WHEN 'off' THEN false WHEN '0' THEN false END";
    Expression::of(Type::Boolean, form, &[&bare])
}

pub(super) fn integer(stage: &mut Stage, value: Expression) -> Result<Expression, Refusal> {
    let bare = stage.name(Expression::of(Type::Text, BARE, &[&value]))?;
    let form = "CASE WHEN {0} ~ '^[+-]?[0-9]+$' THEN CASE WHEN {0}::numeric \
        BETWEEN '-9223372036854775808'::numeric AND '9223372036854775807'::numeric THEN {0}::numeric::int8 END END";
    Ok(Expression::of(Type::Integer, form, &[&bare]))
}

/// A day or a moment.
pub(super) fn moment(stage: &mut Stage, value: Expression, kind: Type) -> Result<Expression, Refusal> {
    let bare = stage.name(Expression::of(Type::Text, BARE, &[&value]))?;
    let read = match kind {
        Type::Date => "pg_catalog.substr({0}, 1, 10)::date",
        _ => "(pg_catalog.substr({0}, 1, 10) || ' ' || pg_catalog.substr({0}, 12))::timestamp",
    };
    let read = Sql::form(read, &[&bare.sql]);
    let sql = Sql::form(
        "CASE WHEN {0} ~ {1} AND {0} !~ '^0000' AND {0} !~ '^.....(02-3|0[469]-31|11-31)' \
         AND ({0} !~ '^.....02-29' OR {0} ~ {2}) THEN {3} END",
        &[&bare.sql, &Sql::words(MOMENT), &Sql::words(LEAP), &read],
    );
    Ok(Expression::new(kind, sql, &[&bare]))
}

pub(super) fn number(stage: &mut Stage, value: Expression) -> Result<Expression, Refusal> {
    let text = |form, operands: &[&Expression]| Expression::of(Type::Text, form, operands);
    let bare = stage.name(text(BARE, &[&value]))?;
    let grammar = Expression::new(Type::Text, Sql::words(NUMBER), &[]);
    // What is no number is NULL from here on, and so is all that is made of it.
    let form = "CASE WHEN pg_catalog.octet_length({0}) <= 10000 AND {0} ~ {1} THEN {0} END";
    let written = stage.name(text(form, &[&bare, &grammar]))?;
    let lower = text("pg_catalog.lower({0})", &[&written]);
    let digits = text("pg_catalog.ltrim(pg_catalog.split_part({0}, 'e', 1), '+-')", &[&lower]);
    let before = stage.name(text("pg_catalog.ltrim(pg_catalog.split_part({0}, '.', 1), '0')", &[&digits]))?;
    let behind = stage.name(text("pg_catalog.split_part({0}, '.', 2)", &[&digits]))?;
    let exponent = stage.name(text("pg_catalog.split_part({0}, 'e', 2)", &[&lower]))?;
    let significant = stage.name(text("pg_catalog.ltrim({0}, '+-0')", &[&exponent]))?;
    let is_zero =
        Expression::of(Type::Boolean, "({0} = '' AND pg_catalog.ltrim({1}, '0') = '')", &[&before, &behind]);
    // An exponent of seven digits is beyond what 10,000 digits could make up for.
    let lead = stage.name(Expression::of(
        Type::Integer,
        "(CASE WHEN pg_catalog.char_length({0}) > 6 THEN 1000000 WHEN {0} = '' THEN 0 ELSE {0}::int4 END \
         * CASE WHEN pg_catalog.starts_with({1}, '-') THEN -1 ELSE 1 END \
         + CASE WHEN {2} <> '' THEN pg_catalog.char_length({2}) - 1 \
         ELSE pg_catalog.char_length(pg_catalog.ltrim({3}, '0')) - pg_catalog.char_length({3}) - 1 END)",
        &[&significant, &exponent, &before, &behind],
    ))?;
    let exact = stage.name(Expression::of(
        Type::Number,
        "(CASE WHEN {0} BETWEEN -330 AND 310 THEN {1} END)::numeric",
        &[&lead, &written],
    ))?;
    let form = "CASE WHEN {0} OR {1} < -330 OR pg_catalog.abs({2}) <= {3} THEN 0 \
        ELSE (CASE WHEN pg_catalog.abs({2}) > {3} AND pg_catalog.abs({2}) < {4} THEN {2} END)::float8 END";
    let (least, end) = (
        format!("{}e-1075", UBig::from(5u8).pow(1075)),
        ((UBig::ONE << 1024) - (UBig::ONE << 970)).to_string(),
    );
    let decimal =
        |digits: String| Sql::form("{0}::numeric", &[&Sql::parameter(Parameter::Text(Some(digits)))]);
    let sql = Sql::form(form, &[&is_zero.sql, &lead.sql, &exact.sql, &decimal(least), &decimal(end)]);
    Ok(Expression::new(Type::Number, sql, &[&is_zero, &lead, &exact]))
}
