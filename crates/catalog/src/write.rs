//! From a [`Catalog`] back to the text of a `pointillist.toml`.
//!
//! The same catalog gives the same text, and a catalog that was parsed comes back from it unchanged: numbers are
//! written exactly, as decimals where they have one and as fractions in quotes otherwise. A budget is written as ρ,
//! the currency that it is counted in. Comments are the owner's and are not kept.

use std::fmt::{self, Write};
use std::num::NonZeroU64;

use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_privacy::Currency;

use crate::{
    Catalog, Column, ColumnType, DeclaredBudget, FirstLine, GraphPrivacy, Periods, Protection, Releases,
    Service, Table, Unit, Value, calendar,
};

/// Digits that are written as a decimal; longer numbers are written as exact fractions.
const DIGITS: usize = 17;

impl Catalog {
    /// The text of a `pointillist.toml` that declares the same.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        write(self, &mut text).expect("writing to a string succeeds");
        text
    }
}

impl Column {
    /// The line of a `[table.NAME.columns]` that declares the same.
    pub fn to_toml(&self) -> String {
        column_line(self)
    }
}

fn write(catalog: &Catalog, out: &mut String) -> fmt::Result {
    for (name, scope) in &catalog.scopes {
        writeln!(out, "[scope.{}]", key(name))?;
        match &scope.budget {
            DeclaredBudget::Zcdp { rho, delta, conversion_delta } => {
                let delta = delta.value() + conversion_delta.value();
                writeln!(out, "budget = {{ rho = {}, delta = {} }}\n", number(rho.value()), number(&delta))?;
            }
            DeclaredBudget::Pure { epsilon } => {
                writeln!(out, "model = \"pure\"\nbudget = {{ epsilon = {} }}\n", number(epsilon.value()))?;
            }
        }
    }
    for (name, connection) in &catalog.connections {
        writeln!(out, "[connection.{}]\nurl = {}", key(name), quoted(&connection.url))?;
        if let Some(file) = &connection.password_file {
            writeln!(out, "password_file = {}", quoted(file))?;
        }
        if connection.trust_views {
            writeln!(out, "trust_views = true")?;
        }
        writeln!(out)?;
    }
    for table in catalog.tables.values() {
        write_table(table, out)?;
    }
    for (name, graph) in &catalog.graphs {
        let privacy = match graph.privacy {
            GraphPrivacy::Node => "node",
            GraphPrivacy::Edge => "edge",
        };
        writeln!(out, "[graph.{}]\nscope = {}", key(name), quoted(&graph.scope))?;
        writeln!(out, "source = {}\nversion = {}", quoted(&graph.source), quoted(&graph.version))?;
        if let Some(nodes) = &graph.nodes {
            writeln!(out, "nodes = {}", quoted(nodes))?;
        }
        let word = |first_line, plain| match first_line {
            FirstLine::Edge => plain,
            FirstLine::Names => "names",
            FirstLine::Counts => "counts",
        };
        if let Some(first_line) = graph.nodes_first_line {
            writeln!(out, "nodes_first_line = \"{}\"", word(first_line, "node"))?;
        }
        let first_line = word(graph.first_line, "edge");
        writeln!(out, "first_line = \"{first_line}\"\nprivacy = \"{privacy}\"\n")?;
    }
    for (name, analyst) in &catalog.analysts {
        writeln!(out, "[analyst.{}.shares]", key(name))?;
        for (scope, share) in &analyst.shares {
            let (loss, delta) = (number(&share.amount.loss()), number(&share.amount.delta()));
            match share.currency {
                Currency::Zcdp => writeln!(out, "{} = {{ rho = {loss}, delta = {delta} }}", key(scope))?,
                Currency::Pure => writeln!(out, "{} = {{ epsilon = {loss} }}", key(scope))?,
            }
        }
        writeln!(out)?;
    }
    write_releases(&catalog.releases, out)?;
    write_service(&catalog.service, out)
}

fn write_releases(releases: &Releases, out: &mut String) -> fmt::Result {
    if *releases == Releases::default() {
        return Ok(());
    }
    writeln!(out, "[releases]")?;
    if let Some(folder) = &releases.folder {
        writeln!(out, "folder = {}", quoted(folder))?;
    }
    if releases.need_approval() {
        let approvers: Vec<String> = releases.approvers.iter().map(|person| quoted(person)).collect();
        writeln!(out, "approvers = [{}]", approvers.join(", "))?;
    }
    writeln!(out)
}

fn write_service(service: &Service, out: &mut String) -> fmt::Result {
    let mut section = |name: &str, keys: &[(&str, Option<String>)]| {
        let keys = keys.iter().filter_map(|(key, value)| Some((key, value.as_ref()?))).collect::<Vec<_>>();
        if !keys.is_empty() {
            writeln!(out, "[{name}]")?;
            keys.iter().try_for_each(|(key, value)| writeln!(out, "{key} = {value}"))?;
            writeln!(out)?;
        }
        Ok(())
    };
    let text = |text: &Option<String>| text.as_deref().map(quoted);
    let count = |count: Option<NonZeroU64>| count.map(|count| count.to_string());
    section(
        "ledger",
        &[
            ("folder", text(&service.ledger_folder)),
            ("store", text(&service.ledger_store)),
            ("anchor", text(&service.ledger_anchor)),
        ],
    )?;
    let doors = &service.doors;
    let tls = |[certificate, key]: &[String; 2]| {
        format!("{{ certificate = {}, key = {} }}", quoted(certificate), quoted(key))
    };
    let limits: Vec<String> = [
        ("connections", doors.connections),
        ("connections_per_person", doors.connections_per_person),
        ("questions", doors.questions),
        ("questions_per_person", doors.questions_per_person),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some(format!("{key} = {}", value?)))
    .collect();
    section(
        "service",
        &[
            ("quantum_ms", count(service.quantum_ms)),
            ("quanta", count(service.quanta)),
            ("postgres", text(&doors.postgres)),
            ("http", text(&doors.http)),
            ("database", text(&doors.database)),
            ("tls", doors.tls.as_ref().map(tls)),
            ("limits", (!limits.is_empty()).then(|| format!("{{ {} }}", limits.join(", ")))),
        ],
    )
}

