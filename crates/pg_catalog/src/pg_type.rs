//! Types by their oids.

/// A type that a client can be told of: a base type, or an array of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PgType {
    /// The type, or that of the elements.
    pub base: Base,
    /// Whether it is an array.
    pub is_array: bool,
}

/// Types that are not arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Base {
    Bool,
    Bytea,
    Char,
    Name,
    Int8,
    Int2,
    Int2Vector,
    Int4,
    Regproc,
    Text,
    Oid,
    OidVector,
    Json,
    PgNodeTree,
    Float4,
    Float8,
    Unknown,
    AclItem,
    Bpchar,
    Varchar,
    Date,
    Timestamp,
    Timestamptz,
    Interval,
    Numeric,
    Regclass,
    Regtype,
    Record,
    Void,
    Regnamespace,
    Regrole,
}

impl PgType {
    /// The base type itself.
    pub const fn of(base: Base) -> Self {
        Self { base, is_array: false }
    }

    /// An array of it.
    pub const fn array(base: Base) -> Self {
        Self { base, is_array: true }
    }
}
