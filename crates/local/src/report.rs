//! What leaves a respondent: a report, and the line of text it travels as.
//!
//! One report is one line without spaces: a number (`7`), numbers (`0,3,9`), bits as hexadecimal digits
//! (`a04f`), a hash function and the cell it was sent to (`17,4:2`), or hash functions and bits (`17,4:a0`).
//! What the numbers mean, and which line is a report at all, the method decides. Reading is total: any other
//! text is refused with a hint.

use std::fmt;

use crate::LocalError;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The value of every lower-case hexadecimal digit; 255 for all other bytes.
const NIBBLES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        values[HEX[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// A report, of any method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Report {
    /// One number: a value, or a cell of the method's own.
    Value(u64),
    /// Some of the values, rising.
    Subset(Vec<u32>),
    /// A bit for every value.
    Bits(Bits),
    /// A hash function, and a cell.
    Hashed {
        /// The function, chosen without regard to the answer.
        hash: Hash,
        /// The cell.
        cell: u64,
    },
    /// Hash functions, and a bit for every cell of each.
    HashedBits {
        /// The functions, one a block.
        hashes: Vec<Hash>,
        /// The bits, block after block.
        bits: Bits,
    },
}

/// The two numbers of a hash function `x ↦ multiplier·x + shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hash {
    /// What the value is multiplied with.
    pub multiplier: u64,
    /// What is added.
    pub shift: u64,
}

/// A row of bits. Bit i stands in word i/64, the first one highest, so that the words in hexadecimal read as
/// the row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    length: usize,
    words: Vec<u64>,
}

impl Bits {
    /// A row of zeros.
    pub fn zeros(length: usize) -> Self {
        Self { length, words: vec![0; length.div_ceil(64)] }
    }

    /// A row of so many bits, each word from `draw`; bits past the end are dropped.
    pub(crate) fn filled_with(length: usize, draw: impl FnMut() -> u64) -> Self {
        let mut words = Vec::with_capacity(length.div_ceil(64));
        words.resize_with(length.div_ceil(64), draw);
        let mut row = Self { length, words };
        row.cut();
        row
    }

    /// The same row with every word replaced; bits past the end are dropped.
    pub(crate) fn map(&self, mut change: impl FnMut(u64) -> u64) -> Self {
        let words = self.words.iter().map(|word| change(*word)).collect();
        let mut row = Self { length: self.length, words };
        row.cut();
        row
    }

    /// How many bits there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// One bit; false past the end.
    pub fn get(&self, place: usize) -> bool {
        place < self.length && self.words[place / 64] >> (63 - place % 64) & 1 == 1
    }

    /// Sets one bit.
    ///
    /// # Panics
    /// When the place is past the end.
    pub(crate) fn set(&mut self, place: usize, value: bool) {
        assert!(place < self.length, "a bit has its place in the row");
        let mask = 1 << (63 - place % 64);
        if value { self.words[place / 64] |= mask } else { self.words[place / 64] &= !mask }
    }

    /// Where the ones stand, rising.
    pub fn ones(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let place = left.leading_zeros();
                left &= !(1 << (63 - place));
                Some(index * 64 + place as usize)
            })
        })
    }

    /// Bits past the end would be read as answers about values that do not exist.
    fn cut(&mut self) {
        let used = self.length % 64;
        if let Some(last) = self.words.last_mut().filter(|_| used > 0) {
            *last &= u64::MAX << (64 - used);
        }
    }

    fn write(&self, line: &mut String) {
        let digits = self.length.div_ceil(4);
        line.reserve(digits);
        for (index, word) in self.words.iter().enumerate() {
            let text: [u8; 16] = std::array::from_fn(|place| HEX[(word >> (60 - 4 * place) & 15) as usize]);
            let text = std::str::from_utf8(&text).expect("hexadecimal digits are ASCII");
            line.push_str(&text[..(digits - index * 16).min(16)]);
        }
    }

    fn parse(text: &str, length: usize) -> Option<Self> {
        if text.len() != length.div_ceil(4) {
            return None;
        }
        let mut row = Self::zeros(length);
        for (word, digits) in row.words.iter_mut().zip(text.as_bytes().chunks(16)) {
            let mut all_valid = true;
            for digit in digits {
                let value = NIBBLES[usize::from(*digit)];
                all_valid &= value < 16;
                *word = *word << 4 | u64::from(value & 15);
            }
            if !all_valid {
                return None;
            }
            *word <<= 64 - 4 * digits.len();
        }
        let read = row.words.last().copied();
        row.cut();
        (row.words.last().copied() == read).then_some(row)
    }
}

impl Report {
    /// Appends the line, without its end.
    pub fn write(&self, line: &mut String) {
        match self {
            Self::Value(value) => write_number(*value, line),
            Self::Subset(values) => write_list(values.iter().map(|value| u64::from(*value)), line),
            Self::Bits(bits) => bits.write(line),
            Self::Hashed { hash, cell } => {
                write_list([hash.multiplier, hash.shift], line);
                line.push(':');
                write_number(*cell, line);
            }
            Self::HashedBits { hashes, bits } => {
                write_list(hashes.iter().flat_map(|hash| [hash.multiplier, hash.shift]), line);
                line.push(':');
                bits.write(line);
            }
        }
    }

