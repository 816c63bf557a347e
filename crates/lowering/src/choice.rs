//! Which groups of a person are kept, in a dialect's arithmetic: the ranks of [`ChoiceKey`].
//!
//! **What rests on it.** Agreement between engines and fairness, never privacy (`engine/src/choice_key.rs`): whatever these
//! expressions say, a person's groups are numbered one by one, and so many of them are kept as were paid for. Numbers that are
//! equal are told apart by the key, so no two groups share a place.

use pointillist_engine::ChoiceKey;
use pointillist_plan::Type;

use crate::reading::OwnerForm;
use crate::sql::Sql;
use crate::{Dialect, Parameter, Refusal};

fn number(value: u64) -> Sql {
    // Below 2^31.
    Sql::parameter(Parameter::Integer(Some(value.cast_signed())))
}

/// What a person and the group of these keys have together, for the person in column `o`: the number whose fifth power is the rank.
pub(crate) fn sum(
    dialect: Dialect,
    key: &ChoiceKey,
    owner: OwnerForm,
    keys: &[Type],
) -> Result<Sql, Refusal> {
    let o = Sql::words("o");
    let person = match owner {
        OwnerForm::Whole => word_hash(dialect, &key.owner_numbers(), &o),
        OwnerForm::Text => text_hash(dialect, key.owner_salt(), &o),
    };
    let mut parts = Vec::new();
    for (position, kind) in keys.iter().enumerate() {
        parts.push(part_hash(dialect, key, &Sql::own("k", position), *kind)?);
    }
    let [left, right, added] = key.pair_numbers().map(number);
    let group = parts.into_iter().reduce(|sofar, part| {
        Sql::form("(({0} * {2} + {1} * {3} + {4}) % 2147483647)", &[&sofar, &part, &left, &right, &added])
    });
    Ok(match group {
        Some(group) => Sql::form("(({0} + {1}) % 2147483647)", &[&person, &group]),
        None => Sql::words("0"),
    })
}

/// The rank, given that number as a column.
pub(crate) fn rank(sum: &Sql) -> Sql {
    let square = Sql::form("({0} * {0} % 2147483647)", &[sum]);
    Sql::form("({0} * {0} % 2147483647 * {1} % 2147483647)", &[&square, sum])
}

/// The hash of a part of a key.
fn part_hash(dialect: Dialect, key: &ChoiceKey, part: &Sql, kind: Type) -> Result<Sql, Refusal> {
    let hash = match kind {
        Type::Text => text_hash(dialect, key.group_salt(), part),
        _ => word_hash(dialect, &key.group_numbers(), &word(dialect, part, kind)?),
    };
    Ok(Sql::form("coalesce({0}, {1})", &[&hash, &number(key.null_hash())]))
}

/// A value as the 64 bits that stand for it.
fn word(dialect: Dialect, value: &Sql, kind: Type) -> Result<Sql, Refusal> {
    let form = match (dialect, kind) {
        (_, Type::Integer | Type::Text) => "{0}",
        (Dialect::Postgres, Type::Boolean) => "{0}::int4::int8",
        (Dialect::Spark, Type::Boolean) => "CAST({0} AS BIGINT)",
        (Dialect::Postgres, Type::Date) => "({0} - '1970-01-01'::date)::int8",
        (Dialect::Spark, Type::Date) => "CAST(unix_date({0}) AS BIGINT)",
        // A day's seconds in floats are exact to the microsecond; those since 1970, which PostgreSQL 13 has as floats, are not.
        (Dialect::Postgres, Type::Timestamp) => {
            "(({0}::date - '1970-01-01'::date)::int8 * 86400000000 + pg_catalog.round(pg_catalog.date_part('epoch', {0}::time) * 1000000::float8)::int8)"
        }
        (Dialect::Spark, Type::Timestamp) => "unix_micros(CAST({0} AS TIMESTAMP))",
        (Dialect::Postgres, Type::Number) => {
            "('x' || pg_catalog.encode(pg_catalog.float8send({0}), 'hex'))::bit(64)::int8"
        }
        (Dialect::Spark, Type::Number) => {
            return Err(Refusal::new(
                "groups by numbers with fractions cannot be chosen on Spark",
                "group by a rounded or cut number as a whole number, or by WIDTH_BUCKET",
            ));
        }
    };
    Ok(Sql::form(form, &[value]))
}

fn word_hash(dialect: Dialect, numbers: &[u64; 4], word: &Sql) -> Sql {
    let [low, middle, high, added] = numbers.map(number);
    let form = match dialect {
        Dialect::Postgres => {
            "((({0} & 2147483647) * {1} + ((({0} >> 31) & 2147483647) * {2} + (({0} >> 62) & 3) * {3} + {4}) % 2147483647) % 2147483647)"
        }
        Dialect::Spark => {
            "((({0} & 2147483647L) * {1} + ((shiftright({0}, 31) & 2147483647L) * {2} + (shiftright({0}, 62) & 3L) * {3} + {4}) % 2147483647L) % 2147483647L)"
        }
    };
    Sql::form(form, &[word, &low, &middle, &high, &added])
}

fn text_hash(dialect: Dialect, salt: String, text: &Sql) -> Sql {
    let salt = Sql::parameter(Parameter::Text(Some(salt)));
    let form = match dialect {
        Dialect::Postgres => {
            "(('x' || pg_catalog.substr(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to({1} || {0}, 'UTF8')), 'hex'), 1, 8))::bit(32)::int8 % 2147483647)"
        }
        Dialect::Spark => {
            "(CAST(conv(substring(sha2(concat({1}, {0}), 256), 1, 8), 16, 10) AS BIGINT) % 2147483647L)"
        }
    };
    Sql::form(form, &[text, &salt])
}
