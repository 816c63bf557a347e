//! Tables behind a Spark Connect server: what is looked at before a question is paid for, and how its statement runs.
//!
//! One question is one session, which is made for it and let go afterwards. Read it in this order:
//!
//! | file | its idea |
//! | --- | --- |
//! | `cluster.rs` | the server, and one question's session with it |
//! | `table_name.rs` | a table by its names, or files by their path |
//! | `settings.rs` | what the session is set to, read back |
//! | `table.rs` | what a table is: tables that Spark computes are refused by name |
//! | `shape.rs` | Spark has planned the very statement, and will answer in the columns that are read |
//! | `rows.rs`, `parameter.rs` | parameters in, rows out |
//! | `refusal.rs` | what is said before the payment, and the one sentence after it |
//!
//! **Charge before read.** [`Cluster::begin`] and [`Session::prepare`] come before the payment and ask for names, types and plans
//! alone; [`Session::run`] comes after it, and whatever goes wrong there is one constant [`NoAnswer`].
//! **Not covered.** Files have no snapshots: each statement is of the files as Spark lists them when it begins.

mod cluster;
mod parameter;
mod refusal;
mod rows;
mod settings;
mod shape;
mod table;
mod table_name;

pub use cluster::{Cluster, Running, Session, Times};
pub use refusal::{NoAnswer, Refusal};
pub use rows::GroupRow;
pub use table::{StoredColumn, TableDescription};
pub use table_name::TableName;
pub(crate) use table_name::is_files;
