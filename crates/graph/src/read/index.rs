//! From keys to their places in a sorted list.

use std::ops::{Shr, Sub};

/// Sorted keys, all different, and where to look for each. A table leads to the few keys that share their leading bits;
/// keys that crowd together are searched by halving, so that no choice of keys makes this slow.
pub(super) struct Index<K> {
    keys: Vec<K>,
    /// Where the keys of each table entry begin; one more than there are entries.
    starts: Vec<u32>,
    shift: u32,
}

impl<K: Copy + Ord + Sub<Output = K> + Shr<u32, Output = K> + Into<u128>> Index<K> {
    /// # Panics
    /// When there are 2^32 keys or more.
    pub(super) fn new(keys: Vec<K>) -> Self {
        let mut index = Self { keys, starts: Vec::new(), shift: 0 };
        let count = u32::try_from(index.keys.len()).expect("fewer than 2^32 keys");
        let (Some(first), Some(last)) = (index.keys.first(), index.keys.last()) else { return index };
        let span: u128 = (*last - *first).into();
        // The table has at most twice as many entries as there are keys.
        index.shift = (u128::BITS - span.leading_zeros()).saturating_sub(u32::BITS - count.leading_zeros());
        let entries = index.entry(*last).expect("the last key is in the table") + 1;
        let mut starts = vec![0u32; entries + 1];
        for key in &index.keys {
            starts[index.entry(*key).expect("all keys are in the table") + 1] += 1;
        }
        for entry in 0..entries {
            starts[entry + 1] += starts[entry];
        }
        index.starts = starts;
        index
    }

    /// The place of a key.
    #[inline]
    pub(super) fn place(&self, key: K) -> Option<u32> {
        let entry = self.entry(key)?;
        let (start, end) = (*self.starts.get(entry)?, *self.starts.get(entry + 1)?);
        let place = self.keys[start as usize..end as usize].binary_search(&key).ok()?;
        Some(start + place as u32)
    }

    #[inline]
    fn entry(&self, key: K) -> Option<usize> {
        let first = *self.keys.first()?;
        if key < first {
            return None;
        }
        let entry: u128 = ((key - first) >> self.shift).into();
        usize::try_from(entry).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_and_nothing_else() {
        let crowded: Vec<u64> = (0..300).chain([1 << 40, u64::MAX - 1, u64::MAX]).collect();
        let spread: Vec<u64> = (0..1000u64).map(|place| place * (u64::MAX / 1000)).collect();
        for keys in [crowded, spread, vec![], vec![0], vec![7], vec![u64::MAX], (5..90).collect()] {
            let wide = Index::new(keys.iter().map(|key| u128::from(*key) << 64).collect());
            let index = Index::new(keys.clone());
            let strangers = keys.iter().flat_map(|key| [key.wrapping_sub(1), key.wrapping_add(1)]);
            for key in keys.iter().copied().chain(strangers).chain([0, u64::MAX]) {
                let place = keys.binary_search(&key).ok().map(|place| place as u32);
                assert_eq!(index.place(key), place);
                assert_eq!(wide.place(u128::from(key) << 64), place);
                assert_eq!(wide.place(u128::from(key) << 64 | 1), None);
            }
        }
    }
}
