//! A stream of bytes as blocks of whole lines, unpacked where it is in gzip.

use std::io::{BufReader, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::GraphError;

/// Bytes read at a time. Longer lines do not fit.
#[cfg(not(test))]
const BLOCK: usize = 8 << 20;
#[cfg(test)]
const BLOCK: usize = super::line::LINE_MAX + 5;
const GZIP: [u8; 2] = [0x1F, 0x8B];
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
/// What a line that does not fit in a block is replaced by: a comment, or a line that is no tie.
const LONG_COMMENT: &[u8] = b"#\n";
const LONG_LINE: &[u8] = b",\n";

/// Whole lines, a few megabytes at a time.
pub(super) struct Blocks<'a> {
    input: Box<dyn Read + Send + 'a>,
    bytes_read: Arc<AtomicU64>,
    /// The beginning of a line that the last block did not finish.
    rest: Vec<u8>,
    /// Whether the end of a line is awaited that does not fit.
    in_long_line: bool,
    at_start: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(input: impl Read + Send + 'a) -> Result<Self, GraphError> {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let mut input = Counted { input, bytes_read: Arc::clone(&bytes_read) };
        let mut magic = Vec::new();
        input.by_ref().take(GZIP.len() as u64).read_to_end(&mut magic).map_err(unreadable)?;
        let packed = magic == GZIP;
        let whole = Cursor::new(magic).chain(input);
        let input: Box<dyn Read + Send + 'a> = if packed {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole)))
        } else {
            Box::new(whole)
        };
        Ok(Self { input, bytes_read, rest: Vec::new(), in_long_line: false, at_start: true })
    }

    /// How many bytes of the input were read, before unpacking.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The next lines, in the memory of an old block. Only the last line of the last block may lack its end. `None`
    /// at the end of the input.
    pub(super) fn next(&mut self, mut block: Vec<u8>) -> Result<Option<Vec<u8>>, GraphError> {
        loop {
            block.clear();
            block.append(&mut self.rest);
            block.reserve(BLOCK.saturating_sub(block.len()));
            let wanted = BLOCK.saturating_sub(block.len()) as u64;
            let ended = (self.input.by_ref().take(wanted).read_to_end(&mut block).map_err(unreadable)?
                as u64)
                < wanted;
            if std::mem::take(&mut self.at_start) && block.starts_with(BYTE_ORDER_MARK) {
                block.drain(..BYTE_ORDER_MARK.len());
            }
            let is_newline = |byte: &u8| *byte == b'\n';
            if self.in_long_line {
                // Its stand-in was handed out already.
                let end = block.iter().position(is_newline);
                self.in_long_line = end.is_none();
                block.drain(..end.map_or(block.len(), |end| end + 1));
            }
            if ended {
                return Ok(Some(block).filter(|block| !block.is_empty()));
            }
            match block.iter().rposition(is_newline) {
                Some(end) => self.rest.extend_from_slice(&block[end + 1..]),
                None if self.in_long_line => continue,
                None if block.len() < BLOCK => {
                    self.rest.append(&mut block);
                    continue;
                }
                None => {
                    self.in_long_line = true;
                    let stand_in = if super::line::is_comment(&block) { LONG_COMMENT } else { LONG_LINE };
                    block.clear();
                    block.extend_from_slice(stand_in);
                    return Ok(Some(block));
                }
            }
            block.truncate(block.len() - self.rest.len());
            return Ok(Some(block));
        }
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    input: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.input.read(buffer)?;
        self.bytes_read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// Says what kind of problem it is and no more: messages of decoders may speak of the data.
fn unreadable(error: std::io::Error) -> GraphError {
    match error.kind() {
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
            GraphError::unreadable(
                "the gzip file is damaged or ends too early",
                "copy the file again, or check it with `gzip --test`",
            )
        }
        kind => GraphError::unreadable(
            format!("the file cannot be read: {kind}"),
            "check that it is a file, that you may read it, and that the disk is well",
        ),
    }
}
