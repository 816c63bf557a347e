//! What the catalog's names stand for: where rows are, whose they are, and which population pays for them.
//!
//! **Why.** The ledger bounds what is learnt about a population. It bounds nothing if the same rows can be asked about
//! under a second population, or in a second period, now or after an edit. So the ledger records what each name stands for (`budgets.rs`
//! compares), and one file has one payer.
//! **Servers.** A table behind a connection is known by its server and its name there, however both are written (`remote/src/rows_place.rs`);
//! the server's address is recorded with the table, so that an edited one is noticed.
//! **Not covered.** One server under two names, and views of one table. Copies: the same rows in two files are two files to us, and the same people in two populations are
//! for the owner to know. Files are compared when a catalog is taken up, not again at every question.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pointillist_catalog::{
    Catalog, ColumnType, Graph, GraphPrivacy, Periods, Protection, RemoteTable, Table, Unit,
};
use pointillist_engine::{MEMORY, source_files};
use pointillist_ledger::Dataset;
use pointillist_remote::RowsPlace;

use crate::engines::remote;
use crate::error::StartError;
use crate::graph_files::has_columns;

/// What the catalog says of each table and each graph.
pub(crate) fn declared(catalog: &Catalog) -> Vec<Dataset> {
    let tables = catalog.tables.values().map(|table| of_table(catalog, table));
    tables.chain(catalog.graphs.values().map(of_graph)).collect()
}

/// Units are recorded by their names in the file: another name in SQL is the same unit, and the same name for another
/// column of the file is not.
pub(crate) fn of_table(catalog: &Catalog, table: &Table) -> Dataset {
    let (scope, mut unit) = match &table.protection {
        Protection::Public => (None, "nobody".to_owned()),
        Protection::Private { scope, unit, .. } => (
            Some(scope.clone()),
            match unit {
                Unit::Row => "row".to_owned(),
                Unit::Column(column) => format!("column {}", table.name_in_file(column)),
                Unit::Linked { column, table: linked, key } => {
                    let key =
                        catalog.tables.get(linked).map_or(key.as_str(), |table| table.name_in_file(key));
                    format!("column {} by {linked}.{key}", table.name_in_file(column))
                }
            },
        ),
    };
    // Rows whose period is read off another column, or cut otherwise, would have another budget for what was paid before.
    if let Some(Periods { column, every }) = &table.periods {
        unit = format!("{unit}, by {} of {}", every.word(), table.name_in_file(column));
    }
    Dataset { name: format!("table {}", table.name), scope, source: source_words(catalog, table), unit }
}

fn of_graph(graph: &Graph) -> Dataset {
    let unit = match graph.privacy {
        GraphPrivacy::Node => "node",
        GraphPrivacy::Edge => "edge",
    };
    Dataset {
        name: format!("graph {}", graph.name),
        scope: Some(graph.scope.clone()),
        source: match &graph.nodes {
            None => graph.source.clone(),
            Some(nodes) => format!("{} with the nodes of {nodes}", graph.source),
        },
        unit: unit.to_owned(),
    }
}

/// A dataset for the owner to read.
pub fn dataset_words(dataset: &Dataset) -> String {
    let Dataset { scope, source, unit, .. } = dataset;
    match scope {
        None => format!("{source}, public"),
        Some(scope) => format!("{source}, privacy unit {unit}, paid for by `{scope}`"),
    }
}

/// Refuses a file whose rows two populations or two periods would pay for, or that is public under another name. Looks at names of
/// files, never at lines; what cannot be found is not answered anyway.
///
/// # Errors
/// When two names that do not share a payer, or do not find the period of a row in the same way, reach the same file, by whatever path or link.
pub fn one_payer_a_file(folder: &Path, catalog: &Catalog) -> Result<(), StartError> {
    let mut payers: BTreeMap<Identity, (String, String)> = BTreeMap::new();
    for (dataset, files) in named_files(folder, catalog) {
        let payer = payer(catalog, &dataset);
        // Tables alone are read from memory; a graph of such a name is a file.
        let is_memory = dataset.name.starts_with("table ") && dataset.source.starts_with(MEMORY);
        let memory =
            is_memory.then(|| (Identity::Memory(dataset.source.clone()), PathBuf::from(&dataset.source)));
        let files = files.into_iter().filter_map(|file| Some((Identity::File(identity(&file)?), file)));
        for (identity, file) in memory.into_iter().chain(files) {
            let (other, known) =
                payers.entry(identity).or_insert_with(|| (dataset.name.clone(), payer.clone()));
            if *known != payer {
                let (one, other) = (format!("{other} ({known})"), format!("{} ({payer})", dataset.name));
                return Err(StartError::TwoPayers { file, one, other });
            }
        }
    }
    one_payer_on_servers(catalog)
}

