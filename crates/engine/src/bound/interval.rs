//! Which keys a pass over rows takes, where every row is a person: those whose hashes lie in an interval.
//!
//! **Guarantee.** Every key is complete in exactly one pass whose groups are used. The intervals of those passes cut the line
//! of hashes into pieces, as those of people do ([`Pass`]). A pass that meets more keys than memory has room for is given up
//! before any of its groups is used, and begun again with a smaller interval.
//! **Why given up.** Keys that are dropped in the middle of a pass would have to be dropped from everything that is remembered
//! about them. Beginning again reads rows once more: a pass that is given up after it has met a part of its rows is followed
//! by one of half the keys, which gets about twice as far, and later ones are as small from the beginning.
//! **Progress.** A pass that meets one key alone, or whose interval cannot be halved, is never given up.

use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;

use super::bring::value_hashes;
use super::pass::{PARTITIONS, Pass};
use super::{BoundError, HashKey};

/// The keys of one pass.
pub(crate) struct Interval {
    pass: Pass,
    /// Whether twice as many keys would be too many.
    crowded: AtomicBool,
    given_up: AtomicBool,
}

impl Interval {
    /// All keys.
    pub(crate) fn first() -> Self {
        Self::new(Pass::first())
    }

    fn new(pass: Pass) -> Self {
        Self { pass, crowded: AtomicBool::new(false), given_up: AtomicBool::new(false) }
    }

    /// The interval after this one, whose pass has ended: half of it if the pass was given up, else one that begins behind
    /// it.
    pub(crate) fn next(&self) -> Option<Self> {
        let pass = match (self.is_given_up(), self.crowded.load(Ordering::Relaxed)) {
            (true, _) => Some(self.pass.halved()),
            (false, true) => self.pass.behind(),
            (false, false) => self.pass.next(),
        };
        pass.map(Self::new)
    }

    /// Hears how much memory so many keys take, of what is allowed.
    pub(super) fn hear(&self, keys: usize, bytes: usize, allowance: usize) {
        if keys > 1 && bytes > allowance / 3 {
            self.crowded.store(true, Ordering::Relaxed);
        }
        if keys > 1 && bytes > allowance && !self.pass.is_smallest() {
            self.given_up.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody has given the pass up.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// The rows whose keys are taken; `None` is all of them.
    pub(super) fn mine(
        &self,
        hash_key: &HashKey,
        keys: &[ArrayRef],
        rows: usize,
    ) -> Result<Option<BooleanBuffer>, BoundError> {
        if self.pass.takes_all(PARTITIONS) {
            return Ok(None);
        }
        let mut hashes = Vec::new();
        for (position, array) in keys.iter().enumerate() {
            let column = value_hashes(hash_key, array).map_err(|_| BoundError::Key)?;
            if column.len() != rows {
                return Err(BoundError::Key);
            }
            // The hash of a key as `Keys` has it.
            let column = column.iter().map(|hash| hash.map_or(hash_key.key_null(), i64::cast_unsigned));
            match position {
                0 => hashes = column.collect(),
                _ => hashes
                    .iter_mut()
                    .zip(column)
                    .for_each(|(left, right)| *left = hash_key.pair(*left, right)),
            }
        }
        hashes.resize(rows, 0);
        Ok(Some(BooleanBuffer::collect_bool(rows, |row| self.pass.takes(hashes[row], PARTITIONS))))
    }
}
