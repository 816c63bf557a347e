//! A made-up clinic behind a service, and clients that speak to it byte by byte.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BufMut, BytesMut};
use pointillist_access::{Access, Person, Role};
use pointillist_catalog::Catalog;
use pointillist_curator::{Clock, Home};
use pointillist_pg_catalog::Settings;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::watch;

use crate::Limits;
use crate::log::{Log, LogTarget};
use crate::server::declared;
use crate::service::Service;
use crate::wire::cancel::CancelRegistry;
use crate::wire::connection::Connection;
use crate::wire::frames::Frames;
use crate::wire::session;

const CATALOG: &str = r#"
[service]
quantum_ms = 1

[scope.patients]
model = "pure"
budget = { epsilon = 100 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 3
max_contributions = 4

[table.visits.columns]
patient = { type = "integer" }
region = { type = "text", public_keys = ["north", "south", "east", "west"] }
age = { type = "integer", lower = 0, upper = 120 }
cost = { type = "decimal", lower = 0, upper = 1000, step = 0.01 }
day = { type = "date", lower = "2024-01-01", upper = "2025-12-31" }
flag = { type = "boolean" }

[table.regions]
public = true
source = "regions.csv"

[table.regions.columns]
region = { type = "text" }
opened = { type = "date" }
beds = { type = "integer" }

[analyst.ana]
shares = { patients = { epsilon = 50 } }

[analyst.ben]
shares = { patients = { epsilon = 20 } }
"#;

/// A clinic that does not exist, and its service.
pub(super) struct House {
    pub(super) service: Arc<Service>,
    pub(super) registry: CancelRegistry,
    _stop: watch::Sender<bool>,
    stopping: watch::Receiver<bool>,
    _folder: TempDir,
}

impl House {
    pub(super) fn new() -> Self {
        Self::with(CATALOG)
    }

    /// Replies leave on a slow clock.
    pub(super) fn slow() -> Self {
        Self::with(&CATALOG.replace("quantum_ms = 1", "quantum_ms = 2000"))
    }

    fn with(catalog: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut visits = String::from("patient,region,age,cost,day,flag\n");
        for patient in 1..=400 {
            let region = ["north", "south", "east", "west"][patient % 4];
            let (age, cents) = (20 + patient % 60, patient % 100);
            let (month, flag) = (1 + patient % 12, patient % 2 == 0);
            writeln!(visits, "{patient},{region},{age},{age}.{cents:02},2024-{month:02}-10,{flag}").unwrap();
        }
        std::fs::write(folder.path().join("visits.csv"), visits).unwrap();
        let regions = "region,opened,beds\nnorth,1999-12-31,12\nsouth,2020-02-29,\n";
        std::fs::write(folder.path().join("regions.csv"), regions).unwrap();
        let catalog = Catalog::parse(catalog).unwrap();
        let home = Home::new(folder.path().to_owned(), catalog);
        let curator = home.curator(Clock::Declared).unwrap();
        let declared = declared(curator, home, "clinic").unwrap();
        let log = Log::new(LogTarget::Nowhere);
        let service = Service::new(declared, people(), Limits::default(), log);
        let (stop, stopping) = watch::channel(false);
        Self {
            service: Arc::new(service),
            registry: CancelRegistry::default(),
            _stop: stop,
            stopping,
            _folder: folder,
        }
    }

    /// What the share of an analyst has left, in words.
    pub(super) fn left(&self, analyst: &str) -> String {
        let declared = self.service.declared();
        let ledger = declared.curator.ledger();
        let balance = ledger.share("patients", analyst).unwrap();
        format!("{:?}", balance.and_then(|balance| balance.remaining))
    }

    /// Somebody who has come in, byte by byte; and the key that cancels what they wait for.
    pub(super) async fn raw(&self, name: &str, role: Role) -> Raw {
        let (near, far) = duplex(1 << 16);
        let (pid, key) = self.serve(far, name, role);
        let mut raw = Raw { stream: near, received: BytesMut::new(), pid, key };
        assert_eq!(raw.reply().await, ["Z I"]);
        raw
    }

    /// The same as an analyst.
    pub(super) async fn ana(&self) -> Raw {
        self.raw("ana", Role::Analyst).await
    }

    /// A client of the crate `tokio-postgres`.
    pub(super) async fn client(&self, name: &str) -> tokio_postgres::Client {
        let (near, mut far) = duplex(1 << 16);
        let login = async {
            let length = far.read_i32().await.unwrap();
            let mut startup = vec![0; usize::try_from(length).unwrap() - 4];
            far.read_exact(&mut startup).await.unwrap();
            // AuthenticationOk, and BackendKeyData that nobody uses.
            far.write_all(b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02").await.unwrap();
            self.serve(far, name, Role::Analyst);
        };
        let mut config = tokio_postgres::Config::new();
        config.user(name).dbname("clinic");
        let (connected, ()) = tokio::join!(config.connect_raw(near, tokio_postgres::NoTls), login);
        let (client, connection) = connected.unwrap();
        tokio::spawn(connection);
        client
    }

    fn serve(&self, stream: DuplexStream, name: &str, role: Role) -> (i32, Vec<u8>) {
        let mut frames = Frames::new(Box::new(stream), &self.service.limits);
        frames.let_in(&self.service.limits);
        let cancel = self.registry.register(false).unwrap();
        let key = (cancel.backend_pid, cancel.key.clone());
        let connection = Connection {
            frames,
            person: Person { name: name.to_owned(), role },
            verifier: self.service.access().verifier_of(name),
            settings: Settings::new(name),
            cancel,
            service: Arc::clone(&self.service),
            stopping: self.stopping.clone(),
        };
        tokio::spawn(session::run(connection));
        key
    }
}

/// Everybody whom tests let in, without passwords: nobody logs in here.
fn people() -> Access {
    let mut access = Access::new().unwrap();
    for (name, role) in [
        ("ana", Role::Analyst),
        ("ben", Role::Analyst),
        ("olga", Role::Owner),
        ("carl", Role::Curator),
        ("aud", Role::Auditor),
    ] {
        access.add(name, role, None).unwrap();
    }
    access
}

/// A client that writes and reads bytes.
pub(super) struct Raw {
    stream: DuplexStream,
    received: BytesMut,
    pub(super) pid: i32,
    pub(super) key: Vec<u8>,
}

/// A message of a client, by its type and body.
pub(super) struct Sent(BytesMut);

/// Several messages as one piece of bytes.
pub(super) fn together(messages: &[Sent]) -> BytesMut {
    let mut bytes = BytesMut::new();
    messages.iter().for_each(|message| bytes.put_slice(&message.0));
    bytes
}

fn message(kind: u8, body: impl FnOnce(&mut BytesMut)) -> Sent {
    let mut inside = BytesMut::new();
    body(&mut inside);
    let mut bytes = BytesMut::new();
    bytes.put_u8(kind);
    bytes.put_i32(i32::try_from(inside.len()).unwrap() + 4);
    bytes.put_slice(&inside);
    Sent(bytes)
}

fn text(out: &mut BytesMut, text: &str) {
    out.put_slice(text.as_bytes());
    out.put_u8(0);
}

pub(super) fn query(sql: &str) -> Sent {
    message(b'Q', |out| text(out, sql))
}

pub(super) fn parse(name: &str, sql: &str, oids: &[u32]) -> Sent {
    message(b'P', |out| {
        text(out, name);
        text(out, sql);
        out.put_i16(i16::try_from(oids.len()).unwrap());
        oids.iter().for_each(|oid| out.put_u32(*oid));
    })
}

/// Values as text; `formats` of the result.
pub(super) fn bind(portal: &str, statement: &str, values: &[Option<&str>], formats: &[i16]) -> Sent {
    message(b'B', |out| {
        text(out, portal);
        text(out, statement);
        out.put_i16(0);
        out.put_i16(i16::try_from(values.len()).unwrap());
        for value in values {
            match value {
                None => out.put_i32(-1),
                Some(value) => {
                    out.put_i32(i32::try_from(value.len()).unwrap());
                    out.put_slice(value.as_bytes());
                }
            }
        }
        out.put_i16(i16::try_from(formats.len()).unwrap());
        formats.iter().for_each(|format| out.put_i16(*format));
    })
}

pub(super) fn describe(target: u8, name: &str) -> Sent {
    message(b'D', |out| {
        out.put_u8(target);
        text(out, name);
    })
}

pub(super) fn close(target: u8, name: &str) -> Sent {
    message(b'C', |out| {
        out.put_u8(target);
        text(out, name);
    })
}

pub(super) fn execute(portal: &str, max: i32) -> Sent {
    message(b'E', |out| {
        text(out, portal);
        out.put_i32(max);
    })
}

/// Any bytes.
pub(super) fn raw(kind: u8, body: &[u8]) -> Sent {
    message(kind, |out| out.put_slice(body))
}

pub(super) fn flush() -> Sent {
    message(b'H', |_| {})
}

pub(super) fn sync() -> Sent {
    message(b'S', |_| {})
}

impl Raw {
    pub(super) async fn send(&mut self, messages: &[Sent]) {
        self.stream.write_all(&together(messages)).await.unwrap();
    }

    /// What is answered to a simple query, up to ReadyForQuery; notices aside.
    pub(super) async fn ask(&mut self, sql: &str) -> Vec<String> {
        self.send(&[query(sql)]).await;
        without_notices(self.reply().await)
    }

    /// The same with notices.
    pub(super) async fn ask_aloud(&mut self, sql: &str) -> Vec<String> {
        self.send(&[query(sql)]).await;
        self.reply().await
    }

    /// What is answered to messages, the last of which is a Sync.
    pub(super) async fn pipeline(&mut self, messages: &[Sent]) -> Vec<String> {
        self.send(messages).await;
        self.send(&[sync()]).await;
        without_notices(self.reply().await)
    }

    /// Everything up to ReadyForQuery, in words.
    pub(super) async fn reply(&mut self) -> Vec<String> {
        let mut replies = Vec::new();
        loop {
            let reply = self.next().await;
            let is_last = reply.starts_with("Z ");
            replies.push(reply);
            if is_last {
                return replies;
            }
        }
    }

    /// So many messages, notices aside.
    pub(super) async fn some(&mut self, count: usize) -> Vec<String> {
        let mut replies = Vec::new();
        while replies.len() < count {
            let reply = self.next().await;
            if !reply.starts_with('N') {
                replies.push(reply);
            }
        }
        replies
    }

    async fn next(&mut self) -> String {
        loop {
            if let Some(reply) = shown(&mut self.received) {
                return reply;
            }
            let read =
                tokio::time::timeout(Duration::from_secs(20), self.stream.read_buf(&mut self.received));
            assert!(read.await.expect("an answer in time").unwrap() > 0, "the session ended");
        }
    }
}

pub(super) fn without_notices(replies: Vec<String>) -> Vec<String> {
    replies.into_iter().filter(|reply| !reply.starts_with('N')).collect()
}

/// The next message in words: its type, and what tests look at.
fn shown(bytes: &mut BytesMut) -> Option<String> {
    let length = bytes.get(1..5).map(|length| i32::from_be_bytes(length.try_into().unwrap()))?;
    let whole = 1 + usize::try_from(length).unwrap();
    if bytes.len() < whole {
        return None;
    }
    let mut body = bytes.split_to(whole);
    let kind = body.get_u8();
    body.advance(4);
    Some(match kind {
        b'T' => format!("T {}", columns(&mut body)),
        b'D' | b'd' if kind == b'd' => format!("d {}", String::from_utf8_lossy(&body).escape_debug()),
        b'D' => format!("D {}", row(&mut body)),
        b'C' => format!("C {}", cstring(&mut body)),
        b'Z' => format!("Z {}", char::from(body.get_u8())),
        b'E' | b'N' => format!("{} {}", char::from(kind), fields(&mut body)),
        b't' => {
            let count = body.get_i16();
            format!("t {:?}", (0..count).map(|_| body.get_i32()).collect::<Vec<_>>())
        }
        b'S' => format!("S {}={}", cstring(&mut body), cstring(&mut body)),
        b'H' => format!("H {}", body.get_u8()),
        other => char::from(other).to_string(),
    })
}

fn cstring(body: &mut BytesMut) -> String {
    let end = body.iter().position(|byte| *byte == 0).unwrap();
    let text = String::from_utf8(body.split_to(end).to_vec()).unwrap();
    body.advance(1);
    text
}

fn columns(body: &mut BytesMut) -> String {
    let count = body.get_i16();
    let column = |_| {
        let name = cstring(body);
        assert_eq!((body.get_i32(), body.get_i16()), (0, 0), "columns are of no table");
        let oid = body.get_i32();
        body.advance(6);
        let format = body.get_i16();
        format!("{name}:{oid}{}", if format == 1 { "b" } else { "" })
    };
    (0..count).map(column).collect::<Vec<_>>().join(" ")
}

fn row(body: &mut BytesMut) -> String {
    let count = body.get_i16();
    let value = |_| match body.get_i32() {
        -1 => "NULL".to_owned(),
        length => {
            let bytes = body.split_to(usize::try_from(length).unwrap()).to_vec();
            match String::from_utf8(bytes) {
                Ok(text) if !text.contains(char::is_control) => text,
                Ok(text) => format!("{:?}", text.as_bytes()),
                Err(error) => format!("{:?}", error.into_bytes()),
            }
        }
    };
    (0..count).map(value).collect::<Vec<_>>().join("|")
}

fn fields(body: &mut BytesMut) -> String {
    let (mut code, mut message) = (String::new(), String::new());
    loop {
        match body.get_u8() {
            0 => return format!("{code} {message}"),
            b'C' => code = cstring(body),
            b'M' => message = cstring(body),
            b'R' => panic!("no routine is ever named"),
            _ => drop(cstring(body)),
        }
    }
}
