//! Comma- or tab-separated records: RFC 4180, strictly.
//!
//! **Guarantee.** Records end where [`Boundary`] says. A record whose fields follow the rules is [`Next::Record`]: a field in
//! quotes begins and ends with a quote next to delimiters, and quotes inside it are doubled; other fields hold no
//! quotes; a carriage return before the line feed belongs to neither. A record that breaks the rules, that is longer than
//! [`RECORD_MAX`] without the end of its line, or that the file ends inside of, is [`Next::Malformed`]: all of it, and
//! nothing else. Which of the two a record is follows from its own bytes, not from where it stands in a file.
//! **Cost.** Linear, in memory for one record of [`RECORD_MAX`] bytes and what doubling adds.

use std::io::{Empty, Error, ErrorKind, Read};

use crate::{Boundary, Separators};

/// The most bytes of one record, up to the end of its last field.
pub const RECORD_MAX: usize = 16 << 20;
/// A quote, a carriage return and a line feed.
pub(crate) const LINE_END_MAX: usize = 3;
/// How much is read at once.
const CHUNK: usize = 256 << 10;

/// A field of the last record; [`Records::bytes`] says what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    start: usize,
    end: usize,
    /// Holds doubled quotes.
    doubled: bool,
}

/// What comes next in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A record; its fields are in [`Records::fields`].
    Record,
    /// A record that is not to be read.
    Malformed,
    /// Nothing.
    End,
}

/// The records of a file.
pub struct Records<R> {
    input: R,
    delimiter: u8,
    buffer: Vec<u8>,
    /// What is still to be read: `buffer[start..end]`.
    start: usize,
    end: usize,
    finished: bool,
    /// Why reading ended before the input did.
    failure: Option<Error>,
    /// Whether the input ended inside of quotes.
    open_quotes: bool,
    /// Where the last record began, and its fields relative to that.
    record: usize,
    fields: Vec<Field>,
}

impl Records<Empty> {
    /// The records of a piece ([`Pieces`](crate::Pieces)) from this byte on, at which one begins.
    pub fn of_piece(piece: Vec<u8>, start: usize, delimiter: u8) -> Self {
        Self {
            input: std::io::empty(),
            delimiter,
            end: piece.len(),
            start: start.min(piece.len()),
            buffer: piece,
            finished: true,
            failure: None,
            open_quotes: false,
            record: 0,
            fields: Vec::new(),
        }
    }

    /// The piece again, and where the records that have not been read begin.
    pub fn into_piece(self) -> (Vec<u8>, usize) {
        (self.buffer, self.start)
    }
}

impl<R: Read> Records<R> {
    /// The records of this input, after a byte order mark if there is one.
    pub fn new(input: R, delimiter: u8) -> Self {
        let mut records = Self {
            input,
            delimiter,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            finished: false,
            failure: None,
            open_quotes: false,
            record: 0,
            fields: Vec::new(),
        };
        while records.end < 3 && !records.finished {
            records.fill();
        }
        if records.buffer[..records.end].starts_with(b"\xef\xbb\xbf") {
            records.start = 3;
        }
        records
    }

    /// What comes next. Lines without anything in them are passed over.
    #[allow(clippy::should_implement_trait)] // A record lives in the buffer until the next one is asked for.
    pub fn next(&mut self) -> Next {
        loop {
            if self.start == self.end && self.finished {
                return Next::End;
            }
            let bytes = &self.buffer[self.start..self.end];
            match split(bytes, self.finished, self.delimiter, &mut self.fields) {
                // What stands before a point where reading broke off may be half a record.
                Split::Record(length) if self.failure.is_some() && self.start + length == self.end => {
                    self.start = self.end;
                    return Next::Malformed;
                }
                // By its own length, and not by how much of it happens to be in the buffer.
                Split::Record(length) if self.fields.last().is_some_and(|last| last.end > RECORD_MAX) => {
                    self.start += length;
                    return Next::Malformed;
                }
                Split::Record(length) => {
                    self.record = self.start;
                    self.start += length;
                    return Next::Record;
                }
                Split::Blank(length) => self.start += length,
                Split::More if bytes.len() <= RECORD_MAX + LINE_END_MAX => self.fill(),
                Split::More | Split::Malformed => {
                    self.skip_record();
                    return Next::Malformed;
                }
            }
        }
    }

