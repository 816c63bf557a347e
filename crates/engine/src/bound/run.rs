//! One thread's rows on their way to their people: packed and laid out by person.
//!
//! Rows go to one of `PARTITIONS` lists by the hash of their person, so that later each list holds all rows of
//! its people and its tables fit the cache. When the run grows past its allowance it is condensed: every list is bounded
//! person by person, which keeps at most `groups_max` groups of each, and keys that nobody keeps are forgotten. If that
//! is not enough, the pass takes fewer people.
//!
//! **Allowance.** After [`Run::relieve`] a run holds at most three quarters of its allowance, or one person, or one
//! partition of the pass. A person adds to that at most `groups_max` groups with their keys, whatever their rows were:
//! what one person's rows take before they are condensed is bounded by the allowance and a batch.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Int64Type};

use super::hash::HashKey;
use super::hot::Hot;
use super::kept::Kept;
use super::keys::Keys;
use super::layout::Input;
use super::pass::{PARTITIONS, Pass};
use super::person::{Bounding, Piece};
use super::table::NONE;
use super::{BoundError, Plan};

/// A list is made of chunks of at most so many words.
const CHUNK_WORDS: usize = 4096;
/// The texts of a partition's people are in chunks of so many bytes, or one text if that is longer.
const TEXT_CHUNK_BYTES: usize = 1 << 15;

/// A batch of rows.
pub(crate) struct Rows<'a> {
    /// How many.
    pub(crate) count: usize,
    /// Rows that passed the filter; `None` is all of them.
    pub(crate) chosen: Option<BooleanBuffer>,
    /// Whose row it is: `Int64`, `Utf8View` or `Utf8`. A row without owner is left out.
    pub(crate) owner: Option<&'a ArrayRef>,
    /// The keys.
    pub(crate) keys: &'a [ArrayRef],
    /// What the row says about every measure.
    pub(crate) inputs: &'a [Input],
}

/// One thread's rows, so far.
pub(crate) struct Run {
    plan: Arc<Plan>,
    pass: Arc<Pass>,
    /// How many partitions of the pass are still taken, as far as this run has heard.
    taken: usize,
    pub(super) keys: Keys,
    pub(super) partitions: Vec<Partition>,
    /// The chunk at the end of each list, apart from the rest because every row touches one.
    open: Vec<Vec<u64>>,
    stride: usize,
    chunks: usize,
    text_bytes: usize,
    kept_bytes: usize,
    hot: Hot,
    groups: Vec<u32>,
    scratch: Vec<u32>,
    packed: Vec<u64>,
    hashes: Vec<u64>,
    ranks: Vec<u64>,
    rows: Vec<u32>,
}

/// The rows of some people.
#[derive(Default)]
pub(super) struct Partition {
    chunks: Vec<Vec<u64>>,
    texts: Vec<Vec<u8>>,
    /// What earlier rows were condensed to.
    kept: Option<Kept>,
}

