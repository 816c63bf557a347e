//! Different values, each brought by somebody: a count that one person moves by at most m.
//!
//! **Guarantee.** Fix the hash key. In every group people come one after the other, in the order of a keyed hash of each;
//! everyone brings up to m of their values that nobody before them has brought, those of least keyed hash first. Between
//! two sets of people that differ in one, the number of values brought differs by between zero and m, in at most
//! `groups_max` groups.
//! **Neighbours.** Add or remove everything one privacy unit contributed.
//! **Source.** Proof, per group. A person's values X are a function of their own rows: those of their counted rows, and of
//! more than [`VALUES_MAX`] those of least hash. Let S and S' be the values brought so far with and without person u. Claim:
//! S ⊇ S', and S∖S' has at most m values, throughout. Before u's turn both are the same, and right after it they differ by
//! what u brought, at most m. Let the next person have values X. Without u they bring the first min(m, |X∖S'|) of X∖S', with
//! u the first min(m, |X∖S|) of X∖S, which is a part of X∖S'. A value that is brought without u and not in S has no more
//! values before it in X∖S than in X∖S', so it is brought with u too: S ⊇ S' still. And with u no more are newly brought
//! than without, so S∖S' does not grow. ∎ The order may depend on each person alone: were rare values brought first, whose
//! rarity is everybody's doing, one person could move the count by more than m.
//! **Quality.** At least half of what people could bring at best, mostly more than nine tenths; with m = 1 and every row a
//! person it is the number of different values.
//! **Exactness.** Values are compared by a keyed 64-bit hash, which is a function of the value: the claim holds for
//! whatever function. Two values share a hash with probability 2^-64 about, and then count as one.
//! **One rule.** There is no second rule for when memory is short: passes take fewer people at a time (`pass.rs`), in the
//! order of their hashes.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType};

use super::BoundError;
use super::hash::HashKey;
use super::keys::number_word;

/// The most different values of one person in one group that are remembered.
pub(crate) const VALUES_MAX: usize = 4096;

/// Values that somebody brought, in every group.
#[derive(Clone, Default)]
pub(crate) struct Taken(Vec<HashSet<u64, BuildHasherDefault<AsIs>>>);

impl Taken {
    /// How many values of the group nobody has brought a person brings, at most `most`; the values rise.
    pub(crate) fn bring(&mut self, group: u32, values: &[u64], most: u64) -> u64 {
        if group as usize >= self.0.len() {
            self.0.resize_with(group as usize + 1, HashSet::default);
        }
        let taken = &mut self.0[group as usize];
        let mut brought = 0;
        for value in values {
            if brought == most {
                break;
            }
            brought += u64::from(taken.insert(*value));
        }
        brought
    }

    /// The values of a group.
    pub(crate) fn of(&self, group: u32) -> impl Iterator<Item = u64> + '_ {
        self.0.get(group as usize).into_iter().flatten().copied()
    }
}

/// What the people of one partition have, in the order in which they come.
#[derive(Default)]
pub(crate) struct Brought {
    pub(crate) people: Vec<Bringer>,
    pub(crate) values: Vec<u64>,
}

