//! Tables published once and for all: planned, paid for in one charge, consistent, written, signed.
//!
//! ```text
//!   plan file ──► planner ──► curator: one charge, one record ──► tables ──► files, signature, page
//!                    │                                              │
//!                    └── explain: free                              └── agree wherever they overlap
//! ```

mod agreement;
mod facts;
mod facts_of;
mod files;
mod made_up_rows;
mod model_file;
mod named_rows;
mod plan_file;
mod planner;
mod public_models;
mod public_tables;
mod publish;
mod report;
#[cfg(test)]
mod sample;
mod sanitized_compare;
mod sanitized_count;
mod sanitized_file;
mod sanitized_link;
mod sanitized_private;
mod sanitized_release;
mod sanitized_report;
mod shelf;
mod signature;
mod signed_json;
mod table;
mod tables;
mod verify;
mod words;

pub use agreement::{Agreement, approve_as, prepare_as};
pub use facts::{Accounting, DataVersion, EarlierRelease, GroupLoss, Measured, ReceiptRecord, ReleaseFacts};
pub(crate) use files::table_files;
pub use files::{Draft, FileBytes, FilesError, STATEMENT, files_of, search_folder_for};
pub use made_up_rows::with_made_up_rows;
pub use model_file::{ModelFile, ModelFileError, ModelReceipt, Predicted, PrivacyStatement, largest};
pub use named_rows::NamedRows;
pub use plan_file::{Asks, Bins, Entry, Goal, PlanBudget, PlanFile, PlanFileError, TableName};
pub use planner::{Expected, ExpectedTable, PublicationError};
pub use public_tables::{releases_folder, with_releases};
pub use publish::{Prepared, PublishOptions, explain, prepare, publish, recorded_files, release};
pub use sanitized_compare::{ExactComparison, compare_exactly};
pub use sanitized_count::{MeasuredCount, SanitizedCount, sanitized_count};
pub use sanitized_file::SanitizedFile;
pub use sanitized_link::{LinkedTables, link};
pub use sanitized_private::{PrivateComparison, PrivateDistance};
pub use sanitized_release::{SANITIZED_TABLE, publish_sanitized};
pub use sanitized_report::SanitizedReport;
pub use shelf::{Shelf, ShelfFile, ShelfRelease};
pub use signature::{
    KeyError, PUBLIC_KEY_FILE, PublicKey, ReleaseKey, SIGNATURE_FILE, Signature, statement_digest,
};
pub use signed_json::ModelSigner;
pub use table::{Cell, Figure, KeyColumn, MeasureColumn, Published, PublishedTable, Row, StrategyLine};
pub use verify::{
    InLedger, KeyOrigin, ListedFile, NumbersCheck, Statement, Trusted, Verdict, VerifyError, verify,
};
pub use words::{ReleasedEntry, released, released_list};

/// What writes releases, by name and version.
pub(crate) const SOFTWARE: &str = concat!("Pointillist ", env!("CARGO_PKG_VERSION"));
