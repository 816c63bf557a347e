//! Reproducible random words: the same seed gives the same words on every machine.
//!
//! Each function returns a closure that yields 64-bit words. Production code cannot reach this file: the
//! crate is a dev-dependency only.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

/// Bytes of keystream generated at a time.
const BLOCK_BYTES: usize = 4096;
const WORD_BYTES: usize = 8;

/// An endless source of words: the ChaCha20 keystream under the seed, read as little-endian words. A clone
/// goes on where the original stood.
pub fn seeded(seed: u64) -> impl FnMut() -> u64 + Clone + Send {
    let mut key = [0; 32];
    key[..WORD_BYTES].copy_from_slice(&seed.to_le_bytes());
    let mut block = Vec::new();
    let mut next = 0;
    let mut blocks_read = 0u64;
    move || {
        if next == block.len() {
            block = keystream(&key, blocks_read);
            blocks_read += 1;
            next = 0;
        }
        next += 1;
        block[next - 1]
    }
}

/// The words of the script, in order.
///
/// # Panics
/// When asked for more words than the script has: the test did not foresee that draw.
pub fn scripted(words: Vec<u64>) -> impl FnMut() -> u64 + Clone + Send {
    let mut next = 0;
    move || {
        let word = words.get(next).copied();
        next += 1;
        word.unwrap_or_else(|| {
            panic!("the script has {} words, and draw {next} asks for one more", words.len())
        })
    }
}

/// The same source, and a count of the words drawn from it.
pub fn counting(mut source: impl FnMut() -> u64) -> (impl FnMut() -> u64, WordCount) {
    let count = WordCount(Arc::new(AtomicU64::new(0)));
    let counter = count.clone();
    let counted = move || {
        counter.0.fetch_add(1, Ordering::Relaxed);
        source()
    };
    (counted, count)
}

/// How many words a source made by [`counting`] has given.
#[derive(Clone, Debug)]
pub struct WordCount(Arc<AtomicU64>);

impl WordCount {
    /// The number of words drawn so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// The number of words drawn since the last reset, which this is.
    pub fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

fn keystream(key: &[u8; 32], block_index: u64) -> Vec<u64> {
    let mut cipher = ChaCha20::new(&(*key).into(), &[0; 12].into());
    cipher.seek(block_index * BLOCK_BYTES as u64);
    let mut bytes = [0; BLOCK_BYTES];
    cipher.apply_keystream(&mut bytes);
    let (words, _) = bytes.as_chunks::<WORD_BYTES>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8439, appendix A.1, test vectors 1 and 2: the all-zero key, blocks zero and one.
    #[test]
    fn seed_zero_is_the_published_keystream() {
        let mut words = seeded(0);
        let first: Vec<u64> = (0..9).map(|_| words()).collect();
        assert_eq!(first[0].to_le_bytes(), [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
        assert_eq!(first[8].to_le_bytes(), [0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a]);
    }

    #[test]
    fn seeds_and_positions_give_different_words() {
        let mut words = seeded(7);
        let drawn: Vec<u64> = (0..2000).map(|_| words()).collect();
        let mut again = seeded(7);
        assert!(drawn.iter().all(|word| *word == again()), "the same seed repeats, across blocks");
        let mut other = seeded(8);
        assert!(drawn.iter().all(|word| *word != other()));
        let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
        assert_eq!(distinct.len(), drawn.len());
    }

    #[test]
    fn a_clone_goes_on_where_the_original_stood() {
        let mut words = seeded(7);
        assert!((0..600).map(|_| words()).any(|word| word != 0));
        let mut copy = words.clone();
        assert!((0..600).all(|_| words() == copy()));
    }

    #[test]
    #[should_panic(expected = "the script has 2 words, and draw 3 asks for one more")]
    fn a_script_that_ends_says_so() {
        let mut words = scripted(vec![1, 2]);
        assert_eq!((words(), words()), (1, 2));
        words();
    }

    #[test]
    fn words_are_counted() {
        let (mut words, count) = counting(scripted(vec![5; 10]));
        (0..4).for_each(|_| assert_eq!(words(), 5));
        assert_eq!((count.get(), count.take(), count.get()), (4, 4, 0));
    }
}
