//! People's rows, put where all rows of one person come together.
//!
//! Rows go as bytes to one of the pass's partitions, by the hash of their owner. Bytes of one table compare as its rows do,
//! so sorted bytes are one person after the other, each with rows in one order, whoever read them first.
//! **Memory.** When the bytes are more than the allowance, the pass takes fewer people and the rows of others are forgotten:
//! they are read again. What remains at least is one partition of the pass, or one person.

use std::sync::Arc;

use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use pointillist_plan::Type;

use super::Table;
use super::row_bytes::RowBytes;
use crate::EngineError;
use crate::bound::{HashKey, PARTITIONS, Pass, owner_hashes};
use crate::evaluate::data_type;

/// Bytes are in chunks of so many, or of one row if that is longer.
const CHUNK_BYTES: usize = 1 << 14;

/// Rows of one input and one partition: for each, how long the owner and the rest are, and the bytes of both.
#[derive(Default)]
pub(super) struct ByteRows {
    chunks: Vec<Vec<u8>>,
    rows: usize,
}

impl ByteRows {
    fn push(&mut self, owner: &[u8], row: &[u8], bytes: &mut usize) {
        let needed = 8 + owner.len() + row.len();
        if self.chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < needed) {
            // The first chunk is small: most partitions of small tables have few rows.
            let room = if self.chunks.is_empty() { CHUNK_BYTES / 16 } else { CHUNK_BYTES };
            self.chunks.push(Vec::with_capacity(room.max(needed)));
            *bytes += room.max(needed);
        }
        if let Some(chunk) = self.chunks.last_mut() {
            for part in [owner, row] {
                chunk.extend_from_slice(&(part.len() as u32).to_le_bytes());
            }
            chunk.extend_from_slice(owner);
            chunk.extend_from_slice(row);
            self.rows += 1;
        }
    }

    /// The owner and the rest of every row.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.chunks.iter().flat_map(|chunk| {
            let mut rest = chunk.as_slice();
            std::iter::from_fn(move || {
                let (owner, after) = rest.split_first_chunk::<4>()?;
                let (row, after) = after.split_first_chunk::<4>()?;
                let (owner, after) = after.split_at_checked(u32::from_le_bytes(*owner) as usize)?;
                let (row, after) = after.split_at_checked(u32::from_le_bytes(*row) as usize)?;
                rest = after;
                Some((owner, row))
            })
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum()
    }
}

/// The rows of some people: of every input.
#[derive(Default)]
pub(crate) struct Partition {
    pub(super) inputs: Vec<ByteRows>,
    first: Option<u64>,
    several: bool,
}

/// One thread's rows, by partition.
pub(crate) struct Scatter {
    hash_key: HashKey,
    pass: Arc<Pass>,
    taken: usize,
    inputs: usize,
    partitions: Vec<Partition>,
    bytes: usize,
    allowance: usize,
}

impl Scatter {
    pub(crate) fn new(hash_key: &HashKey, pass: &Arc<Pass>, inputs: usize, allowance: usize) -> Self {
        Self {
            hash_key: hash_key.clone(),
            pass: Arc::clone(pass),
            taken: PARTITIONS,
            inputs,
            partitions: (0..PARTITIONS).map(|_| Partition::default()).collect(),
            bytes: 0,
            allowance,
        }
    }

    /// Takes in rows of an input.
    pub(crate) fn add(&mut self, input: usize, rows: &Table) -> Result<(), EngineError> {
        let Some(owner) = rows.owner() else { return Err(EngineError::Plan { what: "rows have no owner" }) };
        self.forget_others();
        let hashes = owner_hashes(&self.hash_key, owner)?;
        let (owners, bytes) = (RowBytes::new([owner])?, RowBytes::new(rows.columns())?);
        for (row, hash) in hashes.into_iter().enumerate() {
            if owner.is_null(row) || !self.pass.takes(hash, self.taken) {
                continue;
            }
            let partition = &mut self.partitions[self.pass.partition_of(hash)];
            partition.inputs.resize_with(self.inputs, ByteRows::default);
            partition.inputs[input].push(owners.row(row), bytes.row(row), &mut self.bytes);
            partition.several |= *partition.first.get_or_insert(hash) != hash;
        }
        while self.bytes > self.allowance && self.taken > 1 && self.people_are_several() {
            self.pass.shrink(self.taken);
            self.forget_others();
        }
        Ok(())
    }

    fn people_are_several(&self) -> bool {
        let held = || self.partitions.iter().filter(|partition| partition.first.is_some());
        held().count() > 1 || held().any(|partition| partition.several)
    }

    fn forget_others(&mut self) {
        let taken = self.pass.open();
        for partition in taken..self.taken {
            let forgotten = std::mem::take(&mut self.partitions[partition]);
            self.bytes -= forgotten.inputs.iter().map(ByteRows::bytes).sum::<usize>();
        }
        self.taken = self.taken.min(taken);
    }

    /// The partitions, of this thread.
    pub(crate) fn partitions(self) -> Vec<Partition> {
        self.partitions
    }
}

/// From bytes back to rows.
pub(super) struct Reader {
    columns: Option<RowConverter>,
    owner: RowConverter,
}

const MISFIT: EngineError = EngineError::Plan { what: "columns that have no bytes" };

impl Reader {
    /// For rows of these types.
    pub(super) fn new(types: &[Type], owner: &DataType) -> Result<Self, EngineError> {
        let converter = |kinds: Vec<DataType>| {
            RowConverter::new(kinds.into_iter().map(SortField::new).collect()).map_err(|_| MISFIT)
        };
        let columns: Vec<DataType> = types.iter().map(|kind| data_type(*kind)).collect();
        let columns = if columns.is_empty() { None } else { Some(converter(columns)?) };
        Ok(Self { columns, owner: converter(vec![owner.clone()])? })
    }

    /// The rows that were these bytes.
    pub(super) fn table(&self, rows: &[(&[u8], &[u8])]) -> Result<Table, EngineError> {
        let parser = self.owner.parser();
        let owner = self.owner.convert_rows(rows.iter().map(|(owner, _)| parser.parse(owner)));
        let owner = owner.map_err(|_| MISFIT)?.pop();
        let columns = match &self.columns {
            None => Vec::new(),
            Some(converter) => {
                let parser = converter.parser();
                converter.convert_rows(rows.iter().map(|(_, row)| parser.parse(row))).map_err(|_| MISFIT)?
            }
        };
        Ok(Table::made(owner, columns, rows.len()))
    }
}
