//! Values that break what is careless, the same on every machine.

use pointillist_catalog::{Value, calendar};
use pointillist_plan::Type;

pub(super) const TYPES: [Type; 6] =
    [Type::Boolean, Type::Integer, Type::Number, Type::Text, Type::Date, Type::Timestamp];

const INTEGERS: [i64; 22] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    -1,
    0,
    1,
    2,
    -2,
    3,
    7,
    -7,
    10_000,
    1 << 31,
    -(1 << 31),
    1 << 53,
    (1 << 53) + 1,
    1 << 62,
    -(1 << 62),
    3_037_000_500,
    119_987,
    -3_652_058,
];

pub(super) const NUMBERS: [f64; 46] = [
    0.0,
    0.5,
    -0.5,
    0.499_999_999_999_999_94,
    1.0,
    -1.0,
    1.5,
    2.5,
    -2.5,
    1.005,
    0.1,
    0.3,
    59.999_999,
    1e15,
    1e-5,
    123_456_789_012_345.67,
    4_503_599_627_370_495.5,
    4_503_599_627_370_496.0,
    9_007_199_254_740_993.0,
    9_223_372_036_854_774_784.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    709.782_712_893_384,
    709.782_712_893_384_1,
    -745.133_219_101_941_1,
    -745.133_219_101_941_2,
    -708.4,
    1e-150,
    1e150,
    1e-200,
    1e200,
    1e-16,
    1e-15,
    1.340_780_792_994_259_6e154,
    1.080_645_441_956_653_6e-224,
    2.285_974_782_564_549_7e-100,
    8.988_465_674_311_58e307,
    8.988_465_674_311_57e307,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-323,
    1e308,
];

const TEXTS: [&str; 83] = [
    "",
    " ",
    "a",
    "A",
    "Z",
    "ab",
    "a\nb",
    "abc",
    " a ",
    "\ta\n",
    "a%b",
    "a_b",
    "a!b",
    "zz!",
    "zz",
    "é",
    "É",
    "ß",
    "e\u{301}",
    "\u{1F600}",
    "\u{FFFD}",
    "\u{212A}",
    "İ",
    "ı",
    "日本語",
    "\u{FEFF}",
    "'",
    "''",
    "\"",
    "\\",
    "\\\\",
    "\\n",
    "\\'",
    "$$",
    "$1",
    "--",
    "/*",
    "*/",
    "; DROP TABLE t",
    "E'\\x41'",
    "{0}",
    "NULL",
    "true",
    "F",
    " yes ",
    "o",
    "of",
    "ON",
    "tR",
    "truex",
    "NaN",
    "inf",
    "-Infinity",
    "1e400",
    "-1e400",
    "1e-400",
    "-0",
    "0x1",
    "1d",
    "1.",
    ".5",
    ".",
    "+5",
    " 42\n",
    "٣",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "2.4e-324",
    "4.9e-324",
    "1.7976931348623159e308",
    "0e99999999999999999999",
    "1e999999",
    "2024-02-29",
    "1900-02-29",
    "2000-02-29",
    " 2024-02-29 23:59:59.999999",
    "0000-01-01",
    "9999-12-31T23:59",
    "2026-12-31 24:00",
    "infinity",
    "epoch",
    "2026-12-31t23:59:59.1234567",
];

/// Days that matter, as days since 1970.
const DAYS: [i32; 13] = [
    calendar::DAYS.0,
    calendar::DAYS.0 + 1,
    calendar::DAYS.0 + 31,
    calendar::DAYS.1,
    calendar::DAYS.1 - 1,
    calendar::DAYS.1 - 31,
    -1,
    0,
    59,
    11_016,
    14_612,
    19_753,
    -141_428,
];

/// SplitMix64.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    pub(super) fn of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// NULL, or a value that a column may hold, most likely a hostile one.
    pub(super) fn cell(&mut self, kind: Type) -> Option<Value> {
        (self.below(7) > 0).then(|| self.value(kind))
    }

    pub(super) fn value(&mut self, kind: Type) -> Value {
        match kind {
            Type::Boolean => Value::Boolean(self.below(2) == 1),
            Type::Integer => Value::Integer(match self.below(5) {
                0 => self.word() as i64,
                1 => self.below(20) as i64 - 10,
                2 => self.below(1 << 16) as i64,
                _ => self.of(&INTEGERS),
            }),
            Type::Number => Value::Number(self.number()),
            Type::Text => Value::Text(self.text()),
            Type::Date => Value::Date(self.day()),
            Type::Timestamp => {
                let micros = match self.below(3) {
                    0 => 0,
                    1 => calendar::DAY - 1,
                    _ => self.below(calendar::DAY as usize) as i64,
                };
                Value::Timestamp(calendar::moment(self.day(), micros))
            }
        }
    }

    fn number(&mut self) -> f64 {
        let number = match self.below(5) {
            0 => f64::from_bits(self.word()),
            1 => self.below(2000) as f64 / 8.0 - 100.0,
            2 => self.below(1 << 20) as f64 * 0.01,
            _ => self.of(&NUMBERS),
        };
        if number.is_finite() { number + 0.0 } else { 1e300 }
    }

    fn day(&mut self) -> i32 {
        match self.below(3) {
            0 => self.of(&DAYS),
            _ => self.below((calendar::DAYS.1 - calendar::DAYS.0) as usize) as i32 + calendar::DAYS.0,
        }
    }

    fn text(&mut self) -> String {
        match self.below(8) {
            // Long ones are few: they travel back in every text that is made of them.
            0 if self.below(3) == 0 => self.of(&[
                "a".repeat(10_000),
                format!("a{}", "é".repeat(4_999)),
                "日".repeat(3_333),
                "\u{1F600}".repeat(2_500),
                " ".repeat(10_000),
                "9".repeat(9_000),
                format!("0.{}1e9001", "0".repeat(9_000)),
                format!("{}e-9990", "123456789".repeat(1_100)),
                format!("0.{}", "7".repeat(9_990)),
            ]),
            0 | 1 => match self.value(Type::Integer) {
                Value::Integer(value) => value.to_string(),
                _ => String::new(),
            },
            2 => format!("{:e}", self.number()),
            3 => {
                let length = self.below(6);
                let signs = [
                    'a',
                    'b',
                    'A',
                    'z',
                    'é',
                    '日',
                    '\u{1F600}',
                    ' ',
                    '%',
                    '_',
                    '!',
                    '\\',
                    '0',
                    '1',
                    '.',
                    '-',
                ];
                (0..length).map(|_| self.of(&signs)).collect()
            }
            _ => self.of(&TEXTS).to_owned(),
        }
    }
}
