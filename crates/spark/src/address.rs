//! Where a Spark Connect server is: `sc://host:15002/;use_ssl=true;ca_file=/etc/pki/root.pem;user_id=curator`.
//!
//! **Guarantee.** An address holds no secret, so that it can stand in a catalog, in a message and in a log: a token in it is an
//! error. Over a network the server's certificate is verified, name and all, unless the owner writes `use_ssl=false` out: exact
//! sums would otherwise go to whoever answers first. What is not understood is an error that names itself, never its value.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use pointillist_errors::{Explained, Kind};

const PORT: u16 = 15002;
const USER: &str = "pointillist";
/// Where systems keep the certificates that they trust.
const SYSTEM_ROOTS: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// A server, how it is reached, and the name of the user that asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
    user: String,
    security: Security,
}

/// What lies between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Security {
    /// No TLS: the machine itself, or as the owner wrote it out.
    Plain { written_out: bool },
    /// TLS, the certificate verified against these roots, or against the system's.
    Verified { roots: Option<PathBuf> },
}

/// An address that is not one, or not a safe one. Never shows what was written where a secret could stand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No `sc://`.
    #[error("an address of a Spark Connect server begins with `sc://`")]
    Scheme,
    /// A part is missing, empty or not readable.
    #[error("the address of the Spark Connect server has no usable {part}")]
    Part {
        /// Which part.
        part: &'static str,
    },
    /// A token or a password in the address.
    #[error("the address of the Spark Connect server holds a secret")]
    Secret,
    /// A parameter that is not understood.
    #[error("the address of the Spark Connect server has a parameter `{name}` that is not understood")]
    UnknownParameter {
        /// Its name.
        name: String,
    },
    /// A parameter that stands twice.
    #[error("the address of the Spark Connect server has the parameter `{name}` twice")]
    Twice {
        /// Its name.
        name: &'static str,
    },
    /// A network without TLS that nobody asked for.
    #[error(
        "`{host}` is reached over a network, and without `use_ssl=true` whoever is in between reads exact sums"
    )]
    Unverified {
        /// The host.
        host: String,
    },
    /// Certificates without TLS.
    #[error("`ca_file` is of no use without `use_ssl=true`")]
    Roots,
}

impl Explained for AddressError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Scheme | Self::Part { .. } => "write sc://host:15002/;use_ssl=true",
            Self::Secret => "take it out, and keep it in a file that only the service can read",
            Self::UnknownParameter { .. } | Self::Twice { .. } => {
                "the parameters are use_ssl, ca_file and user_id, once each"
            }
            Self::Unverified { .. } => "write use_ssl=true, or use_ssl=false where the network is trusted",
            Self::Roots => "write use_ssl=true as well",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Catalog
    }
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is none, holds a secret, or leaves a network open that nobody wrote out.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let rest = text.strip_prefix("sc://").ok_or(AddressError::Scheme)?;
        let (place, parameters) = rest.split_once('/').unwrap_or((rest, ""));
        if place.contains('@') {
            return Err(AddressError::Secret);
        }
        let (host, port) = split_port(place)?;
        let host = part(host, "host")?;
        if !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte)) {
            return Err(AddressError::Part { part: "host" });
        }
        let parameters = Parameters::read(parameters)?;
        let this_machine = is_this_machine(&host);
        let security = match (parameters.tls, parameters.roots) {
            (Some(true), roots) => Security::Verified { roots },
            (_, Some(_)) => return Err(AddressError::Roots),
            (Some(false), None) => Security::Plain { written_out: true },
            (None, None) if this_machine => Security::Plain { written_out: false },
            (None, None) => return Err(AddressError::Unverified { host }),
        };
        Ok(Self { host, port, user: parameters.user.unwrap_or_else(|| USER.to_owned()), security })
    }

    /// The name under which Spark keeps our session.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The server, the same however the address was written and whoever asks.
    pub fn place(&self) -> String {
        match is_this_machine(&self.host) {
            true => format!("localhost:{}", self.port),
            false => format!("{}:{}", bracketed(&self.host.to_ascii_lowercase()), self.port),
        }
    }

    /// Whether what travels can be read by whoever is in between, because the owner wrote so.
    pub fn is_open_network(&self) -> bool {
        matches!(self.security, Security::Plain { .. }) && !is_this_machine(&self.host)
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// As HTTP/2 wants it.
    pub(crate) fn uri(&self) -> String {
        let scheme = if self.roots_file().is_some() { "https" } else { "http" };
        format!("{scheme}://{}:{}", bracketed(&self.host), self.port)
    }

    /// The file of trusted certificates; `None` without TLS.
    pub(crate) fn roots_file(&self) -> Option<PathBuf> {
        match &self.security {
            Security::Plain { .. } => None,
            Security::Verified { roots: Some(roots) } => Some(roots.clone()),
            Security::Verified { roots: None } => {
                let found = SYSTEM_ROOTS.iter().find(|path| Path::new(path).exists());
                Some(PathBuf::from(found.unwrap_or(&SYSTEM_ROOTS[0])))
            }
        }
    }
}

