//! A file in pieces of whole records, which may be read apart from each other.
//!
//! **Guarantee.** The pieces hold the bytes of the file in their order, each cut behind a line feed at which [`Boundary`]
//! says that a record ends; a record that is too long for [`Records`](crate::Records) is a [`Piece::Malformed`] of its own.
//! So the records of the pieces are the records of the file, and which bytes of a file share a piece shows nowhere.
//! **Where reading breaks off** the record before that point may be half of one. It is malformed, even if it ends with a
//! line feed there.
//! **Cost.** Every byte is looked at once and, where there are no quotes, in blocks; memory for a piece, or for one record
//! of [`RECORD_MAX`] bytes and what doubling adds.

use std::io::{Error, ErrorKind, Read};

use crate::reader::{LINE_END_MAX, RECORD_MAX};
use crate::{Boundary, Separators};

/// Bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// Whole records; [`Records::of_piece`](crate::Records::of_piece) reads them.
    Records(Vec<u8>),
    /// One record that is not to be read.
    Malformed,
}

/// The pieces of a file.
pub struct Pieces<R> {
    input: R,
    separators: Separators,
    size: usize,
    /// The beginning of the next piece, where `boundary` has read the first `scanned` bytes and the last record to end in
    /// them has `ended`: with them or not at all.
    next: Vec<u8>,
    scanned: usize,
    ended: Option<usize>,
    boundary: Boundary,
    begun: bool,
    finished: bool,
    failure: Option<Error>,
    open_quotes: bool,
}

impl<R: Read> Pieces<R> {
    /// The pieces of this input, after a byte order mark if there is one; of about this size, if records are shorter.
    pub fn new(input: R, delimiter: u8, size: usize) -> Self {
        let separators = Separators::new(&[delimiter]);
        Self {
            input,
            separators,
            size: size.max(4),
            next: Vec::new(),
            scanned: 0,
            ended: None,
            boundary: Boundary::new(separators),
            begun: false,
            finished: false,
            failure: None,
            open_quotes: false,
        }
    }

    /// The next piece, or nothing at the end.
    #[allow(clippy::should_implement_trait)] // What came to an end is asked afterwards, of the same value.
    pub fn next(&mut self) -> Option<Piece> {
        loop {
            if !self.finished {
                self.fill();
            }
            if self.next.is_empty() {
                return None;
            }
            let length = self.next.len();
            let found = self.boundary.last_end(&self.next[self.scanned..]).map(|end| self.scanned + end);
            self.scanned = length;
            self.ended = found.or(self.ended);
            if self.finished && self.failure.is_none() {
                return Some(Piece::Records(std::mem::take(&mut self.next)));
            }
            // A record that ends with the bytes so far is kept back: reading may break off behind it.
            let cut = match self.ended {
                Some(end) if end == length => {
                    Boundary::new(self.separators).last_end(&self.next[..length - 1])
                }
                earlier => earlier,
            };
            if let Some(cut) = cut {
                let rest = self.next[cut..].to_vec();
                let mut piece = std::mem::replace(&mut self.next, rest);
                piece.truncate(cut);
                self.scanned = self.next.len();
                self.ended = self.ended.map(|end| end - cut).filter(|end| *end > 0);
                return Some(Piece::Records(piece));
            }
            if self.finished {
                self.open_quotes = self.boundary.in_quotes();
                let blank = matches!(self.next.as_slice(), b"\n" | b"\r\n");
                self.next.clear();
                return (!blank).then_some(Piece::Malformed);
            }
            if length > RECORD_MAX + LINE_END_MAX && self.ended.is_none() {
                self.skip_record();
                return Some(Piece::Malformed);
            }
        }
    }

    /// Why reading ended before the input did, if it did.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Whether the input ended inside of quotes, in a record that is in no piece.
    pub fn ended_in_quotes(&self) -> bool {
        self.open_quotes
    }

    /// Reads until there is a piece. What there is of a long record is more than doubled, so that it is copied once or
    /// twice.
    fn fill(&mut self) {
        let wanted = self.size.max(2 * self.next.len());
        let mut end = self.next.len();
        self.next.resize(wanted, 0);
        while end < wanted && !self.finished {
            match self.input.read(&mut self.next[end..]) {
                Ok(0) => self.finished = true,
                Ok(length) => end += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => (self.finished, self.failure) = (true, Some(error)),
            }
        }
        self.next.truncate(end);
        if !self.begun && self.next.starts_with(b"\xef\xbb\xbf") {
            self.next.drain(..3);
        }
        self.begun = true;
    }

