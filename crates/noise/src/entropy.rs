//! The one generator of production: ChaCha20 keyed by the operating system.
//!
//! **Guarantee.** Bits are lent for the length of one call of [`with_system_bits`], and every call starts from
//! 256 fresh bits of the operating system. So no two calls share a stream: not across a fork, not across threads,
//! and not across two restores of one machine image once its kernel has mixed in new entropy. Inside a call every
//! word is erased as it is handed out and every batch erases the key that made it, so that our memory holds no past
//! noise (the compiler's own temporaries excepted), and fresh system entropy is mixed in every mebibyte.
//! **Not covered.** A fork inside the closure: parent and child share what is left of a batch, 4 KiB at most, and then
//! part because the process id enters the stream. Do not fork there.
//! **Deliberate absence.** There is no seed, no constructor and no configuration: tests bring their own words.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use pointillist_errors::{Explained, Kind};
use zeroize::Zeroize;

use crate::bits::{BitSource, SecureBits, sealed};

const BATCH_BYTES: usize = 4096;
const KEY_BYTES: usize = 32;
/// One mebibyte between two visits to the operating system.
const BATCHES_PER_RESEED: u32 = 256;

/// The operating system gave no random bits. Whoever sees it must fail the release, charged, with a constant answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system's random generator is not available")]
pub struct EntropyError;

impl Explained for EntropyError {
    fn hint(&self) -> Option<String> {
        Some("check that this process may call getrandom".to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Environment
    }
}

/// Unpredictable bits, lent by [`with_system_bits`].
pub struct SystemBits {
    key: [u8; KEY_BYTES],
    batch: [u8; BATCH_BYTES],
    position: usize,
    process: u32,
    batches: u32,
}

/// Lends unpredictable bits to `draw`, freshly keyed by the operating system.
///
/// ```
/// use pointillist_noise::{BitSource, with_system_bits};
/// let coin = with_system_bits(|bits| bits.coin())?;
/// # Ok::<(), pointillist_noise::EntropyError>(())
/// ```
pub fn with_system_bits<T>(draw: impl FnOnce(&mut SystemBits) -> T) -> Result<T, EntropyError> {
    let mut bits = SystemBits {
        key: system_key()?,
        batch: [0; BATCH_BYTES],
        position: BATCH_BYTES,
        process: std::process::id(),
        batches: 0,
    };
    Ok(draw(&mut bits))
}

fn system_key() -> Result<[u8; KEY_BYTES], EntropyError> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(|_| EntropyError)?;
    Ok(key)
}

impl SystemBits {
    #[cold]
    fn refill(&mut self) {
        let process = std::process::id();
        self.batches = self.batches.wrapping_add(1);
        if process != self.process || self.batches.is_multiple_of(BATCHES_PER_RESEED) {
            self.process = process;
            // Mixing in never weakens the key. Should the system refuse in mid-stream, the stream stays as strong
            // as its first key, and the process id below still separates a fork from its parent.
            if let Ok(fresh) = system_key() {
                self.key.iter_mut().zip(fresh).for_each(|(old, new)| *old ^= new);
            }
        }
        keystream(&self.key, process, &mut self.batch);
        // The first bytes of a batch are the next key and are never handed out.
        self.key.copy_from_slice(&self.batch[..KEY_BYTES]);
        self.batch[..KEY_BYTES].fill(0);
        self.position = KEY_BYTES;
    }
}

impl BitSource for SystemBits {
    #[inline]
    fn word(&mut self) -> u64 {
        if self.position == BATCH_BYTES {
            self.refill();
        }
        let next = self.position + 8;
        let bytes: &mut [u8; 8] =
            (&mut self.batch[self.position..next]).try_into().expect("eight bytes make a word");
        let word = u64::from_le_bytes(*bytes);
        *bytes = [0; 8];
        self.position = next;
        word
    }
}

impl Drop for SystemBits {
    fn drop(&mut self) {
        self.key.zeroize();
        self.batch.zeroize();
    }
}

/// The stream of a key in a process.
fn keystream(key: &[u8; KEY_BYTES], process: u32, stream: &mut [u8]) {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&process.to_le_bytes());
    ChaCha20::new(key.into(), &nonce.into()).write_keystream(stream);
}

impl sealed::Sealed for SystemBits {}
impl SecureBits for SystemBits {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Specification: words never repeat, within a call, across batches and reseeds, across calls and threads.
    /// False alarm: 2^-64 · (180,000²/2) < 1e-9 by the birthday bound.
    #[test]
    fn no_word_comes_twice() {
        let draw = |count: u64| {
            with_system_bits(|bits| (0..count).map(|_| bits.word()).collect::<Vec<_>>()).unwrap()
        };
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(move || draw(4_000))).collect();
        let mut words: Vec<u64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        // A mebibyte is 131,072 words: the longest of these crosses a reseed.
        words.extend([6_000, 6_000, 140_000].into_iter().flat_map(draw));
        let distinct: BTreeSet<_> = words.iter().collect();
        assert_eq!(distinct.len(), words.len());
    }

    /// Specification: a child that inherits a half-used generator leaves its parent's stream at the next batch.
    #[test]
    fn another_process_gets_another_stream() {
        with_system_bits(|bits| {
            bits.word();
            let mut child = bits.duplicate();
            child.process = bits.process.wrapping_add(1);
            let left = (BATCH_BYTES - bits.position) / 8;
            for _ in 0..left {
                assert_eq!(bits.word(), child.word());
            }
            assert!((0..8).any(|_| bits.word() != child.word()));
        })
        .unwrap();
    }

    /// Specification: even when the system refuses new entropy, the process id alone separates the streams.
    #[test]
    fn the_process_id_is_part_of_the_stream() {
        let batch_of = |process: u32| {
            let mut batch = [0; 64];
            keystream(&[7; KEY_BYTES], process, &mut batch);
            batch
        };
        assert_ne!(batch_of(1), batch_of(2));
    }

    /// Specification: nothing that was handed out stays behind.
    #[test]
    fn words_are_erased_as_they_are_handed_out() {
        with_system_bits(|bits| {
            for _ in 0..100 {
                bits.word();
            }
            assert_eq!(bits.batch[..bits.position], vec![0; bits.position]);
        })
        .unwrap();
    }

    /// Specification: a batch never hands out the key that makes the next one.
    #[test]
    fn the_key_is_erased_from_the_batch() {
        with_system_bits(|bits| {
            bits.word();
            assert_eq!(bits.batch[..KEY_BYTES], [0; KEY_BYTES]);
            let key = bits.key;
            assert!(!bits.batch.windows(KEY_BYTES).any(|window| window == key));
        })
        .unwrap();
    }

    impl SystemBits {
        fn duplicate(&self) -> Self {
            Self {
                key: self.key,
                batch: self.batch,
                position: self.position,
                process: self.process,
                batches: self.batches,
            }
        }
    }
}
