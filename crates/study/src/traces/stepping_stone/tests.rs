use std::hash::{BuildHasherDefault, DefaultHasher};

use pointillist_testkit::seeded;

use super::*;
use crate::traces::trace::Keystroke;

fn choice() -> Choice<BuildHasherDefault<DefaultHasher>> {
    Choice::of_key(BuildHasherDefault::default())
}

/// Packets of conversations of one host each, in steps of a tenth of a second.
fn keystrokes(rows: &[(u64, u64)]) -> Keystrokes {
    let mut keystrokes = Keystrokes::default();
    // Names in a fixed order, so that numbers agree between neighbours.
    for host in 0..40 {
        keystrokes.hosts.number(&format!("h{host}"));
    }
    keystrokes.rows = rows
        .iter()
        .map(|(flow, step)| Keystroke { host: *flow as u32, flow: *flow, time_us: step * 100_000 })
        .collect();
    keystrokes
}

fn counts(rows: &[(u64, u64)], kept_max: u32) -> BTreeMap<(Conversation, Conversation), i128> {
    let keystrokes = keystrokes(rows);
    pair_counts(&keystrokes, &awakenings(&keystrokes), kept_max, &choice())
}

/// (L1, the square of L2, the largest move of one pair, pairs that only one side has).
fn moved(rows: &[(u64, u64)], fewer: &[(u64, u64)], kept_max: u32) -> (i128, i128, i128, usize) {
    let (with, without) = (counts(rows, kept_max), counts(fewer, kept_max));
    let pairs: BTreeSet<_> = with.keys().chain(without.keys()).collect();
    let mut found = (0, 0, 0, 0);
    for pair in pairs {
        let of = |counts: &BTreeMap<_, i128>| counts.get(pair).copied();
        let change = (of(&with).unwrap_or_default() - of(&without).unwrap_or_default()).abs();
        found = (
            found.0 + change,
            found.1 + change * change,
            found.2.max(change),
            found.3 + usize::from(of(&with).is_some() != of(&without).is_some()),
        );
    }
    found
}

/// Traces in which some of ten conversations wake up in one bucket and some of ten others a moment later, and one more has packets around
/// both: awake at the first, and without its first packet only at the second.
fn traces() -> impl Iterator<Item = Vec<(u64, u64)>> {
    (0..600_u64).map(|number| {
        let chosen = |flow: u64| (number >> (flow % 9)) & 1 == 0;
        let first = (0..10).filter(|flow| chosen(*flow)).map(|flow| (flow, 10 + (number + flow) % 2));
        let second = (10..20).filter(|flow| chosen(flow + number % 3)).map(|flow| (flow, 14 + flow % 2));
        let x = 20 + number % 20;
        let own = [(x, 10 + number % 2), (x, 13 + number % 2), (x, 16 + number % 3), (x, 30)];
        first.chain(second).chain(own).collect()
    })
}

/// Specification: over thousands of pairs of neighbours one packet moves pairs by at most 4(m − 1) in L1 and each by one at most, and
/// both bounds are reached for every m.
#[test]
fn no_packet_moves_pairs_by_more_than_is_claimed_and_some_by_as_much() {
    for kept_max in [2, 3, 4] {
        let mut most = (0, 0, 0);
        for rows in traces() {
            for place in 0..rows.len() {
                let mut fewer = rows.clone();
                fewer.remove(place);
                let (l1, squared, each, one_sided) = moved(&rows, &fewer, kept_max);
                most = (most.0.max(l1), most.1.max(squared), most.2.max(each));
                assert!(one_sided as u64 <= pairs_squared_upper(kept_max));
            }
        }
        let claimed = i128::from(pairs_squared_upper(kept_max));
        assert_eq!(most, (claimed, claimed, 1), "m = {kept_max}");
    }
}

/// Specification: bounds that forget something are caught: that x may be pushed elsewhere by losing a packet (half of the bound), the pairs
/// of whoever takes its place, and buckets that keep everybody.
#[test]
fn planted_wrong_bounds_are_caught() {
    let kept_max = 3;
    let largest = |kept_max: u32| {
        traces()
            .flat_map(|rows| {
                (0..rows.len())
                    .map(|place| {
                        let mut fewer = rows.clone();
                        fewer.remove(place);
                        moved(&rows, &fewer, kept_max).1
                    })
                    .collect::<Vec<_>>()
            })
            .max()
            .unwrap()
    };
    let one_bucket = 2 * (i128::from(kept_max) - 1);
    assert!(largest(kept_max) > one_bucket, "two buckets change");
    assert!(largest(u32::MAX) > 4 * (i128::from(kept_max) - 1), "without m a packet meets everybody");
}

/// Specification: awakenings of all conversations together move by one at most.
#[test]
fn a_packet_moves_awakenings_by_one_at_most() {
    let count = |rows: &[(u64, u64)]| -> i128 {
        awakenings(&keystrokes(rows)).values().map(|times| times.len() as i128).sum()
    };
    let mut most = 0;
    for rows in traces() {
        for place in 0..rows.len() {
            let mut fewer = rows.clone();
            fewer.remove(place);
            most = most.max((count(&rows) - count(&fewer)).abs());
        }
    }
    assert_eq!(most, 1);
}

#[test]
fn a_normal_quantile_is_one() {
    // Φ⁻¹(1 − 0.025) and Φ⁻¹(1 − 10⁻⁶), from tables.
    assert!((normal_quantile(0.025) - 1.959_964).abs() < 1e-4);
    assert!((normal_quantile(1e-6) - 4.753_424).abs() < 1e-5);
}

/// Specification: a pair that wakes up together 200 times is found at ρ = 0.1, with private names, and nothing else is. The
/// generator's start is fixed; 200 is more than ten deviations above the threshold.
#[test]
fn a_planted_stone_is_found() {
    let mut rows = Vec::new();
    for time in 0..200 {
        rows.extend([(0, time * 50), (1, time * 50), (2 + time % 10, time * 50 + 20)]);
    }
    let search = SteppingStones::new(6, &Rho::parse("0.1").unwrap(), &Delta::parse("1e-6").unwrap()).unwrap();
    let released = search.release(&keystrokes(&rows), NamesAre::Private, &choice(), &mut seeded(3));
    let found = search.stones(&released, search.threshold() as f64);
    assert_eq!(found, [((0, 0), (1, 1))]);
    assert!(signal_at_host_level(&Rho::parse("0.0244").unwrap()) < 0.23);
}
