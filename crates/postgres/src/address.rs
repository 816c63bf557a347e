//! Where a server is: `postgres://user@host:5432/database?sslmode=verify-full&sslrootcert=/etc/pki/root.pem`.
//!
//! **Guarantee.** An address holds no secret, so that it can stand in a catalog, in a message and in a log. Over a network the
//! server's certificate is verified, name and all, unless the owner writes `sslmode=disable` out: rows would otherwise go to
//! whoever answers first. What is not understood is an error that names itself, never its value.
//!
//! The modes in between (`allow`, `prefer`, `require`, `verify-ca`) are refused: they encrypt towards somebody who may be anybody.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use pointillist_errors::{Explained, Kind};

const PORT: u16 = 5432;

/// A server, a database on it, and the role that asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    user: String,
    database: String,
    host: Host,
    port: u16,
}

/// How the server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Host {
    /// The directory of a Unix socket.
    Socket(PathBuf),
    /// TCP without TLS: the machine itself, or as the owner wrote it out.
    Plain { name: String, written_out: bool },
    /// TCP with TLS, the certificate verified against these roots.
    Verified { name: String, roots: PathBuf },
}

/// An address that is not one, or not a safe one. Never shows what was written where a secret could stand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No `postgres://`.
    #[error("an address of a PostgreSQL server begins with `postgres://`")]
    Scheme,
    /// A part is missing, empty or not readable.
    #[error("the address of the PostgreSQL server has no usable {part}")]
    Part {
        /// Which part.
        part: &'static str,
    },
    /// A password in the address.
    #[error("the address of the PostgreSQL server holds a password")]
    Password,
    /// A parameter that is not understood.
    #[error("the address of the PostgreSQL server has a parameter `{name}` that is not understood")]
    UnknownParameter {
        /// Its name.
        name: String,
    },
    /// A parameter that stands twice.
    #[error("the address of the PostgreSQL server has the parameter `{name}` twice")]
    Twice {
        /// Its name.
        name: &'static str,
    },
    /// A mode of TLS that verifies too little, or none that exists.
    #[error("`sslmode={mode}` does not verify who answers")]
    Mode {
        /// As written.
        mode: String,
    },
    /// A network without TLS that nobody asked for.
    #[error(
        "`{host}` is reached over a network, and without `sslmode=verify-full` whoever is in between reads the rows"
    )]
    Unverified {
        /// The host.
        host: String,
    },
    /// `verify-full` without roots.
    #[error("`sslmode=verify-full` needs `sslrootcert`, the certificates that are trusted")]
    Roots,
    /// TLS on a socket.
    #[error("a Unix socket speaks no TLS")]
    SocketTls,
}

impl Explained for AddressError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Scheme | Self::Part { .. } => {
                "write postgres://user@host:5432/database, or postgres://user@/database?host=/run/postgresql for a socket"
            }
            Self::Password => "take it out, and keep it in a file that only the service can read",
            Self::UnknownParameter { .. } | Self::Twice { .. } => {
                "the parameters are host, port, sslmode and sslrootcert, once each"
            }
            Self::Mode { .. } | Self::Unverified { .. } => {
                "write sslmode=verify-full&sslrootcert=/path/to/root.pem, or sslmode=disable where the network is trusted"
            }
            Self::Roots => "write sslrootcert=/path/to/root.pem",
            Self::SocketTls => "leave sslmode and sslrootcert out",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Catalog
    }
}

impl Address {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        let rest = rest.ok_or(AddressError::Scheme)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = authority.rsplit_once('@').ok_or(AddressError::Part { part: "user" })?;
        if user.contains(':') {
            return Err(AddressError::Password);
        }
        let parameters = Parameters::read(query)?;
        let (name, port) = split_port(place)?;
        let port = match (port, parameters.port.as_deref()) {
            (Some(_), Some(_)) => return Err(AddressError::Twice { name: "port" }),
            (Some(port), None) | (None, Some(port)) => {
                port.parse().ok().filter(|port| *port != 0).ok_or(AddressError::Part { part: "port" })?
            }
            (None, None) => PORT,
        };
        Ok(Self {
            user: part(user, "user")?,
            database: part(database, "database")?,
            host: parameters.host(name)?,
            port,
        })
    }

    /// The role that asks.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The port, which is a part of a socket's name too.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The server and the database, the same however the address was written and whoever asks: a host in small letters, or the
    /// directory of a socket without detours, the port, and the database, whose capitals count.
    pub fn place(&self) -> String {
        let host = match &self.host {
            Host::Socket(directory) => {
                // One that is not there is compared as it is written; nothing is answered from it.
                let found = std::fs::canonicalize(directory);
                found.unwrap_or_else(|_| directory.components().collect()).display().to_string()
            }
            Host::Plain { name, .. } | Host::Verified { name, .. } if is_this_machine(name) => {
                "localhost".to_owned()
            }
            Host::Plain { name, .. } | Host::Verified { name, .. } => bracketed(&name.to_ascii_lowercase()),
        };
        format!("{host}:{}/{}", self.port, self.database)
    }

    /// Whether what travels can be read by whoever is in between, because the owner wrote so.
    pub fn is_open_network(&self) -> bool {
        matches!(&self.host, Host::Plain { written_out: true, name } if !is_this_machine(name))
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }
}

