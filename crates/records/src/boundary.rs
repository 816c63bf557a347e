//! Where records end.

/// The bytes that stand between fields.
#[derive(Clone, Copy)]
pub struct Separators([bool; 256]);

impl Separators {
    /// These bytes; neither a quote nor a line feed can be one.
    pub const fn new(bytes: &[u8]) -> Self {
        let mut table = [false; 256];
        let mut at = 0;
        while at < bytes.len() {
            assert!(
                bytes[at] != b'"' && bytes[at] != b'\n',
                "quotes and line feeds have a meaning of their own"
            );
            table[bytes[at] as usize] = true;
            at += 1;
        }
        Self(table)
    }
}

/// Reads one record, byte by byte, and says where it ends: at the first line feed outside of quotes.
#[derive(Clone)]
pub struct Boundary {
    separators: Separators,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A quote here opens a field.
    FieldStart,
    /// In a field without quotes, or behind one with quotes; a quote here means nothing.
    Plain,
    Quoted,
    /// Behind a quote that was inside quotes: it closed them, unless another follows.
    QuoteInQuotes,
}

impl Boundary {
    /// At the start of a record.
    pub fn new(separators: Separators) -> Self {
        Self { separators, state: State::FieldStart }
    }

    /// Reads on. If the record ends in these bytes: how many of them belong to it, its line feed included. The
    /// next record may then be read with the same value.
    pub fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            self.state = match (self.state, *byte) {
                (State::Quoted, b'"') => State::QuoteInQuotes,
                (State::Quoted, _) => State::Quoted,
                (_, b'\n') => {
                    self.state = State::FieldStart;
                    return Some(at + 1);
                }
                (State::FieldStart | State::QuoteInQuotes, b'"') => State::Quoted,
                (_, byte) if self.separators.0[usize::from(byte)] => State::FieldStart,
                _ => State::Plain,
            };
        }
        None
    }

    /// Whether the bytes so far end inside of quotes.
    pub fn in_quotes(&self) -> bool {
        self.state == State::Quoted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> (Vec<usize>, bool) {
        let mut boundary = Boundary::new(Separators::new(b","));
        let mut rest = text.as_bytes();
        let mut lengths = Vec::new();
        while let Some(length) = boundary.end(rest) {
            lengths.push(length);
            rest = &rest[length..];
        }
        (lengths, boundary.in_quotes())
    }

    #[test]
    fn line_feeds_in_quotes_end_nothing() {
        for (text, expected, open) in [
            ("a\nbc\n", vec![2, 3], false),
            ("\"a\nb\",c\nd\n", vec![8, 2], false),
            ("\"a\"\"\nb\"\r\nd", vec![9], false),
            ("a\"\n\"b\n\"\n", vec![3, 5], false),
            ("\"a\"x\"\nb\n", vec![6, 2], false),
            ("a,\"b\nc\n", vec![], true),
            ("\"\"", vec![], false),
            ("", vec![], false),
        ] {
            assert_eq!(lengths(text), (expected, open), "{text:?}");
        }
    }

    #[test]
    fn it_makes_no_difference_where_bytes_are_cut() {
        let text = b"\"a\"\"\nb\"\r\nd";
        for cut in 0..=text.len() {
            let mut boundary = Boundary::new(Separators::new(b","));
            let before = boundary.end(&text[..cut]);
            let end = before.or_else(|| boundary.end(&text[cut..]).map(|length| cut + length));
            assert_eq!(end, Some(9), "cut at {cut}");
        }
    }
}
