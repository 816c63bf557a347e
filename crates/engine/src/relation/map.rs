//! One row at a time: which are left, and what is seen of them.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::BooleanBuffer;
use pointillist_plan::Scalar;

use super::Table;
use crate::EngineError;
use crate::evaluate::evaluate;

/// The rows for which `filter` is true, seen through expressions.
pub(super) fn map(input: &Table, filter: Option<&Scalar>, columns: &[Scalar]) -> Result<Table, EngineError> {
    let chosen = filter.map(|filter| truths(filter, input.columns(), input.rows())).transpose()?;
    let kept = chosen.map(|chosen| input.only(&chosen)).transpose()?;
    let kept = kept.as_ref().unwrap_or(input);
    Ok(kept
        .with_columns(columns.iter().map(|column| evaluate(column, kept.columns(), kept.rows())).collect()))
}

/// Where a condition is true: neither false nor NULL.
pub(crate) fn truths(
    condition: &Scalar,
    columns: &[ArrayRef],
    rows: usize,
) -> Result<BooleanBuffer, EngineError> {
    let values = evaluate(condition, columns, rows);
    let values =
        values.as_boolean_opt().ok_or(EngineError::Plan { what: "a condition is not true or false" })?;
    Ok(match values.nulls() {
        None => values.values().clone(),
        Some(nulls) => values.values() & nulls.inner(),
    })
}
