//! The curator behind the Postgres wire and HTTP.
//!
//! **Doors decide nothing about privacy.** They read bytes from people whom nobody trusts, find out who somebody is, and call
//! the curator; what leaves is what the curator gave, on its clock. What is here is about hostile networks: sizes, times,
//! numbers of connections, and that no byte of one person reaches another.
//!
//! | file | its idea |
//! | --- | --- |
//! | `service.rs` | what both doors call: the curator of the catalog as it stands, who may come in, limits |
//! | `wire.rs`, `wire/` | the Postgres wire |
//! | `http.rs`, `http/` | HTTP and JSON |
//! | `login_failures.rs` | how often somebody failed to come in, at either door |
//! | `pending_connections.rs` | connections that may have to leave for others |
//! | `server.rs`, `reload.rs`, `control.rs` | listening, reloading, stopping |
//! | `log.rs`, `metrics.rs` | what the server writes and counts about itself |

mod control;
mod declared_options;
mod http;
mod limits;
mod log;
mod login_failures;
mod metrics;
mod pending_connections;
mod people;
mod reload;
mod server;
mod service;
mod tls;
mod wire;

pub use control::tell_to_reload;
pub use limits::Limits;
pub use log::LogTarget;
pub use people::{DemoPerson, access_file, let_demo_in};
pub use reload::{ReloadError, Reloaded};
pub use server::{Addresses, Running, ServeError, ServerOptions, SourceFiles, TlsFiles};
pub use tls::TlsError;
