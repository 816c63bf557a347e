//! What the server writes about itself: one JSON object a line, with typed fields; no statement, no value, no token.
//!
//! **Guarantee.** A line is made of the fields of [`Event`] and of our own words. A statement is there as a digest under a key that
//! is drawn when the process starts and never leaves it: lines of one process can be told apart and matched, and nobody who
//! holds a log can try literals against it. Time is said in whole quanta of the reply clock, and sizes of replies in whole
//! kibibytes, so that a log tells no more about an answer than its asker's clock did.
//! **Reasons.** Where data does not open, the owner reads which file and what the file system says about it. Why a question was charged in
//! vain is not said: whatever failed while rows were read may depend on them.
//! **Nobody waits for a log.** Lines go to a thread of their own; when its reader is too slow, lines are left out and counted.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use sha2::{Digest, Sha256};

/// Lines that wait to be written; further ones are left out.
const WAITING_MAX: usize = 4_096;
/// Sizes of replies are said in these.
const REPLY_BYTES_STEP: u64 = 1_024;

/// Where lines go.
#[derive(Clone, Debug, Default)]
pub enum LogTarget {
    /// To stderr.
    #[default]
    Stderr,
    /// To whoever holds the other end: for tests and for programs that have a log of their own.
    Lines(mpsc::Sender<String>),
    /// Nowhere.
    Nowhere,
}

/// A door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Door {
    /// The Postgres wire.
    Postgres,
    /// HTTP.
    Http,
}

impl Door {
    /// Its word in logs and metrics.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Http => "http",
        }
    }
}

/// A request or a statement that is done with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'e> {
    /// Where it came in.
    pub(crate) door: Door,
    /// Its name in replies and logs; made by us, or a trace id of 32 hexadecimal digits.
    pub(crate) request_id: &'e str,
    /// Who asked, where that is known. Names are those of the access file, never what a stranger typed.
    pub(crate) person: Option<&'e str>,
    /// What was to be done: one of a fixed list of words.
    pub(crate) verb: &'static str,
    /// How it ended: `ok`, the word of a kind of failure, or `gone` where the caller hung up before the reply.
    pub(crate) outcome: &'static str,
    /// The statement, of which a digest is written.
    pub(crate) statement: Option<&'e str>,
    /// How many whole quanta of the reply clock it took.
    pub(crate) quanta: u64,
    /// What was read.
    pub(crate) bytes_in: u64,
    /// What was sent.
    pub(crate) bytes_out: u64,
}

/// The log of one server.
pub(crate) struct Log {
    sender: Mutex<Option<SyncSender<String>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    lost: AtomicU64,
    key: [u8; 32],
}

#[derive(Serialize)]
struct EventLine<'e> {
    time: u64,
    event: &'static str,
    door: &'static str,
    request_id: &'e str,
    person: Option<&'e str>,
    verb: &'static str,
    outcome: &'static str,
    statement: Option<String>,
    quanta: u64,
    bytes_in: u64,
    bytes_out: u64,
}

#[derive(Serialize)]
struct ConnectionLine<'c> {
    time: u64,
    event: &'static str,
    door: &'static str,
    connection: &'c str,
    outcome: &'static str,
}

#[derive(Serialize)]
struct ServiceLine<'s> {
    time: u64,
    event: &'static str,
    message: &'s str,
}

impl Log {
    /// A log that writes there.
    pub(crate) fn new(target: LogTarget) -> Self {
        let (sender, lines) = mpsc::sync_channel(WAITING_MAX);
        let mut key = [0; 32];
        // Without randomness digests would be guessable: then there are none.
        let keyed = getrandom::fill(&mut key).is_ok();
        let writer = thread::Builder::new().name("pointillist-log".to_owned());
        let writer = writer.spawn(move || write_lines(&lines, target)).ok();
        let sender = writer.is_some().then_some(sender).filter(|_| keyed);
        Self { sender: Mutex::new(sender), writer: Mutex::new(writer), lost: AtomicU64::new(0), key }
    }

