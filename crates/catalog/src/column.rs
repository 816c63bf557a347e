//! One column of a table: its type, its public bounds, its public keys.

use pointillist_numbers::Rational;

use crate::Value;

/// The most public keys of a column: their groups are all shown.
pub const PUBLIC_KEYS_MAX: usize = 100_000;

/// A declared column. What is not declared does not exist for analysts.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name in SQL, and in the file unless `stored_as` says otherwise.
    pub name: String,
    /// The name in the file, where SQL has another one for it (`name = "Column in the file"`).
    pub stored_as: Option<String>,
    /// The type, with bounds where the owner gave them. Bounds say how far one row may move a sum: what is added up is
    /// moved to the nearest bound, and conditions and keys see the value as it is. What cannot be read as this type is
    /// NULL.
    pub kind: ColumnType,
    /// Keys that always appear when an answer is grouped by this column, in the owner's order.
    pub public_keys: Option<Vec<Value>>,
    /// Whether rows may be without a value. Where the owner says not, a row without one is left out of every question
    /// that uses the column: that is enforced with each question, never believed.
    pub nullable: bool,
}

impl Column {
    /// The name in the file.
    pub fn name_in_file(&self) -> &str {
        self.stored_as.as_deref().unwrap_or(&self.name)
    }
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnType {
    /// True or false.
    Boolean,
    /// Whole numbers, perhaps between two bounds.
    Integer {
        /// The lowest and the highest value, inclusive.
        bounds: Option<(i64, i64)>,
    },
    /// Numbers with a fraction, perhaps between two bounds.
    Number {
        /// The lowest and the highest value, inclusive.
        bounds: Option<(Rational, Rational)>,
        /// The grid that sums are counted on; derived from the bounds where the owner gave none.
        step: Option<Rational>,
    },
    /// Text.
    Text,
    /// Days.
    Date {
        /// The first and the last day, inclusive, in days since 1970-01-01.
        bounds: Option<(i32, i32)>,
    },
    /// Moments without a time zone.
    Timestamp {
        /// The first and the last moment, inclusive, in microseconds since 1970-01-01.
        bounds: Option<(i64, i64)>,
    },
}
