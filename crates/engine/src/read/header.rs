//! The columns of a file, for a catalog that is being written: names and stored types, no values.

use std::path::Path;

use arrow::datatypes::DataType;
use pointillist_catalog::GuessedType;

use super::SourceError;
use super::contents::Contents;
use super::file_source::SourceFile;
use super::locate::named;

/// The names and types of a file's columns: a Parquet or IPC schema, or the header line of a CSV file. No value is
/// read.
pub fn header(path: &Path) -> Result<Vec<(String, GuessedType)>, SourceError> {
    let (path, format) = named(path)?;
    let file = SourceFile::open(path, format)?;
    let untyped = matches!(file.contents, Contents::Csv(_, _));
    let kind = |kind: &DataType| if untyped { GuessedType::Unknown } else { header_type(kind) };
    Ok(file.columns.iter().map(|column| (column.name.clone(), kind(&column.kind))).collect())
}

fn header_type(kind: &DataType) -> GuessedType {
    match kind {
        DataType::Boolean => GuessedType::Boolean,
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => {
            if *scale > 0 {
                GuessedType::Number
            } else {
                GuessedType::Integer
            }
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => GuessedType::Number,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => GuessedType::Text,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => GuessedType::Text,
        DataType::Date32 | DataType::Date64 => GuessedType::Date,
        DataType::Timestamp(_, _) => GuessedType::Timestamp,
        DataType::Dictionary(_, values) => header_type(values),
        other if other.is_integer() => GuessedType::Integer,
        _ => GuessedType::Unsupported,
    }
}