/// As it would be written, to the letter of [`Address::parse`].
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "postgres://{}@", encoded(&self.user))?;
        let database = encoded(&self.database);
        match &self.host {
            Host::Socket(directory) => {
                let directory = directory.display().to_string();
                write!(out, ":{}/{database}?host={}", self.port, encoded(&directory))
            }
            Host::Plain { name, written_out } => {
                let mode = if *written_out { "?sslmode=disable" } else { "" };
                write!(out, "{}:{}/{database}{mode}", bracketed(name), self.port)
            }
            Host::Verified { name, roots } => {
                let roots = encoded(&roots.display().to_string());
                let name = bracketed(name);
                write!(out, "{name}:{}/{database}?sslmode=verify-full&sslrootcert={roots}", self.port)
            }
        }
    }
}

#[derive(Default)]
struct Parameters {
    host: Option<String>,
    port: Option<String>,
    mode: Option<String>,
    roots: Option<String>,
}

impl Parameters {
    fn read(query: &str) -> Result<Self, AddressError> {
        let mut read = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (place, name) = match name {
                "host" => (&mut read.host, "host"),
                "port" => (&mut read.port, "port"),
                "sslmode" => (&mut read.mode, "sslmode"),
                "sslrootcert" => (&mut read.roots, "sslrootcert"),
                "password" | "sslpassword" => return Err(AddressError::Password),
                _ => return Err(AddressError::UnknownParameter { name: name.to_owned() }),
            };
            if place.replace(part(value, name)?).is_some() {
                return Err(AddressError::Twice { name });
            }
        }
        Ok(read)
    }

    fn host(self, name: &str) -> Result<Host, AddressError> {
        let name = match (name, self.host) {
            ("", Some(host)) => host,
            ("", None) => return Err(AddressError::Part { part: "host" }),
            (_, Some(_)) => return Err(AddressError::Twice { name: "host" }),
            (name, None) => part(name, "host")?,
        };
        if Path::new(&name).is_absolute() {
            return match (self.mode.as_deref(), self.roots) {
                (None | Some("disable"), None) => Ok(Host::Socket(name.into())),
                _ => Err(AddressError::SocketTls),
            };
        }
        // A list of hosts, a relative directory and a name with spaces are nothing that is looked up.
        if name.contains([',', '/', ' ', '@']) {
            return Err(AddressError::Part { part: "host" });
        }
        match (self.mode.as_deref(), self.roots) {
            (Some("verify-full"), Some(roots)) => Ok(Host::Verified { name, roots: roots.into() }),
            (Some("verify-full"), None) => Err(AddressError::Roots),
            (Some("disable"), None) => Ok(Host::Plain { name, written_out: true }),
            (None, None) if is_this_machine(&name) => Ok(Host::Plain { name, written_out: false }),
            (None, _) => Err(AddressError::Unverified { host: name }),
            (Some("disable"), Some(_)) => {
                Err(AddressError::UnknownParameter { name: "sslrootcert beside sslmode=disable".to_owned() })
            }
            (Some(mode), _) => Err(AddressError::Mode { mode: mode.to_owned() }),
        }
    }
}

/// Whether no network lies in between.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A host and what stands behind its colon; an IPv6 address stands in brackets.
fn split_port(place: &str) -> Result<(&str, Option<&str>), AddressError> {
    if let Some(rest) = place.strip_prefix('[') {
        let (name, rest) = rest.split_once(']').ok_or(AddressError::Part { part: "host" })?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((name, Some(port))),
            None if rest.is_empty() => Ok((name, None)),
            None => Err(AddressError::Part { part: "host" }),
        };
    }
    Ok(place.split_once(':').map_or((place, None), |(name, port)| (name, Some(port))))
}

/// A part without its percent signs; none may be empty, and none may hold a zero byte, which ends a name on the wire.
fn part(text: &str, part: &'static str) -> Result<String, AddressError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = rest.split_at_checked(2).ok_or(AddressError::Part { part })?;
        let value = std::str::from_utf8(digits.0).ok().filter(|digits| !digits.starts_with('+'));
        let value = value.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(value.ok_or(AddressError::Part { part })?);
        rest = digits.1;
    }
    let text = String::from_utf8(bytes).map_err(|_| AddressError::Part { part })?;
    if text.is_empty() || text.contains('\0') {
        return Err(AddressError::Part { part });
    }
    Ok(text)
}

fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { encoded(host) }
}

#[cfg(test)]
mod tests;
