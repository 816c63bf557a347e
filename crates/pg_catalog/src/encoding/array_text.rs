//! Arrays and rows as text: `{a,"b c",NULL}`, `[0:1]={a,b}`, `1 2 3`, `(a,"b c",)`.

use std::iter::Peekable;
use std::str::Chars;

use crate::{PgError, PgType, PgValue};

use super::{decode_text, encode_text, invalid_text};

/// An array; its bounds are written where the first index is not 1.
pub(super) fn array(elements: &[PgValue], lower: i32, element: PgType) -> String {
    let parts: Vec<String> = elements.iter().map(|value| array_element(value, element)).collect();
    let body = format!("{{{}}}", parts.join(","));
    if lower == 1 || elements.is_empty() {
        return body;
    }
    let upper = i64::from(lower) + elements.len() as i64 - 1;
    format!("[{lower}:{upper}]={body}")
}

/// An int2vector or oidvector.
pub(super) fn vector(elements: &[PgValue], element: PgType) -> String {
    let parts: Vec<String> = elements.iter().filter_map(|value| encode_text(value, element)).collect();
    parts.join(" ")
}

/// A row. NULL is nothing at all.
pub(super) fn record(fields: &[(String, PgValue)]) -> String {
    let parts: Vec<String> = fields.iter().map(|(_, value)| record_field(value)).collect();
    format!("({})", parts.join(","))
}

fn array_element(value: &PgValue, element: PgType) -> String {
    let Some(text) = encode_text(value, element) else { return "NULL".to_owned() };
    let is_nested = matches!(value, PgValue::Array { .. });
    let needs_quotes = text.is_empty()
        || text.eq_ignore_ascii_case("null")
        || text.contains(|sign: char| "{},\"\\".contains(sign) || sign.is_ascii_whitespace());
    if is_nested || !needs_quotes {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn record_field(value: &PgValue) -> String {
    let kind = value.natural_type();
    let Some(text) = encode_text(value, kind) else { return String::new() };
    let needs_quotes =
        text.is_empty() || text.contains(|sign: char| "(),\"\\".contains(sign) || sign.is_ascii_whitespace());
    if !needs_quotes {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\"\""))
}

/// Reads `1 2 3`.
pub(super) fn parse_vector(text: &str, element: PgType) -> Result<PgValue, PgError> {
    let elements: Result<Vec<PgValue>, PgError> =
        text.split_ascii_whitespace().map(|word| decode_text(word.as_bytes(), element)).collect();
    Ok(PgValue::vector(elements?))
}

/// Reads an array of one dimension.
pub(super) fn parse_array(text: &str, kind: PgType, element: PgType) -> Result<PgValue, PgError> {
    let malformed = || PgError::new("22P02", format!("malformed array literal: \"{text}\""));
    let (lower, body) = bounds(text.trim()).ok_or_else(malformed)?;
    let inside = body.strip_prefix('{').and_then(|body| body.strip_suffix('}')).ok_or_else(malformed)?;
    let words = words(inside).ok_or_else(malformed)?;
    let decode = |word: &Option<String>| match word {
        None => Ok(PgValue::Null),
        Some(word) => decode_text(word.as_bytes(), element),
    };
    let elements: Vec<PgValue> = words.iter().map(decode).collect::<Result<_, _>>()?;
    if i64::from(lower) + elements.len() as i64 > i64::from(i32::MAX) {
        return Err(invalid_text(text, kind));
    }
    Ok(PgValue::Array { elements, lower })
}

/// The first index, and what stands between braces.
fn bounds(text: &str) -> Option<(i32, &str)> {
    let Some(rest) = text.strip_prefix('[') else { return Some((1, text)) };
    let (range, body) = rest.split_once("]=")?;
    let lower = range.split_once(':')?.0.trim().parse().ok()?;
    Some((lower, body.trim()))
}

/// The elements between the braces; NULL is `None`. `None` at all where they are not well formed, or are arrays.
fn words(inside: &str) -> Option<Vec<Option<String>>> {
    if inside.trim().is_empty() {
        return Some(Vec::new());
    }
    let mut signs = inside.chars().peekable();
    let mut words = Vec::new();
    loop {
        while signs.next_if(|sign| sign.is_whitespace()).is_some() {}
        words.push(match signs.next_if_eq(&'"') {
            Some(_) => Some(quoted(&mut signs)?),
            None => unquoted(&mut signs)?,
        });
        while signs.next_if(|sign| sign.is_whitespace()).is_some() {}
        match signs.next() {
            None => return Some(words),
            Some(',') => {}
            Some(_) => return None,
        }
    }
}

/// An element up to the comma, without the spaces at its end; `None` inside for NULL.
fn unquoted(signs: &mut Peekable<Chars<'_>>) -> Option<Option<String>> {
    let mut word = String::new();
    // Spaces count only if something comes behind them.
    let mut end = 0;
    while let Some(sign) = signs.next_if(|sign| !",{}\"".contains(*sign)) {
        let is_escape = sign == '\\';
        word.push(if is_escape { signs.next()? } else { sign });
        if is_escape || !sign.is_whitespace() {
            end = word.len();
        }
    }
    word.truncate(end);
    match word.as_str() {
        "" => None,
        word if word.eq_ignore_ascii_case("null") => Some(None),
        _ => Some(Some(word)),
    }
}

/// What stands before the closing quote.
fn quoted(signs: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut word = String::new();
    loop {
        match signs.next()? {
            '"' => return Some(word),
            '\\' => word.push(signs.next()?),
            sign => word.push(sign),
        }
    }
}
