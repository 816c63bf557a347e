//! Names by oids and oids by names: `regclass`, `regtype`, `obj_description` and the like.

use crate::evaluator::Session;
use crate::{PgType, SystemCatalog};

use super::declared::{DeclaredTable, quoted_name};
use super::instance::{OWNER, OWNER_OID, PUBLIC, SCHEMAS};
use super::session::USER_OID;
use super::shapes::Shape;
use super::types::{self, TypeFacts};

/// The oids of system tables that comments hang on.
pub(crate) const PG_CLASS: u32 = 1259;
pub(crate) const PG_NAMESPACE: u32 = 2615;

/// A table, declared or of the system.
pub(crate) enum Class<'c> {
    /// Declared.
    Own(&'c DeclaredTable),
    /// Of the system.
    System(u32, &'static str, &'static str),
}

impl Class<'_> {
    /// Its oid.
    pub(crate) fn oid(&self) -> u32 {
        match self {
            Self::Own(table) => table.oid,
            Self::System(oid, ..) => *oid,
        }
    }

    /// Whether its name alone means it.
    pub(crate) fn is_visible(&self) -> bool {
        !matches!(self, Self::System(_, "information_schema", _))
    }

    /// How `regclass` prints it: with its schema where the name alone does not mean it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Own(table) => quoted_name(&table.name),
            Self::System(_, schema @ "information_schema", name) => format!("{schema}.{name}"),
            Self::System(_, _, name) => (*name).to_owned(),
        }
    }
}

impl SystemCatalog {
    /// The table of this oid.
    pub(crate) fn class(&self, oid: u32) -> Option<Class<'_>> {
        let own = self.inner.declared.table(oid).map(Class::Own);
        own.or_else(|| {
            let shape = Shape::all().iter().find(|shape| shape.oid == oid)?;
            Some(Class::System(shape.oid, shape.schema, shape.name))
        })
    }

    /// The table that these names mean: a name, a schema and a name, or a database before them.
    pub(crate) fn class_named(&self, names: &[String]) -> Option<Class<'_>> {
        let (schema, name) = match names {
            [name] => (None, name),
            [schema, name] => (Some(schema.as_str()), name),
            [database, schema, name] if *database == self.inner.database => (Some(schema.as_str()), name),
            _ => return None,
        };
        if let Some(shape) = Shape::find(schema, name) {
            return Some(Class::System(shape.oid, shape.schema, shape.name));
        }
        match schema {
            None | Some("public") => self.inner.declared.table_named(name).map(Class::Own),
            Some(_) => None,
        }
    }

    /// The comment on an object, or on a column of a table.
    pub(crate) fn description(&self, object: u32, class: Option<u32>, part: i64) -> Option<&str> {
        let declared = &self.inner.declared;
        if object == PUBLIC && part == 0 && class.is_none_or(|class| class == PG_NAMESPACE) {
            return Some(&declared.description);
        }
        let table = declared.table(object).filter(|_| class.is_none_or(|class| class == PG_CLASS))?;
        match part {
            0 => Some(&table.description),
            number => {
                let index = usize::try_from(number.checked_sub(1)?).ok()?;
                table.columns.get(index).map(|column| column.description.as_str())
            }
        }
    }

    /// `FOREIGN KEY (a) REFERENCES t(b)`.
    pub(crate) fn constraint_definition(&self, oid: u32) -> Option<&str> {
        let mut keys = self.inner.declared.tables.iter().filter_map(|table| table.foreign_key.as_ref());
        keys.find(|key| key.oid == oid).map(|key| key.definition.as_str())
    }

    /// Whether a table has a column of this name or number.
    pub(crate) fn has_column(&self, class: &Class<'_>, name: &str) -> bool {
        match class {
            Class::Own(table) => table.columns.iter().any(|column| column.name == name),
            Class::System(_, schema, table) => Shape::find(Some(schema), table)
                .is_some_and(|shape| shape.columns.iter().any(|column| column.name == name)),
        }
    }
}

/// The name of a type in SQL.
pub(crate) fn type_name(oid: u32) -> Option<String> {
    types::facts(oid).map(TypeFacts::sql_name)
}

