//! Values as bytes on the wire, text and binary, both ways.
//!
//! **Guarantee.** Every function is total: no bytes of a client make one of them panic or reserve more memory than a small
//! multiple of what the client has sent. Decimal numbers, days and moments are exact; no float stands in for them.
//! **Not covered.** Time zones: moments are read with the offset that stands beside them and are written in UTC.
//!
//! | file | its idea |
//! | --- | --- |
//! | `text.rs`, `text_parse.rs` | the text format, out and in |
//! | `binary.rs`, `binary_parse.rs` | the binary format, out and in |
//! | `array_text.rs` | `{a,"b c",NULL}` and `(a,"b c",)` |
//! | `numeric.rs` | decimal digits, and groups of four of them |
//! | `moments.rs`, `moments_parse.rs` | days and moments, out and in |
//! | `interval.rs` | lengths of time |

mod array_text;
mod binary;
mod binary_parse;
mod interval;
mod moments;
mod moments_parse;
mod numeric;
#[cfg(test)]
mod tests;
mod text;
mod text_parse;

pub use binary::encode_binary;
pub use binary_parse::decode_binary;
pub use text::encode_text;
pub use text_parse::decode_text;

use crate::{Base, PgError, PgType};

/// What PostgreSQL says of text that is not of a type.
fn invalid_text(text: &str, kind: PgType) -> PgError {
    PgError::new("22P02", format!("invalid input syntax for type {}: \"{text}\"", kind.sql_name()))
}

/// What PostgreSQL says of a number that is too large for its type.
fn out_of_range(text: &str, kind: PgType) -> PgError {
    PgError::new("22003", format!("value \"{text}\" is out of range for type {}", kind.sql_name()))
}

/// The least and the greatest whole number of a type.
fn integer_range(base: Base) -> (i64, i64) {
    match base {
        Base::Int2 => (i16::MIN.into(), i16::MAX.into()),
        Base::Int4 => (i32::MIN.into(), i32::MAX.into()),
        Base::Oid | Base::Xid => (0, u32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}
