//! Messages of the Postgres wire: read with a cap, written with a deadline.
//!
//! **Guarantee.** No byte of a client makes this panic, reserve more than the cap, or wait for ever. A length is checked before
//! its body is waited for; a message that was begun must be whole within [`Limits::request`](crate::Limits); a client that does
//! not read is left after [`Limits::write`](crate::Limits). Reading is safe to drop and take up again: what was read stays.
//!
//! pgwire's structures are what a message becomes; its decoders are not called, because they read counts before they look
//! whether so much is there (`get_u16` of an empty Parse panics). [`client_message`] reads each body whole or refuses it.

mod client_message;

use std::io;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use pgwire::messages::response::ErrorResponse;
use pgwire::messages::{PgWireBackendMessage, PgWireFrontendMessage};
use pointillist_pg_catalog::PgError;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

use crate::Limits;

/// What is read or written at a time.
const CHUNK: usize = 16 << 10;

/// Once so much waits to be sent, it is sent.
const FLUSH_AT: usize = 64 << 10;

/// How long, and how much, a client may go on sending after it was told that the connection ends.
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 4 << 20;

/// The longest message before somebody is let in.
pub(crate) const BEFORE_LOGIN: usize = 10_000;

/// A connection, encrypted or not.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Messages to and from one client.
pub(crate) struct Frames {
    stream: Box<dyn Stream>,
    incoming: BytesMut,
    outgoing: BytesMut,
    bytes_max: usize,
    idle: Duration,
    request: Duration,
    write: Duration,
    /// When the message that is being read must be whole.
    whole_by: Option<Instant>,
}

/// Why there is no message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    /// The connection is gone, or was closed within a message.
    #[error("the connection was lost: {0}")]
    Lost(#[from] io::Error),
    /// Nothing was sent for too long, or a message took too long.
    #[error("the client was silent for too long")]
    Silent,
    /// The client does not read.
    #[error("the client does not read")]
    NotRead,
    /// Where the next message begins is no longer known. The connection ends.
    #[error("{0}")]
    Broken(PgError),
    /// One message is wrong, and the next one can be read.
    #[error("{error}")]
    Refused {
        /// The message's type.
        kind: u8,
        /// What is wrong with it.
        error: PgError,
    },
}

impl FrameError {
    /// What to tell the client before the connection ends; nothing where nobody would read it.
    pub(crate) fn fatal(&self) -> Option<PgError> {
        match self {
            Self::Lost(_) | Self::NotRead => None,
            Self::Silent => Some(PgError::new("57P05", "terminating connection due to idle-session timeout")),
            Self::Broken(error) | Self::Refused { error, .. } => Some(error.clone()),
        }
    }
}

impl Frames {
    /// Messages over this stream, short ones until somebody is [let in](Self::let_in).
    pub(crate) fn new(stream: Box<dyn Stream>, limits: &Limits) -> Self {
        Self {
            stream,
            incoming: BytesMut::new(),
            outgoing: BytesMut::new(),
            bytes_max: BEFORE_LOGIN.min(limits.message_bytes),
            idle: limits.idle,
            request: limits.request,
            write: limits.write,
            whole_by: None,
        }
    }

    /// From now on messages may be as long as limits say.
    pub(crate) fn let_in(&mut self, limits: &Limits) {
        self.bytes_max = limits.message_bytes;
    }

    /// The next message; `None` where the client closed the connection between two of them. Can be dropped and called again.
    pub(crate) async fn read(&mut self) -> Result<Option<PgWireFrontendMessage>, FrameError> {
        let Some((kind, body)) = self.read_frame().await? else { return Ok(None) };
        client_message::decoded(kind, body).map(Some)
    }

    /// The type and the body of the next message.
    pub(crate) async fn read_frame(&mut self) -> Result<Option<(u8, Bytes)>, FrameError> {
        loop {
            if let Some(frame) = split_frame(&mut self.incoming, self.bytes_max)? {
                self.whole_by = None;
                return Ok(Some(frame));
            }
            if !self.read_more().await? {
                return Ok(None);
            }
        }
    }

    /// Reads what there is; `false` at the end between two messages.
    async fn read_more(&mut self) -> Result<bool, FrameError> {
        let begun = !self.incoming.is_empty();
        let now = Instant::now();
        let until = if begun { *self.whole_by.get_or_insert(now + self.request) } else { now + self.idle };
        self.incoming.reserve(CHUNK);
        let mut chunk = (&mut self.incoming).limit(CHUNK);
        match timeout_at(until, self.stream.read_buf(&mut chunk)).await {
            Err(_) => Err(FrameError::Silent),
            Ok(Err(error)) => Err(FrameError::Lost(error)),
            Ok(Ok(0)) if begun => Err(FrameError::Lost(io::ErrorKind::UnexpectedEof.into())),
            Ok(Ok(0)) => Ok(false),
            Ok(Ok(_)) => Ok(true),
        }
    }

