//! Bodies of a client's messages, read whole or refused.

use bytes::Bytes;
use pgwire::messages::PgWireFrontendMessage as Message;
use pgwire::messages::copy::{CopyData, CopyDone, CopyFail};
use pgwire::messages::extendedquery::{Bind, Close, Describe, Execute, Flush, Parse, Sync};
use pgwire::messages::simplequery::Query;
use pgwire::messages::terminate::Terminate;
use pointillist_pg_catalog::PgError;

use super::FrameError;

/// What a body can be wrong in.
type Wrong = PgError;

/// Types that PostgreSQL's clients send after they are let in, and `p`, with which they are let in. A function call (`F`) is
/// read and refused: it would run by oid what no statement can name.
pub(super) fn is_known(kind: u8) -> bool {
    b"QPBCDEFHSXdcfp".contains(&kind)
}

/// The message of this type and body.
pub(super) fn decoded(kind: u8, body: Bytes) -> Result<Message, FrameError> {
    let mut body = Body(body);
    let message = message(kind, &mut body).and_then(|message| body.end().map(|()| message));
    message.map_err(|error| match kind {
        b'p' => FrameError::Broken(error),
        _ => FrameError::Refused { kind, error },
    })
}

fn message(kind: u8, body: &mut Body) -> Result<Message, Wrong> {
    Ok(match kind {
        b'Q' => Message::Query(Query::new(body.text()?)),
        b'P' => {
            let (name, query) = (body.name()?, body.text()?);
            let count = body.count(4)?;
            let types = (0..count).map(|_| body.take().map(u32::from_be_bytes)).collect::<Result<_, _>>()?;
            Message::Parse(Parse::new(name, query, types))
        }
        b'B' => Message::Bind(bind(body)?),
        b'C' => {
            let target = body.target()?;
            Message::Close(Close::new(target, body.name()?))
        }
        b'D' => {
            let target = body.target()?;
            Message::Describe(Describe::new(target, body.name()?))
        }
        b'E' => {
            let name = body.name()?;
            Message::Execute(Execute::new(name, body.take().map(i32::from_be_bytes)?))
        }
        b'F' => return Err(Wrong::new("42501", "functions are called by statements alone")),
        b'H' => Message::Flush(Flush::new()),
        b'S' => Message::Sync(Sync::new()),
        b'X' => Message::Terminate(Terminate::new()),
        b'd' => Message::CopyData(CopyData::new(body.rest())),
        b'c' => Message::CopyDone(CopyDone::new()),
        b'f' => Message::CopyFail(CopyFail::new(body.text()?)),
        other => return Err(Wrong::new("08P01", format!("unexpected message type {other}"))),
    })
}

fn bind(body: &mut Body) -> Result<Bind, Wrong> {
    let (portal, statement) = (body.name()?, body.name()?);
    let formats = body.formats()?;
    let count = body.count(4)?;
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(body.value()?);
    }
    if formats.len() > 1 && formats.len() != count {
        let words = format!("bind message has {} parameter formats but {count} parameters", formats.len());
        return Err(Wrong::new("08P01", words));
    }
    Ok(Bind::new(portal, statement, formats, values, body.formats()?))
}

/// What is left of a body.
struct Body(Bytes);

impl Body {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        let taken = *self.0.first_chunk::<N>().ok_or_else(too_short)?;
        let _ = self.0.split_to(N);
        Ok(taken)
    }

    /// A number of things, each of which takes so many bytes at least: more than there can be is refused before any is read.
    fn count(&mut self, bytes_each: usize) -> Result<usize, Wrong> {
        let count = usize::from(u16::from_be_bytes(self.take()?));
        if count * bytes_each > self.0.len() { Err(too_short()) } else { Ok(count) }
    }

    fn formats(&mut self) -> Result<Vec<i16>, Wrong> {
        let count = self.count(2)?;
        let format = |_| match i16::from_be_bytes(self.take()?) {
            code @ (0 | 1) => Ok(code),
            code => Err(Wrong::new("22023", format!("unsupported format code: {code}"))),
        };
        (0..count).map(format).collect()
    }

    fn value(&mut self) -> Result<Option<Bytes>, Wrong> {
        match i32::from_be_bytes(self.take()?) {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).ok().filter(|length| *length <= self.0.len());
                Ok(Some(self.0.split_to(length.ok_or_else(too_short)?)))
            }
        }
    }

    fn text(&mut self) -> Result<String, Wrong> {
        let end = self
            .0
            .iter()
            .position(|byte| *byte == 0)
            .ok_or_else(|| Wrong::new("08P01", "invalid string in message"))?;
        let text = self.0.split_to(end);
        let _ = self.0.split_to(1);
        let text = std::str::from_utf8(&text);
        Ok(text.map_err(|_| Wrong::new("22021", "invalid byte sequence for encoding \"UTF8\""))?.to_owned())
    }

    /// A name of a statement or a portal; the empty one is that without a name.
    fn name(&mut self) -> Result<Option<String>, Wrong> {
        self.text().map(|name| Some(name).filter(|name| !name.is_empty()))
    }

    /// `S` for a statement, `P` for a portal.
    fn target(&mut self) -> Result<u8, Wrong> {
        match self.take::<1>()? {
            [target @ (b'S' | b'P')] => Ok(target),
            [other] => Err(Wrong::new("08P01", format!("invalid message subtype {other}"))),
        }
    }

    fn rest(&mut self) -> Bytes {
        std::mem::take(&mut self.0)
    }

    fn end(&self) -> Result<(), Wrong> {
        if self.0.is_empty() { Ok(()) } else { Err(Wrong::new("08P01", "invalid message format")) }
    }
}

fn too_short() -> Wrong {
    Wrong::new("08P01", "insufficient data left in message")
}
