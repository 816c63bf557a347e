//! Rows that cannot matter, recognised early.
//!
//! **Lemma.** A row may be left out if its person has rows in `groups_max` other groups of smaller rank. Those
//! groups stay touched, whatever else is read, so the row's group is not among the `groups_max` smallest; and
//! every row of a group that is kept in the end passes, so kept groups are complete.
//! **How.** A small table remembers, for people who are met often, the smallest ranks met so far. It forgets
//! people at will: forgetting lets more rows through and changes nothing else, so the answer does not depend on
//! it. People are compared by their identifiers, not by hashes: one person's rows must never be left out because
//! of another's. Equal ranks of different groups count once here, which again only lets more rows through.

use super::table::same;

/// People who are met often, and their smallest ranks. Of a rank the upper half is enough: if it is larger, so is
/// the rank, and different halves are different groups.
pub(crate) struct Hot {
    slots: Vec<Slot>,
    /// How firmly each person sits; zero is an empty slot.
    strengths: Vec<u8>,
    /// `groups_max` for every slot, sorted as far as they are known.
    ranks: Vec<u32>,
    /// The words of the person's name, where people are known by texts.
    names: Vec<[u64; NAME_WORDS]>,
    groups_max: usize,
    active: bool,
    rows: u64,
    dropped: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    /// A number, or the head of a name.
    owner: u64,
    /// The largest of `groups_max` known ranks; before there are so many, none is larger.
    worst: u32,
    known: u32,
}

/// 64 KiB of slots: measured best from 2^10 to 2^16. Those who matter most must stay near the processor.
const SLOTS: usize = 1 << 12;
/// Longer names are not remembered: comparing a name must not wait for memory far away.
const NAME_WORDS: usize = 5;
/// Beyond this, keeping the ranks costs more than it saves.
const GROUPS_MAX: u64 = 32;
/// A person met again is worth so many meetings with others.
const REWARD: u8 = 4;
const STRENGTH_MAX: u8 = 64;
/// Whose strength is less is not worth learning about: most people never come back.
const FAMILIAR: u8 = 12;
/// After so many rows the table decides whether it is worth its time; later it tries again.
const TRIAL: u64 = 1 << 17;
const PAUSE: u64 = 1 << 20;

impl Hot {
    pub(crate) fn new(groups_max: u64) -> Self {
        let active = groups_max <= GROUPS_MAX;
        let groups_max = if active { groups_max as usize } else { 0 };
        let (slots, strengths, ranks, names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { slots, strengths, ranks, names, groups_max, active, rows: 0, dropped: 0 }
    }

    /// Whether to ask at all: where few rows can be dropped, asking is a waste.
    pub(crate) fn begin_batch(&mut self, rows: usize) -> bool {
        if self.groups_max == 0 {
            return false;
        }
        self.rows += rows as u64;
        let enough = if self.active { TRIAL } else { PAUSE };
        if self.rows > enough {
            self.active = !self.active || self.dropped * 8 > self.rows;
            (self.rows, self.dropped) = (0, 0);
        }
        if self.active && self.slots.is_empty() {
            self.slots = vec![Slot { owner: 0, worst: u32::MAX, known: 0 }; SLOTS];
            self.strengths = vec![0; SLOTS];
            self.ranks = vec![0; SLOTS * self.groups_max];
        }
        self.active
    }

    /// Leaves the rows that may matter, as positions in a batch. The answers rest on what was known before the
    /// batch, which stays true.
    pub(crate) fn sift(&mut self, owners: &[i64], hashes: &[u64], ranks: &[u64], rows: &mut Vec<u32>) {
        let before = rows.len();
        let mut left = 0;
        for at in 0..before {
            let row = rows[at];
            let (owner, rank) = (owners[row as usize].cast_unsigned(), ranks[row as usize]);
            let index = index_of(hashes[row as usize]);
            let slot = &self.slots[index];
            let strength = &mut self.strengths[index];
            // Without branches, because chance decides.
            let dropped = (slot.owner == owner) & (*strength > 0) & ((rank >> 32) as u32 > slot.worst);
            *strength = if dropped { STRENGTH_MAX } else { *strength };
            rows[left] = row;
            left += usize::from(!dropped);
        }
        rows.truncate(left);
        self.dropped += (before - left) as u64;
    }

    /// The same for people of names. Heads decide first, without branches; those rows that would be dropped are then
    /// looked at once more, and dropped if the name is the same, which it nearly always is. `doubtful` is room for them.
    pub(crate) fn sift_names<'a>(
        &mut self,
        heads: &[u64],
        name_of: impl Fn(usize) -> &'a [u64],
        ranks: &[u64],
        rows: &mut Vec<u32>,
        doubtful: &mut Vec<u32>,
    ) {
        let before = rows.len();
        doubtful.resize(before.max(doubtful.len()), 0);
        let (mut left, mut doubts) = (0, 0);
        for at in 0..before {
            let row = rows[at];
            let (head, rank) = (heads[row as usize], ranks[row as usize]);
            let index = index_of(head);
            let slot = &self.slots[index];
            let known = (slot.owner == head) & (self.strengths[index] > 0);
            let dropped = known & ((rank >> 32) as u32 > slot.worst);
            rows[left] = row;
            left += usize::from(!dropped);
            doubtful[doubts] = row;
            doubts += usize::from(dropped);
        }
        for row in &doubtful[..doubts] {
            let head = heads[*row as usize];
            if self.is_named(head, name_of(*row as usize)) {
                self.strengths[index_of(head)] = STRENGTH_MAX;
            } else {
                // Two people share a head, and one of them sits here: the row is the other's.
                rows[left] = *row;
                left += 1;
            }
        }
        rows.truncate(left);
        self.dropped += (before - left) as u64;
    }

