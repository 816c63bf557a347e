//! Values as bytes on the wire, text and binary, both ways.

use crate::{PgError, PgType, PgValue};

/// The value as a client reads it in text format; `None` for NULL.
pub fn encode_text(value: &PgValue, kind: PgType) -> Option<String> {
    let _ = (value, kind);
    None
}

/// The value in binary format; `None` for NULL.
pub fn encode_binary(value: &PgValue, kind: PgType) -> Option<Vec<u8>> {
    let _ = (value, kind);
    None
}

/// A parameter that came as text.
///
/// # Errors
/// 22P02, 22007 or 22003 when the bytes are not of this type.
pub fn decode_text(bytes: &[u8], kind: PgType) -> Result<PgValue, PgError> {
    let _ = (bytes, kind);
    Err(PgError::new("0A000", "not decoded"))
}

/// A parameter that came in binary format.
///
/// # Errors
/// 22P03 when the bytes are not of this type.
pub fn decode_binary(bytes: &[u8], kind: PgType) -> Result<PgValue, PgError> {
    let _ = (bytes, kind);
    Err(PgError::new("0A000", "not decoded"))
}
