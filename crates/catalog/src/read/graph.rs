//! Graphs: `[graph.NAME]`.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{Graph, GraphPrivacy, Scope, name, suggestion};

/// Reads a `[graph.NAME]`.
pub(super) fn graph(entry: &Entry<'_>, scopes: &BTreeMap<String, Scope>) -> Result<Graph, Fault> {
    let section = Section::of(entry, "a graph", &["scope", "source", "privacy", "version"])?;
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
    Ok(Graph {
        name: entry.name.clone(),
        scope: super::scope_name(&section, scopes)?,
        source: super::source(&section)?,
        version: super::version(&section)?,
        privacy,
    })
}
