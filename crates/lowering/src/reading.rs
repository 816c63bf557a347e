//! Columns of a server as the types of the language.
//!
//! **Guarantee.** Reading is total and row by row: whatever a column of a type that is read holds (NaN, infinities, decimals of
//! thousands of digits, days before the year 1), what comes out is a value of the declared type or NULL, as the embedded
//! readers make it of the same column in a file (`engine/src/read`). Types that are not read are refused by name.
//! **Bounds.** A column with declared bounds takes what is beyond its type to the nearest end of the type, and one without
//! them makes it NULL. Bounds themselves change no value that is read.
//! **Text as something else.** A text column that is declared as numbers, truth values or days is refused: what files say
//! there is parsed by rules that no server has.

use pointillist_catalog::{ColumnType, calendar};
use pointillist_plan::{Type, type_of_column};

use crate::sql::Sql;
use crate::{Dialect, Parameter, Refusal, Stored};

/// The longest text that is read, in bytes.
const TEXT_MAX: &str = "10000";

/// A column as its declared type.
pub(crate) fn read(
    dialect: Dialect,
    name: &str,
    column: &Sql,
    stored: &Stored,
    declared: &ColumnType,
) -> Result<Sql, Refusal> {
    let read = match dialect {
        Dialect::Postgres => postgres(column, stored, declared),
        Dialect::Spark => spark(column, stored, declared),
    };
    read.ok_or_else(|| {
        Refusal::new(
            format!(
                "column `{name}` is stored as {} and declared as {}, which {} cannot read faithfully",
                stored.words(),
                type_of_column(declared).words(),
                dialect.word()
            ),
            "declare the column as what it is stored as, or store it in another type",
        )
    })
}

/// Whether a column can be read as its declared type; without one, whether it can say whose row it is.
///
/// # Errors
/// When it cannot, by name.
pub fn check_column(
    dialect: Dialect,
    name: &str,
    stored: &Stored,
    declared: Option<&ColumnType>,
) -> Result<(), Refusal> {
    match declared {
        Some(declared) => read(dialect, name, &Sql::words("t"), stored, declared).map(drop),
        None => named_by(name, stored).map(drop),
    }
}

/// How people are known who are named by a column.
pub(crate) fn named_by(column: &str, stored: &Stored) -> Result<OwnerForm, Refusal> {
    OwnerForm::of(stored).ok_or_else(|| {
        Refusal::new(
            format!("people are not named by `{column}`, which is stored as {}", stored.words()),
            "name them by whole numbers, texts or UUIDs",
        )
    })
}

/// What is said of a declared type: whether values beyond it go to its ends.
fn is_bounded(declared: &ColumnType) -> bool {
    match declared {
        ColumnType::Integer { bounds } => bounds.is_some(),
        ColumnType::Number { bounds, .. } => bounds.is_some(),
        ColumnType::Date { bounds } => bounds.is_some(),
        ColumnType::Timestamp { bounds } => bounds.is_some(),
        ColumnType::Boolean | ColumnType::Text => false,
    }
}

fn day(value: i32) -> Sql {
    Sql::parameter(Parameter::Date(Some(value)))
}

fn moment(value: i64) -> Sql {
    Sql::parameter(Parameter::Timestamp(Some(value)))
}

