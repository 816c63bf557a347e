//! Random expressions and hostile rows, the same on every machine.

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{DAY, DAYS, MOMENTS};
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type};

pub(super) const TYPES: [Type; 6] =
    [Type::Boolean, Type::Integer, Type::Number, Type::Text, Type::Date, Type::Timestamp];
const COMPARISONS: [Comparison; 7] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
    Comparison::NotDistinct,
];
const ARITHMETIC: [Arithmetic; 5] =
    [Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply, Arithmetic::Divide, Arithmetic::Remainder];
const PARTS: [DatePart; 10] = [
    DatePart::Year,
    DatePart::Quarter,
    DatePart::Month,
    DatePart::Week,
    DatePart::Day,
    DatePart::DayOfWeek,
    DatePart::DayOfYear,
    DatePart::Hour,
    DatePart::Minute,
    DatePart::Second,
];
const PATTERNS: [&str; 16] = [
    "",
    "%",
    "_",
    "a%",
    "%a",
    "%a%",
    "_é%",
    "a!%b%",
    "%_%_%",
    "A%z!",
    "a%b%a",
    "%a_%b%",
    "%😀%_b%",
    r"%\%'%",
    "z%[%]",
    "%.%*%",
];
const INTEGERS: [i64; 16] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    -1,
    0,
    1,
    2,
    -7,
    3,
    1 << 53,
    (1 << 53) + 1,
    -(1 << 62),
    1 << 62,
    3_037_000_500,
    10_000,
];
const NUMBERS: [f64; 34] = [
    0.0,
    0.5,
    1.0,
    -1.0,
    1.5,
    2.5,
    -2.5,
    -0.5,
    0.49999999999999994,
    1.005,
    f64::MAX,
    f64::MIN,
    8.98846567431158e307,
    8.98846567431157e307,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-200,
    1.3407807929942596e154,
    1.35e154,
    1.0806454419566536e-224,
    2.2859747825645497e-100,
    1e-15,
    9.223372036854775e18,
    9.223372036854776e18,
    -9.223372036854776e18,
    1e15,
    1e-5,
    4503599627370495.5,
    4503599627370496.0,
    9007199254740993.0,
    1e300,
    123456789012345.67,
    0.1 + 0.2,
];
const TEXTS: [&str; 88] = [
    "",
    " ",
    "a",
    "A",
    "b",
    "z",
    "Z",
    "é",
    "É",
    "e\u{301}",
    "😀",
    "a😀b",
    "\u{212A}",
    "K",
    "k",
    "İ",
    "ı",
    "ß",
    "日本語",
    "\u{fffd}",
    "\u{ffff}",
    "a'b",
    "a\"b",
    "a\\b",
    "\\",
    "\\n",
    "''",
    "a%b",
    "a_b",
    "a\nb",
    "a\n",
    "\n",
    "\0",
    "a\0b",
    "zz!",
    "zz",
    " a ",
    "\ta\t",
    "\u{a0}a\u{a0}",
    "\u{2003}7",
    "$1",
    "{0}",
    "?",
    ":x",
    "`a`",
    "--",
    "/*",
    "true",
    "F",
    " yes ",
    "o",
    "of",
    "Tr",
    "truex",
    "ON\u{b}",
    "1",
    "0",
    "NaN",
    "inf",
    "-Infinity",
    "1e400",
    "-0",
    "1e-400",
    "0x1p3",
    "1d",
    "1.",
    ".5",
    ".",
    "+.5e-3",
    "1e",
    "1e+",
    "2.4e-324",
    "4.9e-324",
    "0e99999999999999999999",
    "1e-99999999999999999999",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "٣",
    "+5",
    "-",
    "+",
    "--5",
    "\t12\n",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "1 2",
    "1_0",
];
const MOMENTS_WRITTEN: [&str; 26] = [
    "2024-02-29",
    "2023-02-29",
    "1900-02-29",
    "2000-02-29",
    " 2024-02-29 23:59:59.999999",
    "0000-01-01",
    "0001-01-01",
    "9999-12-31T23:59",
    "9999-12-31 23:59:59.999999",
    "10000-01-01",
    "2024-13-01",
    "2024-00-10",
    "2024-04-31",
    "2026-12-31t23:59",
    "2026-12-31 24:00",
    "2026-12-31 23:60",
    "2026-12-31 23:59:60",
    "2026-12-31 23:59:59.1234567",
    "2026-12-31 23:59:59.",
    "2026-12-31 ",
    "2026-12-31 23",
    "2026-12-31 23:59:59Z",
    "2026-1-1",
    "infinity",
    "epoch",
    "2026-12-31 23:59:59.1+02:00",
];

