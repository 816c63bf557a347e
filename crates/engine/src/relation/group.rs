//! One row for all rows of the same keys, and the same owner.

use arrow::array::ArrayRef;
use pointillist_plan::{ExactAggregate, Scalar};

use super::Table;
use super::exact::{Measured, Outcome};
use super::row_bytes::{RowBytes, runs};
use crate::EngineError;
use crate::evaluate::evaluate;

/// The keys, then the aggregates, in the order of owners and keys. Rows that are nobody's have a group where there are no
/// keys, whether or not there are rows.
pub(super) fn group(
    input: &Table,
    keys: &[Scalar],
    aggregates: &[ExactAggregate],
) -> Result<Table, EngineError> {
    let keys: Vec<ArrayRef> = keys.iter().map(|key| evaluate(key, input.columns(), input.rows())).collect();
    let bytes = RowBytes::new(input.owner().into_iter().chain(&keys))?;
    let mut order: Vec<u32> = (0..input.rows() as u32).collect();
    order.sort_unstable_by_key(|row| bytes.row(*row as usize));
    let mut groups = runs(&order, |left, right| bytes.row(left as usize) == bytes.row(right as usize));
    let alone = groups.is_empty() && keys.is_empty() && input.owner().is_none();
    if alone {
        groups.push(0..0);
    }
    let firsts: Vec<u32> = groups.iter().filter_map(|group| order.get(group.start).copied()).collect();
    let of_group = Table::made(input.owner().cloned(), keys, input.rows()).take(&firsts)?;
    let mut columns = of_group.columns().to_vec();
    for aggregate in aggregates {
        let measured = Measured::new(aggregate, input)?;
        let results: Vec<Outcome> = groups.iter().map(|group| measured.of(&order[group.clone()])).collect();
        columns.push(measured.column(&results)?);
    }
    Ok(Table::made(of_group.owner().cloned(), columns, groups.len()))
}