/// One person in one group: their values, rising, are those up to `end` from where the one before ends.
pub(crate) struct Bringer {
    pub(crate) person: u32,
    pub(crate) lane: u32,
    pub(crate) group: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The hash of every value of an array, as the bits of a whole number; NULL stays NULL.
pub(crate) fn value_hashes(hash_key: &HashKey, values: &ArrayRef) -> Result<Int64Array, BoundError> {
    let word = |word: u64| hash_key.key_word(word).cast_signed();
    let text = |text: &str| hash_key.key_text(text.as_bytes()).cast_signed();
    let hashes: Vec<i64> = match values.data_type() {
        DataType::Boolean => {
            values.as_boolean().values().iter().map(|truth| word(u64::from(truth))).collect()
        }
        DataType::Int64 => values
            .as_primitive::<Int64Type>()
            .values()
            .iter()
            .map(|value| word(value.cast_unsigned()))
            .collect(),
        DataType::Float64 => values
            .as_primitive::<Float64Type>()
            .values()
            .iter()
            .map(|value| word(number_word(*value)))
            .collect(),
        DataType::Date32 => {
            let days = values.as_primitive::<Date32Type>().values();
            days.iter().map(|days| word(i64::from(*days).cast_unsigned())).collect()
        }
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            let moments = values.as_primitive::<TimestampMicrosecondType>().values();
            moments.iter().map(|micros| word(micros.cast_unsigned())).collect()
        }
        DataType::Utf8View => {
            let texts = values.as_string_view();
            (0..texts.len()).map(|row| if texts.is_null(row) { 0 } else { text(texts.value(row)) }).collect()
        }
        DataType::Utf8 => {
            let texts = values.as_string::<i32>();
            (0..texts.len()).map(|row| if texts.is_null(row) { 0 } else { text(texts.value(row)) }).collect()
        }
        DataType::Null => vec![0; values.len()],
        _ => return Err(BoundError::Value),
    };
    Ok(Int64Array::new(hashes.into(), values.logical_nulls()))
}

/// Hashes are not hashed again: the key is secret already.
#[derive(Clone, Copy, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claim, over people in a given order.
    fn brought(people: &[&[u64]], most: u64) -> u64 {
        let mut taken = Taken::default();
        people.iter().map(|values| taken.bring(0, values, most)).sum()
    }

    /// Brute force: over every choice of three people's values out of five, and every person left out, the count moves by
    /// between zero and m; m is reached, and m = 1 is the number of people who find something at least.
    #[test]
    fn one_person_moves_the_count_by_at_most_the_values_that_they_may_bring() {
        let subsets: Vec<Vec<u64>> =
            (0..32u64).map(|set| (0..5).filter(|value| set >> value & 1 == 1).collect()).collect();
        for most in 1..=3 {
            let mut reached = 0;
            for first in &subsets {
                for second in &subsets {
                    for third in &subsets {
                        let people = [first.as_slice(), second, third];
                        let with = brought(&people, most);
                        for left_out in 0..3 {
                            let rest: Vec<&[u64]> = people
                                .iter()
                                .enumerate()
                                .filter(|(at, _)| *at != left_out)
                                .map(|(_, values)| *values)
                                .collect();
                            let without = brought(&rest, most);
                            assert!(
                                without <= with && with - without <= most,
                                "{people:?} without {left_out}"
                            );
                            reached = reached.max(with - without);
                        }
                    }
                }
            }
            assert_eq!(reached, most);
        }
    }

    /// Specification: an order that depends on everybody breaks the claim, so the test above would notice one: rare values
    /// first, one each, and somebody who makes a value common moves the count by two.
    #[test]
    fn rare_values_first_would_break_the_claim() {
        let subsets: Vec<Vec<u64>> =
            (1..16u64).map(|set| (0..4).filter(|value| set >> value & 1 == 1).collect()).collect();
        let rare_first = |people: &[&Vec<u64>]| {
            let rarity = |value: u64| people.iter().filter(|values| values.contains(&value)).count();
            let mut taken = Taken::default();
            let mut count = 0;
            for values in people {
                let mut values = (*values).clone();
                values.sort_by_key(|value| (rarity(*value), *value));
                count += taken.bring(0, &values, 1);
            }
            count
        };
        let moved = |people: [&Vec<u64>; 4]| {
            let with = rare_first(&people);
            (0..4).any(|left_out| {
                let rest: Vec<&Vec<u64>> = people
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| *at != left_out)
                    .map(|(_, values)| *values)
                    .collect();
                with.abs_diff(rare_first(&rest)) > 1 || rare_first(&rest) > with
            })
        };
        let some = subsets.iter().flat_map(|a| subsets.iter().map(move |b| (a, b)));
        assert!(
            some.into_iter()
                .any(|(a, b)| subsets.iter().any(|c| subsets.iter().any(|d| moved([a, b, c, d]))))
        );
    }
}
