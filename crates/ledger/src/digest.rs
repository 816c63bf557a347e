//! SHA-256 of parts that cannot run into one another.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256 hash, shown in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Hashes the parts, each preceded by its length, under a purpose of their own: two different lists of
    /// parts, or the same list for two purposes, are never the same bytes to the hash.
    pub fn of(purpose: &str, parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        bytes_from_hex(text).map(Self)
    }
}

/// Exactly `N` bytes from twice as many lower-case hexadecimal digits.
pub(crate) fn bytes_from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let canonical = text.len() == 2 * N && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate().filter(|_| canonical) {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    canonical.then_some(bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_one_another() {
        let whole = Digest::of("test", &[b"ab", b"c"]);
        assert_ne!(whole, Digest::of("test", &[b"a", b"bc"]));
        assert_ne!(whole, Digest::of("test", &[b"abc"]));
        assert_ne!(whole, Digest::of("tes", &[b"tab", b"c"]));
    }

    #[test]
    fn hexadecimal_reads_back_and_has_one_spelling() {
        let digest = Digest::of("test", &[]);
        assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
        assert_eq!(Digest::from_hex(&digest.to_string().to_uppercase()), None);
        assert_eq!(Digest::from_hex("00"), None);
    }
}
