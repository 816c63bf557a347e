//! Reference values, brute force, and the exact law of releases on every pair of small neighbours.

use pointillist_errors::Explained as _;
use std::collections::BTreeMap;

use pointillist_testkit::{all_datasets, assert_distribution, max_log_ratio, neighbours_replace_one, seeded};

use super::*;
use crate::local_sensitivity::median_sensitivity::tests::datasets;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

/// Reference values `smooth-median-*`, in whole units of each case's grid: values, upper end, β, smooth
/// sensitivity in units of the case, units per grid step, and the distance at which it is attained.
#[test]
fn smooth_sensitivities_match_the_reference() {
    let even_spread: Vec<i64> = (1..100).collect();
    let clustered: Vec<i64> = (0..101).map(|i| 300 + 4 * i).collect();
    type Case = (Vec<i64>, i64, &'static str, &'static str, i64, u64);
    let cases: Vec<Case> = vec![
        (vec![1, 2, 3, 4, 5], 6, "0.5", "1.21306131942526684720759906998", 1, 1),
        (vec![0, 0, 3, 6, 6], 6, "0.1", "5.42902450821575743898549435668", 1, 1),
        (vec![2, 2, 2, 2, 2], 5, "1", "0.406005849709838075681998484917", 1, 2),
        (vec![3], 5, "0.5", "3.03265329856316711801899767496", 1, 1),
        (vec![0, 1, 5], 5, "0.25", "4.0", 1, 0),
        (vec![1, 1, 2, 4, 4], 5, "1e-6", "4.99997500006249989583346354154", 1, 5),
        (vec![2, 3, 3, 4], 6, "0.3", "2.22245466204515359820062133795", 1, 1),
        (vec![2, 4, 5, 10, 15, 16, 18], 20, "0.2", "0.40936537653899092933496775431", 20, 1),
        (vec![20, 23, 24, 25, 26, 110, 160, 182, 198], 200, "0.05", "74.0208859725549714216969037507", 2, 3),
        (even_spread, 100, "0.1", "4.06569659740599111883454239646", 1, 9),
        (clustered, 1_000_000_000, "0.15", "553.08409360564850918520853753", 1000, 50),
        // Written as 6.77…e-244 of a unit that is 1e-300.
        (vec![1; 51], 2, "50", "6.7743499119143471010391461661e-244", 2, 25),
    ];
    for (values, upper, beta, expected, units, distance) in cases {
        let floor = Rational::power_of_two(-2000);
        let smoothing = Smoothing::new(&rational(beta), &floor, &Rational::from(upper)).unwrap();
        let data = MedianData::new(&values, 0, upper).unwrap();
        let (got, at) = smooth_sensitivity(&smoothing, &data);
        let unit = if beta == "50" { rational("1e-300") } else { Rational::one() };
        let expected = rational(expected) * Rational::from(units) * unit;
        // The reference has 30 digits, rounded to nearest.
        assert!(*got.value_upper() >= &expected * &(Rational::one() - rational("1e-28")), "{values:?}");
        assert!(*got.value_upper() <= &expected * &(Rational::one() + rational("1e-12")), "{values:?}");
        assert_eq!(at, distance, "{values:?}");
    }
}

/// Divide and conquer against the plain maximum over distances, on random data with ties and gaps.
#[test]
fn divide_and_conquer_finds_the_maximum_over_all_distances() {
    let mut words = seeded(1);
    for round in 0..60u64 {
        let n = 1 + words() % 40;
        let spread = [3, 50, 5000][(round % 3) as usize];
        let values: Vec<i64> = (0..n).map(|_| (words() % spread) as i64 + 1000).collect();
        let data = MedianData::new(&values, 0, 10_000).unwrap();
        for beta in ["0.003", "0.1", "0.7", "4"] {
            let smoothing =
                Smoothing::new(&rational(beta), &rational("1e-6"), &Rational::from(10_000)).unwrap();
            let (fast, at) = smooth_sensitivity(&smoothing, &data);
            let plain = smoothing.of(|k| Rational::from(data.local_sensitivity_at(k)));
            let slack = Rational::one() + Rational::power_of_two(-40);
            let (fast, plain) = (fast.value_upper(), plain.value_upper());
            assert!(*fast <= plain * &slack && *plain <= fast * &slack, "round {round}, β = {beta}");
            let weight = (-rational(beta).to_f64_upper() * at as f64).exp();
            let attained = (data.local_sensitivity_at(at) as f64 * weight).max(1e-6);
            assert!(
                (attained / plain.to_f64_upper() - 1.0).abs() < 1e-9,
                "round {round}, β = {beta}, k = {at}"
            );
        }
    }
}

