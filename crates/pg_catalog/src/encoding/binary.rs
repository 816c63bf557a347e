//! The binary format, written.

use crate::{Base, PgType, PgValue};

use super::text_parse::octal_byte;
use super::{decode_text, encode_text, integer_range, numeric};

/// The value in binary format; `None` for NULL. A value that its type cannot hold is NULL too, never another value.
pub fn encode_binary(value: &PgValue, kind: PgType) -> Option<Vec<u8>> {
    if kind == PgType::of(Base::Void) {
        return Some(Vec::new());
    }
    match value {
        PgValue::Null => None,
        PgValue::Array { elements, lower } => match kind.element() {
            Some(element) => array(elements, *lower, element),
            None => encode_text(value, PgType::array(kind.base)).map(String::into_bytes),
        },
        PgValue::Record(fields) => Some(record(fields)),
        _ if kind.element().is_some() => through_text(value, kind),
        _ => scalar(value, kind),
    }
}

fn scalar(value: &PgValue, kind: PgType) -> Option<Vec<u8>> {
    match (value, kind.base) {
        (PgValue::Bool(value), Base::Bool) => Some(vec![u8::from(*value)]),
        (PgValue::Int(value), Base::Int2 | Base::Int4 | Base::Int8 | Base::Oid | Base::Xid) => {
            integer(*value, kind.base)
        }
        (
            PgValue::Int(oid),
            Base::Regproc | Base::Regclass | Base::Regtype | Base::Regnamespace | Base::Regrole,
        ) => integer(*oid, Base::Oid),
        (PgValue::Reg { oid, .. }, base) if is_reg(base) => Some(oid.to_be_bytes().to_vec()),
        (PgValue::Float(value), Base::Float4) => Some((*value as f32).to_be_bytes().to_vec()),
        (PgValue::Float(value), Base::Float8) => Some(value.to_be_bytes().to_vec()),
        (PgValue::Int(value), Base::Float4) => Some((*value as f32).to_be_bytes().to_vec()),
        (PgValue::Int(value), Base::Float8) => Some((*value as f64).to_be_bytes().to_vec()),
        (PgValue::Int(value), Base::Numeric) => Some(numeric::encode(&value.to_string())),
        (PgValue::Float(value), Base::Numeric) => Some(numeric::encode(&value.to_string())),
        (PgValue::Numeric(digits), Base::Numeric) => Some(numeric::encode(digits)),
        (PgValue::Date(days), Base::Date) => Some(days.to_be_bytes().to_vec()),
        (PgValue::Timestamp(micros), Base::Timestamp | Base::Timestamptz) => {
            Some(micros.to_be_bytes().to_vec())
        }
        (PgValue::Interval { months, days, microseconds }, Base::Interval) => {
            let mut bytes = microseconds.to_be_bytes().to_vec();
            bytes.extend(days.to_be_bytes());
            bytes.extend(months.to_be_bytes());
            Some(bytes)
        }
        (PgValue::Text(text), Base::Bytea) => Some(bytea(text)),
        (PgValue::Text(text), Base::Char) => {
            Some(vec![octal_byte(text).or_else(|| text.bytes().next()).unwrap_or(0)])
        }
        (PgValue::Text(text), Base::Jsonb) => Some([b"\x01", text.as_bytes()].concat()),
        (PgValue::Text(text), Base::Uuid) => bytea_digits(&text.replace('-', "")),
        (_, base) if has_own_bytes(base) => through_text(value, kind),
        _ => encode_text(value, kind).map(String::into_bytes),
    }
}

fn is_reg(base: Base) -> bool {
    matches!(
        base,
        Base::Oid | Base::Regproc | Base::Regclass | Base::Regtype | Base::Regnamespace | Base::Regrole
    )
}

/// Whether the binary format of a type is something else than its text.
fn has_own_bytes(base: Base) -> bool {
    !matches!(
        base,
        Base::Name
            | Base::Text
            | Base::Json
            | Base::PgNodeTree
            | Base::Unknown
            | Base::AclItem
            | Base::Bpchar
            | Base::Varchar
            | Base::Record
            | Base::Void
    )
}

/// A value of another type than its column says, read as that type.
fn through_text(value: &PgValue, kind: PgType) -> Option<Vec<u8>> {
    let read = decode_text(encode_text(value, kind)?.as_bytes(), kind).ok()?;
    match (&read, value) {
        // A value that reads back as itself would come here again.
        (read, value) if read == value => None,
        (PgValue::Text(_), _) => None,
        _ => encode_binary(&read, kind),
    }
}

fn integer(value: i64, base: Base) -> Option<Vec<u8>> {
    let (least, greatest) = integer_range(base);
    if !(least..=greatest).contains(&value) {
        return None;
    }
    let bytes = value.to_be_bytes();
    let width = match base {
        Base::Int2 => 2,
        Base::Int8 => 8,
        _ => 4,
    };
    Some(bytes[8 - width..].to_vec())
}

/// The bytes that `\x…` stands for; any other text is its own bytes.
fn bytea(text: &str) -> Vec<u8> {
    text.strip_prefix("\\x").and_then(bytea_digits).unwrap_or_else(|| text.as_bytes().to_vec())
}

fn bytea_digits(digits: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.as_bytes().chunks(2).map(|pair| if pair.len() == 2 { byte(pair) } else { None }).collect()
}

/// Dimensions, whether there are NULLs, the type of the elements; then length and first index; then the elements.
fn array(elements: &[PgValue], lower: i32, element: PgType) -> Option<Vec<u8>> {
    let has_null = i32::from(elements.iter().any(PgValue::is_null));
    let dimensions = i32::from(!elements.is_empty());
    let mut bytes = [dimensions.to_be_bytes(), has_null.to_be_bytes(), element.oid().to_be_bytes()].concat();
    if !elements.is_empty() {
        bytes.extend(i32::try_from(elements.len()).ok()?.to_be_bytes());
        bytes.extend(lower.to_be_bytes());
    }
    for value in elements {
        put(&mut bytes, encode_binary(value, element));
    }
    Some(bytes)
}

/// How many fields; of each its type and its bytes.
fn record(fields: &[(String, PgValue)]) -> Vec<u8> {
    let mut bytes = (fields.len() as i32).to_be_bytes().to_vec();
    for (_, value) in fields {
        let kind = value.natural_type();
        bytes.extend(kind.oid().to_be_bytes());
        put(&mut bytes, encode_binary(value, kind));
    }
    bytes
}

/// A length, -1 for NULL, and as many bytes.
fn put(bytes: &mut Vec<u8>, value: Option<Vec<u8>>) {
    match value {
        None => bytes.extend((-1_i32).to_be_bytes()),
        Some(value) => {
            bytes.extend((value.len() as i32).to_be_bytes());
            bytes.extend(value);
        }
    }
}
