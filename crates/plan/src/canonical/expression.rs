//! Expressions as bytes, those that are equal in every row as the same bytes.

use super::bytes::{Bytes, type_tag};
use crate::{Arithmetic, Comparison, DatePart, Function, Scalar, ScanColumn};

impl Bytes<'_> {
    pub(super) fn scalar(&mut self, scalar: &Scalar) {
        match scalar {
            Scalar::Column(column) => match self.columns.get(*column) {
                Some(ScanColumn { name, kind }) => {
                    self.tag(13);
                    self.text(name);
                    self.column_type(kind);
                }
                None => {
                    self.tag(0);
                    self.number(*column as u64);
                }
            },
            Scalar::Constant(value) => {
                self.tag(1);
                self.value(value);
            }
            Scalar::Null(kind) => {
                self.tag(2);
                self.tag(type_tag(*kind));
            }
            Scalar::Not(inner) => {
                self.tag(3);
                self.scalar(inner);
            }
            Scalar::All(all) => {
                self.tag(4);
                self.set(all.iter().map(|part| self.part(part)).collect());
            }
            Scalar::Any(any) => {
                self.tag(5);
                self.set(any.iter().map(|part| self.part(part)).collect());
            }
            Scalar::Compare(how, left, right) => {
                self.tag(6);
                let (how, left, right) = match how {
                    Comparison::Greater => (Comparison::Less, right, left),
                    Comparison::GreaterOrEqual => (Comparison::LessOrEqual, right, left),
                    other => (*other, left, right),
                };
                self.tag(comparison_tag(how));
                let ordered = matches!(how, Comparison::Less | Comparison::LessOrEqual);
                self.operands(left, right, !ordered);
            }
            Scalar::IsNull(inner) => {
                self.tag(7);
                self.scalar(inner);
            }
            Scalar::Arithmetic(how, left, right) => {
                self.tag(8);
                self.tag(arithmetic_tag(*how));
                self.operands(left, right, matches!(how, Arithmetic::Add | Arithmetic::Multiply));
            }
            Scalar::Case(branches, last) => {
                self.tag(9);
                self.list(branches, |out, (condition, value)| {
                    out.scalar(condition);
                    out.scalar(value);
                });
                self.scalar(last);
            }
            Scalar::Like { value, pattern, escape, ignore_case } => {
                self.tag(10);
                self.scalar(value);
                self.text(pattern);
                self.option(escape.as_ref(), |out, escape| out.number(u64::from(u32::from(*escape))));
                self.tag(u8::from(*ignore_case));
            }
            Scalar::Cast(inner, kind) => {
                self.tag(11);
                self.tag(type_tag(*kind));
                self.scalar(inner);
            }
            Scalar::Call(function, arguments) => {
                self.tag(12);
                self.function(*function);
                self.list(arguments, Self::scalar);
            }
        }
    }

    pub(super) fn function(&mut self, function: Function) {
        let (tag, part) = match function {
            Function::Absolute => (0, None),
            Function::Sign => (1, None),
            Function::Floor => (2, None),
            Function::Ceiling => (3, None),
            Function::Round => (4, None),
            Function::SquareRoot => (5, None),
            Function::Exponential => (6, None),
            Function::NaturalLogarithm => (7, None),
            Function::CommonLogarithm => (8, None),
            Function::Power => (9, None),
            Function::Least => (10, None),
            Function::Greatest => (11, None),
            Function::Coalesce => (12, None),
            Function::NullIf => (13, None),
            Function::Lower => (14, None),
            Function::Upper => (15, None),
            Function::Trim => (16, None),
            Function::Length => (17, None),
            Function::Substring => (18, None),
            Function::Concat => (19, None),
            Function::StartsWith => (20, None),
            Function::DatePart(part) => (21, Some(part)),
            Function::DateTruncate(part) => (22, Some(part)),
            Function::WidthBucket => (23, None),
            Function::AddDays => (24, None),
            Function::AddMonths => (25, None),
            Function::DaysBetween => (26, None),
            Function::Position => (27, None),
            Function::Epoch => (28, None),
        };
        self.tag(tag);
        self.option(part.as_ref(), |out, part| out.tag(part_tag(*part)));
    }

    /// An expression on its own, with the same columns.
    fn part(&self, scalar: &Scalar) -> Vec<u8> {
        let mut out = Bytes { bytes: Vec::new(), columns: self.columns };
        out.scalar(scalar);
        out.bytes
    }

    /// Two operands, in the order of their bytes where they may change places.
    fn operands(&mut self, left: &Scalar, right: &Scalar, commute: bool) {
        let (mut left, mut right) = (self.part(left), self.part(right));
        if commute && right < left {
            std::mem::swap(&mut left, &mut right);
        }
        self.bytes.extend(left);
        self.bytes.extend(right);
    }
}

fn comparison_tag(how: Comparison) -> u8 {
    match how {
        Comparison::Equal => 0,
        Comparison::NotEqual => 1,
        Comparison::Less => 2,
        Comparison::LessOrEqual => 3,
        Comparison::Greater => 4,
        Comparison::GreaterOrEqual => 5,
        Comparison::NotDistinct => 6,
    }
}

fn arithmetic_tag(how: Arithmetic) -> u8 {
    match how {
        Arithmetic::Add => 0,
        Arithmetic::Subtract => 1,
        Arithmetic::Multiply => 2,
        Arithmetic::Divide => 3,
        Arithmetic::Remainder => 4,
    }
}

fn part_tag(part: DatePart) -> u8 {
    match part {
        DatePart::Year => 0,
        DatePart::Quarter => 1,
        DatePart::Month => 2,
        DatePart::Week => 3,
        DatePart::Day => 4,
        DatePart::DayOfWeek => 5,
        DatePart::DayOfYear => 6,
        DatePart::Hour => 7,
        DatePart::Minute => 8,
        DatePart::Second => 9,
    }
}
