//! Where the rows of declared tables are: in files below the catalog's folder, or in memory.
//!
//! A source `memory:visits` names rows that whoever opened the curator holds in memory. To the ledger it is a source like any
//! other: a name that stands for one population and one privacy unit, now and when the same ledger is opened again. Rows that have
//! changed in between need another `version`, as changed files do. A program that was given no rows of that name answers as for a missing file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pointillist_catalog::{Catalog, Protection, Table, Unit};
use pointillist_engine::{MemoryRows, Source, SourceError};

/// What a source in memory begins with.
pub const MEMORY: &str = "memory:";

/// A folder, and rows in memory by their names.
#[derive(Clone, Default)]
pub struct DataPlace {
    folder: PathBuf,
    memory: BTreeMap<String, MemoryRows>,
}

impl DataPlace {
    /// Files below this folder.
    pub fn folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), memory: BTreeMap::new() }
    }

    /// The same with rows in memory, by the names that follow `memory:`.
    #[must_use]
    pub fn with_memory(self, memory: BTreeMap<String, MemoryRows>) -> Self {
        Self { memory, ..self }
    }

    /// What sources are relative to.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Finds the rows of a table; looks at none.
    pub(crate) fn open(&self, table: &Table) -> Result<Source, SourceError> {
        match self.in_memory(table) {
            Some(rows) => Ok(Source::Memory(rows.clone())),
            None => Source::open(&self.folder, &table.source),
        }
    }

    fn in_memory(&self, table: &Table) -> Option<&MemoryRows> {
        self.memory.get(table.source.strip_prefix(MEMORY)?)
    }

    /// Whether rows in memory have the columns that are declared of them.
    ///
    /// # Errors
    /// When a column is missing or of a type that is not read.
    pub fn check_memory(&self, catalog: &Catalog) -> Result<(), SourceError> {
        for table in catalog.tables.values() {
            let Some(rows) = self.in_memory(table) else { continue };
            for column in &table.columns {
                rows.check_column(column.name_in_file())?;
            }
            if let Protection::Private { unit: Unit::Column(column) | Unit::Linked { column, .. }, .. } =
                &table.protection
            {
                rows.check_column(table.name_in_file(column))?;
            }
        }
        Ok(())
    }
}
