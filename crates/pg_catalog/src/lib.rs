//! PostgreSQL as its clients know it: types and their bytes, the system catalog of what is declared, settings, and a small
//! evaluator for the SQL that clients send about them.
//!
//! **Guarantee.** Everything here is a function of the declared catalog, of the session's own settings and of the text: there
//! is no row, no file, no clock and no ledger in this crate, so whatever a client reads through it is public. Work is
//! bounded: a statement stops when its steps are used up.
//!
//! | file | its idea |
//! | --- | --- |
//! | `pg_type.rs`, `pg_value.rs` | types by oid, and values |
//! | `encoding.rs` | values as bytes on the wire, text and binary, both ways |
//! | `settings.rs` | `SET`, `SHOW`, `current_setting` |
//! | `relations.rs` | the tables of `pg_catalog` and `information_schema` |
//! | `evaluator.rs` | `SELECT` over them |
//! | `functions.rs` | the functions that clients call |

mod encoding;
mod error;
mod evaluator;
mod functions;
mod pg_type;
mod pg_value;
mod relations;
mod settings;

pub use encoding::{decode_binary, decode_text, encode_binary, encode_text};
pub use error::PgError;
pub use evaluator::{Described, Outcome, Question, Route, Session, route};
pub use pg_type::{Base, PgType};
pub use pg_value::PgValue;
pub use relations::{Column, Relation, SystemCatalog};
pub use settings::{SettingCall, Settings};