fn postgres(column: &Sql, stored: &Stored, declared: &ColumnType) -> Option<Sql> {
    let form = |form: &'static str| Some(Sql::form(form, &[column]));
    let bounded = is_bounded(declared);
    match (type_of_column(declared), stored) {
        (Type::Boolean, Stored::Boolean) => form("{0}"),
        (Type::Integer, Stored::Whole) => form("{0}::int8"),
        (Type::Integer, Stored::Single | Stored::Double) => {
            // Halves away from zero; trunc is exact, and so is what is left of a double.
            let nearest = Sql::form(
                "(pg_catalog.trunc({0}::float8) + CASE WHEN pg_catalog.abs({0}::float8 - pg_catalog.trunc({0}::float8)) >= 0.5 THEN pg_catalog.sign({0}::float8) ELSE 0 END)",
                &[column],
            );
            let whole = "CASE WHEN {1} >= -9223372036854775808::float8 AND {1} < 9223372036854775808::float8 THEN {1}::int8 END";
            Some(match bounded {
                false => Sql::form(
                    "CASE WHEN {0}::float8 > '-Infinity'::float8 AND {0}::float8 < 'Infinity'::float8 THEN {1} END",
                    &[column, &Sql::form(whole, &[column, &nearest])],
                ),
                // Infinities have no fraction to be rounded; they are decided before.
                true => Sql::form(
                    "CASE WHEN {0}::float8 = 'NaN'::float8 THEN NULL WHEN {0}::float8 >= 9223372036854775808::float8 THEN 9223372036854775807 WHEN {0}::float8 < -9223372036854775808::float8 THEN (-9223372036854775808)::int8 ELSE {1} END",
                    &[column, &Sql::form(whole, &[column, &nearest])],
                ),
            })
        }
        (Type::Integer, Stored::Decimal) => Some(Sql::form(
            match bounded {
                true => {
                    "CASE WHEN {0} <> 'NaN'::numeric THEN pg_catalog.numeric_larger(pg_catalog.numeric_smaller({0}, 9223372036854775807), -9223372036854775808)::int8 END"
                }
                false => {
                    "CASE WHEN {0} > -9223372036854775808.5 AND {0} < 9223372036854775807.5 THEN pg_catalog.round(pg_catalog.numeric_larger(pg_catalog.numeric_smaller({0}, 9223372036854775807), -9223372036854775808))::int8 END"
                }
            },
            &[column],
        )),
        (Type::Number, Stored::Whole) => form("{0}::float8"),
        (Type::Number, Stored::Single | Stored::Double) => match bounded {
            false => form(
                "CASE WHEN {0}::float8 >= -1.7976931348623157e308::float8 AND {0}::float8 <= 1.7976931348623157e308::float8 THEN {0}::float8 + 0.0 END",
            ),
            true => form(
                "CASE WHEN {0}::float8 <> 'NaN'::float8 THEN pg_catalog.float8larger(pg_catalog.float8smaller({0}::float8, 1.7976931348623157e308), -1.7976931348623157e308) + 0.0 END",
            ),
        },
        (Type::Number, Stored::Decimal) => {
            let [tiny, huge] = float_ends();
            Some(Sql::form(
                match bounded {
                    true => {
                        "CASE WHEN {0} = 'NaN'::numeric THEN NULL WHEN {0} >= {2}::numeric THEN 1.7976931348623157e308::float8 WHEN {0} <= -({2}::numeric) THEN -1.7976931348623157e308::float8 WHEN pg_catalog.abs({0}) <= {1}::numeric THEN 0::float8 ELSE {0}::float8 END"
                    }
                    false => {
                        "CASE WHEN {0} = 'NaN'::numeric OR {0} >= {2}::numeric OR {0} <= -({2}::numeric) THEN NULL WHEN pg_catalog.abs({0}) <= {1}::numeric THEN 0::float8 ELSE {0}::float8 END"
                    }
                },
                &[column, &tiny, &huge],
            ))
        }
        (Type::Text, Stored::Text) => Some(postgres_cut(column)),
        (Type::Text, Stored::Padded) => Some(postgres_cut(&Sql::form("{0}::text", &[column]))),
        (Type::Text, Stored::Label | Stored::Uuid) => Some(postgres_cut(&printed(column))),
        (Type::Date, Stored::Date) => {
            let [first, last] = [calendar::DAYS.0, calendar::DAYS.1].map(day);
            Some(match bounded {
                true => Sql::form(
                    "pg_catalog.date_larger(pg_catalog.date_smaller({0}, {2}), {1})",
                    &[column, &first, &last],
                ),
                false => {
                    Sql::form("CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} END", &[column, &first, &last])
                }
            })
        }
        (Type::Timestamp, Stored::Timestamp) => Some(postgres_moment(column, bounded)),
        (Type::Timestamp, Stored::ZonedTimestamp) => {
            Some(postgres_moment(&Sql::form("({0} AT TIME ZONE 'UTC')", &[column]), bounded))
        }
        _ => None,
    }
}

fn postgres_moment(column: &Sql, bounded: bool) -> Sql {
    let [first, last] = [calendar::MOMENTS.0, calendar::MOMENTS.1].map(moment);
    match bounded {
        true => Sql::form(
            "pg_catalog.timestamp_larger(pg_catalog.timestamp_smaller({0}, {2}), {1})",
            &[column, &first, &last],
        ),
        false => Sql::form("CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} END", &[column, &first, &last]),
    }
}

