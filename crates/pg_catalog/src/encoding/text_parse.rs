//! The text format, read: what clients send as parameters and what stands in quotes before a cast.

use crate::{Base, PgError, PgType, PgValue};

use super::{array_text, integer_range, interval, invalid_text, moments_parse, numeric, out_of_range};

/// A parameter that came as text. A name of a table, a type, a function or a schema stays text: whoever knows the catalog
/// looks it up.
///
/// # Errors
/// 22P02, 22007, 22008 or 22003 when the bytes are not of this type; 22021 when they are no text at all.
pub fn decode_text(bytes: &[u8], kind: PgType) -> Result<PgValue, PgError> {
    let text = utf8(bytes)?;
    if let Some(element) = kind.element() {
        return match kind.is_array {
            true => array_text::parse_array(text, kind, element),
            false => array_text::parse_vector(text, element),
        };
    }
    match kind.base {
        Base::Bool => boolean(text).ok_or_else(|| invalid_text(text, kind)),
        Base::Int2 | Base::Int4 | Base::Int8 => integer(text, kind),
        Base::Oid | Base::Xid => oid(text, kind).map(|oid| PgValue::Int(oid.into())),
        Base::Float4 | Base::Float8 => float(text, kind),
        Base::Numeric => numeric::parse(text),
        Base::Date => moments_parse::date(text, kind),
        Base::Timestamp | Base::Timestamptz => moments_parse::timestamp(text, kind),
        Base::Interval => interval::parse(text).ok_or_else(|| invalid_text(text, kind)),
        Base::Regproc | Base::Regclass | Base::Regtype | Base::Regnamespace | Base::Regrole => {
            Ok(registered(text))
        }
        Base::Char => Ok(PgValue::Text(first_byte(text))),
        Base::Bytea => bytea(text).ok_or_else(|| invalid_text(text, kind)),
        Base::Uuid => uuid(text).ok_or_else(|| invalid_text(text, kind)),
        Base::Record => Err(PgError::new("0A000", "input of anonymous composite types is not implemented")),
        _ => Ok(PgValue::Text(text.to_owned())),
    }
}

/// Text in the one encoding that there is.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, PgError> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(PgError::new("22021", "invalid byte sequence for encoding \"UTF8\"")),
    }
}

/// `t`, `tr`, `true`, `yes`, `on`, `1` and their opposites.
fn boolean(text: &str) -> Option<PgValue> {
    let word = text.trim().to_ascii_lowercase();
    let begins = |whole: &str, least: usize| word.len() >= least && whole.starts_with(&word);
    if begins("true", 1) || begins("yes", 1) || word == "on" || word == "1" {
        return Some(PgValue::Bool(true));
    }
    let is_false = begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0";
    is_false.then_some(PgValue::Bool(false))
}

fn integer(text: &str, kind: PgType) -> Result<PgValue, PgError> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(invalid_text(text, kind));
    }
    let (least, greatest) = integer_range(kind.base);
    match trimmed.parse::<i64>() {
        Ok(value) if (least..=greatest).contains(&value) => Ok(PgValue::Int(value)),
        _ => Err(out_of_range(text, kind)),
    }
}

/// PostgreSQL reads negative oids as if they had no sign.
fn oid(text: &str, kind: PgType) -> Result<u32, PgError> {
    let value: i64 = text.trim().parse().map_err(|_| invalid_text(text, kind))?;
    let unsigned = u32::try_from(value).ok();
    unsigned
        .or_else(|| i32::try_from(value).ok().map(|value| value as u32))
        .ok_or_else(|| out_of_range(text, kind))
}

fn float(text: &str, kind: PgType) -> Result<PgValue, PgError> {
    let word = text.trim().to_ascii_lowercase();
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(&word);
    let is_name = matches!(unsigned, "infinity" | "inf" | "nan");
    if !is_name && !unsigned.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.') {
        return Err(invalid_text(text, kind));
    }
    let value: f64 = word.parse().map_err(|_| invalid_text(text, kind))?;
    let value = if kind.base == Base::Float4 { f64::from(value as f32) } else { value };
    match value.is_infinite() && !is_name {
        true => {
            Err(PgError::new("22003", format!("\"{text}\" is out of range for type {}", kind.sql_name())))
        }
        false => Ok(PgValue::Float(value)),
    }
}

/// A number is an oid; anything else is a name for others to look up.
fn registered(text: &str) -> PgValue {
    match text.trim().parse::<u32>() {
        Ok(0) => PgValue::Reg { oid: 0, name: "-".to_owned() },
        Ok(oid) => PgValue::Reg { oid, name: oid.to_string() },
        Err(_) => PgValue::Text(text.to_owned()),
    }
}

/// The first byte; `\ooo` is one that is not ASCII.
pub(super) fn first_byte(text: &str) -> String {
    if octal_byte(text).is_some() {
        return text.to_owned();
    }
    match text.bytes().next() {
        None => String::new(),
        Some(byte) => byte_text(byte),
    }
}

/// One byte as the type `"char"` prints it.
pub(super) fn byte_text(byte: u8) -> String {
    match byte {
        0 => String::new(),
        byte if byte.is_ascii() => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    }
}

/// The byte that `\ooo` stands for.
pub(super) fn octal_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('\\').filter(|digits| digits.len() == 3)?;
    u8::from_str_radix(digits, 8).ok().filter(|byte| !byte.is_ascii())
}

/// `\x` and hexadecimal digits; or bytes as they are, with `\\` and `\ooo`.
fn bytea(text: &str) -> Option<PgValue> {
    if let Some(digits) = text.strip_prefix("\\x") {
        let digits: String = digits.chars().filter(|digit| !digit.is_ascii_whitespace()).collect();
        let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        return is_hex.then(|| PgValue::Text(format!("\\x{}", digits.to_ascii_lowercase())));
    }
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'\\' {
            bytes.push(first);
        } else if let Some(tail) = rest.strip_prefix(b"\\") {
            bytes.push(b'\\');
            rest = tail;
        } else {
            let (digits, tail) = rest.split_at_checked(3)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?);
            rest = tail;
        }
    }
    Some(PgValue::Text(bytea_text(&bytes)))
}

/// Bytes as `\x…`.
pub(super) fn bytea_text(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\\x{digits}")
}

/// 32 hexadecimal digits, with hyphens and braces or without.
fn uuid(text: &str) -> Option<PgValue> {
    let trimmed = text.trim();
    let bare = trimmed.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(trimmed);
    let digits: String = bare.chars().filter(|sign| *sign != '-').collect();
    let is_uuid = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_uuid.then(|| PgValue::Text(uuid_text(&digits.to_ascii_lowercase())))
}

/// Hyphens between 32 digits.
pub(super) fn uuid_text(digits: &str) -> String {
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part).unwrap_or_default());
    parts.join("-")
}
