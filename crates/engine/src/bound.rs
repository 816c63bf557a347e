//! Bounding: rows to groups of integers in which no person weighs more than was paid for.
//!
//! **Guarantee.** Fix the hash key. The groups are a function of the multiset of rows; and between two multisets
//! that differ in all rows of one person, at most `groups_max` groups differ, in `people` by at most one and in
//! each measure by at most what its rule lets one person add: `rows_max`, 1, or between `rows_max·min(low, 0)`
//! and `rows_max·max(high, 0)`; in the weights of a spread by at most `rows_max·2^bits` in all (`spread.rs`), and in the
//! number of values brought by at most `rows_max` (`bring.rs`).
//! **Proof.** What a group holds is a sum over people of a function of that person's rows alone: for each person
//! the `groups_max` touched groups of smallest (rank, key) are kept, where the rank is a keyed hash of person
//! and key; in each, the counted rows c and their total s are bounded by the measure's [`Rule`]. So one person
//! moves exactly their own term, which is zero outside their kept groups. Since this holds for every hash key,
//! drawing the key at random keeps whatever guarantee the noise has. A group is touched by a person who has
//! any row in it after the filter, whatever the measures say. With declared groups, rows of other keys are left
//! out first: a row-wise map.
//! Values that are brought are the one thing that is no sum over people: `bring.rs` has its proof. Of a person's
//! values in a group the [`bring::VALUES_MAX`] of least keyed rank are remembered, by the same argument as groups.
//! **Exactness.** Integers from beginning to end. |row| ≤ 2^62 and fewer than 2^64 rows: no sum passes 2^126.
//! **Order.** Which thread sees which rows, where batches end, when memory runs out: none of it shows.
//! **Nobody decides between answer and failure.** Nothing here can fail because of what rows say, and nothing needs a
//! disk. Memory for rows on their way and for people's groups is an allowance fixed beforehand ([`EngineOptions`]): past
//! it, everybody's rows are condensed to what can still matter, and if people are too many for that too, the rows are
//! read again for those who were left out (`pass.rs`). A person's share of what remains, of the allowance and of the
//! totals of all kept groups, is at most `groups_max` groups with their keys and remembered values, each of at most
//! [`TEXT_MAX`](crate::TEXT_MAX) bytes a key column: 90,000 keys of one person take the room of `groups_max`.
//! **Memory.** The allowance; in every thread a part of the people, at most `groups_max` groups each; one batch a
//! thread; and in every thread the totals of all groups that somebody kept, of everybody. Not the number of rows. Where
//! one of [`pass::PARTITIONS`] parts of a pass is more than the allowance, that part is held all the same.
//! **Not covered.** A machine that has less memory than the allowance and those totals take: the totals grow with people
//! and their keys, and who is the last that fits decides; the owner gives the engine less than there is. Time and memory
//! traffic depend on the data, and reading again takes as long as reading did; the curator answers on a coarse clock.
//!
//! [`EngineOptions`]: crate::EngineOptions

mod bring;
mod direct;
mod finish;
mod hash;
mod hot;
mod interval;
mod kept;
mod keys;
mod layout;
mod names;
mod owner_hash;
mod pass;
mod person;
mod points;
mod run;
mod spread;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use bring::{VALUES_MAX, value_hashes};
pub(crate) use direct::Direct;
pub(crate) use finish::{Finish, Sums};
pub(crate) use hash::HashKey;
pub(crate) use interval::Interval;
pub(crate) use keys::Key;
use keys::Keys;
pub(crate) use layout::{Input, Layout, Rule};
pub(crate) use owner_hash::owner_hashes;
pub(crate) use pass::{PARTITIONS, Pass};
pub(crate) use run::{Rows, Run};
pub(crate) use table::{NONE, Texts};

/// Why bounding stopped: never because of what a row says.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BoundError {
    /// The owner column has another type than the plan says.
    #[error("the owner column is neither whole numbers nor text")]
    Owner,
    /// A key column has another type than its domain, or than the batch before.
    #[error("a key has another type than the plan says")]
    Key,
    /// Values that are to be counted have a type that no column has.
    #[error("a value has a type that is not counted")]
    Value,
}

/// What all threads of a query share.
pub(crate) struct Plan {
    hash_key: HashKey,
    layout: Layout,
    groups_max: u64,
    /// Whether people are known by texts instead of whole numbers.
    text_owners: bool,
    width: usize,
    values_max: usize,
    keys: Keys,
    declared: bool,
    /// The group number of every declared group.
    domain: Option<Vec<u32>>,
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
    /// The most different values of a person in a group that are remembered.
    pub(crate) values_max: usize,
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
            values_max: bounds.values_max,
            keys,
            declared: domain.is_some(),
            domain,
            hash_key,
        })
    }
}
