//! Where bounded aggregates run: the plan's aggregation over files, in this process.
//!
//! The only room that looks at rows. [`read`](Source) makes rows of files without failing on any of them,
//! [`evaluate`](evaluate()) computes expressions that cannot fail, `relation` joins and groups rows within one person,
//! `bound` limits what one person adds, and [`Engine`] runs all of them. Out come [`Groups`] of exact integers, or the bounded
//! rows that a model is trained on ([`TrainingTable`]), both of which nobody but the curator may see.
//!
//! **Operators of our own.** Rows are Arrow batches, threads are Tokio's, and everything in between is here, on Arrow's
//! kernels: no general query engine. People's rows join public ones by a lookup in a table that every thread has, as they
//! pass by; they join each other on their owner alone, when all rows of some people have come together. What an operator for
//! arbitrary rows needs of memory, and whether it fails, depends on those rows, after the debit; here both are fixed
//! beforehand. What that gives up: joins that spill to a disk, and an optimizer.

mod aggregate;
mod bound;
mod choice_key;
mod contract;
mod engine;
mod error;
mod evaluate;
mod gathering;
mod groups;
mod read;
mod relation;
mod rows;
#[cfg(test)]
mod tests;
mod training;

pub use aggregate::EngineOptions;
pub use choice_key::{ChoiceKey, PRIME};
pub use contract::{Choice, Embedded, Prepared};
pub use engine::{Engine, Scan};
pub use error::EngineError;
pub use evaluate::{evaluate, integers};
pub use groups::Groups;
pub use read::{
    ColumnInspection, Damage, FileSource, FileStamps, Guess, IdFiles, Inspection, MEMORY, MemoryRows,
    OWNER_COLUMN, Pair, Source, SourceError, StoredAs, TEXT_MAX, canonical_type, guess, header, inspect,
    source_files,
};
pub use relation::{Table, evaluate_relation};
pub use training::TrainingTable;
