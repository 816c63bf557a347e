//! Bounding: rows to groups of integers in which no person weighs more than was paid for.
//!
//! **Guarantee.** Fix the hash key. The groups are a function of the multiset of rows; and between two multisets
//! that differ in all rows of one person, at most `groups_max` groups differ, in `people` by at most one and in
//! each measure by at most what its rule lets one person add: `rows_max`, 1, or between `rows_max·min(low, 0)`
//! and `rows_max·max(high, 0)`.
//! **Proof.** What a group holds is a sum over people of a function of that person's rows alone: for each person
//! the `groups_max` touched groups of smallest (rank, key) are kept, where the rank is a keyed hash of person
//! and key; in each, the counted rows c and their total s are bounded by the measure's [`Rule`]. So one person
//! moves exactly their own term, which is zero outside their kept groups. Since this holds for every hash key,
//! drawing the key at random keeps whatever guarantee the noise has. A group is touched by a person who has
//! any row in it after the filter, whatever the measures say. With declared groups, rows of other keys are left
//! out first: a row-wise map.
//! **Exactness.** Integers from beginning to end. |row| ≤ 2^62 and fewer than 2^64 rows: no sum passes 2^126.
//! **Order.** Which thread sees which rows, where batches end, when memory runs out: none of it shows.
//! **Memory.** One allowance for rows on their way, and then in every thread one of [`run::PARTITIONS`] parts of
//! people, at most `groups_max` groups each, plus in every thread the totals of all keys that were met (of those that
//! were kept, once anything has been written to temporary files). Not the number of rows.
//! **Not covered.** Time and memory traffic depend on the data; the curator answers on a coarse clock.

mod direct;
mod finish;
mod hash;
mod hot;
mod keys;
mod layout;
mod person;
mod run;
mod spill;
mod table;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub(crate) use direct::Direct;
pub(crate) use finish::Finish;
pub(crate) use hash::HashKey;
pub(crate) use keys::Key;
use keys::Keys;
pub(crate) use layout::{Input, Layout, Rule};
pub(crate) use run::{Rows, Run};

/// Why bounding stopped: never because of what a row says.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BoundError {
    /// A temporary file failed.
    #[error("a temporary file could not be written or read")]
    Spill(#[from] std::io::Error),
    /// The owner column has another type than the plan says.
    #[error("the owner column is neither whole numbers nor text")]
    Owner,
    /// A key column has another type than its domain, or than the batch before.
    #[error("a key has another type than the plan says")]
    Key,
}

/// What all threads of a query share.
pub(crate) struct Plan {
    hash_key: HashKey,
    layout: Layout,
    groups_max: u64,
    /// Whether people are known by texts instead of whole numbers.
    text_owners: bool,
    width: usize,
    keys: Keys,
    declared: bool,
    /// The group number of every declared group.
    domain: Option<Vec<u32>>,
    spill_directory: PathBuf,
}

/// What a [`Plan`] is made of.
pub(crate) struct Bounds<'a> {
    /// The most groups of a person.
    pub(crate) groups_max: u64,
    /// The most rows of a person in a group.
    pub(crate) rows_max: u64,
    /// What each measure does, and whether it counts every row.
    pub(crate) rules: &'a [(Rule, bool)],
    /// Whether people are known by texts instead of whole numbers.
    pub(crate) text_owners: bool,
    /// How many key columns there are.
    pub(crate) width: usize,
    /// The declared groups.
    pub(crate) domain: Option<&'a [Key]>,
    /// Where temporary files go.
    pub(crate) spill_directory: PathBuf,
}

impl Plan {
    pub(crate) fn new(hash_key: HashKey, bounds: Bounds) -> Result<Self, BoundError> {
        let (keys, domain) = match bounds.domain {
            None => (Keys::open(&hash_key, bounds.width), None),
            Some(domain) => {
                let (keys, groups) = Keys::declared(&hash_key, bounds.width, domain)?;
                (keys, Some(groups))
            }
        };
        Ok(Self {
            layout: Layout::new(bounds.rules, bounds.rows_max),
            groups_max: bounds.groups_max,
            text_owners: bounds.text_owners,
            width: bounds.width,
            keys,
            declared: domain.is_some(),
            domain,
            spill_directory: bounds.spill_directory,
            hash_key,
        })
    }
}