    /// The fields of the last record.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// What a field of the last record says; `scratch` holds it if it has to be changed.
    pub fn bytes<'a>(&'a self, field: Field, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let bytes = &self.buffer[self.record + field.start..self.record + field.end];
        if !field.doubled {
            return bytes;
        }
        scratch.clear();
        let mut quoted = false;
        for byte in bytes {
            quoted = *byte == b'"' && !quoted;
            if !quoted {
                scratch.push(*byte);
            }
        }
        scratch
    }

    /// Why reading ended before the input did, if it did.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Whether the input ended inside of quotes, so that its last record is cut off or never closed.
    pub fn ended_in_quotes(&self) -> bool {
        self.open_quotes
    }

    /// Goes to the end of the record: a line feed in its quotes is not the end, however far away the end is.
    fn skip_record(&mut self) {
        let mut boundary = Boundary::new(Separators::new(&[self.delimiter]));
        loop {
            if let Some(length) = boundary.end(&self.buffer[self.start..self.end]) {
                self.start += length;
                return;
            }
            self.start = self.end;
            if self.finished {
                self.open_quotes = boundary.in_quotes();
                return;
            }
            self.fill();
        }
    }

    /// Fills the buffer. What is in it of a long record is looked at again afterwards: so the buffer doubles, and is
    /// filled whole even where the input comes in small pieces.
    fn fill(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() - self.end < CHUNK {
            self.buffer.resize((2 * self.buffer.len()).max(2 * CHUNK), 0);
        }
        while self.end < self.buffer.len() && !self.finished {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.finished = true,
                Ok(length) => self.end += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => (self.finished, self.failure) = (true, Some(error)),
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Split {
    /// A record of this many bytes, its end of line included.
    Record(usize),
    /// An empty line.
    Blank(usize),
    /// Not to be decided without what follows.
    More,
    Malformed,
}

fn split(bytes: &[u8], finished: bool, delimiter: u8, fields: &mut Vec<Field>) -> Split {
    fields.clear();
    match bytes {
        [b'\n', ..] => return Split::Blank(1),
        [b'\r', b'\n', ..] => return Split::Blank(2),
        _ => {}
    }
    let (undecided, mut at) = (if finished { Split::Malformed } else { Split::More }, 0);
    loop {
        let field = &bytes[at..];
        if let [b'"', quoted @ ..] = field {
            let mut doubled = false;
            let mut length = 0;
            let after = loop {
                match quoted[length..].iter().position(|byte| *byte == b'"') {
                    None => return undecided,
                    Some(quote) => length += quote,
                }
                match quoted.get(length + 1) {
                    Some(b'"') => (doubled, length) = (true, length + 2),
                    _ => break &quoted[length + 1..],
                }
            };
            let end = at + 1 + length;
            fields.push(Field { start: at + 1, end, doubled });
            match after {
                [] if finished => return Split::Record(end + 1),
                [] => return Split::More,
                [byte, ..] if *byte == delimiter => at = end + 2,
                [b'\n', ..] => return Split::Record(end + 2),
                [b'\r', b'\n', ..] => return Split::Record(end + 3),
                [b'\r'] if finished => return Split::Record(end + 2),
                [b'\r'] => return Split::More,
                _ => return Split::Malformed,
            }
        } else {
            let stop = field.iter().position(|byte| *byte == delimiter || matches!(byte, b'\n' | b'"'));
            match stop.map(|stop| (stop, field[stop])) {
                Some((_, b'"')) => return Split::Malformed,
                Some((length, b'\n')) => {
                    let carriage = usize::from(field[..length].ends_with(b"\r"));
                    fields.push(Field { start: at, end: at + length - carriage, doubled: false });
                    return Split::Record(at + length + 1);
                }
                Some((length, _)) => {
                    fields.push(Field { start: at, end: at + length, doubled: false });
                    at += length + 1;
                }
                None if finished => {
                    let carriage = usize::from(field.ends_with(b"\r"));
                    fields.push(Field { start: at, end: bytes.len() - carriage, doubled: false });
                    return Split::Record(bytes.len());
                }
                None => return Split::More,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads in steps of a few bytes, so that every state meets the end of the buffer.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn read(bytes: &[u8], step: usize) -> Vec<Option<Vec<String>>> {
        let mut records = Records::new(Slow(bytes, step), b',');
        let (mut all, mut scratch) = (Vec::new(), Vec::new());
        loop {
            match records.next() {
                Next::End => return all,
                Next::Malformed => all.push(None),
                Next::Record => all.push(Some(
                    records
                        .fields()
                        .iter()
                        .map(|field| {
                            String::from_utf8_lossy(records.bytes(*field, &mut scratch)).into_owned()
                        })
                        .collect(),
                )),
            }
        }
    }

    fn parsed(text: &str) -> String {
        let whole = read(text.as_bytes(), usize::MAX);
        for step in 1..6 {
            assert_eq!(read(text.as_bytes(), step), whole, "{text:?} in steps of {step}");
        }
        let lines = whole.iter().map(|record| match record {
            Some(fields) => fields.join("|"),
            None => "malformed".to_string(),
        });
        lines.collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn records_are_read_as_rfc_4180_says() {
        for (text, records) in [
            ("", ""),
            ("a,b\n1,2\n", "a|b / 1|2"),
            ("a,b\r\n1,2\r\n", "a|b / 1|2"),
            ("a,b\n1,2", "a|b / 1|2"),
            ("a,\n,", "a| / |"),
            ("\u{feff}a\n1\n", "a / 1"),
            ("\u{feff}\"a\"\n1\n", "a / 1"),
            ("\"a,b\",\"c\"\"d\"\n", "a,b|c\"d"),
            ("\"a\nb\",c\n", "a\nb|c"),
            ("\"\",\"\"\"\"\n", "|\""),
            ("a\n\n\r\nb\n", "a / b"),
            ("a\rb\n", "a\rb"),
            ("\"a\"\r\n\"b\"\r", "a / b"),
            ("a\0b\n", "a\0b"),
        ] {
            assert_eq!(parsed(text), records, "{text:?}");
        }
    }

    #[test]
    fn a_quote_out_of_place_costs_its_own_record() {
        for (text, records) in [
            ("a\n\"x\"y\nb\n", "a / malformed / b"),
            ("a\nx\"y\nb\n", "a / malformed / b"),
            ("a\nx\"\nb\n\"", "a / malformed / b / malformed"),
            ("a\n\"x\"\ry\nb", "a / malformed / b"),
            ("\"\"\"\n\"\"\"\na", "\"\n\" / a"),
            ("a\n1,\"x\nb,\"y\"\nc\n", "a / malformed / c"),
            ("a\n\"x\nb\nc\"d\ne\n", "a / malformed / e"),
        ] {
            assert_eq!(parsed(text), records, "{text:?}");
        }
    }

    #[test]
    fn a_file_that_ends_in_quotes_ends_with_one_malformed_record() {
        for text in ["a\n1,\"x\nb\nc\n", "a\n\"", "a\n\"\n", "a\n1,\"x\"\"\nb,c\n"] {
            assert_eq!(parsed(text), "a / malformed", "{text:?}");
            let mut records = Records::new(text.as_bytes(), b',');
            while records.next() != Next::End {}
            assert!(records.ended_in_quotes() && records.failure().is_none(), "{text:?}");
        }
    }

    /// Specification: a record is too long by its own length, wherever it stands; and its lines are never records.
    #[test]
    fn a_record_beyond_all_measure_is_malformed_and_only_that() {
        for (more, too_long) in
            [(0, false), (1, true), (2, true), (3, true), (2 * CHUNK, true), (RECORD_MAX, true)]
        {
            for end in ["\n", "\r\n"] {
                for (before, lines) in [("", false), ("a\n", true), ("a long one before it\n", false)] {
                    let inside = if lines { "1,2,3,4,5,6,7,8\n" } else { "x,xxxxxxxxxxxxxx" };
                    let mut text = before.as_bytes().to_vec();
                    text.extend(b"9,\"");
                    text.extend(inside.bytes().cycle().take(RECORD_MAX + more - 3));
                    text.extend(b"\"");
                    text.extend(end.as_bytes());
                    text.extend(b"b");
                    let records = read(&text, usize::MAX);
                    let expected = usize::from(!before.is_empty()) + 2;
                    assert_eq!(records.len(), expected, "{more} more after {before:?}");
                    assert_eq!(records[expected - 2].is_none(), too_long, "{more} more after {before:?}");
                    assert_eq!(records[expected - 1], Some(vec!["b".to_string()]));
                }
            }
        }
    }

    /// Specification: where a record is well formed, its end is where [`Boundary`] says, however it is read.
    #[test]
    fn records_end_where_the_automaton_says() {
        use pointillist_noise::BitSource;
        let mut bits = pointillist_testkit::seeded(0x5EC0);
        let alphabet = b"\",\n\ra\"";
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..bits.word() % 24)
                .map(|_| alphabet[(bits.word() % alphabet.len() as u64) as usize])
                .collect();
            let mut boundary = Boundary::new(Separators::new(b","));
            let (mut rest, mut expected) = (text.as_slice(), 0);
            let is_blank = |record: &[u8]| matches!(record, b"" | b"\n" | b"\r\n");
            while let Some(length) = boundary.end(rest) {
                expected += usize::from(!is_blank(&rest[..length]));
                rest = &rest[length..];
            }
            expected += usize::from(!is_blank(rest));
            assert_eq!(read(&text, usize::MAX).len(), expected, "{:?}", String::from_utf8_lossy(&text));
        }
    }

    /// Specification: however quotes are placed, reading is linear. Power: with a reader that scans to the end of
    /// the file from every line, or one that starts again for every few bytes of a long record, this would take hours.
    #[test]
    fn quotes_do_not_cost_more_than_their_bytes() {
        let text = "1,\"x\n2,\"\"\n".repeat(200_000);
        assert_eq!(read(text.as_bytes(), usize::MAX).len(), 200_000);
        let mut long = vec![b'x'; RECORD_MAX];
        long[0] = b'"';
        assert_eq!(read(&long, 700), [None]);
    }
}
