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

use pointillist_noise::{BitSource, EntropyError, with_system_bits};

/// The secret words of one query.
#[derive(Clone)]
pub(crate) struct HashKey([u64; 8]);

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
        Self([0; 8])
    }

    fn from_words(mut word: impl FnMut() -> u64) -> Self {
        // Factors are odd, so that multiplying by them loses nothing.
        Self(std::array::from_fn(|_| word() | 1))
    }

    /// A person who is known by a number.
    #[inline(always)]
    pub(crate) fn owner_word(&self, word: u64) -> u64 {
        fold(word ^ self.0[0], self.0[1])
    }

    /// A person who is known by a text, given as words ([`names`](super::names)).
    #[inline(always)]
    pub(crate) fn owner_name(&self, words: &[u64]) -> u64 {
        let (pairs, rest) = words.as_chunks::<2>();
        let state =
            pairs.iter().fold(self.0[0], |state, [left, right]| fold(left ^ state, right ^ self.0[1]));
        let last = rest.first().copied().unwrap_or(0);
        fold(fold(last ^ state, self.0[1]) ^ self.0[4], self.0[1])
    }

    /// One value of a key, as 64 bits.
    #[inline(always)]
    pub(crate) fn key_word(&self, word: u64) -> u64 {
        fold(word ^ self.0[2], self.0[3])
    }

    /// One value of a key that is a text.
    #[inline]
    pub(crate) fn key_text(&self, text: &[u8]) -> u64 {
        self.text(text)
    }

    /// NULL as a value of a key.
    #[inline]
    pub(crate) fn key_null(&self) -> u64 {
        self.pair(0, u64::MAX)
    }

    /// Two parts of a key, in their order.
    #[inline]
    pub(crate) fn pair(&self, left: u64, right: u64) -> u64 {
        fold(left ^ self.0[4], right.rotate_left(23) ^ self.0[5])
    }

    /// The rank of a group for a person, given both hashes: the groups of smallest rank are kept.
    #[inline(always)]
    pub(crate) fn rank(&self, owner: u64, group: u64) -> u64 {
        fold(owner ^ self.0[6], group ^ self.0[7])
    }

    #[inline]
    fn text(&self, text: &[u8]) -> u64 {
        let (seed, factor) = (self.0[2], self.0[3]);
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
        fold(fold(left ^ state, right ^ factor) ^ self.0[4], factor)
    }
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}
