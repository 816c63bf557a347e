//! The key under which a person's groups are chosen where several engines must choose alike.
//!
//! **What rests on it.** Fairness, and that engines agree; never privacy: which groups a person keeps is a function of that
//! person's own rows under any key and any hash, a constant one included (`bound.rs`). So a hash that favours some group, or
//! an engine that leaks the key into its log, costs accuracy and nothing else.
//! **Which hash.** One that every engine computes with the arithmetic it has: products and sums of numbers below 2^31, which
//! 64 bits hold, modulo the prime p = 2^31 − 1. A word w (a whole number, a day, a moment, a truth value, the bits of a
//! number) is split into 31, 31 and 2 bits; its hash is s₁·low + s₂·middle + s₃·high + s₄ modulo p. A text's is the first 32
//! bits of SHA-256 of (salt, letter, text), modulo p. Parts of a key are put together as t₁·left + t₂·right + t₃. The rank of
//! a group for a person is (person + group)⁵ modulo p; the groups of least (rank, key) are kept.
//! **Fairness.** The polynomials (t + g)⁵ of up to five different groups g are independent of each other and of constants (their
//! coefficients are Vandermonde's), so that by Weil's bound the ranks of any five groups are jointly uniform over people whose
//! hashes are, but for terms of the order of p^-½: whoever is in five groups prefers each of them alike. Powers below would do
//! less: products of hashes, for one, favour the first and the last of consecutive numbers by a quarter. Since 5 does not divide
//! p − 1, a fifth power is equal for equal numbers alone; ranks of one person that are equal (a share of 2^-31 of all pairs of
//! groups) are decided by the key's order.

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
        let sum = (owner + group) % PRIME;
        let square = sum * sum % PRIME;
        square * square % PRIME * sum % PRIME
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

    /// Specification: of consecutive people in consecutive groups each group keeps its share, under each of twenty keys.
    /// False alarm: below 1e-9 for independent choices, since a tenth is seven deviations in all 2 · 20 · (5 + 12) comparisons
    /// (2.6e-12 each). Power: products of hashes in the place of fifth powers are off by a quarter.
    #[test]
    fn no_group_is_favoured() {
        for (groups, kept, people) in [(5, 1, 20_000u64), (12, 3, 16_000)] {
            for seed in 1..=20 {
                let key = key(seed);
                let mut chosen = vec![0u64; groups];
                for person in 0..people {
                    let owner = key.owner_word(person);
                    let mut ranked: Vec<usize> = (0..groups).collect();
                    ranked.sort_by_key(|group| key.rank(owner, key.group_word(*group as u64)));
                    ranked.into_iter().take(kept).for_each(|group| chosen[group] += 1);
                }
                let share = people * kept as u64 / groups as u64;
                let is_fair = |count: &u64| count.abs_diff(share) * 10 <= share;
                assert!(chosen.iter().all(is_fair), "{chosen:?}");
            }
        }
    }
}
