//! What a statement gives back.

use std::error::Error;
use std::fmt;

use tokio_postgres::types::{FromSql, Type};

use crate::date::{Days, Microseconds};

/// One value of one row.
#[derive(Clone, PartialEq)]
pub enum Cell {
    /// NULL of any type.
    Null,
    /// `bool`.
    Boolean(bool),
    /// `int2`, `int4` or `int8`.
    Integer(i64),
    /// `float8`.
    Number(f64),
    /// `text`, `varchar`, `bpchar` or `name`.
    Text(String),
    /// `bytea`.
    Bytes(Vec<u8>),
    /// `date`, in days since 1970; the extremes are the two infinities.
    Date(i32),
    /// `timestamp` or `timestamptz`, in microseconds since 1970 in UTC; the extremes are the two infinities.
    Timestamp(i64),
}

impl Cell {
    /// The number, where it is an integer.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The letters, where it is a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, where it is one.
    pub fn boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// The bytes, where they are some.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether values of this type can be read at all, asked before a statement runs.
    pub(crate) fn reads(kind: &Type) -> bool {
        matches!(
            *kind,
            Type::BOOL
                | Type::INT2
                | Type::INT4
                | Type::INT8
                | Type::FLOAT8
                | Type::TEXT
                | Type::VARCHAR
                | Type::BPCHAR
                | Type::NAME
                | Type::BYTEA
                | Type::DATE
                | Type::TIMESTAMP
                | Type::TIMESTAMPTZ
                | Type::VOID
        )
    }
}

/// The type alone: what comes back was computed from private rows.
impl fmt::Debug for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Null => "Null",
            Self::Boolean(_) => "Boolean",
            Self::Integer(_) => "Integer",
            Self::Number(_) => "Number",
            Self::Text(_) => "Text",
            Self::Bytes(_) => "Bytes",
            Self::Date(_) => "Date",
            Self::Timestamp(_) => "Timestamp",
        })
    }
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::BOOL => Self::Boolean(bool::from_sql(kind, bytes)?),
            Type::INT2 => Self::Integer(i16::from_sql(kind, bytes)?.into()),
            Type::INT4 => Self::Integer(i32::from_sql(kind, bytes)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(kind, bytes)?),
            Type::FLOAT8 => Self::Number(f64::from_sql(kind, bytes)?),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME => {
                Self::Text(String::from_sql(kind, bytes)?)
            }
            Type::BYTEA => Self::Bytes(bytes.to_vec()),
            Type::DATE => Self::Date(Days::from_sql(kind, bytes)?.0),
            Type::TIMESTAMP | Type::TIMESTAMPTZ => Self::Timestamp(Microseconds::from_sql(kind, bytes)?.0),
            // What functions without a value return, such as a wait for a lock.
            Type::VOID => Self::Null,
            _ => return Err("a type that is not read".into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        Self::reads(kind)
    }
}
