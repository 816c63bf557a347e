//! The Postgres wire.
//!
//! | file | its idea |
//! | --- | --- |
//! | `startup.rs` | the first messages: encryption, cancelling, who and what is asked for |
//! | `frames.rs` | messages: read with a cap, written with a deadline |
//! | `cancel.rs` | keys by which a statement is cancelled |
//! | `connection.rs` | what a session gets: somebody who is let in, and the way to talk to them |
//! | `session.rs` | one session |

mod cancel;
mod connection;
mod frames;
mod session;
mod startup;
