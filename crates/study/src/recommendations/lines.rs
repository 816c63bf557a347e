//! Lines of a file, packed or not, each for itself: whatever a line holds and however long it is, it ends at its line feed.
//!
//! There are no quotes across lines here, so that nobody's line becomes part of another's. A line that is longer than [`LINE_MAX`] is passed
//! over whole, and whether it is follows from its own bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::RecommendationError;

/// The longest line that is looked at, in bytes.
pub(super) const LINE_MAX: usize = 4096;
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Opens a file, and unpacks it where it is in gzip.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, RecommendationError> {
    let unreadable = |error: io::Error| unreadable(path, &error);
    let mut file = File::open(path).map_err(unreadable)?;
    let mut magic = Vec::new();
    file.by_ref().take(GZIP.len() as u64).read_to_end(&mut magic).map_err(unreadable)?;
    let packed = magic == GZIP;
    let whole = BufReader::with_capacity(1 << 16, Cursor::new(magic).chain(file));
    Ok(match packed {
        true => Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(whole))),
        false => Box::new(whole),
    })
}

/// A file that cannot be read: what kind of problem it is, and no more, as messages of decoders may speak of the data.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> RecommendationError {
    RecommendationError::Unreadable { path: path.to_owned(), kind: error.kind() }
}

/// Calls for every line, without its end; `None` for one that is too long.
pub(super) fn each_line(mut input: impl BufRead, mut each: impl FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        // One byte more than the longest line, and its line feed.
        let read = input.by_ref().take(LINE_MAX as u64 + 2).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let ended = line.last() == Some(&b'\n');
        if ended {
            line.pop();
        }
        if line.len() > LINE_MAX {
            if !ended {
                skip_line(&mut input)?;
            }
            each(None);
            continue;
        }
        each(Some(line.strip_suffix(b"\r").unwrap_or(&line)));
    }
}

/// Goes behind the next line feed.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let (length, ended) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        input.consume(length);
        if ended {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], capacity: usize) -> Vec<Option<Vec<u8>>> {
        let mut seen = Vec::new();
        each_line(BufReader::with_capacity(capacity, bytes), |line| seen.push(line.map(<[u8]>::to_vec)))
            .unwrap();
        seen
    }

    /// Specification: a line ends at its line feed, whatever is in it and however the bytes arrive; too long ones are passed over alone.
    #[test]
    fn every_line_stands_for_itself() {
        for length in [0, 1, LINE_MAX - 1, LINE_MAX, LINE_MAX + 1, LINE_MAX + 2, LINE_MAX + 3, 3 * LINE_MAX] {
            let long = vec![b'"'; length];
            let text = [b"1,2\r\n".as_slice(), &long, b"\n3,\"4\n\n5"].concat();
            let middle = (length <= LINE_MAX).then_some(long);
            let some = |text: &[u8]| Some(text.to_vec());
            let expected = vec![some(b"1,2"), middle, some(b"3,\"4"), some(b""), some(b"5")];
            for capacity in [1, 7, 1 << 16] {
                assert_eq!(lines(&text, capacity), expected, "{length} {capacity}");
            }
        }
    }
}
