use pointillist_errors::Explained as _;
use pointillist_testkit::{hockey_stick, hoeffding_radius, seeded};

use super::*;
use crate::keys::stability_histogram::StabilityHistogram;

fn selection(groups_max: u64, epsilon: &str, delta: &str) -> PartitionSelection {
    PartitionSelection::new(groups_max, &Epsilon::parse(epsilon).unwrap(), &Delta::parse(delta).unwrap())
        .unwrap()
}

fn near(selection: &PartitionSelection, people: u64) -> f64 {
    selection.keep_probability(people, 200).upper().to_f64_upper()
}

/// Reference: at ε = 1 and δ = 1e-5 half of the keys of 12 people are kept, and all of 23 and more.
#[test]
fn the_published_turning_points_are_met() {
    let selection = selection(1, "1", "1e-5");
    let half = Rational::ratio(1, 2);
    assert!(selection.keep_probability(11, 100).upper() < half);
    assert!(selection.keep_probability(12, 100).lower() >= half);
    assert!(selection.keep_probability(22, 100).upper() < Rational::one());
    assert_eq!(selection.keep_probability(23, 100), Enclosure::integer(1, 100));
    assert_eq!((selection.turn, selection.certain), (11, 23));
    assert_eq!(selection.keep_probability(0, 100), Enclosure::integer(0, 100));
    assert_eq!(near(&selection, 1), 1e-5f64.next_up().next_down());
}

/// Specification: the closed form is the recursion, for all n up to certainty, computed between certified
/// bounds by two different routes; and both privacy inequalities hold at every n, one of them with equality.
#[test]
fn the_closed_form_is_the_recursion_and_private_both_ways() {
    const PRECISION: usize = 700;
    for (epsilon, delta) in
        [("1", "1e-5"), ("0.3", "1e-9"), ("2", "0.1"), ("0.05", "1e-6"), ("7", "1e-30"), ("1", "0.9")]
    {
        let selection = selection(1, epsilon, delta);
        let exact = Rational::parse(epsilon).unwrap();
        let growth = Enclosure::of(&exact, PRECISION).exp();
        let decay = Enclosure::exp_of_minus(&exact, PRECISION);
        let delta = Enclosure::of(&Rational::parse(delta).unwrap(), PRECISION);
        let one = Enclosure::integer(1, PRECISION);
        let mut before = Enclosure::integer(0, PRECISION);
        for people in 1..=u64::try_from(selection.certain).unwrap() + 2 {
            let first = &(&growth * &before) + &delta;
            let second = &one - &(&decay * &(&(&one - &before) - &delta));
            let least =
                |pick: fn(&Enclosure) -> Rational| pick(&first).min(pick(&second)).min(Rational::one());
            let (lower, upper) = (least(Enclosure::lower), least(Enclosure::upper));
            let closed = selection.keep_probability(people, PRECISION);
            let context = format!("ε = {epsilon}, n = {people}");
            assert!(closed.lower() <= upper && lower <= closed.upper(), "{context}");
            assert!(closed.upper() - closed.lower() < Rational::power_of_two(-600), "{context}");
            before = closed;
        }
    }
}

/// Specification: a finer answer lies inside a coarser one, so that refinement never changes its mind.
#[test]
fn finer_bounds_lie_inside_coarser_ones() {
    for (groups, epsilon, delta) in
        [(1, "1", "1e-5"), (7, "0.01", "1e-12"), (1, "1000000", "1e-60"), (3, "1e-9", "1e-9")]
    {
        let selection = selection(groups, epsilon, delta);
        for people in [1, 2, 3, 10, 1000, 100_000_000_000, u64::MAX] {
            let coarse = selection.keep_probability(people, 64);
            let fine = selection.keep_probability(people, 256);
            assert!(coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper());
            assert!(
                fine.upper() - fine.lower() <= Rational::power_of_two(-250),
                "ε = {epsilon}, n = {people}"
            );
        }
    }
}

/// Exact: a person of two keys, joint laws of both choices, both directions; the planted leak, the full ε and
/// δ for each of two keys, exceeds δ.
#[test]
fn a_person_of_two_keys_is_epsilon_delta_hidden() {
    let (epsilon, delta) = (1.0f64, 1e-3f64);
    let [right, wrong] = [2, 1].map(|groups| {
        let selection = selection(groups, "1", "1e-3");
        (0..=40).map(|people| near(&selection, people)).collect::<Vec<f64>>()
    });
    let joint = |kept: &[f64], counts: [usize; 2]| -> Vec<f64> {
        let [p, q] = counts.map(|people| kept[people]);
        vec![p * q, p * (1.0 - q), (1.0 - p) * q, (1.0 - p) * (1.0 - q)]
    };
    let divergence = |kept: &[f64], counts: [usize; 2]| {
        let (here, there) = (joint(kept, counts), joint(kept, counts.map(|people| people + 1)));
        hockey_stick(&here, &there, epsilon).max(hockey_stick(&there, &here, epsilon))
    };
    let mut worst = 0.0f64;
    for first in 0..40 {
        for second in 0..40 {
            worst = worst.max(divergence(&right, [first, second]));
        }
    }
    assert!(worst <= delta * (1.0 + 1e-9), "{worst}");
    assert!(worst >= delta * 0.99, "two new keys use up nearly all of δ: {worst}");
    assert!(divergence(&wrong, [0, 0]) > delta * 1.5);
}

