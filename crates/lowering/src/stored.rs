//! What a server says of its tables: names and types, no row.

use std::collections::BTreeMap;

/// What a column of a server holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// True or false.
    Boolean,
    /// Whole numbers of up to 64 bits.
    Whole,
    /// Floats of 32 bits.
    Single,
    /// Floats of 64 bits.
    Double,
    /// Decimals of any length.
    Decimal,
    /// Texts.
    Text,
    /// Texts that are padded with blanks.
    Padded,
    /// Words of a list that the server knows.
    Label,
    /// Universally unique identifiers.
    Uuid,
    /// Days.
    Date,
    /// Moments without a zone.
    Timestamp,
    /// Moments in a zone.
    ZonedTimestamp,
    /// Something that is not read, as the server calls it.
    Other(String),
}

impl Stored {
    /// The type in words.
    pub fn words(&self) -> &str {
        match self {
            Self::Boolean => "truth values",
            Self::Whole => "whole numbers",
            Self::Single | Self::Double => "floating-point numbers",
            Self::Decimal => "decimals",
            Self::Text | Self::Padded => "texts",
            Self::Label => "labels",
            Self::Uuid => "identifiers",
            Self::Date => "days",
            Self::Timestamp | Self::ZonedTimestamp => "moments",
            Self::Other(name) => name,
        }
    }
}

/// A table as its server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTable {
    /// Schema and name; or catalog, schema and name.
    pub path: Vec<String>,
    /// Its columns.
    pub columns: BTreeMap<String, Stored>,
}

/// The tables of a question, by their names in the catalog.
pub type StoredTables = BTreeMap<String, StoredTable>;
