//! Columns: a type, public bounds, a step, public keys, whether values may be missing.

use std::collections::BTreeSet;

use pointillist_numbers::Rational;
use toml::de::DeValue;

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{Column, ColumnType, PUBLIC_KEYS_MAX, Value, calendar, name, suggestion};

const TYPES: [&str; 8] = ["boolean", "integer", "decimal", "number", "float", "text", "date", "timestamp"];
/// The most steps between two bounds: sums of grid integers have room in what the engine counts in.
const STEPS_MAX: u64 = 1 << 62;

/// Reads one column.
pub(super) fn column(entry: &Entry<'_>) -> Result<Column, Fault> {
    let keys = ["type", "name", "lower", "upper", "step", "public_keys", "nullable"];
    let section = Section::of(entry, "a column", &keys)?;
    let hint = format!(
        "write `{} = {{ type = \"text\" }}`, or another of {}",
        name::shown(&entry.name),
        TYPES.join(", ")
    );
    let kind = kind(&section, &section.required("type", &hint)?)?;
    let public_keys = section.get("public_keys").map(|keys| public_keys(&keys, &kind)).transpose()?;
    let nullable = section.get("nullable").map_or(Ok(true), |flag| flag.flag())?;
    let stored_as = section.get("name").map(|name| name_in_file(&name)).transpose()?;
    let stored_as = stored_as.filter(|stored| *stored != entry.name);
    Ok(Column { name: entry.name.clone(), stored_as, kind, public_keys, nullable })
}

/// A name as files have them: any short line of text.
pub(super) fn name_in_file(entry: &Entry<'_>) -> Result<String, Fault> {
    let text = entry.text("the column's name in the file")?;
    match name::file_complaint(text) {
        None => Ok(text.to_owned()),
        Some(complaint) => Err(entry.fault(
            format!("the column name `{}` {complaint}", name::shown(text)),
            "write the name as it stands in the file's header",
        )),
    }
}

/// Refuses two columns that are one in the file: what bounds one of them would not bound the other.
pub(super) fn distinct_in_file(entries: &[Entry<'_>], columns: &[Column]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    for (entry, column) in entries.iter().zip(columns) {
        if !seen.insert(column.name_in_file()) {
            return Err(entry.fault(
                format!("another column is `{}` of the file already", name::shown(column.name_in_file())),
                "declare each column of the file once",
            ));
        }
    }
    Ok(())
}

fn kind(section: &Section<'_>, entry: &Entry<'_>) -> Result<ColumnType, Fault> {
    let word = entry.text("a type")?;
    let kind = match word {
        "boolean" => ColumnType::Boolean,
        "text" => ColumnType::Text,
        "integer" => ColumnType::Integer { bounds: integer_bounds(section)? },
        "decimal" | "number" | "float" => {
            let bounds = bounds(section, Entry::number)?;
            ColumnType::Number {
                step: step(section, bounds.as_ref())?,
                bounds: within_floats(section, bounds)?,
            }
        }
        "date" => ColumnType::Date { bounds: bounds(section, date)? },
        "timestamp" => ColumnType::Timestamp { bounds: bounds(section, timestamp)? },
        other => {
            let what = format!("there is no type `{}`", name::shown(other));
            return Err(entry.fault(what, type_hint(other)));
        }
    };
    for key in ["lower", "upper", "step"] {
        let fits = match &kind {
            ColumnType::Boolean | ColumnType::Text => false,
            ColumnType::Number { .. } => true,
            _ => key != "step",
        };
        if let Some(extra) = section.get(key).filter(|_| !fits) {
            let hint = if key == "step" {
                "remove it; only decimal columns have a step"
            } else {
                "remove it, or change the type"
            };
            return Err(Fault::new(
                extra.key_span,
                extra.path,
                format!("a column of type {word} has no `{key}`"),
                hint,
            ));
        }
    }
    Ok(kind)
}

/// Names of types that people bring from other systems.
fn type_hint(word: &str) -> String {
    let ours = match word.to_lowercase().as_str() {
        "int" | "bigint" | "int64" | "int32" | "long" | "smallint" => "integer",
        "string" | "str" | "varchar" | "utf8" | "char" | "category" | "enum" | "uuid" => "text",
        "double" | "real" | "float64" | "numeric" | "money" => "decimal",
        "bool" => "boolean",
        "datetime" => "timestamp",
        _ => return suggestion::hint(word, TYPES),
    };
    format!("did you mean `{ours}`?")
}

/// Both bounds or neither, the lower one below the upper one.
fn bounds<'a, T: PartialOrd>(
    section: &Section<'a>,
    read: impl Fn(&Entry<'a>) -> Result<T, Fault>,
) -> Result<Option<(T, T)>, Fault> {
    match (section.get("lower"), section.get("upper")) {
        (None, None) => Ok(None),
        (Some(lower), Some(upper)) => {
            let bounds = (read(&lower)?, read(&upper)?);
            if bounds.0 < bounds.1 {
                return Ok(Some(bounds));
            }
            Err(upper.fault(
                "`upper` is not above `lower`",
                "swap or widen the bounds; choose them without looking at the data",
            ))
        }
        (lower, upper) => {
            let (present, missing) = if lower.is_some() { ("lower", "upper") } else { ("upper", "lower") };
            let hint =
                "write both, chosen without looking at the data; or neither, if nobody needs sums of it";
            let entry = lower.or(upper).expect("one of the bounds is there");
            Err(Fault::new(
                entry.key_span,
                entry.path,
                format!("`{present}` stands without `{missing}`"),
                hint,
            ))
        }
    }
}

