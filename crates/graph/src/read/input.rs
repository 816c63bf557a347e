//! The bytes of a file, unpacked where it is in gzip, and how many were read.

use std::io::{BufReader, Cursor, Error, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::GraphError;

const GZIP: [u8; 2] = [0x1F, 0x8B];

/// A file that is being read.
pub(super) struct Input<'a> {
    bytes: Box<dyn Read + Send + 'a>,
    bytes_read: Arc<AtomicU64>,
}

impl<'a> Input<'a> {
    /// Looks at the first two bytes.
    pub(super) fn new(input: impl Read + Send + 'a) -> Result<Self, GraphError> {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let mut input = Counted { input, bytes_read: Arc::clone(&bytes_read) };
        let mut magic = Vec::new();
        let begun = input.by_ref().take(GZIP.len() as u64).read_to_end(&mut magic);
        begun.map_err(|error| unreadable(&error))?;
        let packed = magic == GZIP;
        let whole = Cursor::new(magic).chain(input);
        let bytes: Box<dyn Read + Send + 'a> = if packed {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole)))
        } else {
            Box::new(whole)
        };
        Ok(Self { bytes, bytes_read })
    }

    /// How many bytes were read, before unpacking.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The same number for somebody else, who watches.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.bytes.read(buffer)
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
pub(super) fn unreadable(error: &Error) -> GraphError {
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
