//! A table by its names on the server, letter by letter.

use std::fmt;

use pointillist_postgres::Parameter;

use super::Refusal;

/// A schema, and a table in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableName {
    schema: String,
    name: String,
}

impl TableName {
    /// From a path of two parts; others name no table of PostgreSQL, and neither do parts with U+0000.
    pub fn from_path(path: &[String]) -> Result<Self, Refusal> {
        match path {
            [schema, name] if !path.iter().any(|part| part.is_empty() || part.contains('\0')) => {
                Ok(Self { schema: schema.clone(), name: name.clone() })
            }
            _ => Err(Refusal::Missing { table: path.join(".").replace('\0', "") }),
        }
    }

    /// Schema and name.
    pub fn path(&self) -> Vec<String> {
        vec![self.schema.clone(), self.name.clone()]
    }

    /// In quotes, for a statement.
    pub(super) fn quoted(&self) -> String {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }

    /// For a statement that looks it up.
    pub(super) fn parameters(&self) -> [Parameter; 2] {
        [Parameter::Text(Some(self.schema.clone())), Parameter::Text(Some(self.name.clone()))]
    }
}

/// As messages write it.
impl fmt::Display for TableName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.schema, self.name)
    }
}