/// Half of the least float, which is zero; and the least decimal that no float is next to. As decimals.
fn float_ends() -> [Sql; 2] {
    let text = |value: &pointillist_numbers::Rational| pointillist_numbers::decimal_upper(value, 1100);
    let two = pointillist_numbers::Rational::power_of_two;
    let (tiny, huge) = (two(-1075), two(1024) - two(970));
    [tiny, huge].map(|end| Sql::parameter(Parameter::Text(Some(text(&end)))))
}

/// As much of a text as is kept, in whole characters, compared byte by byte. A text that is longer is cut to 10,001 characters
/// first, which are more bytes than are kept: a server copies texts to look at their bytes, and one of a gigabyte must not
/// decide whether there is memory for it.
fn postgres_cut(text: &Sql) -> Sql {
    let bytes = Sql::form("pg_catalog.convert_to(pg_catalog.left({0}, 10001), 'UTF8')", &[text]);
    let form = "(CASE WHEN pg_catalog.octet_length({0}) <= 10000 THEN {0} ELSE pg_catalog.convert_from(pg_catalog.substr({1}, 1, \
CASE WHEN pg_catalog.get_byte({1}, 10000) & 192 <> 128 THEN 10000 \
WHEN pg_catalog.get_byte({1}, 9999) & 192 <> 128 THEN 9999 \
WHEN pg_catalog.get_byte({1}, 9998) & 192 <> 128 THEN 9998 ELSE 9997 END), 'UTF8') END) COLLATE \"C\"";
    debug_assert!(form.contains(TEXT_MAX));
    Sql::form(form, &[text, &bytes])
}

fn spark(column: &Sql, stored: &Stored, declared: &ColumnType) -> Option<Sql> {
    let form = |form: &'static str| Some(Sql::form(form, &[column]));
    let bounded = is_bounded(declared);
    match (type_of_column(declared), stored) {
        (Type::Boolean, Stored::Boolean) => form("{0}"),
        (Type::Integer, Stored::Whole) => form("CAST({0} AS BIGINT)"),
        // Halves away from zero; from 2^52 on all numbers are whole. NaN is larger than all numbers, and whatever is rounded or
        // cast is cut to what fits before. The float below 2^63 is 9223372036854774784.
        (Type::Integer, Stored::Single | Stored::Double) => {
            let nearest = "CASE WHEN abs(CAST({0} AS DOUBLE)) < 4503599627370496D THEN \
CASE WHEN CAST({0} AS DOUBLE) < 0D THEN -1L ELSE 1L END * (CAST(floor(least(abs(CAST({0} AS DOUBLE)), 4503599627370496D)) AS BIGINT) \
+ CASE WHEN abs(CAST({0} AS DOUBLE)) - CAST(floor(least(abs(CAST({0} AS DOUBLE)), 4503599627370496D)) AS DOUBLE) >= 0.5D THEN 1L ELSE 0L END) \
WHEN CAST({0} AS DOUBLE) >= -9223372036854775808D AND CAST({0} AS DOUBLE) < 9223372036854775808D \
THEN CAST(greatest(least(CAST({0} AS DOUBLE), 9223372036854774784D), -9223372036854775808D) AS BIGINT) END";
            let nearest = Sql::form(nearest, &[column]);
            Some(match bounded {
                false => nearest,
                true => Sql::form(
                    "CASE WHEN isnan(CAST({0} AS DOUBLE)) THEN NULL WHEN CAST({0} AS DOUBLE) >= 9223372036854775808D THEN 9223372036854775807L WHEN CAST({0} AS DOUBLE) < -9223372036854775808D THEN -9223372036854775807L - 1L ELSE {1} END",
                    &[column, &nearest],
                ),
            })
        }
        (Type::Integer, Stored::Decimal) => Some(Sql::form(
            match bounded {
                // One digit more than the scale of any decimal: the comparison is of decimals, and exact.
                true => {
                    "CASE WHEN {0} >= 9223372036854775807 THEN 9223372036854775807L WHEN {0} <= -9223372036854775808 THEN -9223372036854775807L - 1L ELSE CAST(round({0}) AS BIGINT) END"
                }
                false => {
                    "CASE WHEN {0} > -9223372036854775808.5 AND {0} < 9223372036854775807.5 THEN CAST(round({0}) AS BIGINT) END"
                }
            },
            &[column],
        )),
        (Type::Number, Stored::Whole) => form("CAST({0} AS DOUBLE)"),
        (Type::Number, Stored::Decimal) => form("CAST({0} AS DOUBLE) + 0D"),
        (Type::Number, Stored::Single | Stored::Double) => match bounded {
            false => form(
                "CASE WHEN abs(CAST({0} AS DOUBLE)) <= 1.7976931348623157E308D THEN CAST({0} AS DOUBLE) + 0D END",
            ),
            true => form(
                "CASE WHEN NOT isnan(CAST({0} AS DOUBLE)) AND {0} IS NOT NULL THEN greatest(least(CAST({0} AS DOUBLE), 1.7976931348623157E308D), -1.7976931348623157E308D) + 0D END",
            ),
        },
        (Type::Text, Stored::Text) => form(
            "CASE WHEN octet_length(try_validate_utf8({0})) <= 10000 THEN {0} WHEN octet_length(try_validate_utf8({0})) > 10000 THEN decode(substring(encode({0}, 'utf-8'), 1, \
CASE WHEN hex(substring(encode({0}, 'utf-8'), 10001, 1)) NOT RLIKE '^[89AB]' THEN 10000 \
WHEN hex(substring(encode({0}, 'utf-8'), 10000, 1)) NOT RLIKE '^[89AB]' THEN 9999 \
WHEN hex(substring(encode({0}, 'utf-8'), 9999, 1)) NOT RLIKE '^[89AB]' THEN 9998 ELSE 9997 END), 'utf-8') END",
        ),
        (Type::Date, Stored::Date) => {
            let [first, last] = [calendar::DAYS.0, calendar::DAYS.1].map(day);
            Some(match bounded {
                true => Sql::form(
                    "CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END",
                    &[column, &first, &last],
                ),
                false => {
                    Sql::form("CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} END", &[column, &first, &last])
                }
            })
        }
        (Type::Timestamp, Stored::Timestamp | Stored::ZonedTimestamp) => {
            let [first, last] = [calendar::MOMENTS.0, calendar::MOMENTS.1].map(moment);
            let column = &Sql::form("CAST({0} AS TIMESTAMP_NTZ)", &[column]);
            Some(match bounded {
                true => Sql::form(
                    "CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END",
                    &[column, &first, &last],
                ),
                false => {
                    Sql::form("CASE WHEN {0} >= {1} AND {0} <= {2} THEN {0} END", &[column, &first, &last])
                }
            })
        }
        _ => None,
    }
}