/// As it would be written, to the letter of [`Address::parse`].
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sc://{}:{}/", bracketed(&self.host), self.port)?;
        match &self.security {
            Security::Plain { written_out: false } => {}
            Security::Plain { written_out: true } => write!(out, ";use_ssl=false")?,
            Security::Verified { roots: None } => write!(out, ";use_ssl=true")?,
            Security::Verified { roots: Some(roots) } => {
                write!(out, ";use_ssl=true;ca_file={}", roots.display())?;
            }
        }
        if self.user == USER { Ok(()) } else { write!(out, ";user_id={}", self.user) }
    }
}

#[derive(Default)]
struct Parameters {
    tls: Option<bool>,
    roots: Option<PathBuf>,
    user: Option<String>,
}

impl Parameters {
    fn read(text: &str) -> Result<Self, AddressError> {
        let (mut tls, mut roots, mut user) = (None, None, None);
        for pair in text.split(';').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (place, name) = match name {
                "use_ssl" => (&mut tls, "use_ssl"),
                "ca_file" => (&mut roots, "ca_file"),
                "user_id" => (&mut user, "user_id"),
                "token" | "password" | "x-databricks-token" => return Err(AddressError::Secret),
                _ => return Err(AddressError::UnknownParameter { name: name.to_owned() }),
            };
            if place.replace(part(value, name)?).is_some() {
                return Err(AddressError::Twice { name });
            }
        }
        let tls = match tls.as_deref() {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => return Err(AddressError::Part { part: "use_ssl" }),
        };
        Ok(Self { tls, roots: roots.map(PathBuf::from), user })
    }
}

/// Whether no network lies in between.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A host and its port; an IPv6 address stands in brackets.
fn split_port(place: &str) -> Result<(&str, u16), AddressError> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or(AddressError::Part { part: "host" })?;
            host.parse::<IpAddr>().map_err(|_| AddressError::Part { part: "host" })?;
            (host, rest)
        }
        None => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    if port.is_empty() {
        return Ok((host, PORT));
    }
    let number = port.strip_prefix(':').and_then(|port| port.parse().ok()).filter(|port| *port != 0);
    Ok((host, number.ok_or(AddressError::Part { part: "port" })?))
}

/// A part that is not empty and holds no sign that ends a line or a name.
fn part(text: &str, part: &'static str) -> Result<String, AddressError> {
    let usable = !text.is_empty() && !text.contains(|sign: char| sign.is_control() || sign == ' ');
    usable.then(|| text.to_owned()).ok_or(AddressError::Part { part })
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: an address is written back as it was read.
    #[test]
    fn an_address_is_read_and_written() {
        for text in [
            "sc://localhost:15002/",
            "sc://[::1]:15900/",
            "sc://lake.example:443/;use_ssl=true",
            "sc://lake.example:15002/;use_ssl=true;ca_file=/etc/pki/root.pem;user_id=curator",
            "sc://10.0.0.7:15002/;use_ssl=false",
        ] {
            assert_eq!(Address::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Address::parse("sc://127.0.0.1").unwrap().to_string(), "sc://127.0.0.1:15002/");
        assert!(Address::parse("sc://10.0.0.7:15002/;use_ssl=false").unwrap().is_open_network());
        assert!(!Address::parse("sc://localhost/").unwrap().is_open_network());
    }

    /// Specification: no secret, and no open network that nobody wrote out.
    #[test]
    fn what_is_not_safe_is_refused_without_its_value() {
        for (text, expected) in [
            ("spark://lake", AddressError::Scheme),
            ("sc://lake.example/", AddressError::Unverified { host: "lake.example".to_owned() }),
            ("sc://localhost.example/", AddressError::Unverified { host: "localhost.example".to_owned() }),
            ("sc://lake/;use_ssl=true;token=hunter2", AddressError::Secret),
            ("sc://me:hunter2@lake/;use_ssl=true", AddressError::Secret),
            ("sc://lake/;use_ssl=maybe", AddressError::Part { part: "use_ssl" }),
            ("sc://lake/;use_ssl=true;use_ssl=false", AddressError::Twice { name: "use_ssl" }),
            ("sc://lake/;ca_file=/root.pem", AddressError::Roots),
            ("sc://lake/;x=hunter2", AddressError::UnknownParameter { name: "x".to_owned() }),
            ("sc://lake:0/;use_ssl=true", AddressError::Part { part: "port" }),
            ("sc:///;use_ssl=true", AddressError::Part { part: "host" }),
            ("sc://a,b/;use_ssl=true", AddressError::Part { part: "host" }),
        ] {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(error, expected, "{text}");
            assert!(!format!("{error} {error:?} {:?}", error.hint()).contains("hunter2"));
        }
    }
}
