//! Rows as a model sees them: the codes of its columns, from an array of numbers or from a frame.
//!
//! **Total.** A value that is missing, or is none of the kind that its column holds, is NULL, as it was in training.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use numpy::ndarray::ArrayView2;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_learn::{ColumnEncoding, ColumnKind, Label, NumberUnit};
use pyo3::prelude::*;

use crate::errors::wrong;

/// Refuses arrays for a model whose columns are not all numbers or truths.
pub fn check_array(columns: &[ColumnEncoding], width: usize) -> PyResult<()> {
    if width != columns.len() {
        return Err(wrong(
            format!("the rows have {width} columns, and the model has {}", columns.len()),
            "give a column for each feature, in the order of training",
        ));
    }
    let no_number = |column: &&ColumnEncoding| match &column.kind {
        ColumnKind::Truth => false,
        ColumnKind::Number { unit, .. } => *unit != NumberUnit::Number,
        ColumnKind::Category { values } => values.iter().flatten().any(|value| value.number().is_none()),
    };
    match columns.iter().find(no_number) {
        None => Ok(()),
        Some(column) => Err(wrong(
            format!("`{}` is no column of numbers", column.name),
            "give a frame of pandas, polars or pyarrow with a column of this name",
        )),
    }
}

/// The codes of rows of numbers, one row after the other.
pub fn codes_of_array(columns: &[ColumnEncoding], rows: ArrayView2<'_, f64>) -> Vec<u32> {
    let mut codes = Vec::with_capacity(rows.len());
    for row in rows.rows() {
        codes.extend(row.iter().zip(columns).map(|(value, column)| {
            let known = (!value.is_nan()).then_some(match column.kind {
                ColumnKind::Truth => Label::Truth(*value != 0.0),
                ColumnKind::Number { .. } | ColumnKind::Category { .. } => Label::Number(*value),
            });
            column.code_of(known.as_ref())
        }));
    }
    codes
}

/// Where each column of a model stands in a frame: under its name, or under the same in other letters.
pub fn places(columns: &[ColumnEncoding], names: &[String]) -> PyResult<Vec<usize>> {
    let place = |column: &ColumnEncoding| {
        let exact: Vec<usize> = (0..names.len()).filter(|at| names[*at] == column.name).collect();
        let folded = || -> Vec<usize> {
            (0..names.len()).filter(|at| names[*at].to_lowercase() == column.name.to_lowercase()).collect()
        };
        let found = if exact.is_empty() { folded() } else { exact };
        match found.as_slice() {
            [place] => Ok(*place),
            [] => Err(wrong(
                format!("the rows have no column `{}`, which the model needs", column.name),
                "rename one of the frame's columns",
            )),
            _ => Err(wrong(format!("the rows have two columns `{}`", column.name), "rename one of them")),
        }
    };
    columns.iter().map(place).collect()
}

/// The codes of the rows of a batch, one row after the other.
pub fn codes_of_batch(columns: &[ColumnEncoding], places: &[usize], batch: &RecordBatch) -> Vec<u32> {
    let mut codes = vec![0; batch.num_rows() * columns.len()];
    for (at, (column, place)) in columns.iter().zip(places).enumerate() {
        let own = column_codes(column, batch.column(*place));
        for (row, code) in own.into_iter().enumerate() {
            codes[row * columns.len() + at] = code;
        }
    }
    codes
}

fn column_codes(column: &ColumnEncoding, values: &ArrayRef) -> Vec<u32> {
    match labels(column, values) {
        Some(labels) => labels.iter().map(|label| column.code_of(label.as_ref())).collect(),
        None => vec![column.code_of(None); values.len()],
    }
}

/// The values of an array in the kind that a column holds; what is none of it is NULL. `None` where the array has no such values.
fn labels(column: &ColumnEncoding, values: &ArrayRef) -> Option<Vec<Option<Label>>> {
    let plain = match values.data_type() {
        DataType::Dictionary(_, kind) => cast(values, kind).ok()?,
        _ => values.clone(),
    };
    let read = cast(&plain, &read_as(column, plain.data_type())).ok()?;
    // Days and moments of a list are texts, as people write them.
    let is_listed = matches!(column.kind, ColumnKind::Category { .. });
    Some(match read.data_type() {
        DataType::Boolean => read.as_boolean().iter().map(|it| it.map(Label::Truth)).collect(),
        DataType::Int64 => read.as_primitive::<Int64Type>().iter().map(|it| it.map(Label::Integer)).collect(),
        DataType::Float64 => {
            let numbers = read.as_primitive::<Float64Type>().iter();
            numbers.map(|it| it.filter(|number| !number.is_nan()).map(Label::Number)).collect()
        }
        DataType::Date32 => {
            let day = |days: i32| match is_listed {
                true => Label::Text(date_text(days)),
                false => Label::Integer(i64::from(days)),
            };
            read.as_primitive::<Date32Type>().iter().map(|it| it.map(day)).collect()
        }
        DataType::Timestamp(..) => {
            let moment = |micros: i64| match is_listed {
                true => Label::Text(timestamp_text(micros)),
                false => Label::Integer(micros),
            };
            read.as_primitive::<TimestampMicrosecondType>().iter().map(|it| it.map(moment)).collect()
        }
        _ => read.as_string::<i32>().iter().map(|it| it.map(|text| Label::Text(text.to_owned()))).collect(),
    })
}

/// As what an array of this type is read for a column.
fn read_as(column: &ColumnEncoding, given: &DataType) -> DataType {
    const MOMENT: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);
    match &column.kind {
        ColumnKind::Truth => DataType::Boolean,
        ColumnKind::Number { unit: NumberUnit::Number, .. } => DataType::Float64,
        ColumnKind::Number { unit: NumberUnit::Day, .. } => DataType::Date32,
        ColumnKind::Number { unit: NumberUnit::Microsecond, .. } => MOMENT,
        ColumnKind::Category { values } => match (values.iter().flatten().next(), given) {
            (Some(Label::Truth(_)), _) => DataType::Boolean,
            (Some(Label::Integer(_)), given) if given.is_integer() => DataType::Int64,
            (Some(Label::Integer(_) | Label::Number(_)), _) => DataType::Float64,
            (_, DataType::Date32 | DataType::Date64) => DataType::Date32,
            (_, DataType::Timestamp(..)) => MOMENT,
            _ => DataType::Utf8,
        },
    }
}
