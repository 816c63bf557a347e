//! People who count for more than was thought: bounds on contributions that are missing, too late or too
//! early.

use std::collections::{BTreeMap, BTreeSet};

use pointillist_mechanisms::Grid;
use pointillist_mechanisms::Mean;

use super::{CONSTANT, Planted, number, price, pure, table};
use crate::{Observation, Trial};

/// Keys of a public list.
const KEYS: [&str; 3] = ["a", "b", "c"];

/// One list of groups a person.
type People = Vec<Vec<&'static str>>;

pub(super) fn planted() -> Vec<Planted> {
    let mut all = bounded_too_loosely();
    all.extend(bounded_at_the_wrong_place());
    all
}

/// More of a person is counted than the noise was made for.
fn bounded_too_loosely() -> Vec<Planted> {
    vec![
        Planted::new(
            "Somebody with five rows is counted five times, with the noise of one row.",
            number("count with noise for one row", 1, |rows: &Vec<i128>| rows.iter().sum()).pair(
                "somebody with five rows",
                vec![1, 1],
                vec![1, 1, 5],
            ),
        ),
        Planted::new(
            "At most two rows a person were announced, and the third is counted too.",
            number("count with one row too many", 2, |rows: &Vec<i128>| {
                rows.iter().map(|rows| rows.min(&3)).sum()
            })
            .pair("somebody with nine rows", vec![1, 1], vec![1, 1, 9]),
        )
        .after(20_000),
        Planted::new(
            "Everybody counts in every group they are in, with the noise of one group.",
            table("histogram with noise for one group", 1, |people: &People| groups(people, usize::MAX))
                .pair("somebody in three groups", vec![vec!["a"]], vec![vec!["a"], KEYS.to_vec()]),
        ),
        Planted::new(
            "Groups are cut off after the second, where the first was announced as the last.",
            table("histogram with one group too many", 1, |people: &People| groups(people, 2)).pair(
                "somebody in three groups",
                vec![vec!["a"]],
                vec![vec!["a"], KEYS.to_vec()],
            ),
        ),
        Planted::new(
            "Each row is clamped, but not what all rows of one person add up to.",
            number("sum without a bound on rows", 5, |people: &Vec<Vec<i128>>| {
                people.iter().flatten().map(|row| row.clamp(&0, &5)).sum()
            })
            .pair("somebody with ten rows", vec![vec![3]], vec![vec![3], vec![5; 10]]),
        ),
        Planted::new("A person with many rows weighs as much as all of them.", unthinned()),
        Planted::new(
            "Rows are bounded in each file by itself, and one person is in all three.",
            number("count bounded file by file", 1, |files: &Vec<Vec<&'static str>>| {
                files.iter().map(|file| file.iter().collect::<BTreeSet<_>>().len() as i128).sum()
            })
            .pair("somebody in three files", vec![vec!["x"]; 3], vec![vec!["x", "y", "y"]; 3]),
        ),
    ]
}

