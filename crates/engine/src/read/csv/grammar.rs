//! Bytes to records: RFC 4180, strictly.
//!
//! **Guarantee.** Any bytes are a sequence of records and malformed lines. A record ends at a line feed outside of
//! quotes (a carriage return before it does not count) or at the end of the file; a field in quotes begins and
//! ends with a quote next to delimiters, and quotes inside it are doubled; other fields hold no quotes. Where the
//! bytes break these rules, or a record is longer than [`RECORD_MAX`], the line that the record began on is
//! malformed, and reading goes on with the line after it: a quote that is never closed costs one line, not the
//! rest of the file.
//! **Cost.** Linear. A line with an odd number of quotes can open a field that runs on; the next such line closes
//! it, or breaks the rules. So every byte is looked at a few times at most, however the quotes are placed.
//! **Limit.** A field that begins with a line break or a delimiter inside its quotes can close an earlier row's open
//! quote by the rules; such bytes are one record, and no reader can tell. Writers that double quotes never write them.
//! **Why not a lenient reader.** Lenient readers turn every input into records, by letting an open quote swallow
//! what follows. One bad row would then move other people's rows.

use std::io::{ErrorKind, Read};

/// The most bytes of one record.
pub(super) const RECORD_MAX: usize = 16 << 20;
/// How much is read at once.
const CHUNK: usize = 256 << 10;

/// Where a field lies in [`Records::bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    start: usize,
    end: usize,
    /// Holds doubled quotes.
    doubled: bool,
}

/// What comes next in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A record; its fields are in [`Records::fields`].
    Record,
    /// A line that is not one.
    Malformed,
    /// Nothing.
    End,
}

/// The records of a file.
pub(super) struct Records<R> {
    input: R,
    delimiter: u8,
    buffer: Vec<u8>,
    /// What is still to be read: `buffer[start..end]`.
    start: usize,
    end: usize,
    finished: bool,
    broken: bool,
    /// Where the last record began, and its fields relative to that.
    record: usize,
    fields: Vec<Field>,
}

impl<R: Read> Records<R> {
    /// The records of this input, after a byte order mark if there is one.
    pub(super) fn new(input: R, delimiter: u8) -> Self {
        let mut records = Self {
            input,
            delimiter,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            finished: false,
            broken: false,
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

    /// The next record. Lines without anything in them are passed over.
    pub(super) fn next(&mut self) -> Next {
        loop {
            if self.start == self.end && self.finished {
                return Next::End;
            }
            let bytes = &self.buffer[self.start..self.end];
            match split(bytes, self.finished, self.delimiter, &mut self.fields) {
                // What stands before a point where reading broke off may be half a record.
                Split::Record(length) if self.broken && self.start + length == self.end => {
                    self.start = self.end;
                    return Next::Malformed;
                }
                Split::Record(length) => {
                    self.record = self.start;
                    self.start += length;
                    return Next::Record;
                }
                Split::Blank(length) => self.start += length,
                Split::More if bytes.len() < RECORD_MAX => self.fill(),
                Split::More | Split::Malformed => {
                    self.skip_line();
                    return Next::Malformed;
                }
            }
        }
    }

    /// The fields of the last record.
    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// What a field of the last record says; `scratch` holds it if it has to be changed.
    pub(super) fn bytes<'a>(&'a self, field: Field, scratch: &'a mut Vec<u8>) -> &'a [u8] {
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

    /// Whether reading ended before the input did.
    pub(super) fn broken(&self) -> bool {
        self.broken
    }

    fn skip_line(&mut self) {
        loop {
            let line = &self.buffer[self.start..self.end];
            match line.iter().position(|byte| *byte == b'\n') {
                Some(feed) => {
                    self.start += feed + 1;
                    return;
                }
                None => {
                    self.start = self.end;
                    if self.finished {
                        return;
                    }
                    self.fill();
                }
            }
        }
    }

    fn fill(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() - self.end < CHUNK {
            // Doubling: a long record is looked at again after every step.
            self.buffer.resize((2 * self.buffer.len()).max(2 * CHUNK), 0);
        }
        match self.input.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.finished = true,
            Ok(length) => self.end += length,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => (self.finished, self.broken) = (true, true),
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
    fn a_quote_out_of_place_costs_its_own_line() {
        for (text, records) in [
            ("a\n1,\"x\nb\nc\n", "a / malformed / b / c"),
            ("a\n1,\"x\nb,\"y\"\nc\n", "a / malformed / b|y / c"),
            ("a\n\"x\"y\nb\n", "a / malformed / b"),
            ("a\nx\"y\nb\n", "a / malformed / b"),
            ("a\nx\"\nb\n\"", "a / malformed / b / malformed"),
            ("a\n\"x\"\ry\nb", "a / malformed / b"),
            ("\"\"\"\n\"\"\"\na", "\"\n\" / a"),
        ] {
            assert_eq!(parsed(text), records, "{text:?}");
        }
    }

    #[test]
    fn a_record_beyond_all_measure_is_malformed_and_only_that() {
        let mut text = vec![b'x'; RECORD_MAX + 2 * CHUNK];
        text.extend(b"\nb\n");
        assert_eq!(read(&text, usize::MAX), [None, Some(vec!["b".to_string()])]);
    }

    /// Specification: however quotes are placed, reading is linear. Power: with a reader that scans to the end of
    /// the file from every line, this would take hours.
    #[test]
    fn many_open_quotes_do_not_cost_more_than_their_lines() {
        let text = "1,\"x\n2,\"\"\n".repeat(200_000);
        assert!(read(text.as_bytes(), usize::MAX).len() >= 200_000);
    }
}
