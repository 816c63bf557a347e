//! The dialects, and how each writes types, names and places of parameters.

use pointillist_plan::Type;

use crate::Parameter;

/// Whose SQL it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL 13 and later, in a database of UTF-8.
    Postgres,
    /// Spark SQL 4.0 and later, ANSI mode on or off.
    Spark,
}

impl Dialect {
    /// What a name stands in.
    pub(crate) fn quote(self) -> char {
        match self {
            Self::Postgres => '"',
            Self::Spark => '`',
        }
    }

    /// A type.
    pub(crate) fn type_name(self, kind: Type) -> &'static str {
        match (self, kind) {
            (_, Type::Boolean) => "boolean",
            (Self::Postgres, Type::Integer) => "int8",
            (Self::Spark, Type::Integer) => "bigint",
            (Self::Postgres, Type::Number) => "float8",
            (Self::Spark, Type::Number) => "double",
            (Self::Postgres, Type::Text) => "text",
            (Self::Spark, Type::Text) => "string",
            (_, Type::Date) => "date",
            (Self::Postgres, Type::Timestamp) => "timestamp",
            (Self::Spark, Type::Timestamp) => "timestamp_ntz",
        }
    }

    /// The place of a parameter; PostgreSQL is told its type there, Spark beside the value.
    pub(crate) fn place(self, number: usize, parameter: &Parameter) -> String {
        if self == Self::Spark {
            return match parameter {
                Parameter::Whole(_) => "cast(? as decimal(38,0))".to_owned(),
                _ => "?".to_owned(),
            };
        }
        let (kind, list) = match parameter {
            Parameter::Boolean(_) => (Type::Boolean, ""),
            Parameter::Integer(_) => (Type::Integer, ""),
            Parameter::Number(_) => (Type::Number, ""),
            Parameter::Text(_) => (Type::Text, ""),
            Parameter::Date(_) => (Type::Date, ""),
            Parameter::Timestamp(_) => (Type::Timestamp, ""),
            Parameter::Whole(_) => return format!("${number}::text::numeric"),
            Parameter::List(kind, _) => (*kind, "[]"),
        };
        format!("${number}::{}{list}", self.type_name(kind))
    }

    /// What keeps an optimizer from merging a subquery into the one around it, so that what it names is computed once.
    pub(crate) fn fence(self) -> &'static str {
        match self {
            Self::Postgres => " OFFSET 0",
            Self::Spark => "",
        }
    }

    /// The engine in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Spark => "Spark",
        }
    }
}
