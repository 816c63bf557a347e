//! The first messages of a connection: encryption, cancelling, and who says what they want.
//!
//! **Guarantee.** Nothing is read further than it is understood: packets are read by their own length, so that no byte that
//! came in the open is ever taken for one that came encrypted (CVE-2021-23214), and bytes that wait behind a request for
//! encryption end the connection. Where there is a certificate nobody starts in the open.

use std::collections::BTreeMap;
use std::io;
use std::task::Poll;

use pointillist_access::scram::Binding;
use pointillist_pg_catalog::PgError;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::frames::{BEFORE_LOGIN, Stream};
use crate::tls::{ALPN_POSTGRES, Tls};

/// 1234.5678
const CANCEL: i32 = 80_877_102;
/// 1234.5679
const SSL: i32 = 80_877_103;
/// 1234.5680
const GSS: i32 = 80_877_104;

/// The first byte of TLS, which no length of ours begins with.
const TLS_HANDSHAKE: u8 = 0x16;

/// The newest minor version of 3 that is spoken here.
pub(crate) const NEWEST_MINOR: u16 = 2;

/// What a connection turned out to be.
pub(crate) enum Opening {
    /// Somebody who wants in.
    Startup(Opened),
    /// Somebody who wants a statement cancelled.
    Cancel {
        /// The number of the session.
        backend_pid: i32,
        /// Its key, if it is right.
        key: Vec<u8>,
    },
    /// Nothing that an answer would help.
    Nothing,
}

/// A connection of somebody who wants in.
pub(crate) struct Opened {
    pub(crate) stream: Box<dyn Stream>,
    pub(crate) startup: Result<Startup, PgError>,
    /// What SCRAM can be tied to.
    pub(crate) binding: Binding,
    pub(crate) is_secure: bool,
}

/// What the startup message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Startup {
    /// The minor version that is spoken: the client's, or ours where that is older.
    pub(crate) minor: u16,
    /// Whether the client asked for something newer, or for options that nobody here knows.
    pub(crate) negotiate: Option<Vec<String>>,
    pub(crate) user: String,
    pub(crate) database: String,
    /// Everything as it was said, `user` and `database` included.
    pub(crate) parameters: BTreeMap<String, String>,
    /// Settings in their order: those of `options`, then those that are parameters of their own.
    pub(crate) settings: Vec<(String, String)>,
}

enum Packet {
    Ssl,
    Gss,
    Cancel { backend_pid: i32, key: Vec<u8> },
    Startup(Result<Startup, PgError>),
}

/// Reads up to the startup message, encrypting where the client asks for it.
pub(crate) async fn open(mut stream: TcpStream, tls: Option<&Tls>) -> io::Result<Opening> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Ok(Opening::Nothing);
    }
    if first == [TLS_HANDSHAKE] {
        return match tls {
            Some(tls) => encrypted(stream, tls, true).await,
            None => Ok(Opening::Nothing),
        };
    }
    let (mut ssl_asked, mut gss_asked) = (false, false);
    loop {
        let Some(packet) = read_packet(&mut stream).await? else { return Ok(Opening::Nothing) };
        match packet {
            Packet::Ssl if !ssl_asked => {
                ssl_asked = true;
                let Some(tls) = tls else {
                    stream.write_all(b"N").await?;
                    continue;
                };
                if has_waiting(&stream).await {
                    return Ok(Opening::Nothing);
                }
                stream.write_all(b"S").await?;
                return encrypted(stream, tls, false).await;
            }
            Packet::Gss if !gss_asked => {
                gss_asked = true;
                stream.write_all(b"N").await?;
            }
            other => return Ok(opening(other, Box::new(stream), Binding::None, false)),
        }
    }
}

/// Whether bytes have come that nobody has read.
async fn has_waiting(stream: &TcpStream) -> bool {
    let mut byte = [0];
    std::future::poll_fn(|context| {
        let mut buffer = ReadBuf::new(&mut byte);
        Poll::Ready(matches!(stream.poll_peek(context, &mut buffer), Poll::Ready(Ok(1..))))
    })
    .await
}

async fn encrypted(stream: TcpStream, tls: &Tls, is_direct: bool) -> io::Result<Opening> {
    let loaded = tls.current();
    let mut stream = TlsAcceptor::from(loaded.postgres.clone()).accept(stream).await?;
    // Without a request in front, the protocol's name is what keeps other protocols' traffic from being led here.
    if is_direct && stream.get_ref().1.alpn_protocol() != Some(ALPN_POSTGRES) {
        return Ok(Opening::Nothing);
    }
    let Some(packet) = read_packet(&mut stream).await? else { return Ok(Opening::Nothing) };
    Ok(opening(packet, Box::new(stream), loaded.binding.clone(), true))
}

fn opening(packet: Packet, stream: Box<dyn Stream>, binding: Binding, is_secure: bool) -> Opening {
    let startup = match packet {
        Packet::Cancel { backend_pid, key } => return Opening::Cancel { backend_pid, key },
        Packet::Startup(startup) => startup,
        Packet::Ssl | Packet::Gss => Err(PgError::new("08P01", "encryption was asked for twice")),
    };
    Opening::Startup(Opened { stream, startup, binding, is_secure })
}

