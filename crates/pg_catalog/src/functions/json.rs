//! JSON, as far as clients build it of names and flags.

use super::{Bounded, Function, Returns, Takes, lenient, shown, strict};
use crate::{Base, PgError, PgType, PgValue};

const JSON: Returns = Returns::Is(PgType::of(Base::Json));

pub(super) const FUNCTIONS: &[Function] = &[
    strict("to_json", &[Takes::Any], JSON, first),
    strict("row_to_json", &[Takes::Any], JSON, first),
    strict("array_to_json", &[Takes::AnyArray], JSON, first),
    lenient("json_build_array", &[Takes::RestAny], JSON, |_, given| {
        let mut out = Bounded::default();
        list(given, &mut out)?;
        Ok(PgValue::Text(out.into()))
    }),
    lenient("json_build_object", &[Takes::RestAny], JSON, |_, given| {
        if given.len() % 2 != 0 {
            return Err(PgError::new("22023", "argument list must have even number of elements"));
        }
        let mut out = Bounded::default();
        out.push("{")?;
        for (at, pair) in given.chunks_exact(2).enumerate() {
            let name = shown(&pair[0])
                .ok_or_else(|| PgError::new("22004", "null value not allowed for object key"))?;
            out.push(if at > 0 { ", " } else { "" })?;
            out.push(&quoted(&name))?;
            out.push(" : ")?;
            write(&pair[1], &mut out)?;
        }
        out.push("}")?;
        Ok(PgValue::Text(out.into()))
    }),
];

fn first(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let mut out = Bounded::default();
    write(given.first().unwrap_or(&PgValue::Null), &mut out)?;
    Ok(PgValue::Text(out.into()))
}

fn write(value: &PgValue, out: &mut Bounded) -> Result<(), PgError> {
    match value {
        PgValue::Null => out.push("null"),
        PgValue::Bool(value) => out.push(if *value { "true" } else { "false" }),
        PgValue::Int(value) => out.push(&value.to_string()),
        PgValue::Numeric(digits) if digits != "NaN" => out.push(digits),
        PgValue::Float(value) if value.is_finite() => out.push(&value.to_string()),
        PgValue::Array { elements, .. } => list(elements, out),
        PgValue::Record(fields) => {
            out.push("{")?;
            for (at, (name, value)) in fields.iter().enumerate() {
                out.push(if at > 0 { "," } else { "" })?;
                out.push(&quoted(name))?;
                out.push(":")?;
                write(value, out)?;
            }
            out.push("}")
        }
        value => out.push(&quoted(&shown(value).unwrap_or_default())),
    }
}

fn list(values: &[PgValue], out: &mut Bounded) -> Result<(), PgError> {
    out.push("[")?;
    for (at, value) in values.iter().enumerate() {
        out.push(if at > 0 { "," } else { "" })?;
        write(value, out)?;
    }
    out.push("]")
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for sign in text.chars() {
        match sign {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            sign if u32::from(sign) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(sign))),
            sign => out.push(sign),
        }
    }
    out.push('"');
    out
}
