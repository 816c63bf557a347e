//! Functions of texts.

use super::{Bounded, Function, INT4, Returns, TEXT, Takes, int, lenient, shown, strict, text};
use crate::{Base, PgError, PgType, PgValue};

const GIVES: Returns = Returns::Is(PgType::of(Base::Text));
const NUMBER: Returns = Returns::Is(PgType::of(Base::Int4));
const TEXTS: Returns = Returns::Is(PgType::array(Base::Text));

pub(super) const FUNCTIONS: &[Function] = &[
    strict("lower", &[TEXT], GIVES, |_, given| new(text(given, 0).to_lowercase())),
    strict("upper", &[TEXT], GIVES, |_, given| new(text(given, 0).to_uppercase())),
    strict("initcap", &[TEXT], GIVES, |_, given| new(initcap(text(given, 0)))),
    strict("length", &[TEXT], NUMBER, count),
    strict("char_length", &[TEXT], NUMBER, count),
    strict("character_length", &[TEXT], NUMBER, count),
    strict("octet_length", &[TEXT], NUMBER, |_, given| Ok(PgValue::Int(text(given, 0).len() as i64))),
    strict("substring", &[TEXT, INT4], GIVES, substring),
    strict("substring", &[TEXT, INT4, INT4], GIVES, substring),
    strict("substr", &[TEXT, INT4], GIVES, substring),
    strict("substr", &[TEXT, INT4, INT4], GIVES, substring),
    strict("btrim", &[TEXT], GIVES, |_, given| trimmed(given, true, true)),
    strict("btrim", &[TEXT, TEXT], GIVES, |_, given| trimmed(given, true, true)),
    strict("ltrim", &[TEXT], GIVES, |_, given| trimmed(given, true, false)),
    strict("ltrim", &[TEXT, TEXT], GIVES, |_, given| trimmed(given, true, false)),
    strict("rtrim", &[TEXT], GIVES, |_, given| trimmed(given, false, true)),
    strict("rtrim", &[TEXT, TEXT], GIVES, |_, given| trimmed(given, false, true)),
    strict("replace", &[TEXT, TEXT, TEXT], GIVES, replace),
    strict("left", &[TEXT, INT4], GIVES, |_, given| {
        let (signs, number) = (signs(given), int(given, 1));
        let kept = if number < 0 { signs.len() as i64 + number } else { number };
        new(signs.iter().take(usize::try_from(kept).unwrap_or(0)).collect())
    }),
    strict("right", &[TEXT, INT4], GIVES, |_, given| {
        let (signs, number) = (signs(given), int(given, 1));
        let dropped = if number < 0 { -number } else { signs.len() as i64 - number };
        new(signs.iter().skip(usize::try_from(dropped).unwrap_or(0)).collect())
    }),
    strict("reverse", &[TEXT], GIVES, |_, given| new(text(given, 0).chars().rev().collect())),
    strict("strpos", &[TEXT, TEXT], NUMBER, |_, given| {
        let (of, what) = (text(given, 0), text(given, 1));
        Ok(PgValue::Int(of.find(what).map_or(0, |at| of[..at].chars().count() as i64 + 1)))
    }),
    strict("starts_with", &[TEXT, TEXT], Returns::Is(PgType::of(Base::Bool)), |_, given| {
        Ok(PgValue::Bool(text(given, 0).starts_with(text(given, 1))))
    }),
    strict("split_part", &[TEXT, TEXT, INT4], GIVES, split_part),
    strict("quote_ident", &[TEXT], GIVES, |_, given| new(quote_ident(text(given, 0)))),
    strict("quote_literal", &[TEXT], GIVES, |_, given| new(quote_literal(text(given, 0)))),
    strict("quote_literal", &[Takes::Any], GIVES, |_, given| {
        new(quote_literal(&given.first().and_then(shown).unwrap_or_default()))
    }),
    lenient("quote_nullable", &[TEXT], GIVES, |_, given| {
        new(given.first().and_then(shown).map_or_else(|| "NULL".to_owned(), |text| quote_literal(&text)))
    }),
    lenient("format", &[TEXT, Takes::RestAny], GIVES, format_text),
    lenient("concat", &[Takes::RestAny], GIVES, |_, given| joined(given, "")),
    lenient("concat_ws", &[TEXT, Takes::RestAny], GIVES, |_, given| match given.split_first() {
        Some((PgValue::Text(between), rest)) => joined(rest, between),
        _ => Ok(PgValue::Null),
    }),
    strict("parse_ident", &[TEXT], TEXTS, |_, given| parse_ident(text(given, 0))),
    strict("string_to_array", &[TEXT, TEXT], TEXTS, |_, given| {
        let (of, between) = (text(given, 0), text(given, 1));
        let parts: Vec<&str> = match (of.is_empty(), between.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => vec![of],
            (false, false) => of.split(between).collect(),
        };
        let elements = parts.into_iter().map(|part| PgValue::Text(part.to_owned())).collect();
        Ok(PgValue::Array { elements, lower: 1 })
    }),
    strict("chr", &[INT4], GIVES, |_, given| {
        let sign = u32::try_from(int(given, 0)).ok().and_then(char::from_u32).filter(|sign| *sign != '\0');
        match sign {
            Some(sign) => new(sign.to_string()),
            None => Err(PgError::new("54000", "requested character is not valid")),
        }
    }),
    strict("ascii", &[TEXT], NUMBER, |_, given| {
        Ok(PgValue::Int(text(given, 0).chars().next().map_or(0, |sign| i64::from(u32::from(sign)))))
    }),
];