fn write_table(table: &Table, out: &mut String) -> fmt::Result {
    let name = key(&table.name);
    writeln!(out, "[table.{name}]")?;
    if let Protection::Private { scope, .. } = &table.protection {
        writeln!(out, "scope = {}", quoted(scope))?;
    }
    writeln!(out, "source = {}\nversion = {}", quoted(&table.source), quoted(&table.version))?;
    match &table.protection {
        Protection::Public => writeln!(out, "public = true")?,
        Protection::Private { unit, max_groups, max_contributions, .. } => {
            match unit {
                Unit::Row => writeln!(out, "privacy_unit = \"row\"")?,
                Unit::Column(column) => writeln!(out, "privacy_unit = {{ column = {} }}", quoted(column))?,
                Unit::Linked { column, table, key } => {
                    let references = quoted(&format!("{table}.{key}"));
                    writeln!(
                        out,
                        "privacy_unit = {{ column = {}, references = {references} }}",
                        quoted(column)
                    )?;
                }
            }
            for (word, count) in [("max_groups", max_groups), ("max_contributions", max_contributions)] {
                if let Some(count) = count {
                    writeln!(out, "{word} = {count}")?;
                }
            }
        }
    }
    if let Some(size) = table.size {
        writeln!(out, "size = {size}")?;
    }
    if let Some(Periods { column, every }) = &table.periods {
        writeln!(out, "periods = {{ column = {}, every = \"{}\" }}", quoted(column), every.word())?;
    }
    if !table.columns.is_empty() {
        writeln!(out, "\n[table.{name}.columns]")?;
        for column in &table.columns {
            writeln!(out, "{}", column_line(column))?;
        }
    }
    writeln!(out)
}

fn column_line(column: &Column) -> String {
    let mut parts = Vec::new();
    let (kind, bounds) = match &column.kind {
        ColumnType::Boolean => ("boolean", None),
        ColumnType::Text => ("text", None),
        ColumnType::Integer { bounds } => {
            ("integer", bounds.map(|(low, high)| (low.to_string(), high.to_string())))
        }
        ColumnType::Number { bounds, .. } => {
            ("decimal", bounds.as_ref().map(|(low, high)| (number(low), number(high))))
        }
        ColumnType::Date { bounds } => {
            let text = |day| quoted(&calendar::date_text(day));
            ("date", bounds.map(|(low, high)| (text(low), text(high))))
        }
        ColumnType::Timestamp { bounds } => {
            let text = |moment| quoted(&calendar::timestamp_text(moment));
            ("timestamp", bounds.map(|(low, high)| (text(low), text(high))))
        }
    };
    parts.push(format!("type = \"{kind}\""));
    parts.extend(column.stored_as.as_ref().map(|stored| format!("name = {}", quoted(stored))));
    if let Some((lower, upper)) = bounds {
        parts.push(format!("lower = {lower}, upper = {upper}"));
    }
    if let ColumnType::Number { step: Some(step), .. } = &column.kind {
        parts.push(format!("step = {}", number(step)));
    }
    if let Some(keys) = &column.public_keys {
        let keys: Vec<String> = keys.iter().map(value).collect();
        parts.push(format!("public_keys = [{}]", keys.join(", ")));
    }
    if !column.nullable {
        parts.push("nullable = false".to_owned());
    }
    format!("{} = {{ {} }}", key(&column.name), parts.join(", "))
}

fn value(value: &Value) -> String {
    match value {
        Value::Boolean(flag) => flag.to_string(),
        Value::Integer(integer) => integer.to_string(),
        // The shortest decimal that is read back as the same float.
        Value::Number(float) => format!("{float:?}"),
        Value::Text(text) => quoted(text),
        Value::Date(day) => quoted(&calendar::date_text(*day)),
        Value::Timestamp(moment) => quoted(&calendar::timestamp_text(*moment)),
    }
}

/// An exact number: a decimal of a few digits bare, anything longer as a fraction in quotes.
pub(crate) fn number(value: &Rational) -> String {
    let magnitude = value.abs();
    let short = decimal_upper(&magnitude, DIGITS);
    if short != decimal_lower(&magnitude, DIGITS) {
        return quoted(&value.to_string());
    }
    let sign = if value.is_negative() { "-" } else { "" };
    // TOML integers end at 64 bits.
    if short.len() > 18 && !short.contains(['.', 'e']) {
        quoted(&format!("{sign}{short}"))
    } else {
        format!("{sign}{short}")
    }
}

/// A name as a TOML key.
pub fn key(name: &str) -> String {
    let bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if bare { name.to_owned() } else { quoted(name) }
}

/// A TOML text in double quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for sign in text.chars() {
        match sign {
            '"' | '\\' => out.extend(['\\', sign]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if sign.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(sign))),
            _ => out.push(sign),
        }
    }
    out.push('"');
    out
}
