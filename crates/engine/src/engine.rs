//! The embedded engine: files in, groups of exact integers out.
//!
//! Finding files and their schemas, and reading public tables ([`Engine::scan`]), comes before a question is paid for and
//! may fail. Running
//! the aggregation ([`Engine::aggregate`]) comes after; what may fail then does not depend on what is in the rows: a
//! file that somebody has changed in the meantime. No temporary file is written, and what one person takes of memory is
//! bounded (`bound.rs`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use pointillist_plan::{Aggregation, Owner};
use tokio::runtime::{Builder, Runtime};

use crate::aggregate::aggregate;
use crate::relation::{Origins, Prepared, Table, read_public};
use crate::rows::{MemoryTable, Origin};
use crate::{Choice, EngineError, EngineOptions, Groups, Source};

/// Threads and memory for aggregations, in this process.
pub struct Engine {
    /// Taken when the engine is dropped, and not before.
    runtime: Option<Runtime>,
    options: EngineOptions,
}

/// Files that were found, ready to be read.
#[derive(Clone)]
pub struct Scan {
    prepared: Arc<Prepared>,
}

impl Scan {
    pub(crate) fn new(prepared: Prepared) -> Self {
        Self { prepared: Arc::new(prepared) }
    }

    pub(crate) fn prepared(self) -> Arc<Prepared> {
        self.prepared
    }
}

/// What files are called and hold is the owner's.
impl fmt::Debug for Scan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Scan").finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine with threads of its own.
    pub fn new(options: EngineOptions) -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(options.threads.max(1))
            .thread_name("pointillist-engine")
            .build()?;
        Ok(Self { runtime: Some(runtime), options })
    }

    /// Prepares to read what an aggregation needs of sources, by the names of their tables. Reads public tables; of others it
    /// looks at headers and footers, at no row.
    ///
    /// # Errors
    /// When files cannot be opened, or public tables are such that the question cannot be answered.
    pub fn scan(
        &self,
        sources: &BTreeMap<String, Source>,
        aggregation: &Aggregation,
    ) -> Result<Scan, EngineError> {
        let origins = |table: &str| sources.get(table).map(|source| source as &dyn Origin);
        self.prepare(&origins, aggregation)
    }

    /// The rows of a public table, for what is computed from them and from released numbers.
    ///
    /// # Errors
    /// When the table is somebody's, is not among the sources, cannot be read, or is too large.
    pub fn public_rows(
        &self,
        sources: &BTreeMap<String, Source>,
        scan: &pointillist_plan::Scan,
    ) -> Result<Table, EngineError> {
        if scan.owner != Owner::Nobody {
            return Err(EngineError::Plan { what: "the table is not public" });
        }
        let origins = |table: &str| sources.get(table).map(|source| source as &dyn Origin);
        self.runtime().block_on(read_public(scan, &origins))
    }

    /// Adds up the rows of a scan.
    pub fn aggregate(&self, scan: Scan, aggregation: &Aggregation) -> Result<Groups, EngineError> {
        self.aggregate_choosing(scan, aggregation, &Choice::Fresh)
    }

    /// The same, choosing people's groups under a key.
    pub(crate) fn aggregate_choosing(
        &self,
        scan: Scan,
        aggregation: &Aggregation,
        choice: &Choice,
    ) -> Result<Groups, EngineError> {
        self.runtime().block_on(aggregate(scan.prepared, aggregation, choice, &self.options))
    }

    /// Adds up rows in memory, by the names of their tables. A table has all columns that the relation names, those that say
    /// whose its rows are among them, in canonical types.
    ///
    /// # Errors
    /// When a table or a column is missing.
    pub fn aggregate_rows(
        &self,
        tables: BTreeMap<String, Vec<RecordBatch>>,
        aggregation: &Aggregation,
    ) -> Result<Groups, EngineError> {
        let tables: BTreeMap<String, MemoryTable> =
            tables.into_iter().map(|(name, batches)| (name, MemoryTable(vec![batches]))).collect();
        let origins = |table: &str| tables.get(table).map(|table| table as &dyn Origin);
        self.aggregate(self.prepare(&origins, aggregation)?, aggregation)
    }

    fn prepare(&self, origins: &Origins<'_>, aggregation: &Aggregation) -> Result<Scan, EngineError> {
        let threads = self.options.threads.max(1);
        let prepared = self.runtime().block_on(Prepared::new(&aggregation.relation, origins, threads))?;
        Ok(Scan::new(prepared))
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.options
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is taken when the engine is dropped")
    }
}

/// Whoever drops the last engine may be a task of a server, which must not wait: nothing is being computed any more, since
/// whoever computes holds the engine.
impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
