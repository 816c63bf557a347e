//! Who may come in, and as what.
//!
//! **Guarantee.** What is kept lets nobody in: of a password the SCRAM verifier (StoredKey and ServerKey, RFC 5802) is stored,
//! of a token its SHA-256. Comparisons take the same time wherever they differ, and somebody whom nobody knows is told the
//! same, in the same steps, as somebody who mistyped.
//!
//! | file | its idea |
//! | --- | --- |
//! | `role.rs` | roles and what each may do: the one matrix for every door |
//! | `scram.rs` | SCRAM-SHA-256 as a server, without sockets |
//! | `token.rs` | tokens: made, hashed, found |
//! | `access_file.rs` | the file that holds them, readable by its owner alone |

mod access_file;
mod error;
mod role;
pub mod scram;
mod token;

pub use access_file::{Access, Person};
pub use error::AccessError;
pub use role::{Role, Verb};
pub use token::{NewToken, TokenFacts};
