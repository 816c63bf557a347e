//! Random expressions and hostile rows, the same on every machine.

use pointillist_catalog::Value;
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
pub(super) const PARTS: [DatePart; 10] = [
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
const FUNCTIONS: [Function; 27] = [
    Function::Absolute,
    Function::Sign,
    Function::Floor,
    Function::Ceiling,
    Function::Round,
    Function::SquareRoot,
    Function::Exponential,
    Function::NaturalLogarithm,
    Function::CommonLogarithm,
    Function::Power,
    Function::Least,
    Function::Greatest,
    Function::Coalesce,
    Function::NullIf,
    Function::Lower,
    Function::Upper,
    Function::Trim,
    Function::Length,
    Function::Substring,
    Function::Concat,
    Function::StartsWith,
    Function::Position,
    Function::Epoch,
    Function::WidthBucket,
    Function::AddDays,
    Function::AddMonths,
    Function::DaysBetween,
];
const PATTERNS: [&str; 10] = ["", "%", "_", "a%", "%a", "%a%", "_é%", "a!%b%", "%_%_%", "A%z!"];

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

    /// NULL, or a value, most likely a hostile one; columns may hold numbers that should not exist.
    pub(super) fn cell(&mut self, kind: Type) -> Option<Value> {
        (self.below(6) > 0).then(|| self.value(kind))
    }

    pub(super) fn value(&mut self, kind: Type) -> Value {
        match kind {
            Type::Boolean => Value::Boolean(self.below(2) == 1),
            Type::Integer => Value::Integer(match self.below(4) {
                0 => self.word() as i64,
                1 => self.below(20) as i64 - 10,
                2 => self.below(1 << 16) as i64,
                _ => {
                    self.of(&[i64::MIN, i64::MIN + 1, i64::MAX, -1, 0, 1, 1 << 53, (1 << 53) + 1, -(1 << 62)])
                }
            }),
            Type::Number => Value::Number(match self.below(4) {
                0 => f64::from_bits(self.word()),
                1 => self.below(2000) as f64 / 8.0 - 100.0,
                2 => self.below(1 << 20) as f64 * 0.01,
                _ => self.of(&[
                    0.0,
                    -0.0,
                    0.5,
                    1.5,
                    2.5,
                    -0.5,
                    f64::MAX,
                    f64::MIN,
                    f64::MIN_POSITIVE,
                    5e-324,
                    -5e-324,
                    9.223372036854775e18,
                    -9.223372036854776e18,
                    1e15,
                    1e-5,
                    f64::NAN,
                    f64::INFINITY,
                    f64::NEG_INFINITY,
                    4503599627370495.5,
                ]),
            }),
            Type::Text => Value::Text(self.text()),
            Type::Date => Value::Date(match self.below(4) {
                0 => self.word() as i32,
                1 => self.of(&[
                    i32::MIN,
                    i32::MAX,
                    -719_162,
                    -719_163,
                    2_932_896,
                    2_932_897,
                    0,
                    -1,
                    59,
                    11_016,
                ]),
                _ => self.below(3_652_059) as i32 - 719_162,
            }),
            Type::Timestamp => Value::Timestamp(match self.below(4) {
                0 => self.word() as i64,
                1 => self.of(&[
                    i64::MIN,
                    i64::MAX,
                    -62_135_596_800_000_000,
                    -62_135_596_800_000_001,
                    253_402_300_799_999_999,
                    253_402_300_800_000_000,
                    0,
                    -1,
                ]),
                _ => {
                    (self.below(3_652_059) as i64 - 719_162) * 86_400_000_000
                        + self.below(86_400_000_000) as i64
                }
            }),
        }
    }

    fn text(&mut self) -> String {
        match self.below(8) {
            0 => self.of(&["a".repeat(10_000), "é".repeat(5_000), "日".repeat(3_333), " ".repeat(10_000)]),
            1 => self.value(Type::Integer).to_plain(),
            2 => self.value(Type::Number).to_plain(),
            3 => self
                .of(&[
                    "true", "F", " yes ", "o", "of", "on", "NaN", "inf", "-inf", "1e400", "-0", "1e-400",
                    "0x1",
                ])
                .to_owned(),
            4 => self
                .of(&[
                    "2024-02-29",
                    "2023-02-29",
                    " 2024-02-29 23:59:59.999999",
                    "0000-01-01",
                    "9999-12-31T23:59",
                    "2024-13-01",
                    "-9223372036854775808",
                    "9223372036854775808",
                    "\t12\n",
                    "+5",
                    "",
                ])
                .to_owned(),
            _ => {
                let length = self.below(6);
                (0..length)
                    .map(|_| self.of(&['a', 'b', 'A', 'z', 'é', '日', '😀', ' ', '%', '_', '!', '\0']))
                    .collect()
            }
        }
    }

    fn constant(&mut self, kind: Type) -> Scalar {
        loop {
            match self.value(kind) {
                // A constant that does not exist has no type.
                Value::Number(number) if !number.is_finite() => {}
                value => return Scalar::Constant(value),
            }
        }
    }

    /// A well-typed expression over twelve columns, two of each type in the order of [`TYPES`].
    pub(super) fn typed(&mut self, kind: Type, depth: usize) -> Scalar {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(8) {
                0 => Scalar::Null(kind),
                1 | 2 => self.constant(kind),
                _ => Scalar::Column(2 * TYPES.iter().position(|t| *t == kind).unwrap() + self.below(2)),
            };
        }
        let depth = depth - 1;
        match self.below(8) {
            0 => {
                let branches = (0..1 + self.below(2))
                    .map(|_| (self.typed(Type::Boolean, depth), self.typed(kind, depth)))
                    .collect();
                Scalar::Case(branches, self.boxed(kind, depth))
            }
            1 => {
                let from = self.of(&TYPES);
                Scalar::Cast(self.boxed(from, depth), kind)
            }
            2 => {
                let extremes = [Function::Coalesce, Function::Least, Function::Greatest];
                let function = if kind == Type::Boolean { Function::Coalesce } else { self.of(&extremes) };
                let count = 1 + self.below(3);
                self.called(function, &vec![kind; count], depth)
            }
            3 => self.called(Function::NullIf, &[kind, kind], depth),
            _ => self.own(kind, depth),
        }
    }

    /// What only expressions of this type can be.
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
                    escape: self.of(&[None, Some('!'), Some('%')]),
                    ignore_case: self.below(2) == 1,
                },
            },
            Integer => match self.below(8) {
                6 => self.called(Function::Position, &[Text, Text], depth),
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
                _ => self.arithmetic(Integer, depth),
            },
            Number => match self.below(11) {
                10 => {
                    let kind = self.of(&[Date, Timestamp]);
                    self.called(Function::Epoch, &[kind], depth)
                }
                0 => self.called(Function::Absolute, &[Number], depth),
                1 => self.called(Function::Sign, &[Number], depth),
                2 => self.called(Function::Power, &[Number, Number], depth),
                3 => {
                    let places = self.below(700) as i64 - 350;
                    let places = self.of(&[0, 1, 2, -1, -2, 15, places, i64::MIN, i64::MAX]);
                    let places = Scalar::Constant(Value::Integer(places));
                    Scalar::Call(Function::Round, vec![self.typed(Number, depth), places])
                }
                4 | 5 => {
                    let function = self.of(&[
                        Function::Floor,
                        Function::Ceiling,
                        Function::SquareRoot,
                        Function::Exponential,
                        Function::NaturalLogarithm,
                        Function::CommonLogarithm,
                    ]);
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
            Date => match self.below(3) {
                0 => self.called(Function::AddDays, &[Date, Integer], depth),
                1 => self.called(Function::AddMonths, &[Date, Integer], depth),
                _ => self.truncated(Date, depth),
            },
            Timestamp => match self.below(3) {
                0 => self.called(Function::AddDays, &[Timestamp, Integer], depth),
                1 => self.called(Function::AddMonths, &[Timestamp, Integer], depth),
                _ => self.truncated(Timestamp, depth),
            },
        }
    }

    fn arithmetic(&mut self, kind: Type, depth: usize) -> Scalar {
        Scalar::Arithmetic(self.of(&ARITHMETIC), self.boxed(kind, depth), self.boxed(kind, depth))
    }

    fn truncated(&mut self, kind: Type, depth: usize) -> Scalar {
        let part = self.of(&PARTS);
        self.called(Function::DateTruncate(part), &[kind], depth)
    }

    fn boxed(&mut self, kind: Type, depth: usize) -> Box<Scalar> {
        Box::new(self.typed(kind, depth))
    }

    fn called(&mut self, function: Function, kinds: &[Type], depth: usize) -> Scalar {
        Scalar::Call(function, kinds.iter().map(|kind| self.typed(*kind, depth)).collect())
    }

    /// An expression of any form over columns that may not exist, types at random.
    pub(super) fn wild(&mut self, depth: usize) -> Scalar {
        let kind = self.of(&TYPES);
        if depth == 0 {
            return match self.below(3) {
                0 => Scalar::Null(kind),
                1 => Scalar::Constant(self.value(kind)),
                _ => Scalar::Column(self.below(20)),
            };
        }
        let depth = depth - 1;
        let some = |dice: &mut Self| (0..dice.below(5)).map(|_| dice.wild(depth)).collect::<Vec<_>>();
        let one = |dice: &mut Self| Box::new(dice.wild(depth));
        match self.below(10) {
            0 => Scalar::Not(one(self)),
            1 => Scalar::All(some(self)),
            2 => Scalar::Any(some(self)),
            3 => Scalar::Compare(self.of(&COMPARISONS), one(self), one(self)),
            4 => Scalar::IsNull(one(self)),
            5 => Scalar::Arithmetic(self.of(&ARITHMETIC), one(self), one(self)),
            6 => {
                let branches = (0..self.below(3)).map(|_| (self.wild(depth), self.wild(depth))).collect();
                Scalar::Case(branches, one(self))
            }
            7 => Scalar::Like {
                value: one(self),
                pattern: self.of(&PATTERNS).to_owned(),
                escape: None,
                ignore_case: self.below(2) == 1,
            },
            8 => Scalar::Cast(one(self), kind),
            _ => {
                let part = self.of(&PARTS);
                let function = match self.below(FUNCTIONS.len() + 2) {
                    0 => Function::DatePart(part),
                    1 => Function::DateTruncate(part),
                    other => FUNCTIONS[other - 2],
                };
                Scalar::Call(function, some(self))
            }
        }
    }
}

trait Plain {
    fn to_plain(&self) -> String;
}

impl Plain for Value {
    fn to_plain(&self) -> String {
        match self {
            Value::Integer(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            other => format!("{other:?}"),
        }
    }
}