/// Somebody changes what others count for, or what was bounded grows afterwards.
fn bounded_at_the_wrong_place() -> Vec<Planted> {
    vec![
        Planted::new(
            "The first three rows count, whoever owns them: somebody in front pushes others out.",
            number("sum of the first rows of all", 10, |rows: &Vec<i128>| rows.iter().take(3).sum()).pair(
                "somebody with three rows in front",
                vec![10; 3],
                vec![0, 0, 0, 10, 10, 10],
            ),
        ),
        Planted::new(
            "Everybody keeps the group that most are in, so one newcomer moves all who were undecided.",
            table("histogram of everybody's most popular group", 1, popular).pair(
                "a newcomer tips a tie",
                vec![vec!["a", "b"]; 6],
                [vec![vec!["a", "b"]; 6], vec![vec!["b"]]].concat(),
            ),
        ),
        Planted::new(
            "People of one name are taken for one person, so a newcomer changes what a namesake counts for.",
            table("histogram of merged people", 1, merged).pair(
                "a namesake joins",
                vec![("Kim", "b")],
                vec![("Kim", "b"), ("Kim", "a")],
            ),
        ),
        Planted::new(
            "Rows without an owner go to whoever comes first, so a newcomer takes them from somebody.",
            number("sum with rows of nobody", 5, owned).pair(
                "a newcomer comes first",
                vec![(Some(1), -10), (None, 100)],
                vec![(Some(2), -1000), (Some(1), -10), (None, 100)],
            ),
        ),
        Planted::new(
            "Rows were bounded before a join made ten of each.",
            number("count bounded before a join", 1, |rows: &Vec<i128>| {
                rows.iter().map(|rows| 10 * rows.min(&1)).sum()
            })
            .pair("one more", vec![1, 1], vec![1, 1, 1]),
        ),
        Planted::new(
            "One row a group was kept, and then three groups were made one.",
            number("count bounded before groups were merged", 1, |people: &People| {
                people.iter().map(|groups| groups.iter().collect::<BTreeSet<_>>().len() as i128).sum()
            })
            .pair("somebody in three groups", vec![vec!["a"]], vec![vec!["a"], KEYS.to_vec()]),
        ),
        Planted::new(
            "Different values are counted, and one person alone has five of them.",
            number("count of different values", 1, |people: &People| {
                people.iter().flatten().collect::<BTreeSet<_>>().len() as i128
            })
            .pair(
                "somebody with four new values",
                vec![vec!["v"]],
                vec![vec!["v"], vec!["w", "x", "y", "z"]],
            ),
        ),
        Planted::new(
            "Pairs of neighbours are counted, and one person is in as many of them as there are others.",
            number("count of pairs", 1, |people: &i128| people * (people - 1) / 2).pair(
                "a ninth person",
                8,
                9,
            ),
        ),
        Planted::new(
            "The noise was made for a person who leaves, and people are replaced.",
            table("histogram of replaced people", 1, |people: &People| groups(people, 1)).pair(
                "somebody moves to another group",
                vec![vec!["a"]],
                vec![vec!["b"]],
            ),
        ),
    ]
}

/// How many people are in each group, of the first groups of each.
fn groups(people: &People, groups_max: usize) -> Vec<(&'static str, i128)> {
    let kept: Vec<&str> = people.iter().flat_map(|groups| groups.iter().take(groups_max)).copied().collect();
    KEYS.map(|key| (key, kept.iter().filter(|kept| **kept == key).count() as i128)).to_vec()
}

fn popular(people: &People) -> Vec<(&'static str, i128)> {
    let everywhere: BTreeMap<&str, i128> = groups(people, usize::MAX).into_iter().collect();
    let favourite = |groups: &Vec<&'static str>| {
        groups.iter().copied().min_by_key(|group| (-everywhere[group], *group)).into_iter().collect()
    };
    groups(&people.iter().map(favourite).collect(), 1)
}

/// One group a name: the first.
fn merged(people: &Vec<(&'static str, &'static str)>) -> Vec<(&'static str, i128)> {
    let mut kept: BTreeMap<&str, &'static str> = BTreeMap::new();
    for (name, group) in people {
        kept.entry(name).and_modify(|kept| *kept = group.min(kept)).or_insert(group);
    }
    groups(&kept.into_values().map(|group| vec![group]).collect(), 1)
}

/// Each person's total between −2 and 5, after rows of nobody went to the first.
fn owned(rows: &Vec<(Option<u8>, i128)>) -> i128 {
    let first = rows.iter().find_map(|(owner, _)| *owner);
    let mut totals: BTreeMap<u8, i128> = BTreeMap::new();
    for (owner, value) in rows {
        if let Some(owner) = owner.or(first) {
            *totals.entry(owner).or_default() += value;
        }
    }
    totals.values().map(|total| total.clamp(&-2, &5)).sum()
}

fn unthinned() -> Trial<Vec<Vec<i128>>> {
    let mechanism = Mean::new(&Grid::integers(0, 10).expect(CONSTANT), 2, &price("1")).expect(CONSTANT);
    Trial::new("mean without a bound on rows", pure("1"), move |people: &Vec<Vec<i128>>, bits| {
        let rows = || people.iter().flatten();
        let sum = rows().map(|row| 2 * row.clamp(&0, &10) - 10).sum();
        let released = mechanism.release_bounded(sum, rows().count() as i128, bits);
        Observation::new().with("sum", released.centred_sum).with("count", released.count)
    })
    .pair("somebody with twenty rows", vec![vec![5]; 3], vec![vec![5], vec![5], vec![5], vec![10; 20]])
}
