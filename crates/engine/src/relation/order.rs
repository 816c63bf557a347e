//! Rows in a total order: each once, or some of them.

use arrow::array::ArrayRef;
use arrow::compute::SortOptions;
use pointillist_plan::Order;

use super::Table;
use super::row_bytes::RowBytes;
use crate::EngineError;
use crate::evaluate::evaluate;

/// Each row once, from the smallest; the same row of two owners is two.
pub(super) fn distinct(input: &Table) -> Result<Table, EngineError> {
    let bytes = RowBytes::new(input.owner().into_iter().chain(input.columns()))?;
    let mut order: Vec<u32> = (0..input.rows() as u32).collect();
    order.sort_unstable_by_key(|row| bytes.row(*row as usize));
    order.dedup_by_key(|row| bytes.row(*row as usize));
    input.take(&order)
}

/// Rows in an order, without the first `skip` and at most `fetch`, of each owner.
pub(super) fn order(
    input: &Table,
    by: &[Order],
    skip: u64,
    fetch: Option<u64>,
) -> Result<Table, EngineError> {
    let owners = RowBytes::new(input.owner())?;
    let keys = order_bytes(by, input)?;
    let all = RowBytes::new(input.columns())?;
    let mut order: Vec<u32> = (0..input.rows() as u32).collect();
    order.sort_unstable_by_key(|row| {
        let row = *row as usize;
        (owners.row(row), keys.row(row), all.row(row))
    });
    let (skip, fetch) = (skip as usize, fetch.map_or(usize::MAX, |fetch| fetch as usize));
    let one_owner = order.chunk_by(|left, right| owners.row(*left as usize) == owners.row(*right as usize));
    let shown: Vec<u32> = one_owner.flat_map(|rows| rows.iter().skip(skip).take(fetch)).copied().collect();
    input.take(&shown)
}

/// What rows are ordered by.
pub(super) fn order_bytes(by: &[Order], input: &Table) -> Result<RowBytes, EngineError> {
    let keys: Vec<(ArrayRef, SortOptions)> = by
        .iter()
        .map(|order| {
            let options = SortOptions { descending: order.descending, nulls_first: order.nulls_first };
            (evaluate(&order.by, input.columns(), input.rows()), options)
        })
        .collect();
    RowBytes::sorted(keys.iter().map(|(key, options)| (key, *options)))
}
