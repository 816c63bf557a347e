//! Random expressions of every kind over hostile rows.

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type};

use super::Rows;
use super::hostile::{Dice, TYPES};

const COMPARISONS: [Comparison; 7] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
    Comparison::NotDistinct,
];
/// All that numbers with fractions have; whole numbers also have a remainder.
const ARITHMETIC: [Arithmetic; 4] =
    [Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply, Arithmetic::Divide];
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
    "", "%", "_", "a%", "%a", "%a%", "_é%", "a!%b%", "%_%_%", "A%z!", "zz!", "\\%", "%\\", "__", "%K%", "a%b",
];
const PER_STATEMENT: usize = 8;

/// Two columns of each type.
fn columns() -> Vec<Type> {
    TYPES.iter().flat_map(|kind| [*kind, *kind]).collect()
}

impl Dice {
    fn constant(&mut self, kind: Type) -> Scalar {
        Scalar::Constant(self.value(kind))
    }

    /// An expression of a type.
    fn typed(&mut self, kind: Type, depth: usize) -> Scalar {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(10) {
                0 => Scalar::Null(kind),
                1 | 2 => self.constant(kind),
                _ => Scalar::Column(2 * TYPES.iter().position(|t| *t == kind).unwrap() + self.below(2)),
            };
        }
        let depth = depth - 1;
        match self.below(10) {
            0 => {
                let branches = (0..self.below(3))
                    .map(|_| (self.typed(Type::Boolean, depth), self.typed(kind, depth)))
                    .collect();
                Scalar::Case(branches, self.boxed(kind, depth))
            }
            1 => {
                let from = match (self.of(&TYPES), kind) {
                    // Refused.
                    (Type::Number, Type::Text) => Type::Integer,
                    (from, _) => from,
                };
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
        use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
        match kind {
            Boolean => match self.below(7) {
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
                5 => self.called(Function::StartsWith, &[Text, Text], depth),
                _ => Scalar::Like {
                    value: self.boxed(Text, depth),
                    pattern: self.of(&PATTERNS).to_owned(),
                    escape: self.of(&[None, Some('!'), Some('%'), Some('\\')]),
                    ignore_case: self.below(2) == 1,
                },
            },
            Integer => match self.below(12) {
                0 => self.called(Function::Absolute, &[Integer], depth),
                1 => self.called(Function::Sign, &[Integer], depth),
                2 => self.called(Function::Length, &[Text], depth),
                3 => {
                    let (part, kind) = (self.of(&PARTS), self.of(&[Date, Timestamp]));
                    self.called(Function::DatePart(part), &[kind], depth)
                }
                4 => self.called(Function::DaysBetween, &[Date, Date], depth),
                5 => self.width_bucket(depth),
                6 => self.called(Function::Position, &[Text, Text], depth),
                7 => Scalar::Arithmetic(
                    Arithmetic::Remainder,
                    self.boxed(Integer, depth),
                    self.boxed(Integer, depth),
                ),
                _ => self.arithmetic(Integer, depth),
            },
            Number => match self.below(12) {
                0 => {
                    let kind = self.of(&[Date, Timestamp]);
                    self.called(Function::Epoch, &[kind], depth)
                }
                1 => self.called(Function::Absolute, &[Number], depth),
                2 => self.called(Function::Sign, &[Number], depth),
                3 | 4 => {
                    let places = self.below(700) as i64 - 350;
                    let places = self.of(&[0, 1, 2, -1, -2, 15, 22, -308, 308, places, i64::MIN, i64::MAX]);
                    let mut arguments = vec![self.typed(Number, depth)];
                    if self.below(5) > 0 {
                        arguments.push(Scalar::Constant(Value::Integer(places)));
                    }
                    Scalar::Call(Function::Round, arguments)
                }
                5 | 6 => {
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

    fn width_bucket(&mut self, depth: usize) -> Scalar {
        let (mut lower, mut upper) = (self.constant(Type::Number), self.constant(Type::Number));
        if let (Scalar::Constant(Value::Number(a)), Scalar::Constant(Value::Number(b))) =
            (&mut lower, &mut upper)
            && self.below(8) > 0
            && a > b
        {
            std::mem::swap(a, b);
        }
        Scalar::Call(
            Function::WidthBucket,
            vec![self.typed(Type::Number, depth), lower, upper, self.constant(Type::Integer)],
        )
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

/// Specification: over hostile rows, every expression of the language has in PostgreSQL the value that the evaluator gives
/// it, and nothing fails. `POINTILLIST_EXPRESSIONS` asks for more of them, `POINTILLIST_SEED` for others.
#[test]
fn random_expressions_have_the_evaluators_values() {
    let asked = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
    };
    let (seed, wanted) =
        (asked("POINTILLIST_SEED", 20_261_118), asked("POINTILLIST_EXPRESSIONS", 1_600) as usize);
    let mut dice = Dice(seed);
    let kinds = columns();
    let cells = kinds.iter().map(|kind| (0..150).map(|_| dice.cell(*kind)).collect()).collect();
    let Some(rows) = Rows::new(&kinds, cells) else { return };
    let mut compared = 0;
    while compared < wanted {
        let some: Vec<Scalar> = (0..PER_STATEMENT)
            .map(|_| {
                let (kind, depth) = (dice.of(&TYPES), 1 + dice.below(6));
                // What is larger is compared no better, only slower.
                loop {
                    let scalar = dice.typed(kind, depth);
                    if pointillist_plan::visit::count(&scalar) <= 60 {
                        return scalar;
                    }
                }
            })
            .collect();
        rows.compare(&some);
        compared += some.len();
    }
    println!("compared {compared} expressions over {} rows, seed {seed}", rows.count());
}
