//! Of each person the rows of least rank.
//!
//! **Guarantee.** Of every person whose hash lies in the pass, the first `rows_max` rows in the order of (rank, codes) are
//! kept, equal rows counted one by one; the rank is a keyed hash of person and codes. What is kept is a function of that
//! person's rows and the key.
//! **Parts.** The first m of a union are the first m of the firsts of its parts. So it does not show which thread read
//! which rows, nor when a thread condensed what it had.
//! **Chance.** Which rows are kept is a random choice among the *different* rows of a person, as random as the hash: rows
//! that are equal in all codes are kept or left together, as far as there is room.
//! **Memory.** A person takes at most `rows_max` different rows once condensed. Beyond the allowance people are left to a
//! later pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int64Type};
use tokio::task::JoinSet;

use super::coder::Coder;
use super::packing::{Packed, Packing};
use crate::EngineError;
use crate::bound::{HashKey, PARTITIONS, Pass, owner_hashes};
use crate::gathering::{Gathered, all};
use crate::relation::Table;

/// One thread's people, by partition of the pass.
pub(super) struct Keeper {
    hash_key: HashKey,
    coder: Arc<Coder>,
    packing: Packing,
    pass: Arc<Pass>,
    taken: usize,
    rows_max: u32,
    partitions: Vec<Records>,
}

/// Rows of some people, one after the other: hash, rank, how often, how long the name is, the name, the codes.
#[derive(Default)]
struct Records(Vec<u8>);

/// One row of a person, or several that are equal. Compared in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Record<'a> {
    hash: u64,
    owner: &'a [u8],
    rank: u64,
    codes: &'a [u8],
    times: u32,
}

const HEAD: usize = 24;

impl Records {
    fn push(&mut self, record: &Record<'_>) {
        let Record { hash, owner, rank, codes, times } = record;
        self.0.extend_from_slice(&hash.to_le_bytes());
        self.0.extend_from_slice(&rank.to_le_bytes());
        self.0.extend_from_slice(&times.to_le_bytes());
        self.0.extend_from_slice(&(owner.len() as u32).to_le_bytes());
        self.0.extend_from_slice(owner);
        self.0.extend_from_slice(codes);
    }

    fn iter(&self, row_bytes: usize) -> impl Iterator<Item = Record<'_>> {
        let mut rest = self.0.as_slice();
        std::iter::from_fn(move || {
            let (head, after) = rest.split_first_chunk::<HEAD>()?;
            let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
            let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
            let (owner, after) = after.split_at_checked(short(20) as usize)?;
            let (codes, after) = after.split_at_checked(row_bytes)?;
            rest = after;
            Some(Record { hash: long(0), owner, rank: long(8), codes, times: short(16) })
        })
    }
}

/// Hands on the rows that are kept of everybody in these records, in order.
fn kept<'a>(mut records: Vec<Record<'a>>, rows_max: u32, each: &mut dyn FnMut(Record<'a>)) {
    records.sort_unstable();
    for person in records.chunk_by(|left, right| (left.hash, left.owner) == (right.hash, right.owner)) {
        let mut room = rows_max;
        for same in person.chunk_by(|left, right| left.codes == right.codes) {
            let times = same.iter().fold(0_u32, |times, record| times.saturating_add(record.times)).min(room);
            if times > 0 {
                each(Record { times, ..same[0] });
            }
            room -= times;
        }
    }
}

impl Keeper {
    pub(super) fn new(
        hash_key: &HashKey,
        coder: &Arc<Coder>,
        packing: &Packing,
        pass: &Arc<Pass>,
        rows_max: u32,
    ) -> Self {
        Self {
            hash_key: hash_key.clone(),
            coder: Arc::clone(coder),
            packing: packing.clone(),
            pass: Arc::clone(pass),
            taken: PARTITIONS,
            rows_max,
            partitions: (0..PARTITIONS).map(|_| Records::default()).collect(),
        }
    }

    fn bytes(&self) -> usize {
        self.partitions.iter().map(|records| records.0.capacity()).sum()
    }

    /// Leaves people to a later pass whom another thread has left.
    fn forget_others(&mut self) {
        self.taken = self.taken.min(self.pass.open());
        self.partitions[self.taken..].iter_mut().for_each(|records| *records = Records::default());
    }

    fn condense(&mut self) {
        let (row_bytes, rows_max) = (self.packing.row(), self.rows_max);
        for records in &mut self.partitions {
            let mut fewer = Records::default();
            kept(records.iter(row_bytes).collect(), rows_max, &mut |record| fewer.push(&record));
            fewer.0.shrink_to_fit();
            *records = fewer;
        }
    }