/// How people are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnerForm {
    /// By whole numbers.
    Whole,
    /// By texts.
    Text,
}

impl OwnerForm {
    /// How names that are stored so are known; `None` where nobody may be named by it.
    pub(crate) fn of(stored: &Stored) -> Option<Self> {
        match stored {
            Stored::Whole => Some(Self::Whole),
            Stored::Text | Stored::Label | Stored::Uuid => Some(Self::Text),
            _ => None,
        }
    }

    /// The form that holds names of both.
    pub(crate) fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Text }
    }
}

/// A value as PostgreSQL prints it. Not by a cast: whoever owns a type may have made one to texts, which fails on a row or gives
/// two people one name.
fn printed(column: &Sql) -> Sql {
    Sql::form("CASE WHEN {0} IS NOT NULL THEN pg_catalog.format('%s', {0}) END", &[column])
}

/// A name of a person, exactly: NULL where it is longer than a text may be.
pub(crate) fn owner(dialect: Dialect, column: &Sql, stored: &Stored, form: OwnerForm) -> Sql {
    let written = match (dialect, form, stored) {
        (Dialect::Postgres, OwnerForm::Whole, _) => return Sql::form("{0}::int8", &[column]),
        (Dialect::Spark, OwnerForm::Whole, _) => return Sql::form("CAST({0} AS BIGINT)", &[column]),
        (Dialect::Postgres, OwnerForm::Text, Stored::Text) => column.clone(),
        (Dialect::Postgres, OwnerForm::Text, _) => printed(column),
        (Dialect::Spark, OwnerForm::Text, Stored::Text) => column.clone(),
        (Dialect::Spark, OwnerForm::Text, _) => Sql::form("CAST({0} AS STRING)", &[column]),
    };
    match dialect {
        Dialect::Postgres => Sql::form(
            "(CASE WHEN pg_catalog.octet_length({0}) <= 10000 THEN {0} END) COLLATE \"C\"",
            &[&written],
        ),
        Dialect::Spark => Sql::form("CASE WHEN octet_length({0}) <= 10000 THEN {0} END", &[&written]),
    }
}