/// Specification: nothing that adds noise and a threshold at the same price keeps more keys.
#[test]
fn no_threshold_keeps_more() {
    for (groups, epsilon, delta) in [(1, "1", "1e-5"), (1, "0.2", "1e-8"), (4, "1", "1e-6"), (1, "5", "1e-3")]
    {
        let optimal = selection(groups, epsilon, delta);
        let bound = ContributionBound::new(groups, 1).unwrap();
        let (e, d) = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
        let threshold = StabilityHistogram::new(&bound, &e, &d).unwrap().threshold() as i64;
        let ratio = (-e.to_f64_upper() / groups as f64).exp();
        let kept = |people: i64| match threshold - people {
            t if t >= 0 => ratio.powi(t as i32) / (1.0 + ratio),
            t => 1.0 - ratio.powi(1 - t as i32) / (1.0 + ratio),
        };
        let mut gain = 0.0f64;
        for people in 1..2 * threshold {
            let optimal = near(&optimal, people as u64);
            assert!(optimal >= kept(people) * (1.0 - 1e-9), "{people}: {optimal} against {}", kept(people));
            gain = gain.max(optimal - kept(people));
        }
        assert!(gain > 0.05, "and somewhere it keeps clearly more: {gain}");
    }
}

/// Specification: keys are kept with probability π(n), whether asked one by one or together.
/// False alarm: 1e-9 a count and route (Hoeffding).
#[test]
fn keys_are_kept_at_the_right_rate() {
    let selection = selection(1, "1", "1e-2");
    let mut bits = seeded(1);
    let runs = 20_000;
    for people in [1, 3, 5, 6, 9] {
        let expected = near(&selection, people);
        let single = (0..runs / 10).filter(|_| selection.keeps(people, &mut bits)).count();
        let holders: BTreeMap<u64, u64> = (0..runs).map(|key| (key, people)).collect();
        let together = selection.release_bounded(holders, &mut bits).len();
        for (kept, runs) in [(single, runs / 10), (together, runs)] {
            let frequency = kept as f64 / runs as f64;
            assert!((frequency - expected).abs() <= hoeffding_radius(runs, 1e-9), "{people}: {frequency}");
        }
    }
}

#[test]
fn kept_keys_are_sorted_and_people_are_bounded() {
    let selection = selection(2, "1", "1e-6");
    let mut bits = seeded(2);
    let people = (0..500).map(|k| if k % 2 == 0 { vec!["z", "a", "z"] } else { vec!["m"] });
    assert_eq!(selection.release(people, &mut bits), ["a", "m", "z"]);
    // Everybody holds all hundred keys but counts for two of them: 500 people make ten holders a key, not 500.
    let greedy = (0..500).map(|_| 0..100);
    assert!(selection.release(greedy, &mut bits).len() < 100);
    assert!(selection.release(Vec::<[&str; 0]>::new(), &mut bits).is_empty());
}

#[test]
fn the_people_needed_are_the_least_that_suffice() {
    let selection = selection(1, "1", "1e-5");
    for (beta, people) in [("0.5", 12), ("0.05", 14), ("1e-60", 23)] {
        let needed = selection.people_needed(&FailureProbability::parse(beta).unwrap());
        assert_eq!(needed, people);
        let allowed = FailureProbability::parse(beta).unwrap().to_f64_upper();
        assert!(1.0 - near(&selection, needed as u64) <= allowed);
        assert!(1.0 - near(&selection, needed as u64 - 1) > allowed);
    }
}

#[test]
fn extreme_parameters_work_and_zero_delta_is_refused() {
    let needed =
        |selection: &PartitionSelection| selection.people_needed(&FailureProbability::parse("0.5").unwrap());
    assert_eq!(needed(&selection(1, "1000000", "1e-60")), 2);
    assert!(needed(&selection(1, "1e-15", "1e-60")) > 1 << 50);
    let error = PartitionSelection::new(1, &Epsilon::parse("1").unwrap(), &Delta::zero()).unwrap_err();
    assert!(error.explanation().text().contains("hint:"));
    assert!(
        PartitionSelection::new(0, &Epsilon::parse("1").unwrap(), &Delta::parse("1e-6").unwrap()).is_err()
    );
    let loss = selection(3, "1", "1e-6").loss();
    assert_eq!(loss, Loss::approximate(Epsilon::parse("1").unwrap(), Delta::parse("1e-6").unwrap()));
}
