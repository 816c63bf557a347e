//! What a statement returns, as Spark's analysis says it before anything runs.

use crate::messages::{DataType, StructField};

/// The key in a column's metadata where Spark keeps that a text was declared `CHAR(n)` or `VARCHAR(n)`.
const DECLARED_LENGTH: &str = "__CHAR_VARCHAR_TYPE_STRING";
/// The collation that compares bytes.
const BINARY: &str = "UTF8_BINARY";

/// A column: its name and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// As Spark writes it.
    pub name: String,
    /// What it holds.
    pub kind: ColumnType,
}

/// The types that Spark has, as far as somebody here reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `BOOLEAN`.
    Boolean,
    /// `TINYINT`, `SMALLINT`, `INT`, `BIGINT`.
    Whole {
        /// How many bits.
        bits: u32,
    },
    /// `FLOAT`.
    Single,
    /// `DOUBLE`.
    Double,
    /// `DECIMAL(precision, scale)`.
    Decimal {
        /// How many digits.
        precision: i32,
        /// How many of them behind the point.
        scale: i32,
    },
    /// `STRING`, and `VARCHAR(n)`, compared byte by byte.
    Text,
    /// `DATE`.
    Date,
    /// `TIMESTAMP`: a moment in the session's zone.
    ZonedTimestamp,
    /// `TIMESTAMP_NTZ`.
    Timestamp,
    /// Something that nobody here reads, by its name.
    Other(&'static str),
}

impl Column {
    pub(crate) fn of(field: &StructField) -> Self {
        let padded = field.metadata.as_deref().is_some_and(|metadata| {
            let declared = metadata.split_once(DECLARED_LENGTH).map(|(_, rest)| rest);
            declared.is_some_and(|rest| rest.trim_start_matches(['"', ':', ' ']).starts_with("char"))
        });
        let kind = match (padded, &field.data_type) {
            (true, _) => ColumnType::Other("CHAR"),
            (false, Some(kind)) => ColumnType::of(kind),
            (false, None) => ColumnType::Other("a type without a name"),
        };
        Self { name: field.name.clone(), kind }
    }
}

impl ColumnType {
    fn of(kind: &DataType) -> Self {
        if let Some(decimal) = &kind.decimal {
            let (precision, scale) = (decimal.precision.unwrap_or(10), decimal.scale.unwrap_or(0));
            return Self::Decimal { precision, scale };
        }
        if let Some(string) = &kind.string {
            let binary = string.collation.is_empty() || string.collation == BINARY;
            return if binary { Self::Text } else { Self::Other("STRING with a collation") };
        }
        let known = [
            (kind.boolean.is_some(), Self::Boolean),
            (kind.byte.is_some(), Self::Whole { bits: 8 }),
            (kind.short.is_some(), Self::Whole { bits: 16 }),
            (kind.integer.is_some(), Self::Whole { bits: 32 }),
            (kind.long.is_some(), Self::Whole { bits: 64 }),
            (kind.float.is_some(), Self::Single),
            (kind.double.is_some(), Self::Double),
            (kind.var_char.is_some(), Self::Text),
            (kind.date.is_some(), Self::Date),
            (kind.timestamp.is_some(), Self::ZonedTimestamp),
            (kind.timestamp_ntz.is_some(), Self::Timestamp),
            (kind.char.is_some(), Self::Other("CHAR")),
            (kind.binary.is_some(), Self::Other("BINARY")),
            (kind.calendar_interval.is_some(), Self::Other("INTERVAL")),
            (kind.year_month_interval.is_some(), Self::Other("INTERVAL")),
            (kind.day_time_interval.is_some(), Self::Other("INTERVAL")),
            (kind.array.is_some(), Self::Other("ARRAY")),
            (kind.r#struct.is_some(), Self::Other("STRUCT")),
            (kind.map.is_some(), Self::Other("MAP")),
            (kind.variant.is_some(), Self::Other("VARIANT")),
        ];
        let found = known.into_iter().find_map(|(is, kind)| is.then_some(kind));
        found.unwrap_or(Self::Other("a type that is newer than this client"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Empty, StringType};

    fn text(collation: &str, metadata: Option<&str>) -> ColumnType {
        let string = Some(StringType { collation: collation.to_owned() });
        let data_type = Some(DataType { string, ..DataType::default() });
        let metadata = metadata.map(str::to_owned);
        Column::of(&StructField { name: "x".to_owned(), data_type, nullable: true, metadata }).kind
    }

    /// Specification: what compares otherwise than by bytes, or pads, is no text here; the unknown names itself.
    #[test]
    fn only_plain_texts_are_texts() {
        assert_eq!(text("UTF8_BINARY", None), ColumnType::Text);
        assert_eq!(text("UTF8_LCASE", None), ColumnType::Other("STRING with a collation"));
        let declared = |kind: &str| format!(r#"{{"__CHAR_VARCHAR_TYPE_STRING":"{kind}"}}"#);
        assert_eq!(text("", Some(&declared("char(5)"))), ColumnType::Other("CHAR"));
        assert_eq!(text("", Some(&declared("varchar(5)"))), ColumnType::Text);
        assert_eq!(
            ColumnType::of(&DataType::default()),
            ColumnType::Other("a type that is newer than this client")
        );
        let map = DataType { map: Some(Empty {}), ..DataType::default() };
        assert_eq!(ColumnType::of(&map), ColumnType::Other("MAP"));
    }
}
