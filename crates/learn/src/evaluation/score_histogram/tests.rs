//! Areas and calibration against brute force, and how often intervals hold.

use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::{clopper_pearson_upper, seeded};

use super::*;
use crate::MemoryRows;

/// Scores from 0 to 1, positive with the probability that they say.
fn rows(count: usize, seed: u64) -> MemoryRows {
    let mut words = seeded(seed);
    let mut unit = || (words() >> 11) as f64 / (1u64 << 53) as f64;
    let x: Vec<f64> = (0..count).map(|_| unit()).collect();
    let y: Vec<f64> = x.iter().map(|x| if unit() < *x { 1.0 } else { -1.0 }).collect();
    MemoryRows::new(x, y, 1, 1.0, 1)
}

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

fn histogram(buckets: usize, spend: &Spend) -> ScoreHistogram {
    ScoreHistogram::new((0.0, 1.0), buckets, 1, spend).unwrap()
}

const SCORE: fn(&[f64]) -> f64 = |row| row[0];

/// The area of middles of buckets, pair by pair.
fn true_area(rows: &MemoryRows, buckets: usize) -> f64 {
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    rows.for_each_block(&mut |block| {
        for at in 0..block.len() {
            let bucket = ((block.row(at)[0] * buckets as f64) as usize).min(buckets - 1);
            if block.y[at] > 0.0 { positive.push(bucket) } else { negative.push(bucket) }
        }
    })
    .unwrap();
    let half = |p: &usize, n: &usize| f64::from(u8::from(p > n)) + f64::from(u8::from(p == n)) / 2.0;
    let won: f64 = positive.iter().map(|p| negative.iter().map(|n| half(p, n)).sum::<f64>()).sum();
    won / (positive.len() * negative.len()) as f64
}

/// Specification: next to no noise, and the estimate is the area pair by pair, in a narrow interval.
#[test]
fn the_area_counts_pairs() {
    let rows = rows(400, 1);
    for buckets in [1, 2, 10, 50] {
        let release = histogram(buckets, &pure("1000")).release(&SCORE, &rows, &mut seeded(2)).unwrap();
        let area = release.area(&FailureProbability::parse("0.05").unwrap());
        let truth = true_area(&rows, buckets);
        assert!((area.estimate - truth).abs() < 1e-12, "{area:?} {truth}");
        assert!(area.high - area.low < 0.01 && area.low <= truth && truth <= area.high, "{area:?}");
    }
    let single = histogram(1, &pure("1000")).release(&SCORE, &rows, &mut seeded(2)).unwrap();
    assert_eq!(single.area(&FailureProbability::parse("0.05").unwrap()).ties, 1.0);
}

/// Specification: at least 95 % of intervals hold the area, and of calibrations all buckets at once. False alarm: 1e-9 (Clopper and
/// Pearson, 300 releases each). Power: a tenth of the width is caught for the area, a fifth for the buckets.
#[test]
fn intervals_cover() {
    let beta = FailureProbability::parse("0.05").unwrap();
    let gaussian = Spend::Concentrated(Rho::parse("0.02").unwrap());
    for spend in [pure("0.2"), gaussian] {
        let fine = histogram;
        let histogram = histogram(10, &spend);
        let rows = rows(1500, 3);
        let truth = true_area(&rows, 10);
        let exact = fine(10, &pure("1000")).release(&SCORE, &rows, &mut seeded(1)).unwrap();
        let shares: Vec<f64> = exact.calibration(&beta).iter().map(|each| each.positive.estimate).collect();
        let mut bits = seeded(4);
        let [mut covered, mut narrow, mut reliable, mut too_sure] = [0u64; 4];
        let mut width = 0.0;
        for _ in 0..300 {
            let release = histogram.release(&SCORE, &rows, &mut bits).unwrap();
            let area = release.area(&beta);
            let inside = |estimate: f64, low: f64, high: f64, truth: f64, factor: f64| {
                let end = |end: f64| estimate + (end - estimate) * factor;
                end(low) <= truth && truth <= end(high)
            };
            covered += u64::from(inside(area.estimate, area.low, area.high, truth, 1.0));
            narrow += u64::from(inside(area.estimate, area.low, area.high, truth, 0.1));
            width += (area.high - area.low) / 300.0;
            let all = |factor: f64| {
                let found = release.calibration(&beta);
                found.iter().zip(&shares).all(|(found, share)| {
                    let interval = found.positive;
                    inside(interval.estimate, interval.low, interval.high, *share, factor)
                })
            };
            reliable += u64::from(all(1.0));
            too_sure += u64::from(all(0.2));
        }
        for right in [covered, reliable] {
            assert!(clopper_pearson_upper(right, 300, 1e-9) >= 0.95, "{covered} {reliable}");
        }
        for wrong in [narrow, too_sure] {
            assert!(clopper_pearson_upper(wrong, 300, 1e-9) < 0.95, "{narrow} {too_sure}");
        }
        assert!(width < 0.5, "{width}");
    }
}

/// Specification: where noise hides everything the interval is everything, and nothing fails; scores that are none are counted.
#[test]
fn nothing_is_claimed_where_noise_hides_everything() {
    let beta = FailureProbability::parse("0.05").unwrap();
    let empty = MemoryRows::new(Vec::new(), Vec::new(), 1, 1.0, 1);
    for seed in 0..20 {
        let release = histogram(5, &pure("0.1")).release(&SCORE, &empty, &mut seeded(seed)).unwrap();
        let area = release.area(&beta);
        assert_eq!((area.low, area.high), (0.0, 1.0));
        assert!(release.calibration(&beta).iter().all(|each| each.positive.low == 0.0));
    }
    let rows = MemoryRows::new(vec![0.0; 3], vec![1.0; 3], 1, 1.0, 1);
    for (score, bucket) in
        [(f64::NAN, 0), (f64::NEG_INFINITY, 0), (f64::INFINITY, 4), (-1.0, 0), (1.0, 4), (0.3, 1)]
    {
        let release = histogram(5, &pure("1000")).release(&|_| score, &rows, &mut seeded(1)).unwrap();
        let mut expected = [0; 5];
        expected[bucket] = 3;
        assert_eq!(release.positives(), expected);
        assert_eq!(release.negatives(), [0; 5]);
    }
    for range in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(ScoreHistogram::new(range, 5, 1, &pure("1")).is_err());
    }
    assert!(ScoreHistogram::new((0.0, 1.0), 0, 1, &pure("1")).is_err());
}
