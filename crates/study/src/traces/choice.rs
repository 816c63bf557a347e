//! Which of a host's rows are kept, where only some may be: a keyed hash of what the rows themselves say.
//!
//! **Guarantee.** The rank of an item is a function of the key and of the item's own name. So what one host keeps does not change
//! when another host is there or is not, and two data sets that differ in a row order all others alike.
//! **Key.** Made by the operating system for one release, before a row is looked at, and forgotten with it: nobody can choose names
//! that win. The guarantee of what is released holds for every fixed key.

use std::hash::{BuildHasher, Hash, RandomState};

/// An order of items that nobody can foresee.
#[derive(Clone, Debug, Default)]
pub struct Choice<S = RandomState>(S);

impl Choice {
    /// A fresh order.
    pub fn fresh() -> Self {
        Self(RandomState::new())
    }
}

impl<S: BuildHasher> Choice<S> {
    /// The order of this key, for tests.
    pub fn of_key(key: S) -> Self {
        Self(key)
    }

    /// The place of an item in the order.
    pub fn rank(&self, item: &impl Hash) -> u64 {
        self.0.hash_one(item)
    }

    /// The first `most` items in the order; ties are broken by the items themselves.
    pub fn first<T: Hash + Ord>(&self, mut items: Vec<T>, most: usize) -> Vec<T> {
        if items.len() > most {
            items.sort_unstable_by(|a, b| (self.rank(a), a).cmp(&(self.rank(b), b)));
            items.truncate(most);
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasherDefault, DefaultHasher};

    use super::*;

    /// Specification: one more item changes what is kept by that item and the one it pushes out.
    #[test]
    fn one_more_item_pushes_out_at_most_one() {
        let choice = Choice::of_key(BuildHasherDefault::<DefaultHasher>::default());
        for more in 0..200_u64 {
            let without: Vec<u64> = (1_000..1_020).collect();
            let with: Vec<u64> = without.iter().copied().chain([more]).collect();
            let (mut kept, mut kept_with) = (choice.first(without, 6), choice.first(with, 6));
            kept.retain(|item| !kept_with.contains(item));
            assert!(kept.len() <= 1);
            kept_with.retain(|item| *item == more || (1_000..1_020).contains(item));
            assert_eq!(kept_with.len(), 6);
        }
    }

    #[test]
    fn two_fresh_orders_differ() {
        let rank = |choice: &Choice| (0..8_u64).map(|item| choice.rank(&item)).collect::<Vec<_>>();
        assert_ne!(rank(&Choice::fresh()), rank(&Choice::fresh()));
    }
}
