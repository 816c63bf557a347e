//! The Postgres wire.
//!
//! | file | its idea |
//! | --- | --- |
//! | `listener.rs` | taking connections, as many as limits say |
//! | `pending_connections.rs` | who is not let in yet, and who of them leaves when there are too many |
//! | `startup.rs` | the first messages: encryption, cancelling, who and what is asked for |
//! | `login.rs` | SCRAM, then what the startup message asked for |
//! | `login_failures.rs` | how often somebody failed to log in |
//! | `frames.rs` | messages: read with a cap, written with a deadline |
//! | `cancel.rs` | keys by which a statement is cancelled |
//! | `connection.rs` | what a session gets: somebody who is let in, and the way to talk to them |
//! | `session.rs` | one session |

mod cancel;
mod connection;
mod frames;
mod listener;
mod login;
mod login_failures;
mod pending_connections;
mod session;
mod startup;

pub(crate) use listener::serve;
