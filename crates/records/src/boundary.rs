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

/// How many bytes are looked at together.
const BLOCK: usize = 64;

/// Where a byte stands in a block: one bit for every place.
fn bits(block: &[u8; BLOCK], wanted: u8) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let (words, _) = block.as_chunks::<8>();
    words.iter().enumerate().fold(0, |all, (number, word)| {
        let differs = u64::from_le_bytes(*word) ^ (u64::from(wanted) * 0x0101_0101_0101_0101);
        // The highest bit of every byte that does not differ; no carry leaves its byte.
        let same = !(((differs & LOW) + LOW) | differs | LOW);
        // Those eight bits move together: neighbours first, then pairs of them, then fours.
        let single = same >> 7;
        let pairs = (single | single >> 7) & 0x0003_0003_0003_0003;
        let fours = (pairs | pairs >> 14) & 0x0000_000F_0000_000F;
        let gathered = (fours | fours >> 28) & 0xFF;
        all | gathered << (8 * number)
    })
}

/// Reads one record, byte by byte, and says where it ends: at the first line feed outside of quotes.
#[derive(Clone)]
pub struct Boundary {
    separators: Separators,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Reads on to the end of these bytes, through as many records as there are: how many bytes belong to those that end.
    pub fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let (mut last, mut lines) = (None, None);
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            // No early exit: loops without branches are the fast ones.
            let has = |wanted: u8| block.iter().fold(0, |has, byte| has | u8::from(*byte == wanted)) > 0;
            if has(b'"') {
                if let Some(end) = self.quote_by_quote(block) {
                    last = Some(number * BLOCK + end);
                }
            } else if self.state != State::Quoted {
                // Without a quote every line feed is the end of a record, and the last byte decides about the next one.
                if has(b'\n') {
                    lines = Some(number);
                }
                self.state = self.behind(block[BLOCK - 1]);
            }
        }
        self.bytewise(rest, bytes.len() - rest.len(), &mut last);
        let line = lines.and_then(|number| {
            let feed = blocks[number].iter().rposition(|byte| *byte == b'\n')?;
            Some(number * BLOCK + feed + 1)
        });
        last.max(line)
    }

    /// The state behind a byte that is no quote and stands in no quotes.
    #[inline(always)]
    fn behind(&self, byte: u8) -> State {
        let starts = byte == b'\n' || self.separators.0[usize::from(byte)];
        if starts { State::FieldStart } else { State::Plain }
    }

    /// Reads a block, stopping at its quotes only.
    fn quote_by_quote(&mut self, block: &[u8; BLOCK]) -> Option<usize> {
        let (quotes, feeds) = (bits(block, b'"'), bits(block, b'\n'));
        let (mut at, mut ends) = (0, 0_u64);
        while at < BLOCK {
            let rest = quotes >> at;
            let quote = at + rest.trailing_zeros().min((BLOCK - at) as u32) as usize;
            if self.state == State::Quoted {
                if rest > 0 {
                    self.state = State::QuoteInQuotes;
                }
            } else {
                if quote > at {
                    // Up to the quote every line feed is the end of a record.
                    ends |= feeds & (u64::MAX << at) & (u64::MAX >> (BLOCK - quote));
                    self.state = self.behind(block[quote - 1]);
                }
                if rest > 0 {
                    let opens = matches!(self.state, State::FieldStart | State::QuoteInQuotes);
                    self.state = if opens { State::Quoted } else { State::Plain };
                }
            }
            at = quote + 1;
        }
        ends.checked_ilog2().map(|feed| feed as usize + 1)
    }

    fn bytewise(&mut self, bytes: &[u8], start: usize, last: &mut Option<usize>) {
        let mut at = 0;
        while let Some(length) = self.end(&bytes[at..]) {
            at += length;
            *last = Some(start + at);
        }
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
    fn bits_say_where_a_byte_stands() {
        let mut block = [0; BLOCK];
        for (at, byte) in block.iter_mut().enumerate() {
            *byte = [b'"', 0, 255, b'"' + 1, b'"' - 1, b'"' | 128, b'"', b'\n'][(at * at + at / 7) % 8];
        }
        for wanted in [b'"', b'\n', 0, 255] {
            let expected = (0..BLOCK).filter(|at| block[*at] == wanted).fold(0, |all, at| all | 1 << at);
            assert_eq!(bits(&block, wanted), expected);
        }
    }

    /// Specification: whole blocks come to what their bytes come to, one by one.
    #[test]
    fn blocks_are_read_as_bytes_are() {
        use pointillist_noise::BitSource;
        let mut bits = pointillist_testkit::seeded(0xB10C);
        for round in 0..20_000 {
            // From no quote in many blocks to many in each.
            let rare = 1 << (round % 8);
            let mut byte = || match bits.word() % rare {
                0 => b'"',
                _ => b"aaaa,,\n\r"[(bits.word() % 8) as usize],
            };
            let text: Vec<u8> = (0..round % 400).map(|_| byte()).collect();
            let mut slow = Boundary::new(Separators::new(b","));
            let mut fast = slow.clone();
            let mut ends = None;
            slow.bytewise(&text, 0, &mut ends);
            assert_eq!(fast.last_end(&text), ends, "{}", text.escape_ascii());
            assert!(fast.state == slow.state, "{}", text.escape_ascii());
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
