//! Which groups are shown, and in what order: an answer before any number is.

use std::collections::BTreeMap;

use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::EarnedKeys;
use pointillist_mechanisms::PartitionSelection;
use pointillist_mechanisms::StabilityHistogram;

use super::{CONSTANT, Planted, delta, epsilon, noise_for, pure, rho};
use crate::{Observation, Trial};

/// True counts by key.
type Counts = BTreeMap<&'static str, i128>;

pub(super) fn planted() -> Vec<Planted> {
    vec![
        Planted::new("Groups without people are shown as exactly zero.", {
            let noise = noise_for(1);
            histogram("histogram with exact zeros", move |counts, bits| {
                let shown = |count: i128| if count == 0 { 0 } else { noise.release(count, bits) };
                numbers(counts.iter().map(|(key, count)| (*key, *count)), shown)
            })
            .pair("a first person", of([("a", 9), ("b", 0)]), of([("a", 9), ("b", 1)]))
        }),
        Planted::new("A group is listed when somebody is in it.", {
            let noise = noise_for(1);
            histogram("histogram over the keys that occur", move |counts, bits| {
                numbers(occurring(counts), |count| noise.release(count, bits))
            })
            .pair("a first person", of([("a", 9)]), of([("a", 9), ("b", 1)]))
        }),
        Planted::new("Groups of five or fewer are left out by their true counts, before the noise.", {
            let noise = noise_for(1);
            histogram("histogram with a condition below the noise", move |counts, bits| {
                numbers(occurring(counts).filter(|(_, count)| *count > 5), |count| noise.release(count, bits))
            })
            .pair("a sixth person", of([("a", 9), ("b", 5)]), of([("a", 9), ("b", 6)]))
        }),
        Planted::new("Groups are sorted by their true counts, and only then get noise.", {
            let noise = noise_for(1);
            histogram("histogram in the true order", move |counts, bits| {
                let mut order: Vec<(&str, i128)> = occurring(counts).collect();
                order.sort_by_key(|(_, count)| -count);
                let seen = Observation::list(order.iter().map(|(key, _)| *key));
                seen.with("first", noise.release(order[0].1, bits))
            })
            .pair("the second overtakes", of([("a", 9), ("b", 9)]), of([("a", 9), ("b", 10)]))
        }),
        Planted::new("The threshold was rounded down.", threshold_rounded_down()).after(20_000),
        Planted::new(
            "Threshold and noise are those of one key a person, and people have four.",
            for_one_key(),
        )
        .after(20_000),
        Planted::new(
            "Each of a person's four keys is chosen at the whole ε and δ.",
            chosen_at_the_whole_price(),
        ),
        Planted::new("The threshold on noisy numbers of people was set two too low.", earned_too_early())
            .after(20_000),
    ]
}

fn of<const N: usize>(counts: [(&'static str, i128); N]) -> Counts {
    BTreeMap::from(counts)
}

fn occurring(counts: &Counts) -> impl Iterator<Item = (&'static str, i128)> {
    counts.iter().map(|(key, count)| (*key, *count)).filter(|(_, count)| *count > 0)
}

fn numbers(
    counts: impl Iterator<Item = (&'static str, i128)>,
    mut shown: impl FnMut(i128) -> i128,
) -> Observation {
    counts.fold(Observation::new(), |seen, (key, count)| seen.with(key, shown(count)))
}

fn histogram(
    name: &str,
    release: impl Fn(&Counts, &mut dyn pointillist_noise::SecureBits) -> Observation + Send + 'static,
) -> Trial<Counts> {
    Trial::new(name, pure("1"), release)
}

/// At this δ the threshold is five, and nearly as tight as it can be: four shows a lone key 2.7 times as
/// often.
fn threshold_rounded_down() -> Trial<Counts> {
    let mechanism = StabilityHistogram::new(&ContributionBound::one_row(), &epsilon("1"), &delta("0.0135"));
    let mechanism = mechanism.expect(CONSTANT);
    Trial::new("histogram with a threshold rounded down", mechanism.loss(), move |counts: &Counts, bits| {
        let noisy = occurring(counts).map(|(key, count)| (key, mechanism.noise().release(count, bits)));
        numbers(noisy.filter(|(_, count)| *count >= mechanism.threshold() - 1), |count| count)
    })
    .pair("a key that nobody else has", of([]), of([("a", 1)]))
}

fn for_one_key() -> Trial<Counts> {
    let mechanism = StabilityHistogram::new(&ContributionBound::one_row(), &epsilon("1"), &delta("0.02"));
    let mechanism = mechanism.expect(CONSTANT);
    Trial::new("histogram with a threshold for one key", mechanism.loss(), move |counts: &Counts, bits| {
        numbers(mechanism.release_bounded(counts.clone(), bits).into_iter(), |count| count)
    })
    .pair("four keys that nobody else has", of([]), of([("a", 1), ("b", 1), ("c", 1), ("d", 1)]))
}

fn chosen_at_the_whole_price() -> Trial<BTreeMap<&'static str, u64>> {
    let mechanism = PartitionSelection::new(1, &epsilon("1"), &delta("0.02")).expect(CONSTANT);
    let name = "partition selection at the whole price for each key";
    Trial::new(name, mechanism.loss(), move |holders: &BTreeMap<&'static str, u64>, bits| {
        let kept = mechanism.release_bounded(holders.clone(), bits);
        kept.into_iter().fold(Observation::new(), |seen, key| seen.with(key, "kept"))
    })
    .pair(
        "four keys that nobody else has",
        BTreeMap::new(),
        ["a", "b", "c", "d"].map(|key| (key, 1)).into(),
    )
}

fn earned_too_early() -> Trial<Counts> {
    let mechanism = EarnedKeys::new(1, &rho("0.5"), &delta("0.02")).expect(CONSTANT);
    Trial::new("earned keys with a threshold too low", mechanism.loss(), move |counts: &Counts, bits| {
        let noisy = occurring(counts).map(|(key, count)| (key, mechanism.noise().release(count, bits)));
        numbers(noisy.filter(|(_, count)| *count >= mechanism.threshold() - 2), |count| count)
    })
    .pair("a key that nobody else has", of([]), of([("a", 1)]))
}
