//! People who are known by texts, as words.
//!
//! **Guarantee.** Two names have the same head and the same words if and only if they are the same bytes: the words hold
//! every byte at a place that follows from the length, and the length is in the head or, if it is too long for that, the
//! first word. So comparing words tells people apart exactly; the hash in the head only says where to look.
//! **Why words.** Rows carry their person's name on the way to their partition. As words it stands in the same list as the
//! rest of the row, is written and read in order, and is compared eight bytes at a time.

use super::hash::HashKey;

/// How many of a head's bits are the length in bytes; those above are the hash's.
const LENGTH_BITS: u32 = 14;
/// Names of at least so many bytes have their length in a word of its own.
const LONG: u64 = (1 << LENGTH_BITS) - 1;

/// The head of a name that has these words: its hash, and its length where that has room.
#[inline(always)]
pub(crate) fn head(hash_key: &HashKey, name: &[u8], words: &[u64]) -> u64 {
    hash_key.owner_name(name, words) & !LONG | LONG.min(name.len() as u64)
}

/// The bits of a head that a table of names is indexed with.
#[inline(always)]
pub(crate) fn index(head: u64) -> u64 {
    head >> LENGTH_BITS
}

/// Writes the words of a name behind others.
#[inline(always)]
pub(crate) fn push_words(name: &[u8], words: &mut Vec<u64>) {
    let word = |block: &[u8; 8]| u64::from_le_bytes(*block);
    // The last eight bytes, some of them again: nothing is copied, and the length tells which are new.
    match (name.len(), name.first_chunk::<16>(), name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (17..=24, Some(first), _, Some(last)) => {
            let first = u128::from_le_bytes(*first);
            words.extend_from_slice(&[first as u64, (first >> 64) as u64, word(last)]);
        }
        (9..=16, _, Some(first), Some(last)) => words.extend_from_slice(&[word(first), word(last)]),
        (length, _, _, last) => {
            if length as u64 >= LONG {
                words.push(length as u64);
            }
            let (blocks, rest) = name.as_chunks::<8>();
            words.extend(blocks.iter().map(word));
            words.extend(match (last, rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
                _ if rest.is_empty() => None,
                (Some(last), _, _) => Some(word(last)),
                (None, Some(first), Some(last)) => {
                    Some(u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32)
                }
                _ => Some(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))),
            });
        }
    }
}

/// How many of these words belong to a name, whose first they are.
#[inline(always)]
pub(crate) fn words_of(head: u64, words: &[u64]) -> usize {
    let length = head & LONG;
    if length < LONG { length.div_ceil(8) as usize } else { 1 + words[0].div_ceil(8) as usize }
}

/// Rows as they were written one after the other: a head, `packed` words, and the words of the name.
pub(crate) struct NamedRows<'a> {
    rest: &'a [u64],
    packed: usize,
}

impl<'a> NamedRows<'a> {
    pub(crate) fn new(rows: &'a [u64], packed: usize) -> Self {
        Self { rest: rows, packed }
    }
}

impl<'a> Iterator for NamedRows<'a> {
    /// The head, the packed row, the words of the name.
    type Item = (u64, &'a [u64], &'a [u64]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.rest.split_first()?;
        let (packed, rest) = rest.split_at(self.packed);
        let (name, rest) = rest.split_at(words_of(*head, rest));
        self.rest = rest;
        Some((*head, packed, name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn words(name: &[u8]) -> (u64, Vec<u64>) {
        let mut words = Vec::new();
        push_words(name, &mut words);
        let head = head(&HashKey::blind(), name, &words);
        assert_eq!(words_of(head, &words), words.len(), "{} bytes", name.len());
        (head, words)
    }

    /// Specification: no two names share their head and words, though the hash tells nobody apart. All names of up to six
    /// bytes of two letters, zero among them, and around every length that is special names that differ in one byte.
    #[test]
    fn names_are_the_same_only_if_their_bytes_are() {
        let mut names: Vec<Vec<u8>> = Vec::new();
        for length in 0..=6_u32 {
            for number in 0..1_u32 << length {
                names.push((0..length).map(|bit| (number >> bit & 1) as u8).collect());
            }
        }
        for length in (7..=41).chain([LONG as usize - 1, LONG as usize, LONG as usize + 1]) {
            let name = vec![0; length];
            for at in (0..length).rev().take(50) {
                let mut other = name.clone();
                other[at] = 1;
                names.push(other);
            }
            names.push(name);
        }
        let mut known = BTreeMap::new();
        for name in names {
            if let Some(other) = known.insert(words(&name), name.clone()) {
                panic!("{other:?} and {name:?} are one person");
            }
        }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let names: Vec<Vec<u8>> = [3, 0, 18, 8, LONG as usize, 1, LONG as usize + 9, 36]
            .map(|length| (0..length).map(|at| at as u8).collect())
            .to_vec();
        let mut rows = Vec::new();
        for (number, name) in names.iter().enumerate() {
            rows.extend([words(name).0, number as u64, 7]);
            push_words(name, &mut rows);
        }
        let read: Vec<_> = NamedRows::new(&rows, 2).collect();
        assert_eq!(read.len(), names.len());
        for (number, (name, row)) in names.iter().zip(read).enumerate() {
            let (head, words) = words(name);
            assert_eq!(row, (head, [number as u64, 7].as_slice(), words.as_slice()));
        }
    }
}