fn new(text: String) -> Result<PgValue, PgError> {
    Ok(PgValue::Text(text))
}

fn signs(given: &[PgValue]) -> Vec<char> {
    text(given, 0).chars().collect()
}

fn count(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(PgValue::Int(text(given, 0).chars().count() as i64))
}

fn initcap(text: &str) -> String {
    let mut inside = false;
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        if inside {
            out.extend(sign.to_lowercase())
        } else {
            out.extend(sign.to_uppercase())
        }
        inside = sign.is_alphanumeric();
    }
    out
}

fn substring(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let from = int(given, 1);
    let end = match given.get(2) {
        Some(PgValue::Int(length)) if *length < 0 => {
            return Err(PgError::new("22011", "negative substring length not allowed"));
        }
        Some(PgValue::Int(length)) => from.saturating_add(*length),
        _ => i64::MAX,
    };
    let kept = text(given, 0).chars().zip(1i64..).filter(|(_, at)| *at >= from && *at < end);
    new(kept.map(|(sign, _)| sign).collect())
}

fn trimmed(given: &[PgValue], start: bool, end: bool) -> Result<PgValue, PgError> {
    let what: Vec<char> = match given.get(1) {
        Some(PgValue::Text(what)) => what.chars().collect(),
        _ => vec![' '],
    };
    let mut text = text(given, 0);
    if start {
        text = text.trim_start_matches(what.as_slice());
    }
    if end {
        text = text.trim_end_matches(what.as_slice());
    }
    new(text.to_owned())
}

fn replace(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let (of, what, with) = (text(given, 0), text(given, 1), text(given, 2));
    if what.is_empty() {
        return new(of.to_owned());
    }
    let mut out = Bounded::default();
    for (at, part) in of.split(what).enumerate() {
        if at > 0 {
            out.push(with)?;
        }
        out.push(part)?;
    }
    new(out.into())
}

fn split_part(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let (of, between, number) = (text(given, 0), text(given, 1), int(given, 2));
    let parts: Vec<&str> = if between.is_empty() { vec![of] } else { of.split(between).collect() };
    let place = match number {
        0 => return Err(PgError::new("22023", "field position must not be zero")),
        1.. => usize::try_from(number - 1).ok(),
        _ => (parts.len() as i64).checked_add(number).and_then(|place| usize::try_from(place).ok()),
    };
    new(place.and_then(|place| parts.get(place)).map_or_else(String::new, |part| (*part).to_owned()))
}

/// Words that a name must be quoted to be.
const RESERVED: &[&str] = &[
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "between",
    "bigint",
    "binary",
    "bit",
    "boolean",
    "both",
    "case",
    "cast",
    "char",
    "character",
    "check",
    "coalesce",
    "collate",
    "collation",
    "column",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "dec",
    "decimal",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "exists",
    "extract",
    "false",
    "fetch",
    "float",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "grant",
    "greatest",
    "group",
    "grouping",
    "having",
    "ilike",
    "in",
    "initially",
    "inner",
    "inout",
    "int",
    "integer",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "lateral",
    "leading",
    "least",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "national",
    "natural",
    "nchar",
    "none",
    "normalize",
    "not",
    "notnull",
    "null",
    "nullif",
    "numeric",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "out",
    "outer",
    "overlaps",
    "overlay",
    "placing",
    "position",
    "precision",
    "primary",
    "real",
    "references",
    "returning",
    "right",
    "row",
    "select",
    "session_user",
    "setof",
    "similar",
    "smallint",
    "some",
    "substring",
    "symmetric",
    "table",
    "tablesample",
    "then",
    "time",
    "timestamp",
    "to",
    "trailing",
    "treat",
    "trim",
    "true",
    "union",
    "unique",
    "user",
    "using",
    "values",
    "varchar",
    "variadic",
    "verbose",
    "when",
    "where",
    "window",
    "with",
    "xmlattributes",
    "xmlconcat",
    "xmlelement",
    "xmlexists",
    "xmlforest",
    "xmlnamespaces",
    "xmlparse",
    "xmlpi",
    "xmlroot",
    "xmlserialize",
    "xmltable",
];