/// The type that a name means, in any of the ways that SQL writes it.
pub(crate) fn type_named(name: &str) -> Option<u32> {
    let known = PgType::from_name(name).map(PgType::oid);
    known.or_else(|| {
        let lower = name.trim().to_lowercase();
        let bare = lower.strip_prefix("pg_catalog.").unwrap_or(&lower);
        let facts = match bare.strip_suffix("[]") {
            Some(element) => types::facts_named(&format!("_{element}")),
            None => types::facts_named(bare.trim_matches('"')),
        };
        facts.map(|facts| facts.oid)
    })
}

/// The name of a function that reads or writes values.
pub(crate) fn procedure_name(oid: u32) -> Option<&'static str> {
    types::procedures().iter().find(|found| found.oid == oid).map(|found| found.name)
}

/// The function that a name means.
pub(crate) fn procedure_named(names: &[String]) -> Option<u32> {
    let name = match names {
        [name] => name,
        [schema, name] if schema == "pg_catalog" => name,
        _ => return None,
    };
    types::procedures().iter().find(|found| found.name == name).map(|found| found.oid)
}

/// The types of a function's arguments, and of its result.
pub(crate) fn procedure_types(oid: u32) -> Option<(String, String)> {
    let found = types::procedures().iter().find(|found| found.oid == oid)?;
    Some((found.arguments(), found.result()))
}

/// The name of a schema.
pub(crate) fn schema_name(oid: u32) -> Option<&'static str> {
    SCHEMAS.iter().find(|(found, _)| *found == oid).map(|(_, name)| *name)
}

/// The schema of this name.
pub(crate) fn schema_named(name: &str) -> Option<u32> {
    SCHEMAS.iter().find(|(_, found)| *found == name).map(|(oid, _)| *oid)
}

/// The name of a role: whoever asks, or the one that everything belongs to.
pub(crate) fn role_name<'s>(session: &Session<'s>, oid: u32) -> Option<&'s str> {
    match oid {
        OWNER_OID => Some(OWNER),
        USER_OID => Some(session.user),
        _ => None,
    }
}

/// The role of this name, as far as the one who asks may know.
pub(crate) fn role_named(session: &Session<'_>, name: &str) -> Option<u32> {
    match name {
        name if name == session.user => Some(USER_OID),
        OWNER => Some(OWNER_OID),
        _ => None,
    }
}

/// The parts of a name as SQL writes it: `public."Visits"`. `None` where it is no name.
pub(crate) fn name_parts(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_part(quoted)?,
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                let part = part.trim();
                let is_name = !part.is_empty()
                    && !part.contains(|sign: char| sign.is_whitespace() || "\"();,".contains(sign));
                (is_name.then(|| part.to_lowercase())?, after)
            }
        };
        parts.push(part);
        rest = after.trim_start();
        match rest.strip_prefix('.') {
            Some(after) => rest = after.trim_start(),
            None if rest.is_empty() => return Some(parts),
            None => return None,
        }
    }
}

/// What stands before the closing quote, and what comes after.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                part.push('"');
                rest = after;
            }
            None => return (!part.is_empty()).then_some((part, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_sql_writes_them() {
        for (text, parts) in [
            ("visits", vec!["visits"]),
            ("Public.Visits", vec!["public", "visits"]),
            ("\"public\".\"Vis\"\"its\"", vec!["public", "Vis\"its"]),
            ("shop . public . visits", vec!["shop", "public", "visits"]),
        ] {
            assert_eq!(name_parts(text).unwrap(), parts, "{text}");
        }
        for text in ["", ".", "a.", "\"a", "a b", "select * from visits", "\"\"", "a(b)"] {
            assert_eq!(name_parts(text), None, "{text}");
        }
    }

    #[test]
    fn types_have_names_also_where_clients_are_never_told_of_them() {
        for (name, printed) in [
            ("trigger", "trigger"),
            ("pg_catalog.time", "time without time zone"),
            ("time[]", "time without time zone[]"),
            ("character varying(20)", "character varying"),
            ("_int4", "integer[]"),
            ("\"char\"", "\"char\""),
            ("any", "\"any\""),
        ] {
            assert_eq!(type_named(name).and_then(type_name).as_deref(), Some(printed), "{name}");
        }
        assert_eq!(type_named("hstore"), None);
    }
}
