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

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Int64Type};

use super::hash::HashKey;
use super::hot::Hot;
use super::kept::Kept;
use super::keys::Keys;
use super::layout::Input;
use super::names;
use super::pass::{PARTITIONS, Pass};
use super::person::{Bounding, Piece};
use super::table::NONE;
use super::{BoundError, Plan};

/// A list is made of chunks of at most so many words, or one row if that is longer.
const CHUNK_WORDS: usize = 4096;

/// So many rows of a batch are taken in at a time: what is computed of them then fits the first-level cache.
const STEP: usize = 1024;

/// A batch of rows.
pub(crate) struct Rows<'a> {
    /// How many.
    pub(crate) count: usize,
    /// Rows that passed the filter; `None` is all of them.
    pub(crate) chosen: Option<BooleanBuffer>,
    /// Whose row it is: `Int64`, or text as `BinaryView`, `Utf8View` or `Utf8`. A row without owner is left out.
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
    /// How many words the closed chunks have room for.
    chunk_words: usize,
    kept_bytes: usize,
    hot: Hot,
    groups: Vec<u32>,
    scratch: Vec<u32>,
    packed: Vec<u64>,
    hashes: Vec<u64>,
    ranks: Vec<u64>,
    rows: Vec<u32>,
    doubtful: Vec<u32>,
    /// The names of a step as words, and where each ends.
    names: Vec<u64>,
    name_ends: Vec<usize>,
}

/// The rows of some people.
#[derive(Default)]
pub(super) struct Partition {
    chunks: Vec<Vec<u64>>,
    /// What earlier rows were condensed to.
    kept: Option<Kept>,
}