    /// Puts a message behind those that wait to be sent. One that cannot be written is left out whole.
    pub(crate) fn put(&mut self, message: &PgWireBackendMessage) -> Result<(), FrameError> {
        let before = self.outgoing.len();
        message.encode(&mut self.outgoing).map_err(|_| {
            // The encoder writes the type before it looks at the length.
            self.outgoing.truncate(before);
            FrameError::Broken(PgError::new("54000", "a message of this server would be too long"))
        })
    }

    /// Sends what waits, if it is much, and lets others have the thread. To be called between rows: whoever has many takes
    /// turns with everybody else, also where the network takes all of them at once.
    pub(crate) async fn send_if_much(&mut self) -> Result<(), FrameError> {
        if self.outgoing.len() < FLUSH_AT {
            return Ok(());
        }
        self.send().await?;
        tokio::task::yield_now().await;
        Ok(())
    }

    /// Sends everything that waits. Can be dropped and called again.
    pub(crate) async fn send(&mut self) -> Result<(), FrameError> {
        while self.outgoing.has_remaining() {
            match timeout(self.write, self.stream.write_buf(&mut self.outgoing)).await {
                Err(_) => return Err(FrameError::NotRead),
                Ok(Err(error)) => return Err(FrameError::Lost(error)),
                Ok(Ok(0)) => return Err(FrameError::Lost(io::ErrorKind::WriteZero.into())),
                Ok(Ok(_)) => {}
            }
        }
        match timeout(self.write, self.stream.flush()).await {
            Err(_) => Err(FrameError::NotRead),
            Ok(flushed) => Ok(flushed?),
        }
    }

    /// Says why, where that can be said, and closes the connection.
    pub(crate) async fn end(mut self, why: Option<PgError>) {
        if let Some(error) = why
            && self.put(&fatal(&error)).is_err()
        {
            return;
        }
        // Whoever does not want to hear it has gone already.
        let _ = self.send().await;
        let _ = timeout(self.write, self.stream.shutdown()).await;
        // A connection that is closed over bytes that nobody read is reset, and what was said last is lost with it.
        let _ = timeout(LINGER, self.read_away()).await;
    }

    /// Reads what the client still sends, to no end.
    async fn read_away(&mut self) {
        let mut left = LINGER_BYTES;
        let mut chunk = vec![0; CHUNK];
        while let Ok(read @ 1..) = self.stream.read(&mut chunk).await {
            left = left.saturating_sub(read);
            if left == 0 {
                return;
            }
        }
    }
}

/// An error after which the connection ends.
pub(crate) fn fatal(error: &PgError) -> PgWireBackendMessage {
    let mut fields = vec![
        (b'S', "FATAL".to_owned()),
        (b'V', "FATAL".to_owned()),
        (b'C', error.sqlstate.to_owned()),
        (b'M', without_nul(&error.message)),
    ];
    fields.extend(error.hint.iter().map(|hint| (b'H', without_nul(hint))));
    PgWireBackendMessage::ErrorResponse(ErrorResponse::new(fields))
}

/// A zero would end the text early, and begin a field that nobody wrote.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Takes one whole message off the front: type, then length, then body.
fn split_frame(incoming: &mut BytesMut, bytes_max: usize) -> Result<Option<(u8, Bytes)>, FrameError> {
    let Some((&kind, rest)) = incoming.split_first() else { return Ok(None) };
    if !client_message::is_known(kind) {
        let words = format!("invalid frontend message type {kind}");
        return Err(FrameError::Broken(PgError::new("08P01", words)));
    }
    let Some(length) = rest.first_chunk::<4>() else { return Ok(None) };
    // A negative length and one that does not hold itself are both no length.
    let body = usize::try_from(i32::from_be_bytes(*length)).ok().and_then(|length| length.checked_sub(4));
    let body = body.ok_or_else(|| FrameError::Broken(PgError::new("08P01", "invalid message length")))?;
    if body > bytes_max {
        let words = format!("a message may have {bytes_max} bytes at most");
        return Err(FrameError::Broken(PgError::new("54000", words)));
    }
    if rest.len() < 4 + body {
        return Ok(None);
    }
    incoming.advance(5);
    Ok(Some((kind, incoming.split_to(body).freeze())))
}

#[cfg(test)]
mod tests;
