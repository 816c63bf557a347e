//! Rows to codes: zero for what says nothing, one more than an index otherwise.
//!
//! **Guarantee.** A code looks at one value and at public things, and lies in `0..=Code::last()`, whatever the value was.
//! Nothing can fail because of a value: what has another type than its column has the code zero.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::Value;
use pointillist_plan::{Code, Form, Scalar, TrainingRows, Units};

use crate::EngineError;
use crate::evaluate::{Integers, evaluate};
use crate::relation::{Table, truths};

/// From rows to codes.
pub(super) struct Coder {
    filter: Option<Scalar>,
    columns: Vec<(Scalar, Coding)>,
    /// Whether the last column is the target, without which a row is left out.
    target: bool,
}

/// From a value to its code.
enum Coding {
    Number(Integers),
    Category(Listed),
    Truth,
}

/// The codes of listed values.
#[derive(Default)]
struct Listed {
    null: u32,
    truths: [u32; 2],
    /// Whole numbers, days or moments: a column has one type.
    wholes: HashMap<i64, u32>,
    /// Numbers, by their bits.
    numbers: HashMap<u64, u32>,
    texts: HashMap<String, u32>,
}

impl Listed {
    fn new(values: &[Option<Value>]) -> Self {
        let mut listed = Self::default();
        // From the last to the first: of values that are the same the first one counts.
        for (code, value) in (1..).zip(values).collect::<Vec<(u32, _)>>().into_iter().rev() {
            match value {
                None => listed.null = code,
                Some(Value::Boolean(truth)) => listed.truths[usize::from(*truth)] = code,
                Some(Value::Integer(whole) | Value::Timestamp(whole)) => {
                    listed.wholes.insert(*whole, code);
                }
                Some(Value::Date(day)) => {
                    listed.wholes.insert(i64::from(*day), code);
                }
                Some(Value::Number(number)) => {
                    listed.numbers.insert(bits(*number), code);
                }
                Some(Value::Text(text)) => {
                    listed.texts.insert(text.clone(), code);
                }
            }
        }
        listed
    }

    fn codes(&self, values: &ArrayRef) -> Vec<u32> {
        let whole = |value: i64| self.wholes.get(&value).copied().unwrap_or(0);
        let mut codes: Vec<u32> = if let Some(array) = values.as_primitive_opt::<Int64Type>() {
            array.values().iter().map(|value| whole(*value)).collect()
        } else if let Some(array) = values.as_primitive_opt::<Date32Type>() {
            array.values().iter().map(|day| whole(i64::from(*day))).collect()
        } else if let Some(array) = values.as_primitive_opt::<TimestampMicrosecondType>() {
            array.values().iter().map(|moment| whole(*moment)).collect()
        } else if let Some(array) = values.as_primitive_opt::<Float64Type>() {
            let number = |value: &f64| self.numbers.get(&bits(*value)).copied().unwrap_or(0);
            array.values().iter().map(number).collect()
        } else if let Some(array) = values.as_boolean_opt() {
            array.values().iter().map(|truth| self.truths[usize::from(truth)]).collect()
        } else if let Some(array) = values.as_string_view_opt() {
            let text = |row: usize| match array.is_null(row) {
                true => 0,
                false => self.texts.get(array.value(row)).copied().unwrap_or(0),
            };
            (0..array.len()).map(text).collect()
        } else {
            vec![0; values.len()]
        };
        with_null(&mut codes, values, self.null);
        codes
    }
}

/// One zero, as values have it.
fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

fn with_null(codes: &mut [u32], values: &ArrayRef, null: u32) {
    if let Some(nulls) = values.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        codes.iter_mut().zip(nulls.iter()).filter(|(_, there)| !there).for_each(|(code, _)| *code = null);
    }
}

impl Coding {
    fn new(code: &Code) -> Result<Self, EngineError> {
        Ok(match code {
            Code::Number(grid) => {
                if grid.last_index() >= i64::from(u32::MAX) - 1 {
                    return Err(EngineError::Plan { what: "a feature's grid has 2^32 points or more" });
                }
                let form = Form::Linear { offset: 1, factor: 1 };
                Self::Number(Integers::new(&Units { grid: grid.clone(), form }))
            }
            Code::Category(values) => Self::Category(Listed::new(values)),
            Code::Truth => Self::Truth,
        })
    }

    fn codes(&self, values: &ArrayRef) -> Vec<u32> {
        match self {
            Self::Number(integers) => {
                let integers = integers.apply(values);
                let code = |row: usize| match integers.is_null(row) {
                    true => 0,
                    false => integers.value(row) as u32,
                };
                (0..integers.len()).map(code).collect()
            }
            Self::Category(listed) => listed.codes(values),
            Self::Truth => match values.as_boolean_opt() {
                None => vec![0; values.len()],
                Some(truths) => {
                    let mut codes: Vec<u32> =
                        truths.values().iter().map(|truth| 1 + u32::from(truth)).collect();
                    with_null(&mut codes, values, 0);
                    codes
                }
            },
        }
    }
}

impl Coder {
    pub(super) fn new(rows: &TrainingRows) -> Result<Self, EngineError> {
        let columns = rows.columns().map(|column| Ok((column.value.clone(), Coding::new(&column.code)?)));
        Ok(Self {
            filter: rows.filter.clone(),
            columns: columns.collect::<Result<_, EngineError>>()?,
            target: rows.target.is_some(),
        })
    }

    /// The codes of rows, and which of them are looked at.
    pub(super) fn coded(&self, table: &Table) -> Result<Coded, EngineError> {
        let (columns, rows) = (table.columns(), table.rows());
        let chosen = self.filter.as_ref().map(|filter| truths(filter, columns, rows)).transpose()?;
        let codes = self.columns.iter().map(|(value, coding)| coding.codes(&evaluate(value, columns, rows)));
        Ok(Coded { codes: codes.collect(), rows, chosen, target: self.target })
    }
}

/// Rows as columns of codes.
pub(super) struct Coded {
    codes: Vec<Vec<u32>>,
    rows: usize,
    chosen: Option<BooleanBuffer>,
    target: bool,
}

impl Coded {
    /// The rows for which the filter is true and that have a target.
    pub(super) fn chosen(&self) -> impl Iterator<Item = usize> {
        let target = self.codes.last().filter(|_| self.target);
        (0..self.rows).filter(move |row| {
            self.chosen.as_ref().is_none_or(|chosen| chosen.value(*row))
                && target.is_none_or(|target| target[*row] != 0)
        })
    }

    /// The codes of a row.
    pub(super) fn read(&self, row: usize, codes: &mut [u32]) {
        codes.iter_mut().zip(&self.codes).for_each(|(code, column)| *code = column[row]);
    }
}