impl Run {
    pub(crate) fn new(plan: &Arc<Plan>, pass: &Arc<Pass>) -> Self {
        let stride = 1 + plan.layout.words() + usize::from(plan.text_owners);
        Self {
            plan: Arc::clone(plan),
            pass: Arc::clone(pass),
            taken: PARTITIONS,
            keys: plan.keys.clone(),
            partitions: (0..PARTITIONS).map(|_| Partition::default()).collect(),
            open: vec![Vec::new(); PARTITIONS],
            stride,
            chunks: 0,
            text_bytes: 0,
            kept_bytes: 0,
            hot: Hot::new(plan.groups_max),
            groups: Vec::new(),
            scratch: Vec::new(),
            packed: Vec::new(),
            hashes: Vec::new(),
            ranks: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Takes in a batch.
    pub(crate) fn push(&mut self, rows: &Rows) -> Result<(), BoundError> {
        let owner = rows.owner.ok_or(BoundError::Owner)?;
        let owned = owner.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| nulls.inner());
        self.forget_others();
        let mine = if self.pass.takes_all(self.taken) { None } else { Some(self.mine(owner)?) };
        let chosen = both(both(rows.chosen.clone(), owned.cloned()), mine);
        self.keys.groups(rows.keys, rows.count, chosen.as_ref(), &mut self.groups, &mut self.scratch)?;
        self.plan.layout.pack(&self.groups, rows.inputs, &mut self.packed);
        let ask = self.hot.begin_batch(rows.count);
        let plan = Arc::clone(&self.plan);
        match (owner.data_type(), plan.text_owners) {
            (DataType::Int64, false) => {
                let owners = owner.as_primitive::<Int64Type>().values();
                self.choose(owners, ask, &plan.hash_key);
                match plan.layout.words() {
                    1 => self.scatter::<1>(owners),
                    2 => self.scatter::<2>(owners),
                    _ => self.scatter::<0>(owners),
                }
            }
            (DataType::Utf8View, true) => {
                let owners = owner.as_string_view();
                self.scatter_texts(ask, &plan.hash_key, |row| owners.value(row).as_bytes());
            }
            (DataType::Utf8, true) => {
                let owners = owner.as_string::<i32>();
                self.scatter_texts(ask, &plan.hash_key, |row| owners.value(row).as_bytes());
            }
            _ => return Err(BoundError::Owner),
        }
        Ok(())
    }

    /// The rows of people whom the pass takes: others must not teach their keys to this run.
    fn mine(&self, owner: &ArrayRef) -> Result<BooleanBuffer, BoundError> {
        let hash_key = &self.plan.hash_key;
        let takes = |hash: u64| self.pass.takes(hash, self.taken);
        let rows = owner.len();
        match (owner.data_type(), self.plan.text_owners) {
            (DataType::Int64, false) => {
                let owners = owner.as_primitive::<Int64Type>().values();
                Ok(BooleanBuffer::collect_bool(rows, |row| {
                    takes(hash_key.owner_word(owners[row].cast_unsigned()))
                }))
            }
            (DataType::Utf8View, true) => {
                let owners = owner.as_string_view();
                Ok(BooleanBuffer::collect_bool(rows, |row| {
                    takes(hash_key.owner_text(owners.value(row).as_bytes()))
                }))
            }
            (DataType::Utf8, true) => {
                let owners = owner.as_string::<i32>();
                Ok(BooleanBuffer::collect_bool(rows, |row| {
                    takes(hash_key.owner_text(owners.value(row).as_bytes()))
                }))
            }
            _ => Err(BoundError::Owner),
        }
    }

    /// Hashes owners, and leaves in `rows` those rows that may matter.
    fn choose(&mut self, owners: &[i64], ask: bool, hash_key: &HashKey) {
        self.hashes.clear();
        self.hashes.extend(owners.iter().map(|owner| hash_key.owner_word(owner.cast_unsigned())));
        self.rows.resize(owners.len(), 0);
        let mut left = 0;
        for (row, group) in self.groups.iter().enumerate() {
            self.rows[left] = row as u32;
            left += usize::from(*group != NONE);
        }
        self.rows.truncate(left);
        if !ask {
            return;
        }
        let group_hashes = self.keys.hashes();
        self.ranks.clear();
        self.ranks.extend(self.hashes.iter().zip(&self.groups).map(|(hash, group)| {
            let group_hash = group_hashes.get(*group as usize).copied().unwrap_or(0);
            hash_key.rank(*hash, group_hash)
        }));
        self.hot.sift(owners, &self.hashes, &self.ranks, &mut self.rows);
        for row in &self.rows {
            let row = *row as usize;
            let (owner, hash) = (owners[row].cast_unsigned(), self.hashes[row]);
            if self.hot.known(owner, hash) {
                self.hot.learn(hash, self.ranks[row]);
            } else {
                self.hot.settle(owner, hash);
            }
        }
    }

    /// `WORDS` is the number of packed words of a row, or zero if it is larger than the cases above.
    fn scatter<const WORDS: usize>(&mut self, owners: &[i64]) {
        let words = if WORDS == 0 { self.plan.layout.words() } else { WORDS };
        let full = CHUNK_WORDS / self.stride * self.stride;
        for row in &self.rows {
            let row = *row as usize;
            let (owner, packed) = (owners[row].cast_unsigned(), &self.packed[row * words..(row + 1) * words]);
            let partition = self.pass.partition_of(self.hashes[row]);
            let open = &mut self.open[partition];
            if WORDS == 1 {
                open.extend_from_slice(&[owner, packed[0]]);
            } else {
                open.push(owner);
                open.extend_from_slice(packed);
            }
            if open.len() >= full {
                let chunk = std::mem::replace(open, Vec::with_capacity(full));
                self.chunks += 1;
                self.partitions[partition].chunks.push(chunk);
            }
        }
    }

    fn scatter_texts<'a>(&mut self, ask: bool, hash_key: &HashKey, text_of: impl Fn(usize) -> &'a [u8]) {
        let words = self.plan.layout.words();
        let full = CHUNK_WORDS / self.stride * self.stride;
        // All hashes first: reading texts and looking people up then wait for memory side by side.
        self.hashes.clear();
        self.hashes.extend(
            self.groups
                .iter()
                .enumerate()
                .map(|(row, group)| if *group == NONE { 0 } else { hash_key.owner_text(text_of(row)) }),
        );
        for (row, (packed, group)) in self.packed.chunks_exact(words).zip(&self.groups).enumerate() {
            if *group == NONE {
                continue;
            }
            let (text, hash) = (text_of(row), self.hashes[row]);
            let partition = self.pass.partition_of(hash);
            let texts = &mut self.partitions[partition].texts;
            let mut place = None;
            if ask {
                place = self.hot.known_text(text, hash);
                let rank = hash_key.rank(hash, self.keys.hashes()[*group as usize]);
                if place.is_some() {
                    if self.hot.drops(hash, rank) {
                        continue;
                    }
                    self.hot.learn(hash, rank);
                }
            }
            let place = place.unwrap_or_else(|| {
                let place = store_text(texts, text, &mut self.text_bytes);
                if ask {
                    self.hot.settle_text(text, hash, place);
                }
                place
            });
            let open = &mut self.open[partition];
            open.push(hash);
            open.extend_from_slice(packed);
            open.push(place);
            if open.len() >= full {
                let chunk = std::mem::replace(open, Vec::with_capacity(full));
                self.chunks += 1;
                self.partitions[partition].chunks.push(chunk);
            }
        }
    }