/// A name as SQL writes it.
pub(crate) fn quote_ident(name: &str) -> String {
    let head = name.starts_with(|sign: char| sign.is_ascii_lowercase() || sign == '_');
    let tail = name.chars().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_');
    if head && tail && !RESERVED.contains(&name) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn quote_literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if quoted.contains('\\') { format!("E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

fn joined(values: &[PgValue], between: &str) -> Result<PgValue, PgError> {
    let mut out = Bounded::default();
    for (at, part) in values.iter().filter_map(shown).enumerate() {
        if at > 0 {
            out.push(between)?;
        }
        out.push(&part)?;
    }
    new(out.into())
}

/// `format('%I.%I = %L', …)`: names, literals and plain texts, by order or by number.
fn format_text(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let Some((PgValue::Text(pattern), values)) = given.split_first() else { return Ok(PgValue::Null) };
    let mut out = Bounded::default();
    let mut next = 0;
    let mut rest = pattern.as_str();
    while let Some((head, tail)) = rest.split_once('%') {
        out.push(head)?;
        if let Some(tail) = tail.strip_prefix('%') {
            out.push("%")?;
            rest = tail;
            continue;
        }
        let digits = tail.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(tail.len());
        let (place, tail) = match tail[digits..].strip_prefix('$') {
            Some(after) if digits > 0 => {
                (tail[..digits].parse::<usize>().ok().and_then(|n| n.checked_sub(1)), after)
            }
            _ => (Some(next), tail),
        };
        let value = place.and_then(|place| values.get(place));
        let value = value.ok_or_else(|| PgError::new("22023", "too few arguments for format()"))?;
        next = place.unwrap_or(next) + 1;
        let mut signs = tail.chars();
        match (signs.next(), shown(value)) {
            (Some('s'), value) => out.push(&value.unwrap_or_default())?,
            (Some('I'), Some(value)) => out.push(&quote_ident(&value))?,
            (Some('I'), None) => {
                return Err(PgError::new("22004", "null values cannot be formatted as an SQL identifier"));
            }
            (Some('L'), value) => {
                out.push(&value.map_or_else(|| "NULL".to_owned(), |value| quote_literal(&value)))?
            }
            _ => return Err(PgError::new("22023", "unrecognized format() type specifier")),
        }
        rest = signs.as_str();
    }
    out.push(rest)?;
    new(out.into())
}

/// `"My schema".visits` as its parts.
fn parse_ident(text: &str) -> Result<PgValue, PgError> {
    let wrong = || PgError::new("22023", "string is not a valid identifier");
    let mut elements = Vec::new();
    let mut rest = text.trim();
    loop {
        let (name, after) = if let Some(quoted) = rest.strip_prefix('"') {
            let mut end = 0;
            loop {
                end += quoted[end..].find('"').ok_or_else(wrong)?;
                if !quoted[end + 1..].starts_with('"') {
                    break;
                }
                end += 2;
            }
            (quoted[..end].replace("\"\"", "\""), &quoted[end + 1..])
        } else {
            let part = |sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == '$');
            let end = rest.find(part).unwrap_or(rest.len());
            (rest[..end].to_lowercase(), &rest[end..])
        };
        if name.is_empty() || name.starts_with(|sign: char| sign.is_ascii_digit()) && !rest.starts_with('"') {
            return Err(wrong());
        }
        elements.push(PgValue::Text(name));
        let after = after.trim_start();
        match after.strip_prefix('.') {
            Some(next) => rest = next.trim_start(),
            None if after.is_empty() => return Ok(PgValue::Array { elements, lower: 1 }),
            None => return Err(wrong()),
        }
    }
}