    /// Whether this person sits here.
    #[inline(always)]
    pub(crate) fn known(&self, owner: u64, hash: u64) -> bool {
        let index = index_of(hash);
        self.strengths[index] > 0 && self.slots[index].owner == owner
    }

    /// Whether the person of this name sits here.
    #[inline(always)]
    pub(crate) fn known_name(&self, head: u64, name: &[u64]) -> bool {
        self.known(head, head) && self.is_named(head, name)
    }

    /// Whether the name of whoever sits here is this one, if the head is.
    #[inline(always)]
    fn is_named(&self, head: u64, name: &[u64]) -> bool {
        let known = &self.names[index_of(head)];
        // Heads hold lengths, so that both are as long.
        name.len() <= NAME_WORDS && same(&known[..name.len()], name)
    }

    /// Learns from a row of a person who sits here.
    #[inline(always)]
    pub(crate) fn learn(&mut self, hash: u64, rank: u64) {
        let index = index_of(hash);
        let strength = self.strengths[index];
        self.strengths[index] = (strength + REWARD).min(STRENGTH_MAX);
        if strength < FAMILIAR {
            return;
        }
        let slot = &mut self.slots[index];
        let ranks = &mut self.ranks[index * self.groups_max..(index + 1) * self.groups_max];
        let (known, rank) = (slot.known as usize, (rank >> 32) as u32);
        if ranks[..known].contains(&rank) || rank > slot.worst {
            return;
        }
        // The largest makes room, once there are enough.
        let mut at = if known < ranks.len() { known } else { known - 1 };
        while at > 0 && ranks[at - 1] > rank {
            ranks[at] = ranks[at - 1];
            at -= 1;
        }
        ranks[at] = rank;
        if known < ranks.len() {
            slot.known += 1;
        }
        if slot.known as usize == ranks.len() {
            slot.worst = ranks[ranks.len() - 1];
        }
    }

    /// Seats a person, if the slot is free; else whoever sits there sits less firmly.
    #[inline(always)]
    pub(crate) fn settle(&mut self, owner: u64, hash: u64) -> bool {
        let index = index_of(hash);
        let strength = &mut self.strengths[index];
        if *strength > 0 {
            *strength -= 1;
            return false;
        }
        *strength = REWARD;
        self.slots[index] = Slot { owner, worst: u32::MAX, known: 0 };
        true
    }

    /// Seats a person of a short name.
    #[inline(always)]
    pub(crate) fn settle_name(&mut self, head: u64, name: &[u64]) {
        if name.len() <= NAME_WORDS && self.settle(head, head) {
            if self.names.is_empty() {
                self.names = vec![[0; NAME_WORDS]; SLOTS];
            }
            self.names[index_of(head)][..name.len()].copy_from_slice(name);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let slot = size_of::<Slot>() + 1 + self.groups_max * 4;
        self.slots.capacity() * slot + self.names.capacity() * 8 * NAME_WORDS
    }
}

/// Bits 16 to 29: neither those of the partition nor the lowest ones of later tables.
#[inline(always)]
fn index_of(hash: u64) -> usize {
    (hash >> 16) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: a row is left out only if its own person has groups of smaller rank, though somebody else may share
    /// the head of the name and sit here.
    #[test]
    fn nobody_loses_rows_to_somebody_of_the_same_head() {
        let mut hot = Hot::new(1);
        assert!(hot.begin_batch(1));
        let (head, sitting, other) = (7 << 20 | 16, [1, 2], [1, 3]);
        hot.settle_name(head, &sitting);
        (0..FAMILIAR).for_each(|_| hot.learn(head, 1 << 32));
        for (name, left) in [(&sitting, 0), (&other, 1)] {
            let mut rows = vec![0];
            hot.sift_names(&[head], |_| name.as_slice(), &[2 << 32], &mut rows, &mut Vec::new());
            assert_eq!(rows.len(), left, "{name:?}");
        }
        assert!(hot.known_name(head, &sitting) && !hot.known_name(head, &other));
    }
}
