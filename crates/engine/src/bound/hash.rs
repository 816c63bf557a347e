//! Keyed hashes: who goes to which partition, and which groups a person keeps.
//!
//! **What rests on it.** Speed and fairness, never privacy. People are told apart by their identifiers, groups
//! by their keys; a collision costs time. Which groups a person keeps is a function of that person's own rows
//! and of the hash key, so the sensitivity holds for every key and every hash function, a constant one included.
//! **What the key is for.** It is drawn afresh for every query from the operating system, and never leaves the
//! process. Nobody can choose identifiers that crowd one partition, nor keys that every person keeps, because
//! both would need the key; and no group is favoured from one query to the next.
//! **How.** The folded multiplication of wyhash and aHash: the two halves of a 128-bit product, one factor
//! secret. It is no cryptographic hash; an attacker would have to see hashes to attack it, and none is shown.

use std::sync::Arc;

use pointillist_noise::{BitSource, EntropyError, with_system_bits};

use crate::ChoiceKey;

/// The secret words of one query.
#[derive(Clone)]
pub(crate) struct HashKey {
    words: [u64; 8],
    /// Where other engines must choose the same groups: a hash that they can compute, in the upper 31 bits.
    shared: Option<Arc<ChoiceKey>>,
}

/// Where the hashes of a [`ChoiceKey`] stand in 64 bits; below them our own tells apart what shares one.
const SHARED_SHIFT: u32 = 33;

impl HashKey {
    /// A fresh key.
    pub(crate) fn from_system() -> Result<Self, EntropyError> {
        with_system_bits(|bits| Self::from_words(|| bits.word()))
    }

    /// A key that tests can repeat.
    #[cfg(test)]
    pub(crate) fn fixed(seed: u64) -> Self {
        let mut state = seed;
        Self::from_words(|| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            fold(state ^ (state >> 29), 0xD6E8_FEB8_6659_FD93)
        })
    }

    /// A key that makes all hashes and all ranks equal.
    #[cfg(test)]
    pub(crate) fn blind() -> Self {
        Self { words: [0; 8], shared: None }
    }

    fn from_words(mut word: impl FnMut() -> u64) -> Self {
        // Factors are odd, so that multiplying by them loses nothing.
        Self { words: std::array::from_fn(|_| word() | 1), shared: None }
    }

    /// The same, choosing a person's groups as every engine does that is given this key.
    pub(crate) fn choosing_with(self, key: &ChoiceKey) -> Self {
        Self { shared: Some(Arc::new(key.clone())), ..self }
    }

    /// A shared hash above our own.
    #[cold]
    fn shared_above(shared: u64, own: u64) -> u64 {
        shared << SHARED_SHIFT | own >> (64 - SHARED_SHIFT)
    }

    /// A person who is known by a number.
    #[inline(always)]
    pub(crate) fn owner_word(&self, word: u64) -> u64 {
        let own = fold(word ^ self.words[0], self.words[1]);
        match &self.shared {
            None => own,
            Some(key) => Self::shared_above(key.owner_word(word), own),
        }
    }

    /// A person who is known by a text, given also as words ([`names`](super::names)).
    #[inline(always)]
    pub(crate) fn owner_name(&self, name: &[u8], words: &[u64]) -> u64 {
        let own = self.own_name(words);
        match &self.shared {
            None => own,
            Some(key) => Self::shared_above(key.owner_text(name), own),
        }
    }

    #[inline(always)]
    fn own_name(&self, words: &[u64]) -> u64 {
        let (pairs, rest) = words.as_chunks::<2>();
        let state = pairs
            .iter()
            .fold(self.words[0], |state, [left, right]| fold(left ^ state, right ^ self.words[1]));
        let last = rest.first().copied().unwrap_or(0);
        fold(fold(last ^ state, self.words[1]) ^ self.words[4], self.words[1])
    }

    /// One value of a key, as 64 bits.
    #[inline(always)]
    pub(crate) fn key_word(&self, word: u64) -> u64 {
        let own = fold(word ^ self.words[2], self.words[3]);
        match &self.shared {
            None => own,
            Some(key) => Self::shared_above(key.group_word(word), own),
        }
    }

    /// One value of a key that is a text.
    #[inline]
    pub(crate) fn key_text(&self, text: &[u8]) -> u64 {
        let own = self.text(text);
        match &self.shared {
            None => own,
            Some(key) => Self::shared_above(key.group_text(text), own),
        }
    }

    /// NULL as a value of a key.
    #[inline]
    pub(crate) fn key_null(&self) -> u64 {
        match &self.shared {
            None => self.pair(0, u64::MAX),
            Some(key) => key.null_hash() << SHARED_SHIFT,
        }
    }

    /// Two parts of a key, in their order.
    #[inline]
    pub(crate) fn pair(&self, left: u64, right: u64) -> u64 {
        let own = fold(left ^ self.words[4], right.rotate_left(23) ^ self.words[5]);
        match &self.shared {
            None => own,
            Some(key) => Self::shared_above(key.pair(left >> SHARED_SHIFT, right >> SHARED_SHIFT), own),
        }
    }

    /// The rank of a group for a person, given both hashes: the groups of smallest rank are kept.
    #[inline(always)]
    pub(crate) fn rank(&self, owner: u64, group: u64) -> u64 {
        match &self.shared {
            None => fold(owner ^ self.words[6], group ^ self.words[7]),
            // Alone: what lies below a shared hash must not break ties that other engines break by key.
            Some(key) => key.rank(owner >> SHARED_SHIFT, group >> SHARED_SHIFT) << SHARED_SHIFT,
        }
    }

    #[inline]
    fn text(&self, text: &[u8]) -> u64 {
        let (seed, factor) = (self.words[2], self.words[3]);
        let mut state = seed ^ (text.len() as u64);
        let mut rest = text;
        while let Some((block, more)) = rest.split_first_chunk::<16>().filter(|(_, more)| !more.is_empty()) {
            let block = u128::from_le_bytes(*block);
            state = fold(block as u64 ^ state, (block >> 64) as u64 ^ factor);
            rest = more;
        }
        // The end is read as two words that may overlap each other, or the block before: nothing is copied.
        let (left, right) = if let Some(last) = text.last_chunk::<16>() {
            let last = u128::from_le_bytes(*last);
            (last as u64, (last >> 64) as u64)
        } else if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        } else {
            let word = text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            (word, 0)
        };
        fold(fold(left ^ state, right ^ factor) ^ self.words[4], factor)
    }
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}
