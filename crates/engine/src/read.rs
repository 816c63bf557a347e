//! Where rows come from: files of the owner, or rows in memory, read as the catalog declares them.
//!
//! **Guarantee.** Reading is total and row-wise. Whatever bytes a file holds, a scan that has begun ends without
//! an error and without a panic unless somebody changes the file meanwhile, and what it yields for one row depends on that row alone:
//!
//! - a value becomes the declared type, whatever bounds are declared: those are for sums; what cannot be read is NULL;
//! - NaN, infinities and minus zero do not exist afterwards, texts have at most [`TEXT_MAX`] bytes, days and
//!   moments lie in the years 1 to 9999;
//! - a record of a CSV file that is not a row of that table is left out, with all lines in its quotes, and only that;
//! - a damaged part of a file (a row group, a block, the rest of a gzip stream) is left out.
//!
//! **Neighbours.** A row-wise map has stability one: adding one person's rows to the files adds that person's
//! rows to the scan and changes no others, for files that a faithful writer made: one that quotes what it must
//! ([`pointillist_records`] says what that is, and what becomes of other files). Damage to a part of a file is damage to
//! bytes, which no value that a faithful writer stored can cause.
//! **Before the debit.** [`FileSource::open`] and the making of a scan look at names, headers and footers only, never at
//! a row, and may fail with words for the owner. They hold the files open.
//! **After the debit.** What is read are the files that were found. A scan fails if their bytes have been changed since,
//! or if the system cannot read them, and for no other reason: whoever can do that is at the machine.
//! **Not covered.** Memory that a damaged Parquet page or compressed IPC buffer asks for in its header cannot be
//! refused here: if the system has none, the process ends. How long reading takes depends on the data.

mod bounds;
mod canonical;
mod cell;
mod contents;
mod csv;
mod declared_columns;
mod delimiter;
mod error;
mod file_source;
mod guess;
mod handle;
mod header;
mod inspect;
mod ipc;
mod locate;
mod memory_rows;
mod owner;
mod pairs;
mod parquet;
mod parse;
mod quiet;
mod reading;
mod scan;
mod source;
#[cfg(test)]
mod tests;

pub use bounds::canonical_type;
pub use error::SourceError;
pub use file_source::FileSource;
pub use guess::{Guess, guess};
pub use handle::FileStamps;
pub use header::header;
pub use inspect::{ColumnInspection, Inspection, inspect};
pub use locate::source_files;
pub use memory_rows::{MEMORY, MemoryRows, StoredAs};
pub(crate) use owner::OwnerForm;
pub use pairs::{IdFiles, Pair};
pub use quiet::Damage;
pub use source::Source;

/// The most bytes that a text keeps; it is cut at a character boundary. An owner's name that is longer is none.
pub const TEXT_MAX: usize = 10_000;

/// The name of the last column of a scan that was asked for owners.
pub const OWNER_COLUMN: &str = "__owner";
