//! Types as statements write them, and which goes into which without words.

use sqlparser::ast::{ArrayElemTypeDef, DataType};

use super::scope::shown;
use crate::{Base, PgError, PgType};

pub(super) const TEXT: PgType = PgType::of(Base::Text);
pub(super) const BOOL: PgType = PgType::of(Base::Bool);
pub(super) const INT4: PgType = PgType::of(Base::Int4);
pub(super) const INT8: PgType = PgType::of(Base::Int8);
pub(super) const UNKNOWN: PgType = PgType::of(Base::Unknown);

/// What kind of thing a type is: values of one kind are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    Number,
    String,
    Bool,
    Moment,
    Array,
    Other(Base),
}

pub(super) fn category(kind: PgType) -> Category {
    if element(kind).is_some() {
        return Category::Array;
    }
    match kind.base {
        Base::Text | Base::Varchar | Base::Bpchar | Base::Name | Base::Char | Base::Unknown => {
            Category::String
        }
        Base::Bool => Category::Bool,
        Base::Date | Base::Timestamp | Base::Timestamptz => Category::Moment,
        base if rank(base).is_some() || is_oid(base) => Category::Number,
        base => Category::Other(base),
    }
}

/// Numbers by how much they hold.
pub(super) fn rank(base: Base) -> Option<u8> {
    Some(match base {
        Base::Int2 => 0,
        Base::Int4 => 1,
        Base::Int8 => 2,
        Base::Numeric => 3,
        Base::Float4 => 4,
        Base::Float8 => 5,
        _ => return None,
    })
}

pub(super) fn is_integer(base: Base) -> bool {
    matches!(base, Base::Int2 | Base::Int4 | Base::Int8)
}

/// Oids, and oids with names.
pub(super) fn is_oid(base: Base) -> bool {
    base == Base::Oid || is_reg(base)
}

pub(super) fn is_reg(base: Base) -> bool {
    matches!(base, Base::Regclass | Base::Regtype | Base::Regproc | Base::Regnamespace | Base::Regrole)
}

/// The type of the elements, of arrays and of vectors.
pub(super) fn element(kind: PgType) -> Option<PgType> {
    match (kind.is_array, kind.base) {
        (true, base) => Some(PgType::of(base)),
        (false, Base::Int2Vector) => Some(PgType::of(Base::Int2)),
        (false, Base::OidVector) => Some(PgType::of(Base::Oid)),
        (false, _) => None,
    }
}

/// The array of this type; an array of arrays has the same type as the array.
pub(super) fn array_of(kind: PgType) -> PgType {
    match kind.base {
        Base::Unknown => PgType::array(Base::Text),
        base => PgType::array(base),
    }
}

/// Whether a value of one type goes where another is wanted, without a cast in the text.
pub(super) fn goes_into(from: PgType, to: PgType) -> bool {
    if from == to || from == UNKNOWN {
        return true;
    }
    if let (Some(from), Some(to)) = (element(from), element(to)) {
        return goes_into(from, to);
    }
    if from.is_array != to.is_array {
        return false;
    }
    let (from, to) = (from.base, to.base);
    match (rank(from), rank(to)) {
        (Some(small), Some(large)) => return small <= large,
        (Some(_), None) => return is_integer(from) && is_oid(to),
        (None, Some(_)) => return is_oid(from) && to == Base::Int8,
        (None, None) => {}
    }
    let texts = |base| category(PgType::of(base)) == Category::String;
    match (from, to) {
        (from, to) if texts(from) && texts(to) => true,
        (from, to) if is_oid(from) && is_oid(to) => true,
        (from, Base::Regclass) => texts(from),
        (Base::Date, Base::Timestamp | Base::Timestamptz) | (Base::Timestamp, Base::Timestamptz) => true,
        _ => false,
    }
}

/// The type that branches of CASE, COALESCE, UNION, VALUES and ARRAY have in common.
pub(super) fn common(types: impl IntoIterator<Item = PgType>, what: &str) -> Result<PgType, PgError> {
    let mut chosen = UNKNOWN;
    for kind in types {
        chosen = merged(chosen, kind).ok_or_else(|| {
            let message =
                format!("{what} types {} and {} cannot be matched", chosen.sql_name(), kind.sql_name());
            PgError::new("42804", message)
        })?;
    }
    Ok(if chosen == UNKNOWN { TEXT } else { chosen })
}

/// The type that both go into: the larger number, text among strings, oid among oids.
fn merged(first: PgType, second: PgType) -> Option<PgType> {
    if first == second || second == UNKNOWN {
        return Some(first);
    }
    if first == UNKNOWN {
        return Some(second);
    }
    if let (Some(first), Some(second)) = (element(first), element(second)) {
        return merged(first, second).map(array_of);
    }
    if first.is_array || second.is_array {
        return None;
    }
    match (rank(first.base), rank(second.base)) {
        (Some(one), Some(other)) => return Some(if one < other { second } else { first }),
        _ if is_oid(first.base) && is_oid(second.base) => return Some(PgType::of(Base::Oid)),
        _ => {}
    }
    if category(first) == Category::String && category(second) == Category::String {
        return Some(TEXT);
    }
    match (goes_into(first, second), goes_into(second, first)) {
        (true, _) => Some(second),
        (false, true) => Some(first),
        (false, false) => None,
    }
}

/// The type that a statement writes.
pub(super) fn written(kind: &DataType) -> Result<PgType, PgError> {
    let text = match kind {
        DataType::Array(ArrayElemTypeDef::SquareBracket(inner, _)) => return Ok(array_of(written(inner)?)),
        DataType::Custom(name, _) => custom(name)?,
        DataType::Timestamp(_, zone) | DataType::Time(_, zone) => {
            use sqlparser::ast::TimezoneInfo::{Tz, WithTimeZone};
            let zoned = matches!(zone, Tz | WithTimeZone);
            let clock = matches!(kind, DataType::Time(..));
            match (clock, zoned) {
                (false, true) => "timestamptz".to_owned(),
                (false, false) => "timestamp".to_owned(),
                (true, _) => "time".to_owned(),
            }
        }
        other => other.to_string(),
    };
    PgType::from_name(&text).ok_or_else(|| {
        PgError::new("42704", format!("type \"{}\" does not exist", shown(&text.to_lowercase())))
    })
}

/// The name of a type that SQL has no words for: `"char"`, `pg_catalog.regtype`, `name`.
fn custom(name: &sqlparser::ast::ObjectName) -> Result<String, PgError> {
    let parts: Option<Vec<_>> = name.0.iter().map(|part| part.as_ident()).collect();
    let parts = parts.unwrap_or_default();
    let (schema, last) = match parts.as_slice() {
        [last] => (None, last),
        [schema, last] => (Some(schema), last),
        _ => {
            return Err(PgError::new(
                "42704",
                format!("type \"{}\" does not exist", shown(&name.to_string())),
            ));
        }
    };
    let known = schema.is_none_or(|schema| schema.value.eq_ignore_ascii_case("pg_catalog"));
    if !known {
        return Err(PgError::new("42704", format!("type \"{}\" does not exist", shown(&name.to_string()))));
    }
    let exact = last.quote_style.is_some() || schema.is_some();
    Ok(match last.value.to_ascii_lowercase().as_str() {
        "char" if exact => "\"char\"".to_owned(),
        lower => lower.to_owned(),
    })
}