fn integer_bounds(section: &Section<'_>) -> Result<Option<(i64, i64)>, Fault> {
    let bounds = bounds(section, Entry::integer)?;
    match bounds {
        Some((lower, upper)) if lower.abs_diff(upper) > STEPS_MAX => {
            let hint = "choose bounds that values of the column can really have: noise grows with them";
            Err(section.fault("the bounds are more than 2^62 apart", hint))
        }
        bounds => Ok(bounds),
    }
}

fn within_floats(
    section: &Section<'_>,
    bounds: Option<(Rational, Rational)>,
) -> Result<Option<(Rational, Rational)>, Fault> {
    let Some((lower, upper)) = &bounds else {
        return Ok(bounds);
    };
    let most = Rational::from_f64(f64::MAX).expect("the largest float is a number");
    if lower.abs() <= most && upper.abs() <= most {
        return Ok(bounds);
    }
    let hint = "choose bounds that values of the column can really have: noise grows with them";
    Err(section.fault("the bounds are beyond 64-bit floats", hint))
}

fn step(section: &Section<'_>, bounds: Option<&(Rational, Rational)>) -> Result<Option<Rational>, Fault> {
    let Some(entry) = section.get("step") else {
        return Ok(None);
    };
    let step = entry.number()?;
    if !step.is_positive() {
        return Err(
            entry.fault("the step is not positive", "write the distance between two values, such as 0.01")
        );
    }
    let Some((lower, upper)) = bounds else {
        return Err(
            entry.fault("`step` stands without bounds", "write `lower` and `upper` as well, or remove it")
        );
    };
    let steps = (upper - lower) / step.clone();
    if steps < Rational::one() {
        return Err(
            entry.fault("the step is longer than the distance between the bounds", "write a shorter step")
        );
    }
    if steps > Rational::from(STEPS_MAX) {
        return Err(entry.fault("the step cuts the range into more than 2^62 steps", "write a longer step"));
    }
    Ok(Some(step))
}

fn date(entry: &Entry<'_>) -> Result<i32, Fault> {
    let hint = "write a day such as \"2020-01-31\"";
    let text = date_text(entry, hint)?;
    calendar::parse_date(&text)
        .ok_or_else(|| entry.fault(format!("`{}` is no day", name::shown(&text)), hint))
}

fn timestamp(entry: &Entry<'_>) -> Result<i64, Fault> {
    let hint = "write a moment without a time zone, such as \"2020-01-31T23:59:59\"";
    let text = date_text(entry, hint)?;
    calendar::parse_timestamp(&text)
        .ok_or_else(|| entry.fault(format!("`{}` is no moment", name::shown(&text)), hint))
}

fn date_text(entry: &Entry<'_>, hint: &str) -> Result<String, Fault> {
    match entry.value {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        DeValue::Datetime(moment) => Ok(moment.to_string()),
        other => {
            Err(entry
                .fault(format!("this is {}, where a date is expected", super::section::kind(other)), hint))
        }
    }
}

fn public_keys(entry: &Entry<'_>, kind: &ColumnType) -> Result<Vec<Value>, Fault> {
    let items = entry.list("a list of keys")?;
    if items.is_empty() {
        return Err(entry.fault(
            "the list of public keys is empty",
            "name at least one key, or remove it: keys are then earned",
        ));
    }
    if items.len() > PUBLIC_KEYS_MAX {
        return Err(entry.fault(
            format!("the list has {} public keys, more than {PUBLIC_KEYS_MAX}", items.len()),
            "remove it: keys are then earned; or list coarser keys and let questions group by an expression",
        ));
    }
    let mut seen = BTreeSet::new();
    let mut keys = Vec::with_capacity(items.len());
    for item in &items {
        let key = public_key(item, kind)?;
        if !seen.insert(key.clone()) {
            return Err(item.fault("this key stands twice", "remove one of the two"));
        }
        keys.push(key);
    }
    Ok(keys)
}

fn public_key(entry: &Entry<'_>, kind: &ColumnType) -> Result<Value, Fault> {
    let (key, inside) = match kind {
        ColumnType::Boolean => (Value::Boolean(entry.flag()?), true),
        ColumnType::Text => (Value::Text(text_key(entry)?), true),
        ColumnType::Integer { bounds } => {
            let key = entry.integer()?;
            (Value::Integer(key), within(bounds.as_ref(), &key))
        }
        ColumnType::Number { bounds, .. } => {
            let exact = entry.number()?;
            let near: Option<f64> = entry.number_text()?.parse().ok();
            let key = near
                .and_then(Value::number)
                .ok_or_else(|| entry.fault("this key is no 64-bit float", "write a decimal such as 0.5"))?;
            (key, within(bounds.as_ref(), &exact))
        }
        ColumnType::Date { bounds } => {
            let key = date(entry)?;
            (Value::Date(key), within(bounds.as_ref(), &key))
        }
        ColumnType::Timestamp { bounds } => {
            let key = timestamp(entry)?;
            (Value::Timestamp(key), within(bounds.as_ref(), &key))
        }
    };
    if inside {
        return Ok(key);
    }
    Err(entry.fault("this key is outside the column's bounds", "remove it, or widen `lower` and `upper`"))
}

fn text_key(entry: &Entry<'_>) -> Result<String, Fault> {
    let text = entry.text("a key of type text")?;
    if text.contains('\u{0}') || text.len() > 1000 {
        return Err(entry.fault("this key is too long or has a NUL", "write keys of at most 1000 bytes"));
    }
    Ok(text.to_owned())
}

fn within<T: PartialOrd>(bounds: Option<&(T, T)>, key: &T) -> bool {
    bounds.is_none_or(|(lower, upper)| lower <= key && key <= upper)
}
