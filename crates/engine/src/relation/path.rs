//! The way of rows from a table to where people are told apart: row by row, in batches of any length.
//!
//! **Guarantee.** A step makes of each row some rows of the same owner, from that row and public rows alone: a row-wise map.
//! **Memory.** However many public rows one row finds, at most some thousand pairs are made at a time, and they have gone
//! their way before the next are made.

use std::sync::Arc;

use arrow::array::RecordBatch;
use pointillist_plan::Scalar;

use super::Table;
use super::join::Partners;
use super::map::map;
use super::owner_sets::OwnerSets;
use crate::EngineError;
use crate::rows::RowScan;

/// Takes rows that have come to the end.
pub(crate) type Emit<'a> = dyn FnMut(Table) -> Result<(), EngineError> + 'a;

/// What happens to each row.
#[derive(Clone)]
pub(crate) enum Step {
    /// It may be left out, and is seen through expressions.
    Map {
        /// Whether it stays.
        filter: Option<Scalar>,
        /// What is seen of it.
        columns: Vec<Scalar>,
    },
    /// It looks for public rows.
    Partners(Arc<Partners>),
}

/// From a table through all steps.
pub(crate) struct Path {
    /// Where rows come from: their columns, and after them the owner's or the link's.
    pub(crate) scan: Arc<dyn RowScan>,
    /// Whether rows have an owner's or a link's name behind them.
    pub(crate) named: bool,
    /// By which link owners are found.
    pub(crate) link: Option<usize>,
    /// What happens to each row, in order.
    pub(crate) steps: Vec<Step>,
}

impl Path {
    /// Sends a batch all the way.
    pub(crate) fn send(
        &self,
        batch: &RecordBatch,
        links: &[Arc<OwnerSets>],
        emit: &mut Emit,
    ) -> Result<(), EngineError> {
        if self.steps.is_empty() && self.link.is_none() {
            // Bounding leaves out rows without owner by itself.
            return emit(Table::as_read(batch, self.named));
        }
        let rows = Table::from_batch(batch, self.named)?;
        match self.link {
            None => through(&self.steps, rows, emit),
            Some(link) => {
                let sets = links.get(link).ok_or(EngineError::Plan { what: "a link leads nowhere" })?;
                sets.owned(&rows, &mut |rows| through(&self.steps, rows, emit))
            }
        }
    }

    /// How many rows one row of the table becomes at most, links apart.
    pub(crate) fn most(&self) -> usize {
        let most = |step: &Step| match step {
            Step::Map { .. } => 1,
            Step::Partners(partners) => partners.most().max(1),
        };
        self.steps.iter().map(most).fold(1, usize::saturating_mul)
    }
}

/// Sends rows through steps.
pub(crate) fn through(steps: &[Step], rows: Table, emit: &mut Emit) -> Result<(), EngineError> {
    match steps.split_first() {
        None => emit(rows),
        Some((Step::Map { filter, columns }, rest)) => {
            through(rest, map(&rows, filter.as_ref(), columns)?, emit)
        }
        Some((Step::Partners(partners), rest)) => {
            partners.ask(&rows, None, &mut |pairs| through(rest, pairs, emit))
        }
    }
}
