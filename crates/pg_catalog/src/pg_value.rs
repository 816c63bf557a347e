//! Values of the types in `pg_type.rs`.

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
    /// text, varchar, bpchar, name, "char", json, unknown.
    Text(String),
    /// date: days from 2000-01-01.
    Date(i32),
    /// timestamp, timestamptz: microseconds from 2000-01-01.
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
    /// A row.
    Record(Vec<(String, PgValue)>),
}
