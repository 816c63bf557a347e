//! The columns of a file, for a catalog that is being written: names and stored types, no values.

use std::path::Path;

use arrow::datatypes::DataType;

use super::SourceError;
use super::contents::Contents;
use super::locate::named;
use super::source::SourceFile;

/// What a file says about the type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderType {
    /// True or false.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Number,
    /// Text, or bytes that may be text.
    Text,
    /// Days.
    Date,
    /// Moments.
    Timestamp,
    /// The format has no types: CSV.
    Unknown,
    /// Something that has no values here, such as a list.
    Unsupported,
}

/// The names and types of a file's columns: a Parquet or IPC schema, or the header line of a CSV file. No value is
/// read.
pub fn header(path: &Path) -> Result<Vec<(String, HeaderType)>, SourceError> {
    let (path, format) = named(path)?;
    let file = SourceFile::open(path, format)?;
    let untyped = matches!(file.contents, Contents::Csv(_, _));
    let kind = |kind: &DataType| if untyped { HeaderType::Unknown } else { header_type(kind) };
    Ok(file.columns.iter().map(|column| (column.name.clone(), kind(&column.kind))).collect())
}

fn header_type(kind: &DataType) -> HeaderType {
    match kind {
        DataType::Boolean => HeaderType::Boolean,
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => {
            if *scale > 0 {
                HeaderType::Number
            } else {
                HeaderType::Integer
            }
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => HeaderType::Number,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => HeaderType::Text,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => HeaderType::Text,
        DataType::Date32 | DataType::Date64 => HeaderType::Date,
        DataType::Timestamp(_, _) => HeaderType::Timestamp,
        DataType::Dictionary(_, values) => header_type(values),
        other if other.is_integer() => HeaderType::Integer,
        _ => HeaderType::Unsupported,
    }
}