    pub(crate) fn parse_value(line: &str) -> Option<Self> {
        parse_number(line).map(Self::Value)
    }

    pub(crate) fn parse_subset(line: &str, size: usize) -> Option<Self> {
        let mut values = Vec::with_capacity(size);
        for text in line.split(',').take(size + 1) {
            values.push(u32::try_from(parse_number(text)?).ok()?);
        }
        (values.len() == size && values.is_sorted_by(|a, b| a < b)).then_some(Self::Subset(values))
    }

    pub(crate) fn parse_bits(line: &str, length: usize) -> Option<Self> {
        Bits::parse(line, length).map(Self::Bits)
    }

    pub(crate) fn parse_hashed(line: &str) -> Option<Self> {
        let (hash, cell) = line.split_once(':')?;
        let [hash] = parse_hashes(hash, 1)?.try_into().ok()?;
        Some(Self::Hashed { hash, cell: parse_number(cell)? })
    }

    pub(crate) fn parse_hashed_bits(line: &str, blocks: usize, length: usize) -> Option<Self> {
        let (hashes, bits) = line.split_once(':')?;
        Some(Self::HashedBits { hashes: parse_hashes(hashes, blocks)?, bits: Bits::parse(bits, length)? })
    }
}

/// The line, without its end.
impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        self.write(&mut line);
        out.write_str(&line)
    }
}

/// What is said of a line that is no report. The line is somebody's report, so it is not repeated.
pub(crate) fn not_a_report(shape: &str) -> LocalError {
    LocalError::report(
        "this line is not a report of this method",
        format!("one report a line, {shape}, written by the same method with the same settings"),
    )
}

/// A number in decimal digits without sign or leading zero: one number has one text.
pub(crate) fn parse_number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

pub(crate) fn parse_hashes(text: &str, count: usize) -> Option<Vec<Hash>> {
    let mut numbers = text.split(',');
    let mut hashes = Vec::with_capacity(count);
    for _ in 0..count {
        let [multiplier, shift] = [parse_number(numbers.next()?)?, parse_number(numbers.next()?)?];
        hashes.push(Hash { multiplier, shift });
    }
    numbers.next().is_none().then_some(hashes)
}

pub(crate) fn write_number(mut number: u64, line: &mut String) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.push_str(std::str::from_utf8(&digits[first..]).expect("digits are ASCII"));
}

fn write_list(numbers: impl IntoIterator<Item = u64>, line: &mut String) {
    for (index, number) in numbers.into_iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        write_number(number, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(length: usize, ones: &[usize]) -> Bits {
        let mut row = Bits::zeros(length);
        ones.iter().for_each(|place| row.set(*place, true));
        row
    }

    #[test]
    fn lines_are_short_and_read_as_expected() {
        let hash = |multiplier, shift| Hash { multiplier, shift };
        let cases = [
            (Report::Value(0), "0"),
            (Report::Value(7), "7"),
            (Report::Value(u64::MAX), "18446744073709551615"),
            (Report::Subset(vec![0, 3, 9]), "0,3,9"),
            (Report::Bits(row(6, &[0, 5])), "84"),
            (Report::Bits(row(70, &[0, 64, 69])), "800000000000000084"),
            (Report::Hashed { hash: hash(17, 4), cell: 2 }, "17,4:2"),
            (Report::HashedBits { hashes: vec![hash(1, 2), hash(3, 4)], bits: row(8, &[1]) }, "1,2,3,4:40"),
        ];
        for (report, line) in cases {
            assert_eq!(report.to_string(), line);
        }
    }

    #[test]
    fn bits_keep_their_places() {
        let row = row(130, &[0, 63, 64, 129]);
        assert_eq!(row.ones().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(row.get(63) && !row.get(62) && !row.get(130));
        assert_eq!(Bits::parse(&Report::Bits(row.clone()).to_string(), 130), Some(row.clone()));
        assert_eq!(row.map(|word| !word).ones().count(), 126);
        assert_eq!(Bits::filled_with(3, || u64::MAX).ones().count(), 3);
    }

    #[test]
    fn texts_that_are_no_reports_are_refused() {
        for text in ["", "-1", "+1", "01", "1 ", "1e3", "18446744073709551616", "١"] {
            assert_eq!(Report::parse_value(text), None, "{text}");
        }
        for text in ["", "1", "1,2,3", "2,1", "1,1", "1,,", "1,2,", "4294967296,4294967297"] {
            assert_eq!(Report::parse_subset(text, 2), None, "{text}");
        }
        // The last of six bits is the fourth highest of the second digit's; the two lowest are past the end.
        for text in ["", "8", "81", "8A", "8g", "844", "ü"] {
            assert_eq!(Report::parse_bits(text, 6), None, "{text}");
        }
        for text in ["1,2", "1:2", "1,2,3:4", "1,2:", ":1", "1,2:3:4"] {
            assert_eq!(Report::parse_hashed(text), None, "{text}");
        }
        assert_eq!(Report::parse_hashed_bits("1,2:40", 2, 8), None);
        assert!(Report::parse_hashed_bits("1,2,3,4:40", 2, 8).is_some());
    }
}