/// The same for rows behind connections, by the names that they have there.
fn one_payer_on_servers(catalog: &Catalog) -> Result<(), StartError> {
    let tables = catalog.tables.values().filter_map(|table| Some((table, rows_place(catalog, table)?)));
    let tables: Vec<(&Table, RowsPlace)> = tables.collect();
    for (number, (table, place)) in tables.iter().enumerate() {
        for (other, other_place) in &tables[..number] {
            let [known, payer] = [other, table].map(|table| payer(catalog, &of_table(catalog, table)));
            if place.overlaps(other_place) && known != payer {
                let [one, other] = [(other, known), (table, payer)]
                    .map(|(table, payer)| format!("table {} ({payer})", table.name));
                return Err(StartError::TwoPayers { file: PathBuf::from(place.to_string()), one, other });
            }
        }
    }
    Ok(())
}

/// A table's source, and behind a connection its server as well: rows of another server are other rows.
pub(crate) fn source_words(catalog: &Catalog, table: &Table) -> String {
    match rows_place(catalog, table) {
        None => table.source.clone(),
        Some(place) => format!("{} at {}", table.source, place.server()),
    }
}

/// Where the rows of a table are, if that is behind a connection.
fn rows_place(catalog: &Catalog, table: &Table) -> Option<RowsPlace> {
    let remote = remote(table)?;
    let connection = catalog.connections.get(&remote.connection)?;
    Some(RowsPlace::of(connection, &remote))
}

/// Which budget pays for a row, in words: two that differ would both pay.
fn payer(catalog: &Catalog, Dataset { name, scope, .. }: &Dataset) -> String {
    let Some(scope) = scope else { return "public".to_owned() };
    let table = name.strip_prefix("table ").and_then(|name| catalog.tables.get(name));
    match table.and_then(|table| Some((table, table.periods.as_ref()?))) {
        None => format!("scope `{scope}`"),
        Some((table, Periods { column, every })) => {
            let moments = table
                .column(column)
                .is_some_and(|column| matches!(column.kind, ColumnType::Timestamp { .. }));
            let kind = if moments { "moment" } else { "day" };
            format!("scope `{scope}`, by {} of the {kind} {}", every.word(), table.name_in_file(column))
        }
    }
}

/// Every table and graph with its payer and the files that hold its rows. The list of nodes under edge privacy is
/// public by declaration and nobody pays for it: it may be the first column of something else.
pub(crate) fn named_files(folder: &Path, catalog: &Catalog) -> Vec<(Dataset, Vec<PathBuf>)> {
    let mut named = Vec::new();
    let files = |source: &str| match RemoteTable::of_source(source) {
        None => source_files(folder, source).unwrap_or_default(),
        Some(_) => Vec::new(),
    };
    // A release that is a link to a private file would show it.
    for table in catalog.tables.values().chain(catalog.released.values()) {
        named.push((of_table(catalog, table), files(&table.source)));
    }
    for graph in catalog.graphs.values() {
        let private_nodes = graph.nodes.iter().filter(|_| graph.privacy == GraphPrivacy::Node);
        let sources = std::iter::once(&graph.source).chain(private_nodes);
        let found = sources.flat_map(|source| match has_columns(source) {
            true => files(source),
            false => vec![folder.join(source)],
        });
        named.push((of_graph(graph), found.collect()));
    }
    named
}

/// The same for two ways to the same rows.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    File(FileIdentity),
    /// By the name that the owner knows them under.
    Memory(String),
}

/// The same for two paths to one file, links of either kind included.
#[cfg(unix)]
pub(crate) type FileIdentity = (u64, u64);

#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(crate) type FileIdentity = PathBuf;

#[cfg(not(unix))]
pub(crate) fn identity(path: &Path) -> Option<FileIdentity> {
    fs::canonicalize(path).ok()
}
