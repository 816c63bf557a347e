//! The embedded engine: files in, groups of exact integers out.
//!
//! Finding files and their schemas ([`Engine::scan`]) comes before a question is paid for and may fail. Running
//! the aggregation ([`Engine::aggregate`]) comes after; what may fail then does not depend on what is in the rows: a
//! file that somebody has changed in the meantime. No temporary file is written, and what one person takes of memory is
//! bounded (`bound.rs`).

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use pointillist_plan::{Aggregation, Owner, Relation};

use crate::aggregate::aggregate;
use crate::rows::{MemoryScan, RowScan};
use crate::{EngineError, EngineOptions, Groups, Source, SourceError};

/// Threads and memory for aggregations, in this process.
pub struct Engine {
    runtime: tokio::runtime::Runtime,
    options: EngineOptions,
}

/// Files that were found, ready to be read.
#[derive(Clone)]
pub struct Scan {
    rows: Arc<dyn RowScan>,
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
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.threads.max(1))
            .thread_name("pointillist-engine")
            .build()?;
        Ok(Self { runtime, options })
    }

    /// Prepares to read what an aggregation needs of a source. Looks at headers and footers, at no row.
    pub fn scan(&self, source: &Source, aggregation: &Aggregation) -> Result<Scan, SourceError> {
        let Relation::Table(scan) = &aggregation.relation else { return Err(SourceError::ReaderEnded) };
        let owner = match &scan.owner {
            Owner::EachRow => None,
            Owner::Column(name) => Some(name.as_str()),
            Owner::Nobody | Owner::Link(_) => return Err(SourceError::ReaderEnded),
        };
        Ok(Scan { rows: source.scan(&scan.columns, owner, self.options.threads.max(1))? })
    }

    /// Adds up the rows of a scan.
    pub fn aggregate(&self, scan: Scan, aggregation: &Aggregation) -> Result<Groups, EngineError> {
        self.run(scan.rows, aggregation)
    }

    /// Adds up rows in memory: the relation's columns in canonical types and after them, if there is one, the owner's.
    pub fn aggregate_rows(
        &self,
        rows: Vec<RecordBatch>,
        aggregation: &Aggregation,
    ) -> Result<Groups, EngineError> {
        let Some(first) = rows.first() else {
            return Err(EngineError::Plan { what: "no batch says what the columns are" });
        };
        let schema = first.schema();
        self.run(MemoryScan::shared(schema, vec![rows]), aggregation)
    }

    fn run(&self, rows: Arc<dyn RowScan>, aggregation: &Aggregation) -> Result<Groups, EngineError> {
        self.runtime.block_on(aggregate(rows, aggregation, &self.options))
    }
}
