//! How much of a person an answer may see: at most so many groups, at most so many rows in each.
//!
//! **Guarantee.** After [`ContributionBound::bound`] a person touches at most `groups_max` keys with a count
//! of at most `rows_max` each. A vector of such counts over k keys moves, between neighbours that add or
//! remove a person, by at most L1 = g·rows and L2² = g·rows² with g = min(groups_max, k); between neighbours
//! that replace a person, by the same with g = min(2·groups_max, k).
//! **Neighbours.** Add or remove one person; replace one person. The bound itself is the same for both.
//! **Source.** A person's vector has at most groups_max entries, each between 0 and rows_max. Two persons'
//! vectors differ in at most twice as many keys, and in each key by at most rows_max, because both entries
//! lie in the same interval.
//! **Exactness.** A person's keys are drawn uniformly, by integers alone, from that person's rows and fresh
//! random bits; given those draws, neighbours differ in one bounded person, and mixtures over the draws keep
//! the guarantee.

use std::collections::BTreeMap;

use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Delta, Neighbours, SensitivityL1, SensitivityL2};

use crate::MechanismError;

/// The most of one person that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContributionBound {
    groups_max: u64,
    rows_max: u64,
}

impl ContributionBound {
    /// At most `groups_max` groups a person and `rows_max` rows in each; both at least one.
    pub fn new(groups_max: u64, rows_max: u64) -> Result<Self, MechanismError> {
        if groups_max == 0 || rows_max == 0 {
            let what = "a person who may contribute nothing is never counted";
            return Err(MechanismError::invalid(what, "allow at least one group and one row a person"));
        }
        Ok(Self { groups_max, rows_max })
    }

    /// Every row is another person.
    pub fn one_row() -> Self {
        Self { groups_max: 1, rows_max: 1 }
    }

    /// The most groups a person may touch.
    pub fn groups_max(&self) -> u64 {
        self.groups_max
    }

    /// The most rows of a person that count in one group.
    pub fn rows_max(&self) -> u64 {
        self.rows_max
    }

    /// One person's counts by key, bounded. Which keys are kept is drawn at random, so that no key is favoured.
    pub fn bound<K: Ord, B: SecureBits + ?Sized>(
        &self,
        rows: impl IntoIterator<Item = K>,
        bits: &mut B,
    ) -> BTreeMap<K, u64> {
        let mut counts = BTreeMap::new();
        for key in rows {
            let count = counts.entry(key).or_insert(0);
            *count = (*count + 1).min(self.rows_max);
        }
        let groups_max = usize::try_from(self.groups_max).unwrap_or(usize::MAX);
        if counts.len() <= groups_max {
            return counts;
        }
        let mut entries: Vec<(K, u64)> = counts.into_iter().collect();
        for position in 0..groups_max {
            let rest = (entries.len() - position) as u64;
            let chosen =
                position + usize::try_from(uniform_u64_below(rest, bits)).expect("an index fits usize");
            entries.swap(position, chosen);
        }
        entries.truncate(groups_max);
        entries.into_iter().collect()
    }

    /// The L1 sensitivity of counts over this many keys.
    pub fn sensitivity_l1(&self, neighbours: Neighbours, keys: u64) -> Result<SensitivityL1, MechanismError> {
        let each = Rational::from(self.rows_max);
        Ok(SensitivityL1::new(each * Rational::from(self.groups_moved(neighbours, keys)))?)
    }

    /// The L2 sensitivity of counts over this many keys.
    pub fn sensitivity_l2(&self, neighbours: Neighbours, keys: u64) -> Result<SensitivityL2, MechanismError> {
        let each = Rational::from(self.rows_max).squared();
        Ok(SensitivityL2::from_squared(each * Rational::from(self.groups_moved(neighbours, keys)))?)
    }

    fn groups_moved(&self, neighbours: Neighbours, keys: u64) -> u64 {
        let groups = match neighbours {
            Neighbours::AddRemove => self.groups_max,
            Neighbours::ReplaceOne => self.groups_max.saturating_mul(2),
        };
        groups.min(keys)
    }
}

