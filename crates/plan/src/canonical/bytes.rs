//! Everything but expressions as bytes: every variant with its own tag, every text and list with its length.

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::{Grid, Rank};
use pointillist_numbers::Rational;
use pointillist_privacy::Spend;

use crate::{
    Aggregate, AnswerColumn, AnswerPlan, Excess, Form, Formula, Measure, PairMoments, PairStatistic,
    Quantity, Role, ScanColumn, Type,
};

/// Bytes that are being written.
pub(super) struct Bytes<'a> {
    pub(super) bytes: Vec<u8>,
    /// What the columns of expressions are; where there are none, columns are written by number.
    pub(super) columns: &'a [ScanColumn],
}

impl Bytes<'_> {
    pub(super) fn answer(&mut self, answer: &AnswerPlan) {
        let AnswerPlan { aggregates, having, columns, order, skip, fetch } = answer;
        self.list(aggregates, Self::aggregate);
        self.option(having.as_ref(), |out, having| out.scalar(having));
        self.list(columns, Self::answer_column);
        self.list(order, Self::order);
        self.number(*skip);
        self.option(fetch.as_ref(), |out, fetch| out.number(*fetch));
    }

    /// Parts whose order does not matter, each once.
    pub(super) fn set(&mut self, mut parts: Vec<Vec<u8>>) {
        parts.sort_unstable();
        parts.dedup();
        self.list(&parts, |out, part| out.bytes(part));
    }

    pub(super) fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    pub(super) fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_be_bytes());
    }

    pub(super) fn integer(&mut self, number: i64) {
        self.bytes.extend(number.to_be_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(list.len() as u64);
        for item in list {
            each(self, item);
        }
    }

    pub(super) fn option<T>(&mut self, value: Option<&T>, some: impl FnOnce(&mut Self, &T)) {
        match value {
            None => self.tag(0),
            Some(value) => {
                self.tag(1);
                some(self, value);
            }
        }
    }

    /// Lowest terms make the pair unique.
    pub(super) fn rational(&mut self, value: &Rational) {
        self.tag(u8::from(value.is_negative()));
        self.bytes(&value.abs().numerator().to_be_bytes());
        self.bytes(&value.denominator().to_be_bytes());
    }

    pub(super) fn grid(&mut self, grid: &Grid) {
        self.rational(grid.lower());
        self.rational(grid.step());
        self.integer(grid.last_index());
    }

    pub(super) fn spend(&mut self, spend: &Spend) {
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

    pub(super) fn column_type(&mut self, kind: &ColumnType) {
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

    pub(super) fn value(&mut self, value: &Value) {
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

    pub(super) fn measure(&mut self, measure: &Measure) {
        let Measure { counted, quantity } = measure;
        self.option(counted.as_ref(), |out, counted| out.scalar(counted));
        match quantity {
            Quantity::Rows => self.tag(0),
            Quantity::People => self.tag(1),
            Quantity::PeopleCut => self.tag(6),
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
            Quantity::Product { left, right, refinement } => {
                self.tag(3);
                for (value, grid) in [left, right] {
                    self.scalar(value);
                    self.grid(grid);
                }
                self.number(u64::from(*refinement));
            }
            Quantity::Distinct { value } => {
                self.tag(4);
                self.scalar(value);
            }
            Quantity::Quantile { value, grid, rank } => {
                self.tag(5);
                self.scalar(value);
                self.grid(grid);
                match rank {
                    Rank::Part(part) => {
                        self.tag(0);
                        self.rational(part);
                    }
                    Rank::Least => self.tag(1),
                    Rank::Greatest => self.tag(2),
                }
            }
        }
    }

    pub(super) fn aggregate(&mut self, aggregate: &Aggregate) {
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
            Formula::Quantile { measure, rows, grid } => {
                self.tag(4);
                self.number(*measure as u64);
                self.number(*rows as u64);
                self.grid(grid);
            }
            Formula::Pair(pair) => {
                let PairMoments { statistic, rows, x, y, squares_x, squares_y, products, grid_x, grid_y } =
                    pair.as_ref();
                self.tag(5);
                self.tag(statistic_tag(*statistic));
                [rows, x, y].into_iter().for_each(|measure| self.number(*measure as u64));
                for measure in [squares_x, squares_y, products] {
                    self.option(measure.as_ref(), |out, measure| out.number(*measure as u64));
                }
                self.grid(grid_x);
                self.grid(grid_y);
            }
        }
    }

    pub(super) fn answer_column(&mut self, column: &AnswerColumn) {
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
}

pub(super) fn type_tag(kind: Type) -> u8 {
    match kind {
        Type::Boolean => 0,
        Type::Integer => 1,
        Type::Number => 2,
        Type::Text => 3,
        Type::Date => 4,
        Type::Timestamp => 5,
    }
}

fn statistic_tag(statistic: PairStatistic) -> u8 {
    match statistic {
        PairStatistic::CovariancePop => 0,
        PairStatistic::CovarianceSamp => 1,
        PairStatistic::Correlation => 2,
        PairStatistic::Slope => 3,
        PairStatistic::Intercept => 4,
        PairStatistic::Determination => 5,
        PairStatistic::SumSquaresX => 6,
        PairStatistic::SumSquaresY => 7,
        PairStatistic::SumProducts => 8,
    }
}
