//! The binary format, read.

use crate::{Base, PgError, PgType, PgValue};

use super::text_parse::{byte_text, bytea_text, utf8, uuid_text};
use super::{decode_text, numeric};

/// A parameter that came in binary format.
///
/// # Errors
/// 22P03 when the bytes are not of this type; 42804 for an array of other elements; 22021 for text that is none.
pub fn decode_binary(bytes: &[u8], kind: PgType) -> Result<PgValue, PgError> {
    if let Some(element) = kind.element() {
        return array(bytes, kind, element);
    }
    let wrong = || incorrect(kind);
    match kind.base {
        Base::Bool => match bytes {
            [byte] => Ok(PgValue::Bool(*byte != 0)),
            _ => Err(wrong()),
        },
        Base::Int2 => fixed(bytes, kind).map(|bytes| PgValue::Int(i16::from_be_bytes(bytes).into())),
        Base::Int4 => fixed(bytes, kind).map(|bytes| PgValue::Int(i32::from_be_bytes(bytes).into())),
        Base::Int8 => fixed(bytes, kind).map(|bytes| PgValue::Int(i64::from_be_bytes(bytes))),
        Base::Oid | Base::Xid => {
            fixed(bytes, kind).map(|bytes| PgValue::Int(u32::from_be_bytes(bytes).into()))
        }
        Base::Regproc | Base::Regclass | Base::Regtype | Base::Regnamespace | Base::Regrole => {
            let oid = u32::from_be_bytes(fixed(bytes, kind)?);
            decode_text(oid.to_string().as_bytes(), kind)
        }
        Base::Float4 => fixed(bytes, kind).map(|bytes| PgValue::Float(f32::from_be_bytes(bytes).into())),
        Base::Float8 => fixed(bytes, kind).map(|bytes| PgValue::Float(f64::from_be_bytes(bytes))),
        Base::Numeric => numeric::decode(bytes).ok_or_else(wrong),
        Base::Date => fixed(bytes, kind).map(|bytes| PgValue::Date(i32::from_be_bytes(bytes))),
        Base::Timestamp | Base::Timestamptz => {
            fixed(bytes, kind).map(|bytes| PgValue::Timestamp(i64::from_be_bytes(bytes)))
        }
        Base::Interval => interval(bytes, kind),
        Base::Char => match bytes {
            [byte] => Ok(PgValue::Text(byte_text(*byte))),
            _ => Err(wrong()),
        },
        Base::Bytea => Ok(PgValue::Text(bytea_text(bytes))),
        Base::Uuid => {
            let bytes: [u8; 16] = fixed(bytes, kind)?;
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(PgValue::Text(uuid_text(&digits)))
        }
        Base::Jsonb => match bytes.split_first() {
            Some((1, text)) => Ok(PgValue::Text(utf8(text)?.to_owned())),
            _ => Err(wrong()),
        },
        Base::Record => Err(PgError::new("0A000", "input of anonymous composite types is not implemented")),
        _ => Ok(PgValue::Text(utf8(bytes)?.to_owned())),
    }
}

fn incorrect(kind: PgType) -> PgError {
    PgError::new("22P03", format!("incorrect binary data format for type {}", kind.sql_name()))
}

fn fixed<const N: usize>(bytes: &[u8], kind: PgType) -> Result<[u8; N], PgError> {
    bytes.try_into().map_err(|_| incorrect(kind))
}

fn interval(bytes: &[u8], kind: PgType) -> Result<PgValue, PgError> {
    let (micros, rest) = bytes.split_at_checked(8).ok_or_else(|| incorrect(kind))?;
    let (days, months) = rest.split_at_checked(4).ok_or_else(|| incorrect(kind))?;
    Ok(PgValue::Interval {
        months: i32::from_be_bytes(fixed(months, kind)?),
        days: i32::from_be_bytes(fixed(days, kind)?),
        microseconds: i64::from_be_bytes(fixed(micros, kind)?),
    })
}

fn array(bytes: &[u8], kind: PgType, element: PgType) -> Result<PgValue, PgError> {
    let mut rest = bytes;
    let mut number = || take_number(&mut rest).ok_or_else(|| incorrect(kind));
    let (dimensions, _has_null, oid) = (number()?, number()?, number()?);
    if oid as u32 != element.oid() {
        return Err(PgError::new("42804", "wrong element type"));
    }
    let (count, lower) = match dimensions {
        0 => (0, if kind.is_array { 1 } else { 0 }),
        1 => (number()?, number()?),
        _ => return Err(PgError::new("0A000", "only arrays of one dimension are understood")),
    };
    // Each element has four bytes at least, so the memory that is reserved is no more than what was sent.
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count <= rest.len() / 4)
        .ok_or_else(|| incorrect(kind))?;
    if i64::from(lower) + count as i64 > i64::from(i32::MAX) {
        return Err(incorrect(kind));
    }
    let mut elements = Vec::with_capacity(count);
    for _ in 0..count {
        let length = take_number(&mut rest).ok_or_else(|| incorrect(kind))?;
        if length == -1 {
            elements.push(PgValue::Null);
            continue;
        }
        let length = usize::try_from(length).map_err(|_| incorrect(kind))?;
        let (value, tail) = rest.split_at_checked(length).ok_or_else(|| incorrect(kind))?;
        elements.push(decode_binary(value, element)?);
        rest = tail;
    }
    match rest.is_empty() {
        true => Ok(PgValue::Array { elements, lower }),
        false => Err(incorrect(kind)),
    }
}

fn take_number(rest: &mut &[u8]) -> Option<i32> {
    let (bytes, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(i32::from_be_bytes(*bytes))
}
