//! The bounded aggregation of a plan as one typed statement of a dialect, for engines that hold the rows.
//!
//! What travels is the aggregation alone: filter, joins, keys, measures, clamps, the choice of a person's groups, and sums of
//! whole numbers. Noise, budgets, keys that are earned and whatever is computed from answers stay where they were.
//!
//! Read it in this order: `sql` (text that nobody else can have written), `stage` (rows seen through expressions),
//! `scalar` (total expressions), `reading` (columns of a server as the types of the language), `relation`, `choice` (which
//! groups of a person are kept), `aggregation`, [`Statement`].

mod aggregation;
mod choice;
mod dialect;
mod parameter;
mod reading;
mod refusal;
mod relation;
mod scalar;
mod sql;
mod stage;
mod statement;
mod stored;
mod units;

pub use aggregation::lower;
pub use dialect::Dialect;
pub use parameter::Parameter;
pub use reading::check_column;
pub use refusal::Refusal;
pub use statement::{Statement, StatementTable};
pub use stored::{Stored, StoredTable, StoredTables};
