//! Values of the types in `pg_type.rs`.

use crate::{Base, PgError, PgType};

/// A value. Which type it is of, the column says.
#[derive(Clone, Debug, PartialEq)]
pub enum PgValue {
    /// NULL.
    Null,
    /// bool.
    Bool(bool),
    /// int2, int4, int8, oid.
    Int(i64),
    /// float4, float8.
    Float(f64),
    /// numeric, exactly, as decimal digits: `-12345.678`, `NaN`.
    Numeric(String),
    /// text, varchar, bpchar, name, "char", json, unknown; bytea as `\x…`, uuid with its hyphens, void as nothing.
    Text(String),
    /// date: days from 2000-01-01; the greatest is `infinity`, the least `-infinity`.
    Date(i32),
    /// timestamp, timestamptz: microseconds from 2000-01-01; the greatest is `infinity`, the least `-infinity`.
    Timestamp(i64),
    /// interval.
    Interval {
        /// Whole months.
        months: i32,
        /// Whole days.
        days: i32,
        /// The rest.
        microseconds: i64,
    },
    /// regclass, regtype, regproc, regnamespace, regrole: an oid that prints as a name.
    Reg {
        /// The oid.
        oid: u32,
        /// How it prints.
        name: String,
    },
    /// An array of one dimension, or an int2vector or oidvector (whose lower bound is 0).
    Array {
        /// The elements.
        elements: Vec<PgValue>,
        /// The index of the first.
        lower: i32,
    },
    /// A row; no field of it is or holds another row.
    Record(Vec<(String, PgValue)>),
}

impl PgValue {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The type that a value has when no column says: of the fields of a row, and of literals.
    pub fn natural_type(&self) -> PgType {
        PgType::of(match self {
            Self::Null | Self::Text(_) => Base::Text,
            Self::Bool(_) => Base::Bool,
            Self::Int(value) if i32::try_from(*value).is_ok() => Base::Int4,
            Self::Int(_) => Base::Int8,
            Self::Float(_) => Base::Float8,
            Self::Numeric(_) => Base::Numeric,
            Self::Date(_) => Base::Date,
            Self::Timestamp(_) => Base::Timestamp,
            Self::Interval { .. } => Base::Interval,
            Self::Reg { .. } => Base::Regclass,
            Self::Record(_) => Base::Record,
            Self::Array { elements, .. } => {
                let known = elements.iter().find(|element| !element.is_null());
                return PgType::array(known.map_or(Base::Text, |element| element.natural_type().base));
            }
        })
    }

    /// An array whose first index is 1.
    pub fn array(elements: Vec<Self>) -> Self {
        Self::Array { elements, lower: 1 }
    }

    /// A row. The text of a row inside a row has its quotes doubled, and doubled again with each row around it: a short
    /// statement could ask for more text than any machine holds, so rows have no rows inside.
    ///
    /// # Errors
    /// 0A000 where a field is a row, or an array of rows.
    pub(crate) fn record(fields: Vec<(String, Self)>) -> Result<Self, PgError> {
        if fields.iter().any(|(_, value)| value.holds_a_record()) {
            return Err(PgError::new("0A000", "rows inside rows are not answered"));
        }
        Ok(Self::Record(fields))
    }

    fn holds_a_record(&self) -> bool {
        match self {
            Self::Record(_) => true,
            Self::Array { elements, .. } => elements.iter().any(Self::holds_a_record),
            _ => false,
        }
    }

    /// An int2vector or an oidvector: its first index is 0.
    pub fn vector(elements: Vec<Self>) -> Self {
        Self::Array { elements, lower: 0 }
    }
}

impl From<bool> for PgValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for PgValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<i32> for PgValue {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i16> for PgValue {
    fn from(value: i16) -> Self {
        Self::Int(value.into())
    }
}

impl From<u32> for PgValue {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<&str> for PgValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for PgValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<char> for PgValue {
    fn from(value: char) -> Self {
        Self::Text(value.to_string())
    }
}

impl<T: Into<PgValue>> From<Option<T>> for PgValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