    /// How much memory the run takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let open: usize = self.open.iter().map(|open| open.capacity() * 8).sum();
        let rows = self.chunks * CHUNK_WORDS * 8 + open + self.text_bytes;
        rows + self.kept_bytes + self.keys.bytes() + self.hot.bytes()
    }

    /// Takes less memory: condenses everybody's rows so far and, while that is not enough, leaves people to a later pass.
    pub(crate) fn relieve(&mut self, allowance: usize) {
        loop {
            self.forget_others();
            self.condense();
            let declared = if self.plan.declared { 0 } else { self.keys.bytes() };
            let enough = self.kept_bytes + declared <= allowance / 4 * 3;
            if enough || self.taken == 1 || self.people() <= 1 {
                return;
            }
            self.pass.shrink(self.taken);
        }
    }

    /// Bounds every person's rows so far, and forgets keys that nobody keeps.
    pub(super) fn condense(&mut self) {
        self.seal();
        let lanes = 1 + self.plan.layout.lanes().len();
        let mut bounding = Bounding::new(&self.plan);
        let mut used = vec![false; self.keys.len()];
        for partition in &mut self.partitions {
            if !partition.chunks.is_empty() {
                bounding.begin();
                if let Some(kept) = partition.kept.take() {
                    kept.add_to(&mut bounding, None, lanes);
                }
                let pieces: Vec<Piece> = partition.pieces(None).collect();
                bounding.reduce_all(&pieces, &self.keys, None);
                drop(pieces);
                *partition = Partition { kept: Some(Kept::new(&bounding)), ..Partition::default() };
            }
            if let Some(kept) = &partition.kept {
                kept.mark(&mut used);
            }
        }
        (self.chunks, self.text_bytes) = (0, 0);
        if !self.plan.declared {
            let (keys, numbers) = self.keys.only(&used);
            self.keys = keys;
            let kept = self.partitions.iter_mut().filter_map(|partition| partition.kept.as_mut());
            kept.for_each(|kept| kept.renumber(&numbers));
        }
        if self.plan.text_owners {
            self.hot.forget();
        }
        self.kept_bytes = self.kept().map(Kept::bytes).sum();
    }

    /// Throws away the rows of people whom the pass takes no longer.
    fn forget_others(&mut self) {
        let taken = self.pass.open();
        for partition in taken..self.taken {
            self.partitions[partition] = Partition::default();
            self.open[partition] = Vec::new();
        }
        if taken < self.taken {
            self.taken = taken;
            self.chunks = self.partitions.iter().map(|partition| partition.chunks.len()).sum();
            let texts = self.partitions.iter().flat_map(|partition| &partition.texts);
            self.text_bytes = texts.map(Vec::capacity).sum();
            self.kept_bytes = self.kept().map(Kept::bytes).sum();
            if self.plan.text_owners {
                self.hot.forget();
            }
        }
    }

    fn kept(&self) -> impl Iterator<Item = &Kept> {
        self.partitions.iter().filter_map(|partition| partition.kept.as_ref())
    }

    /// How many people have been condensed.
    fn people(&self) -> usize {
        self.kept().map(Kept::people).sum()
    }

    /// Closes the chunks that rows were being written to.
    pub(super) fn seal(&mut self) {
        for (partition, open) in self.partitions.iter_mut().zip(&mut self.open) {
            if !open.is_empty() {
                partition.chunks.push(std::mem::take(open));
                self.chunks += 1;
            }
        }
    }
}

