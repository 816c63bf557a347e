//! Coins that everybody may know: what made-up rows are drawn with.
//!
//! **No privacy.** Noise is never drawn with these, and the type is no source of secure bits, so that no mechanism takes it. What is
//! drawn with them is post-processing of released numbers, which may be as predictable as it likes.
//! **Why.** The coins follow from what was released, by SHA-256 in counter mode. So the same release is the same table of made-up
//! rows, for everybody and for ever, and a table can be checked against the numbers that it was made of.

use sha2::{Digest, Sha256};

/// Coins from public bytes.
#[derive(Clone, Debug)]
pub struct PublicCoins {
    key: [u8; 32],
    counter: u64,
    words: [u64; 4],
    used: usize,
}

impl PublicCoins {
    /// The coins of these bytes.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"pointillist public coins");
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self { key: hash.finalize().into(), counter: 0, words: [0; 4], used: 4 }
    }

    /// 64 coins.
    pub fn next_u64(&mut self) -> u64 {
        if self.used == self.words.len() {
            let digest =
                Sha256::new().chain_update(self.key).chain_update(self.counter.to_be_bytes()).finalize();
            for (word, bytes) in self.words.iter_mut().zip(digest.chunks_exact(8)) {
                *word = bytes.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte));
            }
            self.counter += 1;
            self.used = 0;
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// A number below `end`, which is at least one; off by less than 2^-32 from each equally often where `end` fits 32 bits.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(end.max(1))) >> 64) as u64
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The place of one of these weights, in proportion to them; the first where none is above zero.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let total: f64 = weights.clone().filter(|weight| *weight > 0.0).sum();
        let mut left = self.unit() * total;
        let mut last = 0;
        for (place, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
            last = place;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_follow_from_their_bytes_and_from_how_these_are_cut() {
        let draw = |parts: &[&[u8]]| {
            let mut coins = PublicCoins::of(parts);
            [(); 9].map(|()| coins.next_u64())
        };
        assert_eq!(draw(&[b"ab", b"c"]), draw(&[b"ab", b"c"]));
        assert_ne!(draw(&[b"ab", b"c"]), draw(&[b"a", b"bc"]));
        let nine = draw(&[b"x"]);
        assert!(nine.iter().all(|one| nine.iter().filter(|other| one == *other).count() == 1));
    }

    /// Specification: weights 1, 0, 3 are met a quarter, never, and three quarters of the time. The coins are fixed, so nothing is
    /// left to chance; six standard deviations of 20 000 fair draws are 0.019.
    #[test]
    fn weights_are_met_in_proportion() {
        let mut coins = PublicCoins::of(&[b"weights"]);
        let mut met = [0u32; 3];
        (0..20_000).for_each(|_| met[coins.weighted([1.0, 0.0, 3.0].into_iter())] += 1);
        assert_eq!(met[1], 0);
        assert!((f64::from(met[0]) / 20_000.0 - 0.25).abs() < 0.019, "{met:?}");
        assert!((0..1000).all(|_| coins.below(7) < 7 && coins.unit() < 1.0));
        assert_eq!(coins.weighted([0.0, -1.0].into_iter()), 0);
    }
}
