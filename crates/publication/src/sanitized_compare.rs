//! Made-up rows beside the rows that they resemble, exactly: for the owner's eyes alone.
//!
//! **No privacy.** What is computed here is exact and was not paid for. It never leaves the owner's machine by a command of ours
//! without saying in its first line that it is not for publication.

use std::fs::File;
use std::path::Path;

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{DAY, parse_date_or_timestamp};
use pointillist_curator::{FittedTable, SanitizedColumn};
use pointillist_plan::Type;
use pointillist_records::{Next, Records};

use crate::ModelFileError;
use crate::model_file::{places, truth};

/// How far made-up rows are from real ones.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactComparison {
    /// How many rows were read.
    pub rows: u64,
    /// For each column, the number of real rows in each bin.
    pub counts: Vec<Vec<f64>>,
    /// For each pair of columns, the mean distance of their shares of rows: 0 is the same, 2 is nothing in common.
    pub pairs: Vec<(usize, usize, f64)>,
}

impl ExactComparison {
    /// The mean distance over all pairs of columns.
    pub fn mean_distance(&self) -> f64 {
        let sum: f64 = self.pairs.iter().map(|(_, _, distance)| distance).sum();
        sum / self.pairs.len().max(1) as f64
    }
}

/// Compares a table with the rows of a CSV file whose first line names columns.
///
/// # Errors
/// When the file cannot be read, or has not the columns of the table.
pub fn compare_exactly(fitted: &FittedTable, path: &Path) -> Result<ExactComparison, ModelFileError> {
    let unreadable = |source| ModelFileError::Unreadable { path: path.to_owned(), source };
    let mut records = Records::new(File::open(path).map_err(unreadable)?, b',');
    let columns = fitted.columns();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let places = places(&names, &mut records)?;
    let mut real: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
    let mut scratch = Vec::new();
    loop {
        match records.next() {
            Next::End => break,
            Next::Malformed => continue,
            Next::Record => {}
        }
        let fields = records.fields();
        for ((column, place), cells) in columns.iter().zip(&places).zip(&mut real) {
            let text = fields.get(*place).map(|field| records.bytes(*field, &mut scratch));
            let value =
                text.and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(|text| parsed(column, text));
            cells.push(column.cell_of(value.as_ref()));
        }
    }
    if let Some(error) = records.failure() {
        return Err(ModelFileError::Rows(std::io::Error::new(error.kind(), error.to_string())));
    }
    Ok(compared(fitted, &real))
}

/// What a text says in a column; nothing, where it is no value of its type.
fn parsed(column: &SanitizedColumn, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    match column.kind {
        Type::Boolean => truth(trimmed).map(Value::Boolean),
        Type::Integer => trimmed.parse().ok().map(Value::Integer),
        Type::Number => trimmed.parse().ok().and_then(Value::number),
        Type::Text => (!text.is_empty()).then(|| Value::Text(text.to_owned())),
        Type::Date => {
            let day = parse_date_or_timestamp(trimmed)?.div_euclid(DAY);
            i32::try_from(day).ok().map(Value::Date)
        }
        Type::Timestamp => parse_date_or_timestamp(trimmed).map(Value::Timestamp),
    }
}

fn compared(fitted: &FittedTable, real: &[Vec<u32>]) -> ExactComparison {
    let model = fitted.model();
    let made_up = fitted.cells(None);
    let in_bins = |cells: &[Vec<u32>]| -> Vec<Vec<usize>> {
        let column = |(at, cells): (usize, &Vec<u32>)| {
            cells.iter().map(|cell| model.bin_of(at, *cell) as usize).collect()
        };
        cells.iter().enumerate().map(column).collect()
    };
    let (real, made_up) = (in_bins(real), in_bins(&made_up));
    let sizes: Vec<usize> = (0..real.len()).map(|at| model.bin_count(at) as usize).collect();
    let counts = real.iter().zip(&sizes).map(|(bins, size)| {
        let mut counts = vec![0.0; *size];
        bins.iter().for_each(|bin| counts[*bin] += 1.0);
        counts
    });
    let counts = counts.collect();
    let mut pairs = Vec::new();
    for (right, size) in sizes.iter().enumerate() {
        pairs.extend((0..right).map(|left| (left, right, distance(&real, &made_up, (left, right), *size))));
    }
    ExactComparison { rows: real.first().map_or(0, |column| column.len() as u64), counts, pairs }
}

/// The sum over cells of how far shares of rows are apart.
fn distance(real: &[Vec<usize>], made_up: &[Vec<usize>], (left, right): (usize, usize), size: usize) -> f64 {
    let mut shares = std::collections::BTreeMap::<usize, f64>::new();
    for (rows, sign) in [(real, 1.0), (made_up, -1.0)] {
        let count = rows[left].len().max(1) as f64;
        for (one, other) in rows[left].iter().zip(&rows[right]) {
            *shares.entry(one * size + other).or_default() += sign / count;
        }
    }
    shares.values().map(|share| share.abs()).sum()
}
