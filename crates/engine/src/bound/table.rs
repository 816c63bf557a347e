//! Numbers for things, in the order of their first appearance: exact tables with open addressing.
//!
//! A hash says where to look; what is found there is compared as a whole. Ids count up from zero, so that what
//! belongs to a thing can stand in plain arrays.

use super::names::index;

/// No thing has this id.
pub(crate) const NONE: u32 = u32::MAX;

/// Words to ids. The caller hashes.
#[derive(Clone)]
pub(crate) struct Words {
    slots: Vec<u32>,
    words: Vec<u64>,
}

impl Words {
    pub(crate) fn new() -> Self {
        Self { slots: vec![NONE; 16], words: Vec::new() }
    }

    /// The id of a word, or `NONE`.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, word: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut position = hash as usize & mask;
        loop {
            let id = self.slots[position];
            if id == NONE || self.words[id as usize] == word {
                return id;
            }
            position = (position + 1) & mask;
        }
    }

    /// Gives the next id to a word that was not found.
    pub(crate) fn insert(&mut self, hash: u64, word: u64, hash_of: impl Fn(u64) -> u64) -> u32 {
        let id = u32::try_from(self.words.len()).expect("a run is sealed long before 2^32 entries");
        self.words.push(word);
        if self.words.len() * 2 > self.slots.len() {
            self.slots = vec![NONE; self.slots.len() * 4];
            for (id, word) in self.words.iter().enumerate() {
                place(&mut self.slots, hash_of(*word), id as u32);
            }
        } else {
            place(&mut self.slots, hash, id);
        }
        id
    }

    /// The words, by id.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(NONE);
        self.words.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 4 + self.words.capacity() * 8
    }
}

/// Words near the first one, to ids, without hashing: codes, years and days are mostly close together.
#[derive(Clone)]
pub(crate) struct Near {
    first: u64,
    ids: Vec<u32>,
}

/// How many words around the first are near.
const NEAR: usize = 1 << 13;

impl Near {
    pub(crate) fn new() -> Self {
        Self { first: 0, ids: Vec::new() }
    }

    /// The id of a word, or `NONE` if it has none yet; nothing if it is far.
    #[inline(always)]
    pub(crate) fn get(&self, word: u64) -> Option<u32> {
        self.ids.get(word.wrapping_sub(self.first) as usize).copied()
    }

    /// Gives an id to a word, if it is near.
    pub(crate) fn set(&mut self, word: u64, id: u32) -> bool {
        if self.ids.is_empty() {
            self.first = word.wrapping_sub(NEAR as u64 / 2);
            self.ids = vec![NONE; NEAR];
        }
        match self.ids.get_mut(word.wrapping_sub(self.first) as usize) {
            Some(place) => {
                *place = id;
                true
            }
            None => false,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.ids.capacity() * 4
    }
}

/// Texts to ids. The hashes are kept, since texts are long.
#[derive(Clone)]
pub(crate) struct Texts {
    slots: Vec<u32>,
    hashes: Vec<u64>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl Texts {
    pub(crate) fn new() -> Self {
        Self { slots: vec![NONE; 16], hashes: Vec::new(), ends: Vec::new(), bytes: Vec::new() }
    }

    /// The id of a text, or `NONE`.
    #[inline]
    pub(crate) fn find(&self, hash: u64, text: &[u8]) -> u32 {
        let mask = self.slots.len() - 1;
        let mut position = hash as usize & mask;
        loop {
            let id = self.slots[position];
            if id == NONE || (self.hashes[id as usize] == hash && self.text(id) == text) {
                return id;
            }
            position = (position + 1) & mask;
        }
    }

    /// Gives the next id to a text that was not found.
    pub(crate) fn insert(&mut self, hash: u64, text: &[u8]) -> u32 {
        let id = u32::try_from(self.ends.len()).expect("a run is sealed long before 2^32 entries");
        self.hashes.push(hash);
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        if self.ends.len() * 2 > self.slots.len() {
            self.slots = vec![NONE; self.slots.len() * 4];
            for (id, hash) in self.hashes.iter().enumerate() {
                place(&mut self.slots, *hash, id as u32);
            }
        } else {
            place(&mut self.slots, hash, id);
        }
        id
    }

    /// The text of an id.
    #[inline]
    pub(crate) fn text(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 4 + self.ends.capacity() * 16 + self.bytes.capacity()
    }
}

/// Names of people, as words, to ids ([`names`](super::names)).
pub(crate) struct Names {
    slots: Vec<u32>,
    heads: Vec<u64>,
    ends: Vec<usize>,
    words: Vec<u64>,
}

impl Names {
    pub(crate) fn new() -> Self {
        Self { slots: vec![NONE; 16], heads: Vec::new(), ends: Vec::new(), words: Vec::new() }
    }

    /// The id of a name, or `NONE`.
    #[inline(always)]
    pub(crate) fn find(&self, head: u64, name: &[u64]) -> u32 {
        let mask = self.slots.len() - 1;
        let mut position = index(head) as usize & mask;
        loop {
            let id = self.slots[position];
            if id == NONE || (self.heads[id as usize] == head && same(self.name(id), name)) {
                return id;
            }
            position = (position + 1) & mask;
        }
    }

    /// Gives the next id to a name that was not found.
    pub(crate) fn insert(&mut self, head: u64, name: &[u64]) -> u32 {
        let id = u32::try_from(self.ends.len()).expect("a run is sealed long before 2^32 entries");
        self.heads.push(head);
        self.words.extend_from_slice(name);
        self.ends.push(self.words.len());
        if self.ends.len() * 2 > self.slots.len() {
            self.slots = vec![NONE; self.slots.len() * 4];
            for (id, head) in self.heads.iter().enumerate() {
                place(&mut self.slots, index(*head), id as u32);
            }
        } else {
            place(&mut self.slots, index(head), id);
        }
        id
    }

    /// The words of an id.
    #[inline(always)]
    pub(crate) fn name(&self, id: u32) -> &[u64] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.words[start..self.ends[id]]
    }

    /// The head of an id.
    #[inline]
    pub(crate) fn head(&self, id: u32) -> u64 {
        self.heads[id as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(NONE);
        self.heads.clear();
        self.ends.clear();
        self.words.clear();
    }
}

/// Whether words are the same. Names are short: calling a function for it would take longer.
#[inline(always)]
pub(crate) fn same(left: &[u64], right: &[u64]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left == right)
}

#[inline(always)]
fn place(slots: &mut [u32], hash: u64, id: u32) {
    let mask = slots.len() - 1;
    let mut position = hash as usize & mask;
    while slots[position] != NONE {
        position = (position + 1) & mask;
    }
    slots[position] = id;
}