    fn people_are_several(&self) -> bool {
        let mut records = self.partitions.iter().flat_map(|records| records.iter(self.packing.row()));
        let first = records.next();
        records.any(|other| first.is_some_and(|first| first.hash != other.hash))
    }

    /// Takes less memory: condenses what it has and, while that is not enough, leaves people to a later pass.
    fn relieve(&mut self, allowance: usize) {
        self.forget_others();
        self.condense();
        while self.bytes() > allowance / 4 * 3 && self.taken > 1 && self.people_are_several() {
            self.pass.shrink(self.taken);
            self.forget_others();
        }
    }
}

impl Gathered for Keeper {
    fn take_in(&mut self, rows: &Table, allowance: usize) -> Result<(), EngineError> {
        let Some(owner) = rows.owner() else { return Err(EngineError::Plan { what: "rows have no owner" }) };
        self.forget_others();
        let (coded, hashes) = (self.coder.coded(rows)?, owner_hashes(&self.hash_key, owner)?);
        let names = Names::new(owner)?;
        let (mut codes, mut packed) = (vec![0; self.packing.columns()], Vec::new());
        for row in coded.chosen() {
            let hash = hashes[row];
            if owner.is_null(row) || !self.pass.takes(hash, self.taken) {
                continue;
            }
            coded.read(row, &mut codes);
            packed.clear();
            self.packing.pack(&codes, &mut packed);
            let rank = self.hash_key.rank(hash, self.hash_key.key_text(&packed));
            let name = names.of(row);
            let record = Record { hash, owner: name.as_ref(), rank, codes: &packed, times: 1 };
            self.partitions[self.pass.partition_of(hash)].push(&record);
        }
        // Half of what a task may take: the other half is for what is made of it.
        if self.bytes() > allowance / 2 {
            self.relieve(allowance / 2);
        }
        Ok(())
    }
}

/// The names of owners as bytes.
enum Names<'a> {
    Numbers(&'a [i64]),
    Texts(&'a arrow::array::BinaryViewArray),
}

/// The name of one owner.
enum Name<'a> {
    Number([u8; 8]),
    Text(&'a [u8]),
}

impl<'a> Names<'a> {
    fn new(owner: &'a ArrayRef) -> Result<Self, EngineError> {
        match owner.data_type() {
            DataType::Int64 => Ok(Self::Numbers(owner.as_primitive::<Int64Type>().values())),
            DataType::BinaryView => Ok(Self::Texts(owner.as_binary_view())),
            _ => Err(EngineError::Plan { what: "an owner is neither a whole number nor a text" }),
        }
    }

    fn of(&self, row: usize) -> Name<'a> {
        match self {
            Self::Numbers(numbers) => Name::Number(numbers[row].to_be_bytes()),
            Self::Texts(texts) => Name::Text(texts.value(row)),
        }
    }
}

impl AsRef<[u8]> for Name<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Number(bytes) => bytes,
            Self::Text(bytes) => bytes,
        }
    }
}

/// The rows of all people of a pass, in the order of their hashes.
pub(super) async fn finish(
    keepers: Vec<Keeper>,
    pass: &Arc<Pass>,
    threads: usize,
) -> Result<Packed, EngineError> {
    let Some(first) = keepers.first() else { return Ok(Packed::default()) };
    let (row_bytes, rows_max, open) = (first.packing.row(), first.rows_max, pass.open());
    let mut partitions: Vec<Vec<Records>> = (0..open).map(|_| Vec::new()).collect();
    for keeper in keepers {
        for (all, one) in partitions.iter_mut().zip(keeper.partitions) {
            all.push(one);
        }
    }
    let partitions: Arc<Vec<Mutex<Vec<Records>>>> =
        Arc::new(partitions.into_iter().map(Mutex::new).collect());
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..threads.max(1) {
        let (partitions, next) = (Arc::clone(&partitions), Arc::clone(&next));
        tasks.spawn_blocking(move || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(partition) = partitions.get(number) else { return Ok(done) };
                let parts = std::mem::take(&mut *partition.lock().unwrap_or_else(PoisonError::into_inner));
                let records = parts.iter().flat_map(|records| records.iter(row_bytes)).collect();
                let mut packed = Packed::default();
                kept(records, rows_max, &mut |record| {
                    (0..record.times).for_each(|_| packed.push_bytes(record.codes));
                });
                done.push((number, packed));
            }
        });
    }
    let mut parts: Vec<(usize, Packed)> = all(tasks).await?.into_iter().flatten().collect();
    parts.sort_by_key(|(number, _)| *number);
    let parts: Vec<Packed> = parts.into_iter().map(|(_, packed)| packed).collect();
    Ok(Packed::concat(&parts))
}
