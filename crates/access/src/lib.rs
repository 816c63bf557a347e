//! Who may come in, and as what.
//!
//! **Guarantee.** What is kept lets nobody in: of a password the SCRAM verifier (StoredKey and ServerKey, RFC 5802) is stored,
//! of a token its SHA-256. Comparisons take the same time wherever they differ, and somebody whom nobody knows is told the
//! same, in the same steps, as somebody who mistyped.
//!
//! | file | its idea |
//! | --- | --- |
//! | `role.rs` | roles and what each may do: the one matrix for every door |
//! | `name.rs` | names of people, as the catalog has them |
//! | `password.rs` | passwords: made, and prepared as SASL wants them |
//! | `verifier.rs` | what is kept of a password, in PostgreSQL's text form |
//! | `scram.rs` | SCRAM-SHA-256 as a server, without sockets |
//! | `token.rs` | tokens: made, hashed, found |
//! | `access.rs` | everybody who may come in |
//! | `access_file.rs` | the file that holds them, readable by its owner alone |

mod access;
mod access_file;
mod error;
mod name;
mod password;
mod role;
pub mod scram;
mod token;
mod verifier;

pub use access::{Access, Bearer, Person};
pub use error::{AccessError, TokenRefusal};
pub use password::Password;
pub use role::{Role, Verb};
pub use token::{NewToken, TokenFacts, TokenTerms};
pub use verifier::Verifier;