/// Every pair of small neighbours: the smooth sensitivity is at least the distance of the medians, and moves
/// by at most e^(β+η). The raw local sensitivity moves from zero to the whole range.
#[test]
fn the_smooth_sensitivity_of_all_small_data_is_smooth() {
    for (n, top) in [(1, 5), (3, 4), (4, 3), (5, 3)] {
        let alphabet: Vec<i64> = (0..=top).collect();
        let smoothing = Smoothing::new(&rational("0.4"), &rational("1e-3"), &Rational::from(top)).unwrap();
        let factor = Enclosure::of(&smoothing.beta_upper(), 200).exp().upper();
        let of = |rows: &[i64]| MedianData::new(rows, 0, top).unwrap();
        let smooth = |rows: &[i64]| smooth_sensitivity(&smoothing, &of(rows)).0.value_upper().clone();
        for x in datasets(n, top) {
            let here = smooth(&x);
            for y in neighbours_replace_one(&x, &alphabet) {
                assert!(here <= smooth(&y) * factor.clone(), "{x:?} {y:?}");
                assert!(here >= Rational::from(of(&x).median().abs_diff(of(&y).median())), "{x:?} {y:?}");
            }
        }
    }
}

/// The law of a release with t₃ noise of this scale around this median, on every integer of 0 ..= top.
fn law(median: i64, scale: f64, top: i64) -> Vec<f64> {
    // Below zero, with z = tan-like u: the cancelling part of the distribution function is avoided by
    // symmetry.
    let cdf = |x: f64| {
        let u = x / scale / 3f64.sqrt();
        if u < 0.0 {
            // atan u + π/2 = atan(−1/u) for u < 0.
            ((-1.0 / u).atan() + u / (1.0 + u * u)) / std::f64::consts::PI
        } else {
            0.5 + (u / (1.0 + u * u) + u.atan()) / std::f64::consts::PI
        }
    };
    let mass = |from: f64, to: f64| {
        if from > 0.0 { cdf(-from) - cdf(-to) } else { cdf(to) - cdf(from) }
    };
    (0..=top)
        .map(|k| {
            let centre = (k - median) as f64;
            let from = if k == 0 { f64::NEG_INFINITY } else { centre - 0.5 };
            let to = if k == top { f64::INFINITY } else { centre + 0.5 };
            match (from.is_finite(), to.is_finite()) {
                (true, true) => mass(from, to),
                (false, _) => cdf(to),
                (true, false) => cdf(-from),
            }
        })
        .collect()
}

/// The largest log-ratio of the laws of releases over all neighbours among data of seven values on a coarse
/// alphabet, with noise of the scale that `scale_of` picks.
fn worst_log_ratio(top: i64, scale_of: impl Fn(&MedianData) -> f64) -> f64 {
    let alphabet = [0, 4, 5, top / 2, top];
    let all = all_datasets(&alphabet, 7).into_iter().filter(|rows| rows.len() == 7);
    let laws: BTreeMap<Vec<i64>, Vec<f64>> = all
        .map(|rows| {
            let data = MedianData::new(&rows, 0, top).unwrap();
            let law = law(data.median(), scale_of(&data), top);
            (rows, law)
        })
        .collect();
    let ratios = laws.iter().flat_map(|(rows, here)| {
        let near = neighbours_replace_one(rows, &alphabet);
        near.into_iter().map(|other| max_log_ratio(here, &laws[&other]))
    });
    ratios.fold(0.0, f64::max)
}

