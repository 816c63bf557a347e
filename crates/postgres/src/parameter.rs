//! What a statement is given.
//!
//! Statements say which type they expect (`$1::int8`), and a parameter of another type is an error of ours before anything is
//! sent: nothing is rounded, cut or guessed on the way.

use std::error::Error;
use std::fmt;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::date::{Days, Microseconds};

/// A value, or a list that travels as an array. `None` is NULL.
#[derive(Clone, PartialEq)]
pub enum Parameter {
    /// `bool`.
    Boolean(Option<bool>),
    /// `int8`.
    Integer(Option<i64>),
    /// `float8`.
    Number(Option<f64>),
    /// `text`.
    Text(Option<String>),
    /// `bytea`.
    Bytes(Option<Vec<u8>>),
    /// `date`, in days since 1970.
    Date(Option<i32>),
    /// `timestamp`, in microseconds since 1970.
    Timestamp(Option<i64>),
    /// `bool[]`.
    Booleans(Vec<Option<bool>>),
    /// `int8[]`.
    Integers(Vec<Option<i64>>),
    /// `float8[]`.
    Numbers(Vec<Option<f64>>),
    /// `text[]`.
    Texts(Vec<Option<String>>),
    /// `bytea[]`.
    ByteStrings(Vec<Option<Vec<u8>>>),
    /// `date[]`, in days since 1970.
    Dates(Vec<Option<i32>>),
    /// `timestamp[]`, in microseconds since 1970.
    Timestamps(Vec<Option<i64>>),
}

impl Parameter {
    /// The type that a statement has to expect, as PostgreSQL writes it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "bool",
            Self::Integer(_) => "int8",
            Self::Number(_) => "float8",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytea",
            Self::Date(_) => "date",
            Self::Timestamp(_) => "timestamp",
            Self::Booleans(_) => "bool[]",
            Self::Integers(_) => "int8[]",
            Self::Numbers(_) => "float8[]",
            Self::Texts(_) => "text[]",
            Self::ByteStrings(_) => "bytea[]",
            Self::Dates(_) => "date[]",
            Self::Timestamps(_) => "timestamp[]",
        }
    }
}

/// The type alone: the driver writes parameters into its log, and a constant of a question or a salt has no place there.
impl fmt::Debug for Parameter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.type_name())
    }
}

impl ToSql for Parameter {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Boolean(value) => value.to_sql_checked(kind, out),
            Self::Integer(value) => value.to_sql_checked(kind, out),
            Self::Number(value) => value.to_sql_checked(kind, out),
            Self::Text(value) => value.to_sql_checked(kind, out),
            Self::Bytes(value) => value.to_sql_checked(kind, out),
            Self::Date(value) => value.map(Days).to_sql_checked(kind, out),
            Self::Timestamp(value) => value.map(Microseconds).to_sql_checked(kind, out),
            Self::Booleans(values) => values.to_sql_checked(kind, out),
            Self::Integers(values) => values.to_sql_checked(kind, out),
            Self::Numbers(values) => values.to_sql_checked(kind, out),
            Self::Texts(values) => values.to_sql_checked(kind, out),
            Self::ByteStrings(values) => values.to_sql_checked(kind, out),
            Self::Dates(values) => {
                let values: Vec<_> = values.iter().map(|value| value.map(Days)).collect();
                values.to_sql_checked(kind, out)
            }
            Self::Timestamps(values) => {
                let values: Vec<_> = values.iter().map(|value| value.map(Microseconds)).collect();
                values.to_sql_checked(kind, out)
            }
        }
    }

    /// Decided value by value, in `to_sql`.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