    /// Goes to the end of a record of which all bytes so far have been read, and keeps none of it.
    fn skip_record(&mut self) {
        loop {
            self.next.clear();
            if self.finished {
                self.open_quotes = self.boundary.in_quotes();
                return;
            }
            self.fill();
            if let Some(end) = self.boundary.end(&self.next) {
                self.next.drain(..end);
                self.scanned = 0;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_noise::BitSource;

    use super::*;
    use crate::{Next, Records};

    fn take<R: Read>(mut records: Records<R>, all: &mut Vec<Option<Vec<Vec<u8>>>>) -> bool {
        let mut scratch = Vec::new();
        loop {
            match records.next() {
                Next::End => return records.ended_in_quotes(),
                Next::Malformed => all.push(None),
                Next::Record => {
                    let fields = records.fields().iter();
                    all.push(Some(
                        fields.map(|field| records.bytes(*field, &mut scratch).to_vec()).collect(),
                    ));
                }
            }
        }
    }

    type Reading = (Vec<Option<Vec<Vec<u8>>>>, bool);

    /// All records of a file read as one, and whether it ended in quotes.
    fn whole(text: &[u8]) -> Reading {
        let mut all = Vec::new();
        let open = take(Records::new(text, b','), &mut all);
        (all, open)
    }

    /// The same, piece by piece.
    fn pieced(input: impl Read, size: usize) -> Reading {
        let mut pieces = Pieces::new(input, b',', size);
        let (mut all, mut open) = (Vec::new(), false);
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Malformed => all.push(None),
                Piece::Records(bytes) => open = take(Records::of_piece(bytes, 0, b','), &mut all),
            }
        }
        (all, open || pieces.ended_in_quotes())
    }

    /// Yields its bytes, then fails.
    struct Broken<'a>(&'a [u8]);

    impl Read for Broken<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer) {
                Ok(0) => Err(Error::other("damaged")),
                read => read,
            }
        }
    }

    fn hostile(bits: &mut impl BitSource) -> Vec<u8> {
        let pieces: [&[u8]; 14] = [
            b"\"",
            b"\"\"",
            b"\n",
            b"\r\n",
            b"\r",
            b",",
            b"a",
            b"a,\"b\nc\"\n",
            b"\n\"\n",
            b",\"",
            b"\",",
            b"\"x\"y",
            b"0123456789,0123456789,0123456789,0123456789,0123456789,0123456789,0123456789\n",
            b"\xef\xbb\xbf",
        ];
        let count = bits.word() % 40;
        (0..count).flat_map(|_| pieces[(bits.word() % 14) as usize]).copied().collect()
    }

    /// Specification: however a file is quoted and wherever it is cut, its records are those of the file as a whole.
    #[test]
    fn the_records_of_the_pieces_are_the_records_of_the_file() {
        let mut bits = pointillist_testkit::seeded(0x91EC);
        for _ in 0..20_000 {
            let text = hostile(&mut bits);
            for size in [1, 7, 64, 1 + (bits.word() % 300) as usize, 1 << 20] {
                assert_eq!(pieced(&*text, size), whole(&text), "{} in {size}", text.escape_ascii());
            }
        }
    }

    /// Specification: where reading breaks off, all records but the last are there, however they are cut.
    #[test]
    fn a_file_that_breaks_off_loses_its_last_record() {
        let mut bits = pointillist_testkit::seeded(0xB0FF);
        for _ in 0..5_000 {
            let text = hostile(&mut bits);
            let expected = {
                let mut all = Vec::new();
                take(Records::new(Broken(&text), b','), &mut all);
                all
            };
            for size in [1, 7, 64, 1 << 20] {
                let (read, _) = pieced(Broken(&text), size);
                assert_eq!(read, expected, "{} in {size}", text.escape_ascii());
            }
        }
    }

    /// Specification: a record beyond all measure is one malformed record, wherever it stands, and takes the memory of a
    /// record that is not.
    #[test]
    fn a_record_beyond_all_measure_is_malformed_and_only_that() {
        for more in [0, 1, 2, 3, 4, 70_000, RECORD_MAX] {
            for (before, end) in [("", "\n"), ("a\n", "\r\n"), ("a\nb\n", ""), ("", "\"\n")] {
                let mut text = before.as_bytes().to_vec();
                text.extend(b"9,\"");
                text.extend(b"1,2,3\n".iter().cycle().take(RECORD_MAX + more - 3));
                text.extend(b"\"");
                text.extend(end.as_bytes());
                text.extend(b"c,d\ne\n");
                assert_eq!(pieced(&*text, 1 << 18), whole(&text), "{more} more after {before:?}");
            }
        }
    }
}