/// One packet without a type; nothing where its length is none.
async fn read_packet(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Packet>> {
    let length = stream.read_i32().await?;
    let body = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
    let Some(body) = body.filter(|body| (4..=BEFORE_LOGIN).contains(body)) else { return Ok(None) };
    let mut bytes = vec![0; body];
    stream.read_exact(&mut bytes).await?;
    Ok(packet(&bytes))
}

fn packet(bytes: &[u8]) -> Option<Packet> {
    let (code, body) = bytes.split_first_chunk::<4>()?;
    match (i32::from_be_bytes(*code), body.len()) {
        (SSL, 0) => Some(Packet::Ssl),
        (GSS, 0) => Some(Packet::Gss),
        (SSL | GSS, _) => None,
        (CANCEL, 8..=260) => {
            let (number, key) = body.split_first_chunk::<4>()?;
            Some(Packet::Cancel { backend_pid: i32::from_be_bytes(*number), key: key.to_vec() })
        }
        (CANCEL, _) => None,
        _ => {
            let [major_high, major_low, minor @ ..] = *code;
            let (major, minor) = (u16::from_be_bytes([major_high, major_low]), u16::from_be_bytes(minor));
            Some(Packet::Startup(startup(major, minor, body)))
        }
    }
}

fn startup(major: u16, minor: u16, body: &[u8]) -> Result<Startup, PgError> {
    if major != 3 {
        let words =
            format!("unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.{NEWEST_MINOR}");
        return Err(PgError::new("0A000", words));
    }
    let parameters = parameters(body)?;
    let value = |name: &str| parameters.get(name).filter(|value| !value.is_empty()).cloned();
    let user = value("user")
        .ok_or_else(|| PgError::new("28000", "no PostgreSQL user name specified in startup packet"))?;
    let off = ["false", "off", "no", "0"];
    if value("replication").is_some_and(|replication| !off.contains(&replication.to_lowercase().as_str())) {
        return Err(PgError::new("0A000", "replication is not supported"));
    }
    let mut settings = value("options").map_or(Ok(Vec::new()), |options| settings_of_options(&options))?;
    let named = parameters.iter().filter(|(name, _)| is_setting(name));
    settings.extend(named.map(|(name, value)| (name.clone(), value.clone())));
    let unknown: Vec<String> = parameters.keys().filter(|name| name.starts_with("_pq_.")).cloned().collect();
    Ok(Startup {
        minor: minor.min(NEWEST_MINOR),
        negotiate: (minor > NEWEST_MINOR || !unknown.is_empty()).then_some(unknown),
        database: value("database").unwrap_or_else(|| user.clone()),
        user,
        parameters,
        settings,
    })
}

fn is_setting(name: &str) -> bool {
    !matches!(name, "user" | "database" | "options" | "replication") && !name.starts_with("_pq_.")
}

/// Names and values, each ended by a zero, and a zero at the end of all.
fn parameters(body: &[u8]) -> Result<BTreeMap<String, String>, PgError> {
    let layout = || PgError::new("08P01", "invalid startup packet layout: expected terminator as last byte");
    let pairs = body.strip_suffix(&[0]).ok_or_else(layout)?;
    let mut parameters = BTreeMap::new();
    if pairs.is_empty() {
        return Ok(parameters);
    }
    let mut texts = pairs.strip_suffix(&[0]).ok_or_else(layout)?.split(|byte| *byte == 0);
    while let Some(name) = texts.next() {
        let value = texts.next().ok_or_else(layout)?;
        if name.is_empty() {
            return Err(layout());
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec());
        let (Ok(name), Ok(value)) = (text(name), text(value)) else {
            return Err(PgError::new("22021", "invalid byte sequence for encoding \"UTF8\""));
        };
        parameters.insert(name, value);
    }
    Ok(parameters)
}

/// `-c a=b`, `-ca=b` and `--a=b`, with `\` before a space that is part of a value.
fn settings_of_options(options: &str) -> Result<Vec<(String, String)>, PgError> {
    let mut words = words(options).into_iter();
    let mut settings = Vec::new();
    while let Some(word) = words.next() {
        let wrong = || {
            let words = format!("invalid command-line argument for server process: {word}");
            PgError::new("42601", words).with_hint("write options as `-c name=value`")
        };
        let setting = match word.strip_prefix("--").or_else(|| word.strip_prefix("-c")) {
            Some("") if word == "-c" => words.next().ok_or_else(wrong)?,
            Some(setting) => setting.to_owned(),
            None => return Err(wrong()),
        };
        let (name, value) = setting.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
        settings.push((name.replace('-', "_"), value.to_owned()));
    }
    Ok(settings)
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => word.get_or_insert_default().extend(signs.next()),
            sign if sign.is_ascii_whitespace() => words.extend(word.take()),
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests;
