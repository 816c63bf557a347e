//! A set of columns, as bits.

use crate::domain::ATTRIBUTES_MAX;

const WORDS: usize = ATTRIBUTES_MAX / 64;

/// Some of at most [`ATTRIBUTES_MAX`] columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AttributeSet([u64; WORDS]);

impl AttributeSet {
    pub fn of(attributes: &[usize]) -> Self {
        let mut set = Self::default();
        attributes.iter().for_each(|attribute| set.insert(*attribute));
        set
    }

    pub fn insert(&mut self, attribute: usize) {
        self.0[attribute / 64] |= 1 << (attribute % 64);
    }

    pub fn remove(&mut self, attribute: usize) {
        self.0[attribute / 64] &= !(1 << (attribute % 64));
    }

    #[cfg(test)]
    pub fn contains(&self, attribute: usize) -> bool {
        self.0[attribute / 64] >> (attribute % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |one, other| one | other)
    }

    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |one, other| one & other)
    }

    pub fn without(&self, other: &Self) -> Self {
        self.zip(other, |one, other| one & !other)
    }

    pub fn is_within(&self, other: &Self) -> bool {
        self.without(other).is_empty()
    }

    /// The columns in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| word * 64 + left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                next
            })
        })
    }

    pub fn to_vec(self) -> Vec<usize> {
        self.iter().collect()
    }

    fn zip(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| join(self.0[word], other.0[word])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let set = AttributeSet::of(&[255, 0, 64, 63]);
        assert_eq!(set.to_vec(), [0, 63, 64, 255]);
        assert_eq!(set.len(), 4);
        let other = AttributeSet::of(&[64, 7]);
        assert_eq!(set.intersection(&other).to_vec(), [64]);
        assert_eq!(set.without(&other).to_vec(), [0, 63, 255]);
        assert!(other.is_within(&set.union(&other)) && !other.is_within(&set));
    }
}
