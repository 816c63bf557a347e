//! A question as bytes: the same bytes for the same question, other bytes for any other.
//!
//! **Guarantee.** [`canonical`] is injective on what determines a released answer: scope, aggregation, prices, the
//! choice of keys, and the answer's expressions, names, order and limits. Every variant writes its own tag, every
//! text and list its length, so no two encodings run into each other; no float is printed, no `Debug` text used.
//! A ledger's fingerprint of a question is a hash of these bytes and the data's version.
//! **In any order.** What a release is does not depend on the order in which it was asked for: keys and measures are
//! sets, the parts of AND and OR are sorted and each is written once, `a = b` is `b = a` and `a > b` is `b < a`, and
//! columns are written by name. All of these are equal in every row, by the rules of the evaluator; nothing that is only
//! equal by an argument about data is merged. Two forms of one question would cost money, one form of two the truth.
//!
//! | bytes | of | used for |
//! |---|---|---|
//! | [`canonical_topic`] | rows, owner, groups: all but measures and prices | finding what was released before |
//! | [`canonical_release`] | and the measures, at which prices | one purchase |
//! | [`canonical`] | and what is computed from them | one request |

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::Grid;
use pointillist_numbers::Rational;
use pointillist_privacy::{Currency, Spend};

use crate::{
    Aggregate, Aggregation, Answer, AnswerColumn, Arithmetic, Comparison, DatePart, Excess, Form, Formula,
    Function, KeyColumn, Measure, Order, Owner, PrivatePlan, Quantity, Relation, Role, Scalar, ScanColumn,
    Type,
};

/// The first byte; it changes when the encoding does.
const VERSION: u8 = 2;

/// The bytes of a question.
pub fn canonical(plan: &PrivatePlan) -> Vec<u8> {
    let mut out = Bytes { bytes: canonical_release(plan), columns: &[] };
    // The answer counts keys and measures in the order of the plan.
    out.list(&key_labels(&plan.aggregation), |out, label| out.bytes(label));
    out.list(&measure_labels(&plan.aggregation), |out, label| out.bytes(label));
    out.answer(&plan.answer);
    out.bytes
}

/// The bytes of what is released: all of a question but what is computed from released numbers afterwards. Questions
/// that agree in these are answered by the same numbers.
pub fn canonical_release(plan: &PrivatePlan) -> Vec<u8> {
    // Every field is named, so that a new one cannot be forgotten. Notes are words about the rest, and how the price was
    // found does not matter once it is known.
    let PrivatePlan {
        scope: _,
        aggregation,
        releases,
        selection,
        loss,
        price,
        answer: _,
        by_error: _,
        notes: _,
    } = plan;
    let mut out = Bytes { bytes: canonical_topic(plan), columns: columns(aggregation) };
    let priced = measure_labels(aggregation).into_iter().zip(releases).map(|(label, release)| {
        let mut part = Bytes { bytes: Vec::new(), columns: &[] };
        part.bytes(&label);
        part.spend(&release.spend);
        part.bytes
    });
    out.set(priced.collect());
    out.option(selection.as_ref(), |out, selection| {
        let loss = selection.loss().approximate_rho();
        out.option(loss.as_ref(), |out, (rho, delta)| {
            out.rational(rho.value());
            out.rational(delta.value());
        });
        out.bytes(&selection.threshold().to_be_bytes());
    });
    // The exact loss, of which the price is a rounding.
    match price.currency() {
        Currency::Zcdp => {
            out.tag(0);
            let (rho, delta) = loss.approximate_rho().expect("a plan that is priced in ρ loses ρ");
            out.rational(rho.value());
            out.rational(delta.value());
        }
        Currency::Pure => {
            out.tag(1);
            out.rational(loss.pure_epsilon().expect("a plan that is priced in ε loses ε").value());
        }
    }
    out.bytes
}

