//! Two columns of an Arrow stream as columns of ids.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use arrow::compute::{and, cast, filter, is_not_null};
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::errors::wrong;

/// What ids of a column are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Text,
}

/// The two columns without rows that lack an id, and how many such rows there are.
#[pyfunction]
pub fn arrow_pairs<'py>(
    py: Python<'py>,
    table: PyTable,
    source: &str,
    target: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, u64)> {
    let (batches, schema) = table.into_inner();
    let column = |name: &str| -> PyResult<(usize, Kind)> {
        let (place, field) = schema.column_with_name(name).ok_or_else(|| {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            wrong(format!("there is no column `{name}`"), format!("the columns are {}", names.join(", ")))
        })?;
        let kind = kind(field.data_type()).ok_or_else(|| {
            wrong(
                format!("the column `{name}` has values of the type {}, which are no ids", field.data_type()),
                "ids are whole numbers or texts; say so in the frame, exactly",
            )
        })?;
        Ok((place, kind))
    };
    let (source, target) = (column(source)?, column(target)?);
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let parts =
        py.detach(|| batches.iter().map(|batch| pairs(batch, source, target)).collect::<Result<Vec<_>, _>>());
    let parts = parts.map_err(|error| wrong(error.to_string(), "give a frame that can be read"))?;
    let kept: usize = parts.iter().map(|(one, _)| one.len()).sum();
    let (one, other): (Vec<ArrayRef>, Vec<ArrayRef>) = parts.into_iter().unzip();
    Ok((in_python(py, &one, source.1)?, in_python(py, &other, target.1)?, (rows - kept) as u64))
}

fn kind(stored: &DataType) -> Option<Kind> {
    Some(match stored {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Kind::Signed,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => Kind::Unsigned,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        DataType::Dictionary(_, values) => kind(values)?,
        // Whatever else: two floats may look like one id, and a moment is nobody.
        _ => return None,
    })
}

/// The two columns of a batch, where both have a value.
fn pairs(
    batch: &RecordBatch,
    source: (usize, Kind),
    target: (usize, Kind),
) -> Result<(ArrayRef, ArrayRef), arrow::error::ArrowError> {
    let wanted = |kind: Kind| match kind {
        Kind::Signed => DataType::Int64,
        Kind::Unsigned => DataType::UInt64,
        Kind::Text => DataType::LargeUtf8,
    };
    let one = cast(batch.column(source.0), &wanted(source.1))?;
    let other = cast(batch.column(target.0), &wanted(target.1))?;
    let both: BooleanArray = and(&is_not_null(&one)?, &is_not_null(&other)?)?;
    Ok((filter(&one, &both)?, filter(&other, &both)?))
}

fn in_python<'py>(py: Python<'py>, parts: &[ArrayRef], kind: Kind) -> PyResult<Bound<'py, PyAny>> {
    Ok(match kind {
        Kind::Signed => {
            let values =
                parts.iter().flat_map(|part| part.as_primitive::<Int64Type>().values().iter().copied());
            values.collect::<Vec<i64>>().into_pyarray(py).into_any()
        }
        Kind::Unsigned => {
            let values =
                parts.iter().flat_map(|part| part.as_primitive::<UInt64Type>().values().iter().copied());
            values.collect::<Vec<u64>>().into_pyarray(py).into_any()
        }
        Kind::Text => {
            let values =
                parts.iter().flat_map(|part| part.as_string::<i64>().iter().map(Option::unwrap_or_default));
            values.collect::<Vec<&str>>().into_bound_py_any(py)?
        }
    })
}