/// A δ for each of `groups` independent decisions about one person, so that all together fail with
/// probability at most δ: 1 − (1 − δ)^(1/groups), rounded down, and never below δ/groups, which is smaller by
/// Bernoulli's inequality.
pub(crate) fn delta_per_group_lower(delta: &Delta, groups: u64) -> Result<Rational, MechanismError> {
    // Beyond δ = 1e-60 and 2^64 groups a share has 264 leading zero bits; 512 leave plenty.
    const PRECISION: usize = 512;
    if delta.is_zero() {
        let what = "keys that are not public cannot be released with δ = 0";
        return Err(MechanismError::invalid(
            what,
            "write a small δ such as 1e-9, or declare the keys public",
        ));
    }
    if groups == 1 {
        return Ok(delta.value().clone());
    }
    let survives = Rational::one() - delta.value().clone();
    let root = Enclosure::ln_of(&survives, PRECISION).expect("δ is below one").div_integer(groups).exp();
    let exact = (&Enclosure::integer(1, PRECISION) - &root).lower();
    let simple = delta.value() / &Rational::from(groups);
    Ok(exact.max(simple))
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{assert_distribution, seeded};

    use super::*;

    fn bound(groups_max: u64, rows_max: u64) -> ContributionBound {
        ContributionBound::new(groups_max, rows_max).unwrap()
    }

    /// Every way a person can look: counts from zero to three for each of three keys.
    fn everybody() -> Vec<Vec<char>> {
        let mut people = Vec::new();
        for code in 0..64usize {
            let times = [code % 4, code / 4 % 4, code / 16];
            people.push(['a', 'b', 'c'].iter().zip(times).flat_map(|(key, n)| vec![*key; n]).collect());
        }
        people
    }

    /// Brute force: over all persons, all pairs of persons and ten draws each, bounded vectors stay within the claimed
    /// sensitivities; and some pair attains them, so that they are not too large either.
    #[test]
    fn sensitivities_hold_for_every_pair_of_persons_and_are_attained() {
        let people = everybody();
        for (groups_max, rows_max) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (9, 1)] {
            let bound = bound(groups_max, rows_max);
            let mut bits = seeded(groups_max * 10 + rows_max);
            let mut vectors = vec![[0i64; 3]];
            for person in &people {
                for _ in 0..10 {
                    let counts = bound.bound(person.iter().copied(), &mut bits);
                    vectors.push(['a', 'b', 'c'].map(|key| counts.get(&key).map_or(0, |n| *n as i64)));
                }
            }
            vectors.sort_unstable();
            vectors.dedup();
            for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
                let (mut l1, mut l2) = (0, 0);
                for left in &vectors {
                    for right in &vectors {
                        if neighbours == Neighbours::AddRemove && *right != [0; 3] {
                            continue;
                        }
                        let moved = left.iter().zip(right).map(|(a, b)| (a - b).abs());
                        l1 = l1.max(moved.clone().sum());
                        l2 = l2.max(moved.map(|d| d * d).sum());
                    }
                }
                let claimed = bound.sensitivity_l1(neighbours, 3).unwrap();
                assert_eq!(*claimed.value(), Rational::from(l1), "{bound:?} {neighbours}");
                let claimed = bound.sensitivity_l2(neighbours, 3).unwrap();
                assert_eq!(*claimed.squared(), Rational::from(l2), "{bound:?} {neighbours}");
            }
        }
    }

    /// Specification: a person of three keys who may keep one keeps each with probability one third, however
    /// many rows each key has. False alarm: 1e-9 (χ²).
    #[test]
    fn no_key_is_favoured() {
        let mut bits = seeded(5);
        let person = ['a', 'b', 'b', 'b', 'c', 'c'];
        let kept = (0..60_000).map(|_| {
            let counts = bound(1, 9).bound(person, &mut bits);
            i64::from(*counts.keys().next().unwrap() as u32 - 'a' as u32)
        });
        assert_distribution(kept, |_| 1.0 / 3.0, 0..=2, "kept keys");
    }

    #[test]
    fn shares_of_delta_add_up_to_at_most_delta() {
        for (text, groups) in
            [("1e-6", 1), ("1e-6", 2), ("1e-60", 7), ("0.5", 3), ("0.99", 1000), ("1e-9", 1 << 40)]
        {
            let delta = Delta::parse(text).unwrap();
            let share = delta_per_group_lower(&delta, groups).unwrap();
            let all_survive = Enclosure::ln_of(&(Rational::one() - share.clone()), 600).unwrap();
            let all_survive = all_survive.mul_integer(groups as i64).exp();
            let slack = delta.value() * &Rational::power_of_two(-200);
            assert!(Rational::one() - all_survive.lower() <= delta.value() + &slack, "{text} over {groups}");
            assert!(share >= delta.value() / &Rational::from(groups));
            assert!(
                groups == 1 || share > delta.value() / &Rational::from(groups),
                "the root beats the quotient"
            );
        }
        assert!(delta_per_group_lower(&Delta::zero(), 1).unwrap_err().explanation().text().contains("hint:"));
    }

    #[test]
    fn bounds_of_zero_are_refused() {
        for (groups_max, rows_max) in [(0, 1), (1, 0)] {
            assert!(
                ContributionBound::new(groups_max, rows_max)
                    .unwrap_err()
                    .explanation()
                    .text()
                    .contains("hint:")
            );
        }
    }
}
