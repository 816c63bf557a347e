//! What can go wrong, without a word of the server.
//!
//! **Guarantee.** Of what a server says about a failure, the five characters of its SQLSTATE are kept and nothing else: its
//! message, detail, context and hint quote rows (`invalid input syntax for type bigint: "x"`), and so does what the driver
//! makes of them. Neither `Display` nor `Debug` nor `source` leads to them. Messages name no host and no file either: whoever
//! asks a question sees them, and whoever owns the connection knows its address.

use std::io;

use pointillist_errors::{Explained, Kind};
use tokio_postgres::error::DbError;

/// A call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    /// Nobody answers at the address.
    #[error("the PostgreSQL server cannot be reached ({reason})")]
    Unreachable {
        /// The address, which holds no secret, for the owner.
        server: String,
        /// What the system says, such as a refused connection.
        reason: io::ErrorKind,
    },
    /// The server does not let the role in.
    #[error("the PostgreSQL server does not accept the role and its password")]
    Authentication,
    /// The server speaks no TLS, or is not the one that the address names.
    #[error("the PostgreSQL server's certificate is not one that the address trusts")]
    Tls,
    /// The file of trusted certificates is of no use.
    #[error("the file of trusted certificates holds none in PEM form that can be read")]
    Roots {
        /// The file, for the owner.
        path: String,
    },
    /// No answer within the time that was given. The connection is closed.
    #[error("the PostgreSQL server did not answer in time")]
    Timeout,
    /// The connection is gone.
    #[error("the connection to the PostgreSQL server is closed")]
    Closed,
    /// The server refused or broke off a statement.
    #[error("the PostgreSQL server answered with SQLSTATE {sqlstate}")]
    Server {
        /// What clients tell errors apart by: five characters from a public list.
        sqlstate: String,
    },
    /// A parameter does not have the type that the statement expects, or there are too few or too many.
    #[error("the parameters are not those that the statement expects")]
    Parameters,
    /// A column of a type that is not read, or a value outside of what can be held.
    #[error("column {column} has the type `{type_name}`, which cannot be read")]
    Unreadable {
        /// Counted from 1.
        column: usize,
        /// The type.
        type_name: String,
    },
    /// Something that is not PostgreSQL, or not as the driver knows it.
    #[error("the server does not answer as PostgreSQL does")]
    Protocol,
    /// The system gives us no thread.
    #[error("no thread can be started for a connection")]
    Thread,
}

impl ConnectionError {
    /// The SQLSTATE, where the server gave one.
    pub fn sqlstate(&self) -> Option<&str> {
        match self {
            Self::Server { sqlstate } => Some(sqlstate),
            _ => None,
        }
    }

    /// From what the driver says of a call.
    pub(crate) fn from_call(error: &tokio_postgres::Error) -> Self {
        if let Some(server) = error.as_db_error() {
            return Self::from_server(server);
        }
        if error.is_closed() || cause::<io::Error>(error).is_some_and(|io| !is_parsing(error, io)) {
            return Self::Closed;
        }
        // The driver keeps its kinds to itself and says them in constant words, which the tests of this crate hold it to.
        let words = error.to_string();
        if words.starts_with("error serializing parameter") || words.contains("parameters but got") {
            return Self::Parameters;
        }
        Self::Protocol
    }

    /// From what the driver says while it connects.
    pub(crate) fn from_opening(error: &tokio_postgres::Error, server: &str) -> Self {
        if let Some(refusal) = error.as_db_error() {
            return match refusal.code().code() {
                code if code.starts_with("28") => Self::Authentication,
                _ => Self::from_server(refusal),
            };
        }
        match error.to_string().as_str() {
            "error performing TLS handshake" => Self::Tls,
            // A missing password is a matter of configuration to the driver.
            "authentication error" | "invalid configuration" => Self::Authentication,
            "timeout waiting for server" => Self::Timeout,
            _ => match cause::<io::Error>(error) {
                Some(io) => Self::Unreachable { server: server.to_owned(), reason: io.kind() },
                None if error.is_closed() => Self::Closed,
                None => Self::Protocol,
            },
        }
    }

    fn from_server(error: &DbError) -> Self {
        let code = error.code().code();
        // The code is the one part that is shown, so that nothing else can stand in its place.
        let is_code = code.len() == 5 && code.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        match is_code {
            true => Self::Server { sqlstate: code.to_owned() },
            false => Self::Protocol,
        }
    }
}

fn cause<T: std::error::Error + 'static>(error: &tokio_postgres::Error) -> Option<&T> {
    std::error::Error::source(error).and_then(|cause| cause.downcast_ref())
}

/// Whether an error of input and output is about bytes that were read well and not understood.
fn is_parsing(error: &tokio_postgres::Error, io: &io::Error) -> bool {
    matches!(io.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
        || error.to_string() == "error encoding message to server"
}

impl Explained for ConnectionError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unreachable { .. } => {
                "check that the server runs, and the host and the port of the address"
            }
            Self::Authentication => "check the role, its password and the server's pg_hba.conf",
            Self::Tls => "check sslrootcert, and that the certificate names the host as the address does",
            Self::Roots { .. } => "name a file of certificates in PEM form as sslrootcert",
            Self::Timeout | Self::Closed => "try again, and look into the server's log if it happens again",
            Self::Server { .. } => {
                "the server's own log says more; its words are not repeated, for they quote rows"
            }
            Self::Parameters | Self::Unreadable { .. } => return None,
            Self::Protocol => "check that the address is that of a PostgreSQL server",
            Self::Thread => "raise the limit of threads of the service",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Roots { .. } => Kind::Catalog,
            _ => Kind::Environment,
        }
    }
}
