//! Tables of a PostgreSQL server: what is looked at before a question is paid for, and how its statement runs.
//!
//! One question is one transaction, `REPEATABLE READ READ ONLY`, on a connection of its own: everything that a question
//! computes is of one snapshot, and nothing is written. Read it in this order:
//!
//! | file | its idea |
//! | --- | --- |
//! | `database.rs` | the server, and how long is waited for it |
//! | `table_name.rs` | a table by its names |
//! | `settings.rs`, `functions.rs` | what the session is set to and rests on, read back |
//! | `lock.rs` | tables stay as they are until the question is answered |
//! | `schema.rs` | columns and their types |
//! | `preflight.rs` | tables whose rows could make a statement fail, or are not theirs |
//! | `explain.rs` | the planner has seen the very statement |
//! | `run.rs`, `rows.rs`, `parameter.rs` | the statement, its parameters in, its rows out |
//! | `refusal.rs` | what is said before the payment, and the one sentence after it |
//!
//! **Charge before read.** [`Database::begin`] and [`Session::prepare`] come before the payment and look at catalogs and at the
//! planner alone; [`Session::run`] comes after it, and whatever goes wrong there is one constant [`NoAnswer`].

mod database;
mod explain;
mod functions;
mod lock;
mod parameter;
mod preflight;
mod refusal;
mod rows;
mod run;
mod schema;
mod settings;
mod table_name;

pub use database::{Database, Session, Times};
pub use refusal::{NoAnswer, Refusal};
pub use rows::GroupRow;
pub use schema::{StoredColumn, TableDescription};
pub use table_name::TableName;
