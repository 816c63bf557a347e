//! A client of the Postgres wire, byte by byte over a real socket, that says what it is told to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use bytes::{Buf, BufMut, BytesMut};
use postgres_protocol::authentication::sasl::{ChannelBinding, ScramSha256};

/// A request to be encrypted.
pub const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// What bytes travel over.
pub trait Transport: Read + Write + Send {}

impl<T: Read + Write + Send> Transport for T {}

/// Somebody who has come in.
pub struct WireClient {
    stream: Box<dyn Transport>,
    received: BytesMut,
    /// The number of the session and its key, as a request to cancel wants them.
    pub key: Vec<u8>,
}

/// A message of a client, its type in front.
pub type Message = BytesMut;

pub fn message(kind: u8, body: &[u8]) -> Message {
    let mut bytes = BytesMut::new();
    bytes.put_u8(kind);
    bytes.put_i32(i32::try_from(body.len()).expect("a message") + 4);
    bytes.put_slice(body);
    bytes
}

pub fn query(sql: &str) -> Message {
    message(b'Q', &[sql.as_bytes(), b"\0"].concat())
}

pub fn parse(name: &str, sql: &str) -> Message {
    message(b'P', &[name.as_bytes(), b"\0", sql.as_bytes(), b"\0\0\0"].concat())
}

/// Without parameters, every column as text.
pub fn bind(portal: &str, statement: &str) -> Message {
    message(b'B', &[portal.as_bytes(), b"\0", statement.as_bytes(), b"\0\0\0\0\0\0\0"].concat())
}

pub fn execute(portal: &str, rows_max: i32) -> Message {
    message(b'E', &[portal.as_bytes(), b"\0", &rows_max.to_be_bytes()].concat())
}

pub fn sync() -> Message {
    message(b'S', b"")
}

/// A socket that gives up after a while, so that a test ends.
pub fn socket(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    stream.set_nodelay(true).expect("no delay");
    stream
}

/// Asks for whatever this session waits for to be cancelled, and waits until the server has heard it.
pub fn cancel(address: SocketAddr, key: &[u8]) {
    let mut stream = socket(address);
    let length = u32::try_from(8 + key.len()).expect("a key").to_be_bytes();
    // The server may have closed already, and says nothing in any case.
    let _ = stream.write_all(&[&length, b"\x04\xd2\x16\x2e".as_slice(), key].concat());
    let _ = stream.read(&mut [0]);
}

impl WireClient {
    /// Logs in with a startup message of these parameters; the refusal in words where that fails.
    pub fn log_in(
        stream: impl Transport + 'static,
        password: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Self, String> {
        let mut client = Self { stream: Box::new(stream), received: BytesMut::new(), key: Vec::new() };
        let mut startup = b"\0\x03\0\0".to_vec();
        for (name, value) in parameters {
            startup.extend([name.as_bytes(), b"\0", value.as_bytes(), b"\0"].concat());
        }
        startup.push(0);
        let length = u32::try_from(startup.len() + 4).expect("a startup message").to_be_bytes();
        client.send_bytes(&[length.as_slice(), &startup].concat());
        let mut scram = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
        loop {
            let (kind, mut body) = client.next_message().ok_or("closed")?;
            match kind {
                b'E' => return Err(fields(&mut body)),
                b'K' => client.key = body.to_vec(),
                b'Z' => return Ok(client),
                b'R' => match body.get_u32() {
                    10 => {
                        let first = scram.message();
                        let length = u32::try_from(first.len()).expect("a nonce").to_be_bytes();
                        let first = message(b'p', &[b"SCRAM-SHA-256\0", length.as_slice(), first].concat());
                        client.send(&[first]);
                    }
                    11 => {
                        scram.update(&body).map_err(|error| error.to_string())?;
                        client.send(&[message(b'p', scram.message())]);
                    }
                    12 => scram.finish(&body).map_err(|error| error.to_string())?,
                    _ => {}
                },
                _ => {}
            }
        }
    }

    pub fn send(&mut self, messages: &[Message]) {
        self.send_bytes(&messages.concat());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        // A server that has seen enough may have closed; what it said is read all the same.
        let _ = self.stream.write_all(bytes);
        let _ = self.stream.flush();
    }

    /// What is answered to a simple query, notices aside.
    pub fn ask(&mut self, sql: &str) -> Vec<String> {
        self.send(&[query(sql)]);
        self.replies()
    }

    /// What is answered to messages and a Sync behind them, notices aside.
    pub fn pipeline(&mut self, messages: &[Message]) -> Vec<String> {
        self.send(messages);
        self.send(&[sync()]);
        self.replies()
    }

    /// Everything up to ReadyForQuery, or to the end of the connection, in words; notices aside.
    pub fn replies(&mut self) -> Vec<String> {
        let mut replies = Vec::new();
        while let Some(reply) = self.next_reply() {
            let is_last = reply.starts_with("Z ");
            if !reply.starts_with("N ") {
                replies.push(reply);
            }
            if is_last {
                break;
            }
        }
        replies
    }

    /// The next message in words; nothing where the server closed.
    pub fn next_reply(&mut self) -> Option<String> {
        let (kind, mut body) = self.next_message()?;
        let letter = char::from(kind);
        Some(match kind {
            b'D' => format!("D {}", row(&mut body)),
            b'd' => format!("d {}", String::from_utf8_lossy(&body).trim_end()),
            b'C' => format!("C {}", cstring(&mut body)),
            b'Z' => format!("Z {}", char::from(body.get_u8())),
            b'E' | b'N' => format!("{letter} {}", fields(&mut body)),
            _ => letter.to_string(),
        })
    }

    fn next_message(&mut self) -> Option<(u8, BytesMut)> {
        loop {
            if let Some(length) = self.received.get(1..5) {
                let length = u32::from_be_bytes(length.try_into().expect("four bytes"));
                let whole = 1 + usize::try_from(length).expect("a length");
                if self.received.len() >= whole {
                    let mut body = self.received.split_to(whole);
                    let kind = body.get_u8();
                    body.advance(4);
                    return Some((kind, body));
                }
            }
            let mut bytes = [0; 8_192];
            match self.stream.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => self.received.put_slice(&bytes[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("nothing in a minute"),
                Err(_) => return None,
            }
        }
    }
}

fn cstring(body: &mut BytesMut) -> String {
    let end = body.iter().position(|byte| *byte == 0).expect("an end");
    let text = String::from_utf8(body.split_to(end).to_vec()).expect("UTF-8");
    body.advance(1);
    text
}

fn row(body: &mut BytesMut) -> String {
    let count = body.get_i16();
    let value = |_| {
        let length = usize::try_from(body.get_i32()).ok();
        length
            .map_or("NULL".to_owned(), |length| String::from_utf8_lossy(&body.split_to(length)).into_owned())
    };
    (0..count).map(value).collect::<Vec<_>>().join("|")
}

/// The SQLSTATE and the message.
fn fields(body: &mut BytesMut) -> String {
    let (mut code, mut words) = (String::new(), String::new());
    loop {
        match body.get_u8() {
            0 => return format!("{code} {words}"),
            b'C' => code = cstring(body),
            b'M' => words = cstring(body),
            _ => drop(cstring(body)),
        }
    }
}
