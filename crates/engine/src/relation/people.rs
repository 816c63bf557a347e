//! Relations of people's rows, some whole people at a time.
//!
//! **Guarantee.** A person's rows are never in two chunks, and operators work within one owner, so that chunks say nothing:
//! their union is what the relation has. Where chunks end depends on other people's rows, and shows nowhere.
//! **Memory.** A chunk is some thousand rows of tables, or one person who has more; a join makes at most
//! [`PAIRS_MAX`](pointillist_plan::PAIRS_MAX) rows of a person's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pointillist_plan::{RELATION_DEPTH_MAX, Relation};

use super::path::Emit;
use super::prepared::Prepared;
use super::scatter::{Partition, Scatter};
use super::{Context, Table, rows_of};
use crate::EngineError;
use crate::bound::{PARTITIONS, Pass};

/// A chunk ends with the person who brings it to so many rows. Tests have few rows, and chunks of them all the same.
const CHUNK_ROWS: usize = if cfg!(test) { 3 } else { 4_096 };

/// A row's owner, and the rest of it.
type Bytes<'a> = (&'a [u8], &'a [u8]);

/// The rows of all people of a pass, partition by partition.
pub(crate) struct People {
    /// What each thread has read of a partition, until somebody takes it.
    partitions: Vec<Mutex<Vec<Partition>>>,
    next: AtomicUsize,
}

impl People {
    /// What all threads have read.
    pub(crate) fn new(scatters: Vec<Scatter>) -> Self {
        let mut partitions: Vec<Vec<Partition>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
        for scatter in scatters {
            for (all, one) in partitions.iter_mut().zip(scatter.partitions()) {
                all.push(one);
            }
        }
        Self { partitions: partitions.into_iter().map(Mutex::new).collect(), next: AtomicUsize::new(0) }
    }

    /// The next partition that nobody has taken and the pass still takes.
    pub(crate) fn next(&self, pass: &Pass) -> Option<Vec<Partition>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let partition = self.partitions.get(number).filter(|_| number < pass.open())?;
        Some(std::mem::take(&mut *partition.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Prepared {
    /// Sends the rows of all people of a partition, which several threads have filled, through the core and on.
    pub(crate) fn send(
        &self,
        context: &Context,
        parts: &[Partition],
        emit: &mut Emit,
    ) -> Result<(), EngineError> {
        let readers = self.readers()?;
        let inputs = readers.len();
        let mut rows: Vec<Vec<Bytes>> = vec![Vec::new(); inputs];
        for (input, rows) in rows.iter_mut().enumerate() {
            let lists = || parts.iter().filter_map(|part| part.inputs.get(input));
            rows.reserve(lists().map(|list| list.rows()).sum());
            lists().for_each(|list| rows.extend(list.iter()));
            rows.sort_unstable();
        }
        let mut starts = vec![0; inputs];
        loop {
            let ends = chunk(&rows, &starts);
            if ends == starts {
                return Ok(());
            }
            let tables =
                (0..inputs).map(|input| readers[input].table(&rows[input][starts[input]..ends[input]]));
            let tables: Vec<Table> = tables.collect::<Result<_, _>>()?;
            let leaves = |relation: &Relation| match relation {
                Relation::Released { part, .. } => tables.get(*part).cloned(),
                _ => None,
            };
            self.above(rows_of(context, self.core(), &leaves, RELATION_DEPTH_MAX)?, emit)?;
            starts = ends;
        }
    }
}

/// Where a chunk of whole people ends, in each input.
fn chunk(rows: &[Vec<Bytes>], starts: &[usize]) -> Vec<usize> {
    let mut ends = starts.to_vec();
    let mut count = 0;
    while count < CHUNK_ROWS {
        let owners = rows.iter().zip(&ends).filter_map(|(rows, end)| rows.get(*end).map(|(owner, _)| *owner));
        let Some(owner) = owners.min() else { break };
        for (rows, end) in rows.iter().zip(&mut ends) {
            let own = rows[*end..].iter().take_while(|row| row.0 == owner).count();
            *end += own;
            count += own;
        }
    }
    ends
}
