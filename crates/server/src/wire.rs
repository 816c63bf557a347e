//! The Postgres wire.
//!
//! | file | its idea |
//! | --- | --- |
//! | `listener.rs` | taking connections, as many as limits say |
//! | `startup.rs` | the first messages: encryption, cancelling, who and what is asked for |
//! | `login.rs` | SCRAM, then what the startup message asked for |
//! | `frames.rs` | messages: read with a cap, written with a deadline |
//! | `cancel.rs` | keys by which a statement is cancelled |
//! | `connection.rs` | what a session gets: somebody who is let in, and the way to talk to them |
//! | `session.rs` | one session: simple and extended queries |
//! | `tokens.rs`, `statement.rs` | a message to statements, a statement to a command |
//! | `commands.rs`, `transaction.rs`, `session_settings.rs` | what a session does itself |
//! | `answering.rs`, `answer_rows.rs` | what others answer, as rows |
//! | `prepared.rs`, `portal.rs` | what a session keeps |
//! | `outgoing.rs`, `copy.rs`, `notices.rs`, `refusal.rs` | what a session says |

mod answer_rows;
mod answering;
mod cancel;
mod commands;
mod connection;
mod copy;
mod frames;
mod listener;
mod login;
mod notices;
mod outgoing;
mod portal;
mod prepared;
mod refusal;
mod session;
mod session_settings;
mod startup;
mod statement;
mod tokens;
mod transaction;

pub(crate) use listener::serve;