/// SplitMix64.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    fn of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// NULL, or what a column may hold.
    pub(super) fn cell(&mut self, kind: Type) -> Option<Value> {
        (self.below(8) > 0).then(|| self.value(kind))
    }

    pub(super) fn value(&mut self, kind: Type) -> Value {
        match kind {
            Type::Boolean => Value::Boolean(self.below(2) == 1),
            Type::Integer => Value::Integer(match self.below(4) {
                0 => self.word() as i64,
                1 => self.below(24) as i64 - 8,
                _ => self.of(&INTEGERS),
            }),
            Type::Number => Value::number(match self.below(8) {
                0 | 1 => f64::from_bits(self.word()),
                2 => self.below(2000) as f64 / 8.0 - 100.0,
                3 => self.below(1 << 20) as f64 * 0.01,
                4 => (self.word() as i64 >> self.below(64)) as f64,
                _ => self.of(&NUMBERS),
            })
            .unwrap_or(Value::Number(1.0)),
            Type::Text => Value::Text(self.text()),
            Type::Date => Value::Date(match self.below(3) {
                0 => self.of(&[DAYS.0, DAYS.0 + 1, DAYS.1, DAYS.1 - 1, 0, -1, 59, 11_016, 14_612, -141_428]),
                1 => self.below(1000) as i32 - 500,
                _ => self.below(3_652_059) as i32 + DAYS.0,
            }),
            Type::Timestamp => Value::Timestamp(match self.below(3) {
                0 => self.of(&[
                    MOMENTS.0,
                    MOMENTS.0 + 1,
                    MOMENTS.1,
                    MOMENTS.1 - 1,
                    0,
                    -1,
                    59_999_999,
                    1,
                    -141_428 * DAY + 7,
                ]),
                1 => self.below(10_000_000_000) as i64 - 5_000_000_000,
                _ => {
                    (self.below(3_652_059) as i64 + i64::from(DAYS.0)) * DAY + self.below(DAY as usize) as i64
                }
            }),
        }
    }

    fn text(&mut self) -> String {
        match self.below(12) {
            0 if self.below(4) == 0 => match self.below(8) {
                0 => "a".repeat(10_000),
                1 => format!("a{}", "é".repeat(4_999)),
                2 => "日".repeat(3_333),
                3 => " ".repeat(10_000),
                4 => "9".repeat(9_000),
                5 => format!("{}5", "0".repeat(9_000)),
                6 => format!("0.{}1e9001", "0".repeat(9_000)),
                _ => "😀".repeat(2_500),
            },
            0 | 1 => self.of(&INTEGERS).to_string(),
            2 => self.of(&NUMBERS).to_string(),
            3 => format!("{:e}", f64::from_bits(self.word())),
            4 | 5 => self.of(&MOMENTS_WRITTEN).to_owned(),
            6..9 => self.of(&TEXTS).to_owned(),
            _ => {
                let length = self.below(7);
                (0..length)
                    .map(|_| {
                        self.of(&[
                            'a', 'b', 'A', 'z', 'é', '日', '😀', ' ', '%', '_', '!', '\0', '\\', '\n', '.',
                        ])
                    })
                    .collect()
            }
        }
    }

    fn constant(&mut self, kind: Type) -> Scalar {
        Scalar::Constant(self.value(kind))
    }

    /// A well-typed expression over twelve columns, two of each type in the order of [`TYPES`].
    pub(super) fn typed(&mut self, kind: Type, depth: usize) -> Scalar {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(12) {
                0 => Scalar::Null(kind),
                1 | 2 => self.constant(kind),
                _ => Scalar::Column(2 * TYPES.iter().position(|t| *t == kind).unwrap() + self.below(2)),
            };
        }
        let depth = depth - 1;
        match self.below(10) {
            0 => {
                let branches = (0..1 + self.below(2))
                    .map(|_| (self.typed(Type::Boolean, depth), self.typed(kind, depth)))
                    .collect();
                Scalar::Case(branches, self.boxed(kind, depth))
            }
            1 | 2 => {
                let from = match self.of(&TYPES) {
                    // Refused by name.
                    Type::Number if kind == Type::Text => Type::Integer,
                    from => from,
                };
                Scalar::Cast(self.boxed(from, depth), kind)
            }
            3 => {
                let extremes = [Function::Coalesce, Function::Least, Function::Greatest];
                let function = if kind == Type::Boolean { Function::Coalesce } else { self.of(&extremes) };
                let count = 1 + self.below(3);
                self.called(function, &vec![kind; count], depth)
            }
            4 => self.called(Function::NullIf, &[kind, kind], depth),
            _ => self.own(kind, depth),
        }
    }

    /// What only expressions of this type can be. Logarithms, powers and exponentials are left out: their last bit differs.
    fn own(&mut self, kind: Type, depth: usize) -> Scalar {
        use Type::*;
        match kind {
            Boolean => match self.below(6) {
                0 => Scalar::Not(self.boxed(Boolean, depth)),
                1 => Scalar::All((0..self.below(4)).map(|_| self.typed(Boolean, depth)).collect()),
                2 => Scalar::Any((0..self.below(4)).map(|_| self.typed(Boolean, depth)).collect()),
                3 => {
                    let kind = self.of(&TYPES);
                    Scalar::Compare(self.of(&COMPARISONS), self.boxed(kind, depth), self.boxed(kind, depth))
                }
                4 => {
                    let kind = self.of(&TYPES);
                    Scalar::IsNull(self.boxed(kind, depth))
                }
                _ if self.below(3) == 0 => self.called(Function::StartsWith, &[Text, Text], depth),
                _ => Scalar::Like {
                    value: self.boxed(Text, depth),
                    pattern: self.of(&PATTERNS).to_owned(),
                    escape: self.of(&[None, Some('!'), Some('%'), Some('\\')]),
                    ignore_case: self.below(2) == 1,
                },
            },
            Integer => match self.below(10) {
                0 => self.called(Function::Absolute, &[Integer], depth),
                1 => self.called(Function::Sign, &[Integer], depth),
                2 => self.called(Function::Length, &[Text], depth),
                3 => {
                    let (part, kind) = (self.of(&PARTS), self.of(&[Date, Timestamp]));
                    self.called(Function::DatePart(part), &[kind], depth)
                }
                4 => self.called(Function::DaysBetween, &[Date, Date], depth),
                5 => {
                    let mut arguments = vec![self.typed(Number, depth)];
                    arguments.extend([self.constant(Number), self.constant(Number), self.constant(Integer)]);
                    Scalar::Call(Function::WidthBucket, arguments)
                }
                6 => self.called(Function::Position, &[Text, Text], depth),
                _ => self.arithmetic(Integer, depth),
            },
            Number => match self.below(9) {
                0 => {
                    let kind = self.of(&[Date, Timestamp]);
                    self.called(Function::Epoch, &[kind], depth)
                }
                1 => {
                    let function = self.of(&[Function::Absolute, Function::Sign]);
                    self.called(function, &[Number], depth)
                }
                2 | 3 => {
                    let places = self.below(700) as i64 - 350;
                    let places = self.of(&[0, 1, 2, -1, -2, 15, 308, -308, places, i64::MIN, i64::MAX]);
                    let places = Scalar::Constant(Value::Integer(places));
                    Scalar::Call(Function::Round, vec![self.typed(Number, depth), places])
                }
                4 => {
                    let function = self.of(&[Function::Floor, Function::Ceiling, Function::SquareRoot]);
                    self.called(function, &[Number], depth)
                }
                _ => self.arithmetic(Number, depth),
            },
            Text => match self.below(4) {
                0 => {
                    let function = self.of(&[Function::Lower, Function::Upper, Function::Trim]);
                    self.called(function, &[Text], depth)
                }
                1 => self.called(Function::Substring, &[Text, Integer], depth),
                2 => self.called(Function::Substring, &[Text, Integer, Integer], depth),
                _ => {
                    let count = self.below(4);
                    self.called(Function::Concat, &vec![Text; count], depth)
                }
            },
            Date | Timestamp => match self.below(3) {
                0 => self.called(Function::AddDays, &[kind, Integer], depth),
                1 => self.called(Function::AddMonths, &[kind, Integer], depth),
                _ => {
                    let part = self.of(&PARTS);
                    self.called(Function::DateTruncate(part), &[kind], depth)
                }
            },
        }
    }

    fn arithmetic(&mut self, kind: Type, depth: usize) -> Scalar {
        Scalar::Arithmetic(self.of(&ARITHMETIC), self.boxed(kind, depth), self.boxed(kind, depth))
    }

    fn boxed(&mut self, kind: Type, depth: usize) -> Box<Scalar> {
        Box::new(self.typed(kind, depth))
    }

    fn called(&mut self, function: Function, kinds: &[Type], depth: usize) -> Scalar {
        Scalar::Call(function, kinds.iter().map(|kind| self.typed(*kind, depth)).collect())
    }
}