/// The bytes of what a release is about: rows, owner and groups. How many rows of a person count is a matter of each
/// measure (`measure_labels`).
pub fn canonical_topic(plan: &PrivatePlan) -> Vec<u8> {
    let PrivatePlan { scope, aggregation, .. } = plan;
    let Aggregation { relation, filter, owner, bound, keys: _, domain, measures: _ } = aggregation;
    let Relation::Table { name, columns } = relation;
    let mut out = Bytes { bytes: vec![VERSION], columns };
    out.text(scope);
    out.tag(0);
    out.text(name);
    out.option(filter.as_ref(), |out, filter| out.scalar(filter));
    match owner {
        Owner::EachRow => out.tag(0),
        Owner::Column(name) => {
            out.tag(1);
            out.text(name);
        }
    }
    out.number(bound.groups_max());
    let labels = key_labels(aggregation);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|a, b| labels[*a].cmp(&labels[*b]));
    out.set(labels);
    out.option(domain.as_ref(), |out, domain| {
        let group = |group: &Vec<Option<Value>>| {
            let mut part = Bytes { bytes: Vec::new(), columns: &[] };
            for key in &order {
                part.option(group[*key].as_ref(), |part, value| part.value(value));
            }
            part.bytes
        };
        out.set(domain.iter().map(group).collect());
    });
    out.bytes
}

/// What identifies each key among those of a topic, in the order of the plan.
pub(crate) fn key_labels(aggregation: &Aggregation) -> Vec<Vec<u8>> {
    // The type of a key is a function of the key and its columns, which are written with their types.
    let label = |KeyColumn { value, kind: _ }: &KeyColumn| {
        let mut out = Bytes { bytes: Vec::new(), columns: columns(aggregation) };
        out.scalar(value);
        out.bytes
    };
    aggregation.keys.iter().map(label).collect()
}

/// What identifies each measure among those of a topic, in the order of the plan.
pub(crate) fn measure_labels(aggregation: &Aggregation) -> Vec<Vec<u8>> {
    let label = |measure: &Measure| {
        let mut out = Bytes { bytes: Vec::new(), columns: columns(aggregation) };
        // A person who counts once counts once, whatever else is asked with it.
        match measure.quantity {
            Quantity::People => out.number(1),
            Quantity::Rows | Quantity::Total { .. } => out.number(aggregation.bound.rows_max()),
        }
        out.measure(measure);
        out.bytes
    };
    aggregation.measures.iter().map(label).collect()
}

fn columns(aggregation: &Aggregation) -> &[ScanColumn] {
    let Relation::Table { columns, .. } = &aggregation.relation;
    columns
}

struct Bytes<'a> {
    bytes: Vec<u8>,
    /// What the columns of expressions are; where there are none, columns are written by number.
    columns: &'a [ScanColumn],
}

