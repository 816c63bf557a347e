//! From the text of a `pointillist.toml` to a [`Catalog`].
//!
//! **Exactness.** Numbers are taken as the owner typed them, never through a float: `0.1` is one tenth.
//! **Strictness.** What is not understood is refused, with the line, the key and the next step; a catalog that
//! exists has been checked as a whole.

mod analyst;
mod budget;
mod column;
mod connection;
pub(crate) mod entry;
mod graph;
mod ledger;
mod link;
mod period;
mod releases;
pub(crate) mod section;
mod service;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use toml::de::DeTable;

use crate::error::Fault;
use crate::{Catalog, CatalogError, Mistake};
use section::Section;

/// Longer texts are not catalogs.
pub(crate) const LENGTH_MAX: u64 = 16 << 20;

impl Catalog {
    /// Reads and checks the text of a catalog.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        let (length, most) = (text.len() as u64, LENGTH_MAX);
        if length > most {
            return Err(CatalogError::TooLong { length, most });
        }
        catalog(text).map_err(|fault| CatalogError::Mistake(Box::new(Mistake::new(text, fault))))
    }

    /// Reads and checks a catalog in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CatalogError> {
        let path = path.as_ref();
        let text =
            read_text(path).map_err(|source| CatalogError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|error| match error {
            CatalogError::Mistake(mut mistake) => {
                mistake.file = Some(path.to_owned());
                CatalogError::Mistake(mistake)
            }
            other => other,
        })
    }
}

/// The text, or one byte more than the longest one allowed.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    // Looked at before it is opened: opening a pipe would wait for its writer, and devices may never end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file but a folder, a pipe or a device",
        ));
    }
    let mut text = String::new();
    File::open(path)?.take(LENGTH_MAX + 1).read_to_string(&mut text)?;
    Ok(text)
}

fn catalog(text: &str) -> Result<Catalog, Fault> {
    let document = DeTable::parse(text).map_err(not_toml)?;
    let known = ["scope", "table", "graph", "connection", "analyst", "releases", "ledger", "service"];
    let root = Section::root(document.get_ref(), "the catalog", &known)?;
    let (releases, service) = (releases::releases(&root)?, service::service(&root)?);
    let mut catalog = Catalog { releases, service, ..Catalog::default() };
    for entry in root.children("scope")? {
        catalog.scopes.insert(entry.name.clone(), budget::scope(&entry)?);
    }
    for entry in root.children("connection")? {
        catalog.connections.insert(entry.name.clone(), connection::connection(&entry)?);
    }
    ledger::ledger(&root, &mut catalog.service, &catalog.connections)?;
    for entry in root.children("table")? {
        catalog.tables.insert(entry.name.clone(), table::table(&entry, &catalog.scopes)?);
    }
    // Links look at other tables, which may stand further down.
    for entry in root.children("table")? {
        link::check(&entry, &catalog.tables)?;
        connection::check_source(&entry, &catalog.tables[&entry.name].source, &catalog.connections)?;
    }
    for entry in root.children("graph")? {
        let graph = graph::graph(&entry, &catalog.scopes)?;
        graph::one_promise(&entry, &graph, &catalog)?;
        catalog.graphs.insert(entry.name.clone(), graph);
    }
    for entry in root.children("table")? {
        period::check(&entry, &catalog)?;
    }
    for entry in root.children("analyst")? {
        catalog.analysts.insert(entry.name.clone(), analyst::analyst(&entry, &catalog.scopes)?);
    }
    Ok(catalog)
}

/// The name of a scope that exists.
fn scope_name<T>(section: &Section<'_>, scopes: &BTreeMap<String, T>) -> Result<String, Fault> {
    let entry =
        section.required("scope", "name the population whose budget pays, such as `scope = \"patients\"`")?;
    let name = entry.text("the name of a scope")?;
    if scopes.contains_key(name) {
        return Ok(name.to_owned());
    }
    Err(entry.fault(
        format!("there is no scope `{}`", crate::name::shown(name)),
        if scopes.is_empty() {
            "declare it with a [scope.NAME] and a budget".to_owned()
        } else {
            crate::suggestion::hint(name, scopes.keys().map(String::as_str))
        },
    ))
}

/// The file, folder or glob of a table or a graph.
fn source(section: &Section<'_>) -> Result<String, Fault> {
    let entry = section
        .required("source", "name a file, a folder or a glob, such as `source = \"data/visits.parquet\"`")?;
    path(&entry)
}

/// A path on this machine.
fn path(entry: &entry::Entry<'_>) -> Result<String, Fault> {
    let source = entry.text("a path")?;
    let complaint = if source.is_empty() {
        "the path is empty"
    } else if source.contains("://") {
        "the source is an address, not a path"
    } else if source.chars().any(char::is_control) {
        "the path has control characters"
    } else {
        return Ok(source.to_owned());
    };
    Err(entry
        .fault(complaint, "name a file, a folder or a glob on this machine, such as \"data/visits.parquet\""))
}

/// The owner's word for the data's version.
fn version(section: &Section<'_>) -> Result<String, Fault> {
    match section.get("version") {
        None => Ok("1".to_owned()),
        Some(entry) => entry.version(),
    }
}

pub(crate) fn not_toml(error: toml::de::Error) -> Fault {
    let span = error.span().unwrap_or(0..0);
    let hint = if error.message().contains("duplicate key") {
        "each name and each key stands once; rename or remove the second one"
    } else {
        "the file is TOML: `key = value` lines under [section] headers, text in double quotes"
    };
    Fault::new(span, "", error.message(), hint)
}