impl Partition {
    pub(super) fn pieces<'a>(&'a self, groups: Option<&'a [u32]>) -> impl Iterator<Item = Piece<'a>> {
        self.chunks.iter().map(move |words| Piece { words, texts: &self.texts, groups })
    }

    /// What earlier rows were condensed to.
    pub(super) fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// How much there is to do, about.
    pub(super) fn words(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum::<usize>() + self.kept.as_ref().map_or(0, Kept::bytes)
    }
}

/// Where both are set; `None` is everywhere.
fn both(left: Option<BooleanBuffer>, right: Option<BooleanBuffer>) -> Option<BooleanBuffer> {
    match (left, right) {
        (Some(left), Some(right)) => Some(&left & &right),
        (left, right) => left.or(right),
    }
}

/// Stores a text, its length before its bytes, and says where: the chunk in the upper half, the offset in the lower.
#[inline]
fn store_text(texts: &mut Vec<Vec<u8>>, text: &[u8], bytes: &mut usize) -> u64 {
    let length = u32::try_from(text.len()).expect("an array's text is shorter than 2 GiB").to_le_bytes();
    let needed = length.len() + text.len();
    if texts.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < needed) {
        texts.push(Vec::with_capacity(needed.max(TEXT_CHUNK_BYTES)));
        *bytes += needed.max(TEXT_CHUNK_BYTES);
    }
    let number = texts.len() as u64 - 1;
    let chunk = &mut texts[number as usize];
    let place = number << 32 | chunk.len() as u64;
    chunk.extend_from_slice(&length);
    chunk.extend_from_slice(text);
    place
}

/// The text that begins at a place.
#[inline]
pub(super) fn text_at(texts: &[Vec<u8>], place: u64) -> &[u8] {
    let chunk = &texts[(place >> 32) as usize][place as u32 as usize..];
    let (length, rest) = chunk.split_first_chunk::<4>().expect("texts begin with a length");
    &rest[..u32::from_le_bytes(*length) as usize]
}
