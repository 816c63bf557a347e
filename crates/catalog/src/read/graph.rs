//! Graphs: `[graph.NAME]`.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{
    Catalog, FirstLine, Graph, GraphPrivacy, Protection, RemoteTable, Scope, Table, name, suggestion,
};

/// Reads a `[graph.NAME]`.
pub(super) fn graph(entry: &Entry<'_>, scopes: &BTreeMap<String, Scope>) -> Result<Graph, Fault> {
    const KEYS: [&str; 7] =
        ["scope", "source", "nodes", "first_line", "nodes_first_line", "privacy", "version"];
    let section = Section::of(entry, "a graph", &KEYS)?;
    let privacy = section.required(
        "privacy",
        "write `privacy = \"node\"` (a person with all their ties) or \"edge\" (one tie)",
    )?;
    let privacy = match privacy.text("\"node\" or \"edge\"")? {
        "node" => GraphPrivacy::Node,
        "edge" => GraphPrivacy::Edge,
        other => {
            let what = format!("there is no graph privacy `{}`", name::shown(other));
            return Err(privacy.fault(what, suggestion::hint(other, ["node", "edge"])));
        }
    };
    let source = super::source(&section)?;
    if RemoteTable::of_source(&source).is_some() {
        return Err(section.fault("graphs are read from files", "export the ties to a file of two columns"));
    }
    let nodes = section.get("nodes").map(|nodes| super::path(&nodes)).transpose()?;
    if privacy == GraphPrivacy::Edge && nodes.is_none() {
        return Err(section.fault(
            "edge privacy hides ties between nodes that everybody knows, and no list says which nodes there are",
            "write `nodes = \"people.csv\"`, a public file with one id a line, or privacy = \"node\"",
        ));
    }
    Ok(Graph {
        name: entry.name.clone(),
        scope: super::scope_name(&section, scopes)?,
        first_line: first_line(&section, "first_line", "edge")?.unwrap_or_default(),
        nodes_first_line: first_line(&section, "nodes_first_line", "node")?,
        source,
        nodes,
        version: super::version(&section)?,
        privacy,
    })
}

/// A budget bounds what is learnt about one person, or about one tie, never a mixture of both.
pub(super) fn one_promise(entry: &Entry<'_>, graph: &Graph, catalog: &Catalog) -> Result<(), Fault> {
    let is_paid_by = |table: &&Table| match &table.protection {
        Protection::Private { scope, .. } => *scope == graph.scope,
        Protection::Public => false,
    };
    let table = catalog.tables.values().find(is_paid_by).filter(|_| graph.privacy == GraphPrivacy::Edge);
    let other = |other: &&Graph| other.scope == graph.scope && other.privacy != graph.privacy;
    let other = catalog.graphs.values().find(other).map(|other| &other.name);
    match table.map(|table| &table.name).or(other) {
        None => Ok(()),
        Some(other) => Err(entry.fault(
            format!(
                "the scope `{}` would promise a tie of `{}` one thing and a person of `{}` another",
                graph.scope, graph.name, other
            ),
            "give the graph with edge privacy a [scope.NAME] of its own",
        )),
    }
}

/// What a first line is; `plain` is the word for one like all others.
fn first_line(section: &Section<'_>, key: &str, plain: &str) -> Result<Option<FirstLine>, Fault> {
    let Some(entry) = section.get(key) else { return Ok(None) };
    let first_line = match entry.text(&format!("\"{plain}\", \"names\" or \"counts\""))? {
        word if word == plain => FirstLine::Edge,
        "names" => FirstLine::Names,
        "counts" => FirstLine::Counts,
        other => {
            let what = format!("a first line is not `{}`", name::shown(other));
            return Err(entry.fault(what, suggestion::hint(other, [plain, "names", "counts"])));
        }
    };
    Ok(Some(first_line))
}
