//! Which people a pass over the rows takes: those whose hashes lie in an interval.
//!
//! **Guarantee.** Every person is complete in exactly one pass. The passes' intervals cut the line of 64-bit hashes into
//! pieces, and a pass ends with the interval from `start` to the least limit that it ever had. The limit only falls, so
//! no row of a person below the last one was ever refused or thrown away; everybody above belongs to a later pass.
//! **Why.** When people's groups are more than memory holds, a pass lowers its limit and forgets those above, and the
//! rows are read once more for them. Time is all that this costs: no temporary file, so none that may be missing or
//! full, and nobody's rows on a disk that the owner did not put there.
//! **Progress.** Every pass takes at least one of its partitions, so passes come to an end.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many lists of rows a pass has. Their open ends, one cache line each, fit the first-level cache.
pub(crate) const PARTITIONS: usize = 256;
/// All hashes in [`PARTITIONS`] partitions.
const SHIFT_MAX: u32 = 56;

/// The people of one pass, in partitions of 2^`shift` hashes from `start` on.
pub(crate) struct Pass {
    start: u64,
    shift: u32,
    /// How many partitions are taken; it only falls.
    open: AtomicUsize,
}

impl Pass {
    /// Everybody.
    pub(crate) fn first() -> Self {
        Self { start: 0, shift: SHIFT_MAX, open: AtomicUsize::new(PARTITIONS) }
    }

    /// The pass after this one, which has ended; nothing if everybody has been taken.
    pub(crate) fn next(&self) -> Option<Self> {
        let (open, start) = (self.open(), self.end()?);
        // About as many people as were taken now; twice as many if there was room for all.
        let shift = match open {
            PARTITIONS => (self.shift + 1).min(SHIFT_MAX),
            _ => self.shift.saturating_sub((PARTITIONS / open).ilog2()),
        };
        Some(Self { start, shift, open: AtomicUsize::new(PARTITIONS) })
    }

    /// The pass after this one, of the same size.
    pub(crate) fn behind(&self) -> Option<Self> {
        Some(Self { start: self.end()?, shift: self.shift, open: AtomicUsize::new(PARTITIONS) })
    }

    /// Where the pass ends, if hashes are left.
    fn end(&self) -> Option<u64> {
        let end = u128::from(self.start) + ((self.open() as u128) << self.shift);
        u64::try_from(end).ok()
    }

    /// Whether there is no half of it.
    pub(crate) fn is_smallest(&self) -> bool {
        self.shift == 0
    }

    /// The first half of this pass.
    pub(crate) fn halved(&self) -> Self {
        Self { start: self.start, shift: self.shift.saturating_sub(1), open: AtomicUsize::new(PARTITIONS) }
    }

    /// How many partitions are taken.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// Takes about three quarters of `open` partitions from now on, and at least one.
    pub(crate) fn shrink(&self, open: usize) {
        let fewer = open - (open / 4).max(1);
        self.open.fetch_min(fewer.max(1), Ordering::Relaxed);
    }

    /// Whether everybody is taken, as far as `open` partitions go.
    pub(crate) fn takes_all(&self, open: usize) -> bool {
        self.start == 0 && self.shift == SHIFT_MAX && open == PARTITIONS
    }

    /// Whether a person of this hash is among the first `open` partitions.
    #[inline(always)]
    pub(crate) fn takes(&self, hash: u64, open: usize) -> bool {
        hash >= self.start && ((hash - self.start) >> self.shift) < open as u64
    }

    /// The partition of a person who is taken.
    #[inline(always)]
    pub(crate) fn partition_of(&self, hash: u64) -> usize {
        (hash.wrapping_sub(self.start) >> self.shift) as usize % PARTITIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: whatever passes are cut down to, each hash is taken by exactly one of them.
    #[test]
    fn every_hash_is_taken_once() {
        let mut state = 7_u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 31)
        };
        let mut hashes: Vec<u64> = (0..200).map(|_| word()).collect();
        hashes.extend([0, 1, u64::MAX, u64::MAX - 1, 1 << 56, (1 << 56) - 1, 1 << 63]);
        for _ in 0..50 {
            let (mut taken, mut passes) = (vec![0; hashes.len()], 0);
            let mut pass = Some(Pass::first());
            while let Some(now) = pass {
                // Thirty passes are cut down, so far that they take almost nobody; then there is room for all.
                let cut = passes < 30 && word() % 3 > 0;
                let wanted = if cut { 1 + (word() >> 40) as usize % PARTITIONS } else { PARTITIONS };
                while now.open() > wanted {
                    now.shrink(now.open());
                }
                for (hash, times) in hashes.iter().zip(&mut taken) {
                    if now.takes(*hash, now.open()) {
                        *times += 1;
                        assert!(now.partition_of(*hash) < now.open());
                    }
                }
                passes += 1;
                assert!(passes < 100, "passes come to an end soon once there is room");
                pass = now.next();
            }
            assert_eq!(taken, vec![1; hashes.len()]);
        }
    }
}
