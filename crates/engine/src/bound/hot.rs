//! Rows that cannot matter, recognised early.
//!
//! **Lemma.** A row may be left out if its person has rows in `groups_max` other groups of smaller rank. Those
//! groups stay touched, whatever else is read, so the row's group is not among the `groups_max` smallest; and
//! every row of a group that is kept in the end passes, so kept groups are complete.
//! **How.** A small table remembers, for people who are met often, the smallest ranks met so far. It forgets
//! people at will: forgetting lets more rows through and changes nothing else, so the answer does not depend on
//! it. People are compared by their identifiers, not by hashes: one person's rows must never be left out because
//! of another's. Equal ranks of different groups count once here, which again only lets more rows through.

/// People who are met often, and their smallest ranks.
pub(crate) struct Hot {
    slots: Vec<Slot>,
    ranks: Vec<u64>,
    groups_max: usize,
    active: bool,
    rows: u64,
    dropped: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    owner: u64,
    text: u64,
    worst: u64,
    known: u32,
    strength: u32,
}

/// About half a megabyte of slots, so that the people who matter stay in the second-level cache.
const SLOTS: usize = 1 << 14;
/// Beyond this, keeping the ranks costs more than it saves.
const GROUPS_MAX: u64 = 32;
/// A person met again is worth so many meetings with others.
const REWARD: u32 = 4;
const STRENGTH_MAX: u32 = 64;
/// After so many rows the table decides whether it is worth its time; later it tries again.
const TRIAL: u64 = 1 << 17;
const PAUSE: u64 = 1 << 20;

/// What is known of the person of a row.
pub(crate) enum Seen {
    /// The row cannot matter.
    Dropped,
    /// The row matters; the person's text has been stored there before.
    Known(u64),
    /// The row matters.
    New,
}

impl Hot {
    pub(crate) fn new(groups_max: u64) -> Self {
        let active = groups_max <= GROUPS_MAX;
        let groups_max = if active { groups_max as usize } else { 0 };
        Self { slots: Vec::new(), ranks: Vec::new(), groups_max, active, rows: 0, dropped: 0 }
    }

    /// Whether to ask at all: where few rows can be dropped, asking is a waste.
    pub(crate) fn begin_batch(&mut self, rows: usize) -> bool {
        if self.groups_max == 0 {
            return false;
        }
        self.rows += rows as u64;
        if self.active && self.rows > TRIAL {
            self.active = self.dropped * 8 > self.rows;
            (self.rows, self.dropped) = (0, 0);
        } else if !self.active && self.rows > PAUSE {
            self.active = true;
            (self.rows, self.dropped) = (0, 0);
        }
        if self.active && self.slots.is_empty() {
            let empty = Slot { owner: 0, text: 0, worst: u64::MAX, known: 0, strength: 0 };
            self.slots = vec![empty; SLOTS];
            self.ranks = vec![0; SLOTS * self.groups_max];
        }
        self.active
    }

    /// Whether a row matters. `same` compares the person with the one whose text is at a place.
    #[inline(always)]
    pub(crate) fn see(&mut self, owner: u64, hash: u64, rank: u64, same: impl Fn(u64) -> bool) -> Seen {
        // Bits 16 to 29: neither those of the partition nor the lowest ones of later tables.
        let index = (hash >> 16) as usize % SLOTS;
        let slot = &mut self.slots[index];
        if slot.strength > 0 && slot.owner == owner && same(slot.text) {
            if rank > slot.worst {
                self.dropped += 1;
                slot.strength = STRENGTH_MAX;
                return Seen::Dropped;
            }
            slot.strength = (slot.strength + REWARD).min(STRENGTH_MAX);
            let text = slot.text;
            self.learn(index, rank);
            return Seen::Known(text);
        }
        if slot.strength > 0 {
            slot.strength -= 1;
        }
        Seen::New
    }

    /// Takes in the person of a row that matters, if the place is free.
    #[inline(always)]
    pub(crate) fn settle(&mut self, owner: u64, hash: u64, rank: u64, text: u64) {
        let index = (hash >> 16) as usize % SLOTS;
        let slot = &mut self.slots[index];
        if slot.strength == 0 {
            *slot = Slot { owner, text, worst: u64::MAX, known: 0, strength: REWARD };
            self.learn(index, rank);
        }
    }

    #[inline]
    fn learn(&mut self, index: usize, rank: u64) {
        let slot = &mut self.slots[index];
        let ranks = &mut self.ranks[index * self.groups_max..(index + 1) * self.groups_max];
        let known = slot.known as usize;
        if ranks[..known].contains(&rank) {
            return;
        }
        if known < ranks.len() {
            ranks[known] = rank;
            slot.known += 1;
            if known + 1 < ranks.len() {
                return;
            }
        } else if let Some(worst) = ranks.iter_mut().find(|known| **known == slot.worst) {
            *worst = rank;
        }
        slot.worst = ranks.iter().copied().max().unwrap_or(u64::MAX);
    }

    /// Forgets everybody, because stored texts are gone.
    pub(crate) fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.strength = 0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>() + self.ranks.capacity() * 8
    }
}