    /// A request or a statement that is done with.
    pub(crate) fn event(&self, event: &Event<'_>) {
        self.line(&EventLine {
            time: now(),
            event: "request",
            door: event.door.word(),
            request_id: event.request_id,
            person: event.person,
            verb: event.verb,
            outcome: event.outcome,
            statement: event.statement.map(|statement| self.digest(statement)),
            quanta: event.quanta,
            bytes_in: event.bytes_in,
            bytes_out: event.bytes_out.div_ceil(REPLY_BYTES_STEP) * REPLY_BYTES_STEP,
        });
    }

    /// A connection that opened, closed or was turned away; `outcome` is one of a fixed list of words.
    pub(crate) fn connection(&self, door: Door, connection: &str, outcome: &'static str) {
        self.line(&ConnectionLine {
            time: now(),
            event: "connection",
            door: door.word(),
            connection,
            outcome,
        });
    }

    /// Something about the service itself, for its owner: started, reloaded, stopped, files that do not open. Never words or values of a request.
    pub(crate) fn service(&self, event: &'static str, message: &str) {
        self.line(&ServiceLine { time: now(), event, message });
    }

    /// A statement as lines of this process know it.
    pub(crate) fn digest(&self, statement: &str) -> String {
        let mut digest = Sha256::new();
        digest.update(self.key);
        digest.update(statement.as_bytes());
        // Half of it: enough to match lines by.
        digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    fn line(&self, line: &impl Serialize) {
        let Ok(line) = serde_json::to_string(line) else { return };
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = sender.as_ref() else { return };
        if let Err(TrySendError::Full(_)) = sender.try_send(line) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines were left out because nobody read them.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Writes what waits, and nothing more after it.
    pub(crate) fn close(&self) {
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            // A writer that panicked has nothing more to say.
            let _ = writer.join();
        }
    }
}

fn write_lines(lines: &Receiver<String>, target: LogTarget) {
    for line in lines {
        // A reader who went away is no reason to stop serving.
        match &target {
            LogTarget::Stderr => drop(writeln!(std::io::stderr().lock(), "{line}")),
            LogTarget::Lines(lines) => drop(lines.send(line)),
            LogTarget::Nowhere => {}
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: Event<'_> = Event {
        door: Door::Http,
        request_id: "a1",
        person: Some("ana"),
        verb: "ask",
        outcome: "ok",
        statement: Some("SELECT count(*) FROM visits WHERE region = 'north'"),
        quanta: 1,
        bytes_in: 90,
        bytes_out: 1_300,
    };

    fn line(event: &Event<'_>) -> serde_json::Value {
        let (sender, lines) = mpsc::channel();
        let log = Log::new(LogTarget::Lines(sender));
        log.event(event);
        log.close();
        serde_json::from_str(&lines.recv().expect("a line")).expect("an object")
    }

    /// Specification: no word of a statement is in a log, and two processes write the same statement differently.
    #[test]
    fn statements_are_digests_that_nobody_can_guess() {
        let (one, other) = (line(&EVENT), line(&EVENT));
        assert!(!one.to_string().contains("north") && !one.to_string().contains("SELECT"), "{one}");
        assert_eq!(one["statement"].as_str().map(str::len), Some(32));
        assert_ne!(one["statement"], other["statement"]);
        assert_eq!((one["person"].as_str(), one["bytes_in"].as_u64()), (Some("ana"), Some(90)));
    }

    /// Specification: two answers that differ by a digit are one size in a log.
    #[test]
    fn sizes_of_replies_are_coarse() {
        let size = |bytes_out| line(&Event { bytes_out, ..EVENT })["bytes_out"].as_u64();
        assert_eq!((size(1_025), size(2_048), size(2_049)), (Some(2_048), Some(2_048), Some(3_072)));
    }
}
