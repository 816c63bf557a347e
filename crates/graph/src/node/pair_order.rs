//! A fixed public order of all pairs of labels.
//!
//! **Guarantee.** [`key`] is a function of the two labels alone, the same for both orders of them, and
//! different for different pairs. So it orders the ties of every graph totally, and two ties stand in the
//! same order in every graph that has both, whatever nodes and ties come or go.
//! **Proof.** The key ends with the smaller and the larger label, which name the pair. The proofs of the
//! projections ask for any fixed total order of pairs and use nothing else of it: the hash in front only
//! keeps nodes whose labels are small from being favoured. It is public and not meant to hide or to withstand
//! anything.

/// The place of the pair `{a, b}` in the order.
#[inline]
pub fn key(a: u128, b: u128) -> (u64, u128, u128) {
    let (low, high) = (a.min(b), a.max(b));
    (spread(low, high), low, high)
}

/// The first part of the key, for sorting many pairs: equal hashes are told apart by the labels.
#[inline]
pub fn spread(low: u128, high: u128) -> u64 {
    // Binary digits of π, one odd word for each word of the pair.
    const KEYS: [u64; 4] =
        [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];
    let words = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64];
    words
        .iter()
        .zip(KEYS)
        .fold(0x4528_21e6_38d0_1377, |hash, (word, key)| mix((hash ^ word).wrapping_add(key)))
}

/// A bijection of 64 bits in which every bit of the input moves every bit of the output about half the time.
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn pairs_have_one_key_and_different_pairs_different_keys() {
        let labels: Vec<u128> = (0..40).chain((0..40).map(|k| k << 64)).chain([u128::MAX]).collect();
        let mut keys = BTreeSet::new();
        for (place, a) in labels.iter().enumerate() {
            for b in &labels[..place] {
                assert_eq!(key(*a, *b), key(*b, *a));
                keys.insert(key(*a, *b));
            }
        }
        let distinct: BTreeSet<u128> = labels.iter().copied().collect();
        // The labels hold zero twice: pairs of equal labels have a key too, of which there is one.
        assert_eq!(keys.len(), distinct.len() * (distinct.len() - 1) / 2 + 1);
    }

    /// Specification: the order favours no label: of 2000 nodes, each comes first in its pairs with the
    /// others about as often as it comes last.
    #[test]
    fn small_labels_are_not_favoured() {
        let middle = |label: u128| {
            let early = (0..2000).filter(|other| *other != label && key(label, *other).0 < u64::MAX / 2);
            early.count() as f64 / 1999.0
        };
        for label in [0, 1, 2, 1000, 1998, 1999] {
            assert!((middle(label) - 0.5).abs() < 0.06, "{label}: {}", middle(label));
        }
    }
}
