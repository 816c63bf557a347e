//! SmartNoise SQL metadata (YAML) as a draft catalog.
//!
//! The layout is collection → schema → table → column, with options of tables and columns as in
//! <https://docs.smartnoise.org/sql/metadata.html>. What has no counterpart here is told, never guessed: bounds are
//! taken over exactly as typed, and none is invented.

mod table;
#[cfg(test)]
mod tests;
mod yaml;

use pointillist_errors::{Explained, Kind};

use crate::name;
use yaml::Node;

/// Longer texts are not metadata.
const LENGTH_MAX: usize = 4 << 20;

/// Why metadata cannot be taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The text is far longer than any metadata.
    #[error("metadata of {length} bytes is too long")]
    TooLong {
        /// How long it is.
        length: usize,
    },
    /// The text is not the YAML that we read.
    #[error("line {line}: {what}")]
    NotMetadata {
        /// The line, counted from one.
        line: usize,
        /// What is wrong.
        what: String,
        /// What to do next.
        hint: String,
    },
}

impl Explained for ImportError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::TooLong { .. } => format!("SmartNoise metadata takes at most {LENGTH_MAX} bytes here"),
            Self::NotMetadata { hint, .. } => hint.clone(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}

impl ImportError {
    fn at(line: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::NotMetadata { line, what: what.into(), hint: hint.into() }
    }
}

/// The text of a catalog, and what had no counterpart in it.
pub fn import(yaml_text: &str) -> Result<(String, Vec<String>), ImportError> {
    if yaml_text.len() > LENGTH_MAX {
        return Err(ImportError::TooLong { length: yaml_text.len() });
    }
    let root = yaml::parse(yaml_text)?;
    let mut notes = Vec::new();
    let mut out = String::from(
        "# A Pointillist catalog, taken over from SmartNoise metadata. Analysts may read all of this file.\n\
         # Read the comments, check the sources, then run `pointillist check`.\n\n",
    );
    let mut collections = entries(&root, "the metadata")?;
    collections.retain(|(key, _, _)| key != "engine");
    let [(collection, _, schemas)] = collections.as_slice() else {
        let hint = "SmartNoise has one collection a file, and an `engine` beside it";
        return Err(ImportError::at(root.line(), "there is not exactly one collection", hint));
    };
    let scope = if collection.trim().is_empty() { "people".to_owned() } else { name::made_valid(collection) };
    out.push_str(&format!(
        "[scope.{}]\n# SmartNoise keeps no budget in its metadata. Decide what may ever be learnt about one person.\n\
         budget = {{ epsilon = 1.0, delta = 1e-9 }}\n",
        crate::write::key(&scope)
    ));
    let mut taken = std::collections::BTreeSet::new();
    for (schema, _, tables) in entries(schemas, "a collection")? {
        for (table, line, options) in entries(tables, "a schema")? {
            let table_name = name::made_valid(unescaped(&table));
            if !taken.insert(table_name.clone()) {
                let hint = "tables have one name here; rename one of them in the metadata";
                return Err(ImportError::at(line, format!("a second table becomes `{table_name}`"), hint));
            }
            if table_name != table {
                notes.push(format!("table `{schema}.{table}` is named `{table_name}` here"));
            }
            out.push('\n');
            out.push_str(&table::table(&table_name, &scope, &entries(options, "a table")?, &mut notes)?);
        }
    }
    notes.push("the budget is a placeholder: SmartNoise keeps none in its metadata".to_owned());
    Ok((out, notes))
}

/// The entries of a mapping, in order.
fn entries<'n>(node: &'n Node, what: &str) -> Result<Vec<(String, usize, &'n Node)>, ImportError> {
    match node {
        Node::Mapping { entries, .. } => {
            Ok(entries.iter().map(|(key, line, value)| (key.clone(), *line, value)).collect())
        }
        other => Err(ImportError::at(
            other.line(),
            format!("{what} is not a mapping"),
            "the layout is collection, schema, table, column, each indented under the one before",
        )),
    }
}

/// A name without the quotes that some engines want around it.
fn unescaped(name: &str) -> &str {
    let inner = |open: char, close: char| name.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    inner('"', '"').or_else(|| inner('`', '`')).or_else(|| inner('[', ']')).unwrap_or(name)
}