impl Run {
    pub(crate) fn new(plan: &Arc<Plan>, pass: &Arc<Pass>) -> Self {
        Self {
            plan: Arc::clone(plan),
            pass: Arc::clone(pass),
            taken: PARTITIONS,
            keys: plan.keys.clone(),
            partitions: (0..PARTITIONS).map(|_| Partition::default()).collect(),
            open: vec![Vec::new(); PARTITIONS],
            chunk_words: 0,
            kept_bytes: 0,
            hot: Hot::new(plan.groups_max),
            groups: Vec::new(),
            scratch: Vec::new(),
            packed: Vec::new(),
            hashes: Vec::new(),
            ranks: Vec::new(),
            rows: Vec::new(),
            doubtful: Vec::new(),
            names: Vec::new(),
            name_ends: Vec::new(),
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
                for step in steps(rows.count) {
                    let owners = &owners[step.clone()];
                    self.choose(step.clone(), owners, ask, &plan.hash_key);
                    match plan.layout.words() {
                        1 => self.scatter::<1>(step.start, owners),
                        2 => self.scatter::<2>(step.start, owners),
                        _ => self.scatter::<0>(step.start, owners),
                    }
                }
            }
            (DataType::BinaryView, true) => {
                let owners = owner.as_binary_view();
                self.push_named(rows.count, ask, &plan.hash_key, |row| owners.value(row));
            }
            (DataType::Utf8View, true) => {
                let owners = owner.as_string_view();
                self.push_named(rows.count, ask, &plan.hash_key, |row| owners.value(row).as_bytes());
            }
            (DataType::Utf8, true) => {
                let owners = owner.as_string::<i32>();
                self.push_named(rows.count, ask, &plan.hash_key, |row| owners.value(row).as_bytes());
            }
            _ => return Err(BoundError::Owner),
        }
        Ok(())
    }

    /// The rows of people whom the pass takes: others must not teach their keys to this run.
    fn mine(&self, owner: &ArrayRef) -> Result<BooleanBuffer, BoundError> {
        let hash_key = &self.plan.hash_key;
        let takes = |hash: u64| self.pass.takes(hash, self.taken);
        let (rows, mut words) = (owner.len(), Vec::new());
        let mut head = |name: &[u8]| {
            words.clear();
            names::push_words(name, &mut words);
            names::head(hash_key, name, &words)
        };
        match (owner.data_type(), self.plan.text_owners) {
            (DataType::Int64, false) => {
                let owners = owner.as_primitive::<Int64Type>().values();
                Ok(BooleanBuffer::collect_bool(rows, |row| {
                    takes(hash_key.owner_word(owners[row].cast_unsigned()))
                }))
            }
            (DataType::BinaryView, true) => {
                let owners = owner.as_binary_view();
                Ok(BooleanBuffer::collect_bool(rows, |row| takes(head(owners.value(row)))))
            }
            (DataType::Utf8View, true) => {
                let owners = owner.as_string_view();
                Ok(BooleanBuffer::collect_bool(rows, |row| takes(head(owners.value(row).as_bytes()))))
            }
            (DataType::Utf8, true) => {
                let owners = owner.as_string::<i32>();
                Ok(BooleanBuffer::collect_bool(rows, |row| takes(head(owners.value(row).as_bytes()))))
            }
            _ => Err(BoundError::Owner),
        }
    }

    /// Hashes the owners of a step, and leaves in `rows` those rows of it that may matter.
    fn choose(&mut self, step: Range<usize>, owners: &[i64], ask: bool, hash_key: &HashKey) {
        self.hashes.clear();
        self.hashes.extend(owners.iter().map(|owner| hash_key.owner_word(owner.cast_unsigned())));
        self.rows_with_groups(step.clone());
        if !ask {
            return;
        }
        self.rank(step, hash_key);
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

    /// Leaves in `rows` those of a step that have a group.
    fn rows_with_groups(&mut self, step: Range<usize>) {
        self.rows.resize(step.len(), 0);
        let mut left = 0;
        for (row, group) in self.groups[step].iter().enumerate() {
            self.rows[left] = row as u32;
            left += usize::from(*group != NONE);
        }
        self.rows.truncate(left);
    }

    /// For every row of a step, the rank of its group for its person.
    fn rank(&mut self, step: Range<usize>, hash_key: &HashKey) {
        let group_hashes = self.keys.hashes();
        self.ranks.clear();
        self.ranks.extend(self.hashes.iter().zip(&self.groups[step]).map(|(hash, group)| {
            let group_hash = group_hashes.get(*group as usize).copied().unwrap_or(0);
            hash_key.rank(*hash, group_hash)
        }));
    }

    /// `WORDS` is the number of packed words of a row, or zero if it is larger than the cases above.
    fn scatter<const WORDS: usize>(&mut self, start: usize, owners: &[i64]) {
        let words = if WORDS == 0 { self.plan.layout.words() } else { WORDS };
        let full = CHUNK_WORDS / (1 + words) * (1 + words);
        let step_packed = &self.packed[start * words..];
        for row in &self.rows {
            let row = *row as usize;
            let (owner, packed) = (owners[row].cast_unsigned(), &step_packed[row * words..(row + 1) * words]);
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
                self.chunk_words += chunk.capacity();
                self.partitions[partition].chunks.push(chunk);
            }
        }
    }

    /// Takes in rows of people who are known by texts.
    fn push_named<'a>(
        &mut self,
        rows: usize,
        ask: bool,
        hash_key: &HashKey,
        text_of: impl Fn(usize) -> &'a [u8],
    ) {
        for step in steps(rows) {
            // All names first: reading texts and looking people up then wait for memory side by side.
            self.hashes.clear();
            self.names.clear();
            self.name_ends.clear();
            for row in step.clone() {
                let mut head = 0;
                if self.groups[row] != NONE {
                    let (text, start) = (text_of(row), self.names.len());
                    names::push_words(text, &mut self.names);
                    head = names::head(hash_key, text, &self.names[start..]);
                }
                self.hashes.push(head);
                self.name_ends.push(self.names.len());
            }
            self.rows_with_groups(step.clone());
            if ask {
                self.rank(step.clone(), hash_key);
                let (hot, names, ends) = (&mut self.hot, &self.names, &self.name_ends);
                let name_of = |row| name(names, ends, row);
                hot.sift_names(&self.hashes, name_of, &self.ranks, &mut self.rows, &mut self.doubtful);
                for row in &self.rows {
                    let row = *row as usize;
                    let (head, name) = (self.hashes[row], name_of(row));
                    if hot.known_name(head, name) {
                        hot.learn(head, self.ranks[row]);
                    } else {
                        hot.settle_name(head, name);
                    }
                }
            }
            match self.plan.layout.words() {
                1 => self.scatter_named::<1>(step.start),
                _ => self.scatter_named::<0>(step.start),
            }
        }
    }

    /// `WORDS` is the number of packed words of a row, or zero if it is larger than the cases above.
    fn scatter_named<const WORDS: usize>(&mut self, start: usize) {
        let words = if WORDS == 0 { self.plan.layout.words() } else { WORDS };
        let step_packed = &self.packed[start * words..];
        for row in &self.rows {
            let row = *row as usize;
            let (head, packed) = (self.hashes[row], &step_packed[row * words..(row + 1) * words]);
            let name = name(&self.names, &self.name_ends, row);
            let partition = self.pass.partition_of(head);
            let open = &mut self.open[partition];
            let needed = 1 + words + name.len();
            if open.len() + needed > CHUNK_WORDS && !open.is_empty() {
                let chunk = std::mem::replace(open, Vec::with_capacity(CHUNK_WORDS.max(needed)));
                self.chunk_words += chunk.capacity();
                self.partitions[partition].chunks.push(chunk);
            }
            match (WORDS, name) {
                (1, [first, second, third]) => {
                    open.extend_from_slice(&[head, packed[0], *first, *second, *third]);
                }
                (1, [first, second]) => open.extend_from_slice(&[head, packed[0], *first, *second]),
                _ => {
                    open.push(head);
                    open.extend_from_slice(packed);
                    open.extend_from_slice(name);
                }
            }
        }
    }

    /// How much memory the run takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let open: usize = self.open.iter().map(|open| open.capacity() * 8).sum();
        let rows = self.chunk_words * 8 + open;
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
        self.chunk_words = 0;
        if !self.plan.declared {
            let (keys, numbers) = self.keys.only(&used);
            self.keys = keys;
            let kept = self.partitions.iter_mut().filter_map(|partition| partition.kept.as_mut());
            kept.for_each(|kept| kept.renumber(&numbers));
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
            let chunks = self.partitions.iter().flat_map(|partition| &partition.chunks);
            self.chunk_words = chunks.map(Vec::capacity).sum();
            self.kept_bytes = self.kept().map(Kept::bytes).sum();
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
                self.chunk_words += open.capacity();
                partition.chunks.push(std::mem::take(open));
            }
        }
    }
}

impl Partition {
    pub(super) fn pieces<'a>(&'a self, groups: Option<&'a [u32]>) -> impl Iterator<Item = Piece<'a>> {
        self.chunks.iter().map(move |words| Piece { words, groups })
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
pub(super) fn both(left: Option<BooleanBuffer>, right: Option<BooleanBuffer>) -> Option<BooleanBuffer> {
    match (left, right) {
        (Some(left), Some(right)) => Some(&left & &right),
        (left, right) => left.or(right),
    }
}

/// So many rows in steps.
fn steps(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(STEP).map(move |start| start..rows.min(start + STEP))
}

/// The words of a row's name.
#[inline(always)]
fn name<'a>(names: &'a [u64], ends: &[usize], row: usize) -> &'a [u64] {
    let start = if row == 0 { 0 } else { ends[row - 1] };
    &names[start..ends[row]]
}
