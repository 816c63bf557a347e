//! The key under which a person's groups are chosen where several engines must choose alike.
//!
//! **What rests on it.** Fairness, and that engines agree; never privacy: which groups a person keeps is a function of that
//! person's own rows under any key and any hash, a constant one included (`bound.rs`). So a hash that favours some group, or
//! an engine that leaks the key into its log, costs accuracy and nothing else.
//! **Which hash.** One that every engine computes with the arithmetic it has: products and sums of numbers below 2^31, which
//! 64 bits hold, modulo the prime p = 2^31 − 1. A word w (a whole number, a day, a moment, a truth value, the bits of a
//! number) is split into 31, 31 and 2 bits; its hash is s₁·low + s₂·middle + s₃·high + s₄ modulo p. A text's is the first 32
//! bits of SHA-256 of (salt, letter, text), modulo p. Parts of a key are put together as t₁·left + t₂·right + t₃. The rank of
//! a group for a person is the product of both hashes modulo p; the groups of least (rank, key) are kept.
//! **Fairness.** For uniform s the hashes of two different words are independent; of two groups a person whose hash is
//! uniform prefers either with probability ½ exactly, since a·x and a·y change places when a becomes −a. Ranks that are equal
//! (a share of 2^-31 of all pairs) are decided by the key's order.

use pointillist_noise::{BitSource, EntropyError, with_system_bits};
use sha2::{Digest, Sha256};

/// 2^31 − 1, a prime.
pub const PRIME: u64 = (1 << 31) - 1;
const LOW: u64 = PRIME;

/// Secret numbers of one question, all below [`PRIME`], and a salt for texts.
#[derive(Clone, PartialEq, Eq)]
pub struct ChoiceKey {
    owner: [u64; 4],
    group: [u64; 4],
    pair: [u64; 3],
    null: u64,
    salt: String,
}

impl ChoiceKey {
    /// A fresh key.
    ///
    /// # Errors
    /// When the operating system gives no random bits.
    pub fn from_system() -> Result<Self, EntropyError> {
        with_system_bits(|bits| Self::from_words(|| bits.word()))
    }

    /// A key from words, for tests that compare engines.
    pub fn from_words(mut word: impl FnMut() -> u64) -> Self {
        // Never zero: a factor of zero would make all ranks equal.
        let mut number = || 1 + word() % (PRIME - 1);
        Self {
            owner: std::array::from_fn(|_| number()),
            group: std::array::from_fn(|_| number()),
            pair: std::array::from_fn(|_| number()),
            null: number(),
            salt: (0..4).map(|_| format!("{:08x}", number())).collect(),
        }
    }

    /// s₁ to s₄ for the words of people.
    pub fn owner_numbers(&self) -> [u64; 4] {
        self.owner
    }

    /// s₁ to s₄ for the words of keys.
    pub fn group_numbers(&self) -> [u64; 4] {
        self.group
    }

    /// t₁ to t₃.
    pub fn pair_numbers(&self) -> [u64; 3] {
        self.pair
    }

    /// The hash of NULL as a part of a key.
    pub fn null_hash(&self) -> u64 {
        self.null
    }

    /// What stands before a person's name when it is hashed.
    pub fn owner_salt(&self) -> String {
        format!("{}o", self.salt)
    }

    /// What stands before a part of a key that is a text.
    pub fn group_salt(&self) -> String {
        format!("{}k", self.salt)
    }

    /// The hash of a person who is known by a number.
    pub fn owner_word(&self, word: u64) -> u64 {
        word_hash(&self.owner, word)
    }

    /// The hash of a person who is known by a text.
    pub fn owner_text(&self, name: &[u8]) -> u64 {
        text_hash(&self.owner_salt(), name)
    }

    /// The hash of a part of a key.
    pub fn group_word(&self, word: u64) -> u64 {
        word_hash(&self.group, word)
    }

    /// The hash of a part of a key that is a text.
    pub fn group_text(&self, text: &[u8]) -> u64 {
        text_hash(&self.group_salt(), text)
    }

    /// The hash of two parts, in their order.
    pub fn pair(&self, left: u64, right: u64) -> u64 {
        let [left_factor, right_factor, added] = self.pair;
        (left * left_factor + right * right_factor + added) % PRIME
    }

    /// The rank of a group for a person, given both hashes.
    pub fn rank(&self, owner: u64, group: u64) -> u64 {
        owner * group % PRIME
    }
}

fn word_hash([low, middle, high, added]: &[u64; 4], word: u64) -> u64 {
    let rest = ((word >> 31 & LOW) * middle + (word >> 62) * high + added) % PRIME;
    ((word & LOW) * low + rest) % PRIME
}

fn text_hash(salt: &str, text: &[u8]) -> u64 {
    let digest = Sha256::new().chain_update(salt).chain_update(text).finalize();
    let first = digest.first_chunk::<4>().map_or(0, |first| u32::from_be_bytes(*first));
    u64::from(first) % PRIME
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u64) -> ChoiceKey {
        let mut state = seed;
        ChoiceKey::from_words(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 13
        })
    }

    /// Specification: nothing passes 63 bits, so that engines with signed arithmetic compute the same.
    #[test]
    fn the_largest_numbers_fit_signed_arithmetic() {
        let most = u128::from(PRIME - 1);
        let largest = most * most + most * most + most;
        assert!(largest < 1 << 63);
        let all = ChoiceKey { owner: [PRIME - 1; 4], ..key(1) };
        assert!(all.owner_word(u64::MAX) < PRIME);
    }

    /// Of consecutive people each of five groups keeps about its share: under each of twenty keys, within a tenth.
    #[test]
    fn no_group_is_favoured() {
        for seed in 1..=20 {
            let key = key(seed);
            let mut first = [0u32; 5];
            for person in 0..20_000u64 {
                let owner = key.owner_word(person);
                let rank = |group: &usize| key.rank(owner, key.group_word(*group as u64));
                first[(0..5).min_by_key(rank).unwrap_or(0)] += 1;
            }
            assert!(first.iter().all(|count| (3_600..=4_400).contains(count)), "{first:?}");
        }
    }
}