/// The exact privacy of releases, over 330 data sets and all their neighbours. The same check rejects half
/// the scale, noise scaled to the local sensitivity itself, and an α chosen as if the scale did not depend on
/// the data.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_epsilon() {
    let top = 40;
    for (e, beta) in [("3", "0.5"), ("1", "0.3")] {
        let noise = |beta: &str| StudentTSetting::new(3, &epsilon(e), &rational(beta)).unwrap();
        let [alpha, careless] = [beta, "1e-9"].map(|beta| noise(beta).alpha().to_f64_lower());
        let median = SmoothMedian::with_noise(noise(beta), 0, top).unwrap();
        let smooth = |data: &MedianData| {
            let smooth = smooth_sensitivity(median.mechanism().smoothing(), data).0;
            smooth.value_upper().to_f64_upper()
        };
        let e = rational(e).to_f64_upper();
        let worst = worst_log_ratio(top, |data| smooth(data) / alpha);
        assert!(worst <= e * (1.0 + 1e-9), "{worst}");
        assert!(worst >= 0.4 * e, "{worst}: the check would not see a leak");

        let halved = worst_log_ratio(top, |data| smooth(data) / alpha / 2.0);
        assert!(halved > 1.01 * e, "half the scale: {halved}");
        let raw = worst_log_ratio(top, |data| (data.local_sensitivity_at(0) as f64).max(0.1) / alpha);
        assert!(raw > 2.0 * e, "local sensitivity: {raw}");
        // At ε = 3 these data happen to hide it; `smooth_noise` has the general check.
        let ignored = worst_log_ratio(top, |data| smooth(data) / careless);
        assert!(e > 1.0 || ignored > 1.02 * e, "β ignored: {ignored}");
    }
}

/// Why smoothing is needed, in two data sets: the median of one cannot move, that of its neighbour can move
/// anywhere.
#[test]
fn noise_at_the_local_sensitivity_gives_data_away() {
    let of = |rows: &[i64]| MedianData::new(rows, 0, 100).unwrap();
    let (calm, torn) = (of(&[0, 0, 0, 0, 100]), of(&[0, 0, 0, 100, 100]));
    assert_eq!((calm.local_sensitivity_at(0), torn.local_sensitivity_at(0)), (0, 100));
    let laws = [law(0, 0.01, 100), law(0, 100.0, 100)];
    assert!(max_log_ratio(&laws[0], &laws[1]) > 5.0);
}

/// Specification: releases follow the law whose privacy is computed above. False alarm: 1e-9 (χ²).
#[test]
fn releases_have_the_law_that_was_checked() {
    let noise = StudentTSetting::new(3, &epsilon("3"), &rational("0.5")).unwrap();
    let alpha = noise.alpha().to_f64_lower();
    let median = SmoothMedian::with_noise(noise, 0, 40).unwrap();
    let values = [4, 5, 5, 5, 9, 20, 40, 4, 5];
    let sensitivity = median.smooth_sensitivity(&values).unwrap().value_upper().to_f64_upper();
    let expected = law(5, sensitivity / alpha, 40);
    let mut bits = seeded(2);
    let draws: Vec<i64> = (0..4_000).map(|_| median.release(&values, &mut bits).unwrap()).collect();
    assert_distribution(draws, |k| expected[k as usize], 0..=40, "smooth median");
}

#[test]
fn large_data_and_large_ranges_are_handled() {
    let values: Vec<i64> = (0..200_000).map(|i| i * 7).collect();
    let median = SmoothMedian::new(&epsilon("0.1"), 0, 1 << 40).unwrap();
    let sensitivity = median.smooth_sensitivity(&values).unwrap().value_upper().to_f64_upper();
    // The spacing is 7, so S = max 7(k+1)e^{−βk} with β = 0.005.
    assert!((sensitivity - 7.0 * 200.0 * (-0.995f64).exp()).abs() < 1.0, "{sensitivity}");
    let widest = SmoothMedian::new(&epsilon("1"), i64::MIN, i64::MAX).unwrap();
    let released = widest.release(&[0; 3000], &mut seeded(3)).unwrap();
    assert_eq!(released, 0, "3000 equal values leave no room for noise");
    assert_eq!(widest.loss().pure_epsilon(), Some(epsilon("1")));
    let loud = SmoothMedian::new(&epsilon("100"), 0, 10).unwrap();
    assert_eq!(loud.release(&[3; 50], &mut seeded(4)).unwrap(), 3);
}

#[test]
fn data_and_ranges_that_cannot_be_are_refused_with_a_hint() {
    let median = SmoothMedian::new(&epsilon("1"), 0, 10).unwrap();
    let errors = [
        median.release(&[], &mut seeded(5)).unwrap_err(),
        median.smooth_sensitivity(&[]).unwrap_err(),
        SmoothMedian::new(&epsilon("1"), 10, 10).unwrap_err(),
    ];
    for error in errors {
        assert!(error.explanation().text().contains("hint:"), "{error}");
    }
}