impl Bytes<'_> {
    fn answer(&mut self, answer: &Answer) {
        let Answer { aggregates, having, columns, order, skip, fetch } = answer;
        self.list(aggregates, Self::aggregate);
        self.option(having.as_ref(), |out, having| out.scalar(having));
        self.list(columns, Self::answer_column);
        self.list(order, |out, Order { by, kind: _, descending, nulls_first }| {
            out.scalar(by);
            out.tag(u8::from(*descending));
            out.tag(u8::from(*nulls_first));
        });
        self.number(*skip);
        self.option(fetch.as_ref(), |out, fetch| out.number(*fetch));
    }

    /// Parts whose order does not matter, each once.
    fn set(&mut self, mut parts: Vec<Vec<u8>>) {
        parts.sort_unstable();
        parts.dedup();
        self.list(&parts, |out, part| out.bytes(part));
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

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_be_bytes());
    }

    fn integer(&mut self, number: i64) {
        self.bytes.extend(number.to_be_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(list.len() as u64);
        for item in list {
            each(self, item);
        }
    }

    fn option<T>(&mut self, value: Option<&T>, some: impl FnOnce(&mut Self, &T)) {
        match value {
            None => self.tag(0),
            Some(value) => {
                self.tag(1);
                some(self, value);
            }
        }
    }

    /// Lowest terms make the pair unique.
    fn rational(&mut self, value: &Rational) {
        self.tag(u8::from(value.is_negative()));
        self.bytes(&value.abs().numerator().to_be_bytes());
        self.bytes(&value.denominator().to_be_bytes());
    }

    fn grid(&mut self, grid: &Grid) {
        self.rational(grid.lower());
        self.rational(grid.step());
        self.integer(grid.last_index());
    }

    fn spend(&mut self, spend: &Spend) {
        match spend {
            Spend::Pure(epsilon) => {
                self.tag(0);
                self.rational(epsilon.value());
            }
            Spend::Concentrated(rho) => {
                self.tag(1);
                self.rational(rho.value());
            }
        }
    }

    fn column_type(&mut self, kind: &ColumnType) {
        match kind {
            ColumnType::Boolean => self.tag(0),
            ColumnType::Integer { bounds } => {
                self.tag(1);
                self.option(bounds.as_ref(), |out, (low, high)| {
                    out.integer(*low);
                    out.integer(*high);
                });
            }
            ColumnType::Number { bounds, step } => {
                self.tag(2);
                self.option(bounds.as_ref(), |out, (low, high)| {
                    out.rational(low);
                    out.rational(high);
                });
                self.option(step.as_ref(), |out, step| out.rational(step));
            }
            ColumnType::Text => self.tag(3),
            ColumnType::Date { bounds } => {
                self.tag(4);
                self.option(bounds.as_ref(), |out, (low, high)| {
                    out.integer((*low).into());
                    out.integer((*high).into());
                });
            }
            ColumnType::Timestamp { bounds } => {
                self.tag(5);
                self.option(bounds.as_ref(), |out, (low, high)| {
                    out.integer(*low);
                    out.integer(*high);
                });
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Boolean(truth) => {
                self.tag(0);
                self.tag(u8::from(*truth));
            }
            Value::Integer(number) => {
                self.tag(1);
                self.integer(*number);
            }
            Value::Number(number) => {
                self.tag(2);
                self.number(number.to_bits());
            }
            Value::Text(text) => {
                self.tag(3);
                self.text(text);
            }
            Value::Date(days) => {
                self.tag(4);
                self.integer((*days).into());
            }
            Value::Timestamp(micros) => {
                self.tag(5);
                self.integer(*micros);
            }
        }
    }

    fn measure(&mut self, measure: &Measure) {
        let Measure { counted, quantity } = measure;
        self.option(counted.as_ref(), |out, counted| out.scalar(counted));
        match quantity {
            Quantity::Rows => self.tag(0),
            Quantity::People => self.tag(1),
            Quantity::Total { value, units, excess } => {
                self.tag(2);
                self.scalar(value);
                self.grid(&units.grid);
                match units.form {
                    Form::Linear { offset, factor } => {
                        self.tag(0);
                        self.integer(offset);
                        self.integer(factor);
                    }
                    Form::CentredSquare => self.tag(1),
                }
                match excess {
                    Excess::Clamp => self.tag(0),
                    Excess::Thin { refinement } => {
                        self.tag(2);
                        self.number(u64::from(*refinement));
                    }
                }
            }
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        let Aggregate { name, kind, formula } = aggregate;
        self.text(name);
        self.tag(type_tag(*kind));
        match formula {
            Formula::Sum { measure, unit } => {
                self.tag(0);
                self.number(*measure as u64);
                self.rational(unit);
            }
            Formula::CentredSum { total, rows, grid } => {
                self.tag(3);
                self.number(*total as u64);
                self.number(*rows as u64);
                self.grid(grid);
            }
            Formula::Mean { total, rows, grid } => {
                self.tag(1);
                self.number(*total as u64);
                self.number(*rows as u64);
                self.grid(grid);
            }
            Formula::Variance { squares, total, rows, grid, sample, root } => {
                self.tag(2);
                self.number(*squares as u64);
                self.number(*total as u64);
                self.number(*rows as u64);
                self.grid(grid);
                self.tag(u8::from(*sample));
                self.tag(u8::from(*root));
            }
        }
    }

    fn answer_column(&mut self, column: &AnswerColumn) {
        let AnswerColumn { name, kind, value, role } = column;
        self.text(name);
        self.tag(type_tag(*kind));
        self.scalar(value);
        match role {
            Role::Key(position) => {
                self.tag(0);
                self.number(*position as u64);
            }
            Role::Aggregate(position) => {
                self.tag(1);
                self.number(*position as u64);
            }
            Role::Derived => self.tag(2),
        }
    }

    fn scalar(&mut self, scalar: &Scalar) {
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

    fn function(&mut self, function: Function) {
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
        };
        self.tag(tag);
        self.option(part.as_ref(), |out, part| out.tag(part_tag(*part)));
    }
}

fn type_tag(kind: Type) -> u8 {
    match kind {
        Type::Boolean => 0,
        Type::Integer => 1,
        Type::Number => 2,
        Type::Text => 3,
        Type::Date => 4,
        Type::Timestamp => 5,
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
