//! The table against golden probabilities, against the rejection samplers, and against itself at every scale.

use pointillist_testkit::{assert_distribution, distribution_p_value, scripted, seeded};

use super::*;
use crate::{DiscreteGaussian, DiscreteLaplace};

fn parse(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn laplace_weight(scale: f64) -> impl Fn(i64) -> f64 {
    let ratio = (-1.0 / scale).exp();
    move |k| (1.0 - ratio) / (1.0 + ratio) * (-(k.unsigned_abs() as f64) / scale).exp()
}

fn gaussian_weight(sigma: f64) -> impl Fn(i64) -> f64 {
    let weight = move |k: i64| (-(k as f64).powi(2) / (2.0 * sigma * sigma)).exp();
    let reach = (40.0 * sigma) as i64 + 40;
    let total: f64 = (-reach..=reach).map(weight).sum();
    move |k| weight(k) / total
}

/// Specification: the exact law, with blocks of one integer (scale 10) and of many (scale 100 and 1000); the same
/// sample is rejected for a scale 3 % off either way. False alarm: 1e-9 a law (χ², one million draws).
#[test]
fn the_table_has_the_exact_law() {
    let check = |table: &NoiseTable, seed: u64, scale: f64, law: &dyn Fn(f64) -> Box<dyn Fn(i64) -> f64>| {
        let mut bits = seeded(seed);
        let draws: Vec<i64> = (0..1_000_000).map(|_| table.sample(&mut bits) as i64).collect();
        let reach = (50.0 * scale) as i64 + 50;
        let p_value =
            |factor: f64| distribution_p_value(draws.iter().copied(), law(scale * factor), -reach..=reach);
        assert!(p_value(1.0) >= 1e-9, "scale {scale}: p = {}", p_value(1.0));
        assert!(
            p_value(0.97) < 1e-9 && p_value(1.03) < 1e-9,
            "scale {scale} is not told from its neighbours"
        );
    };
    for (seed, text) in ["1", "10", "31.9", "33", "100", "1000/3"].iter().enumerate() {
        let scale = parse(text);
        let laplace = DiscreteLaplace::new(&scale).unwrap().table();
        check(&laplace, seed as u64, scale.to_f64_upper(), &|s| Box::new(laplace_weight(s)));
        let gaussian = DiscreteGaussian::new(&scale.squared()).unwrap().table();
        check(&gaussian, 100 + seed as u64, scale.to_f64_upper(), &|s| Box::new(gaussian_weight(s)));
    }
}

/// Specification: at scales from 2^6 to 2^80 the quantiles of the noise are uniform.
/// False alarm: 1e-9 a scale (χ² over 64 equally likely cells).
#[test]
fn huge_scales_have_the_right_quantiles() {
    for power in [20, 40, 47, 53, 64, 69, 80] {
        let scale = 2f64.powi(power);
        let mut bits = seeded(power as u64);
        let laplace = DiscreteLaplace::new(&Rational::power_of_two(i64::from(power))).unwrap().table();
        let cells = (0..200_000).map(|_| {
            let x = laplace.sample(&mut bits) as f64 / scale;
            let cdf = if x < 0.0 { x.exp() / 2.0 } else { 1.0 - (-x).exp() / 2.0 };
            (cdf * 64.0) as i64
        });
        assert_distribution(cells, |_| 1.0 / 64.0, 0..=63, &format!("Laplace table at 2^{power}"));
        let gaussian = DiscreteGaussian::new(&Rational::power_of_two(i64::from(2 * power))).unwrap().table();
        let inside = (0..200_000).map(|_| i64::from((gaussian.sample(&mut bits) as f64 / scale).abs() < 1.0));
        let within_one_sigma = 0.682_689_492_137_085_9;
        let law = move |cell: i64| {
            if cell == 1 { within_one_sigma } else { 1.0 - within_one_sigma }
        };
        assert_distribution(inside, law, 0..=1, &format!("Gaussian table at 2^{power}"));
    }
}

/// Specification: inside a block the law is right too. The low five bits of noise at scale 2^40 are uniform, and
/// the position within a block (the fraction after division by 2^35) falls as exp(−x/32).
/// False alarm: 1e-9 each (χ²).
#[test]
fn the_inside_of_a_block_is_right() {
    let table = DiscreteLaplace::new(&Rational::power_of_two(40)).unwrap().table();
    assert_eq!(table.width_bits, 36);
    let mut bits = seeded(5);
    let draws: Vec<i128> = (0..400_000).map(|_| table.sample(&mut bits)).filter(|x| *x >= 0).collect();
    assert_distribution(draws.iter().map(|x| (x & 31) as i64), |_| 1.0 / 32.0, 0..=31, "low bits");
    let cell = |x: &i128| ((x >> 32) & 15) as i64;
    let step = (-1.0f64 / 256.0).exp();
    let total: f64 = (0..16).map(|k| step.powi(k)).sum();
    assert_distribution(
        draws.iter().map(cell),
        |k| step.powi(k as i32) / total,
        0..=15,
        "position in a block",
    );
}

/// Specification: the quick tests never contradict the exact one. Edge cases and a sweep of fractions and words.
#[test]
fn quick_decisions_agree_with_exact_ones() {
    for (table, name) in [
        (DiscreteLaplace::new(&parse("1000")).unwrap().table(), "Laplace"),
        (DiscreteGaussian::new(&parse("1000000")).unwrap().table(), "Gaussian"),
        (DiscreteGaussian::new(&Rational::power_of_two(130)).unwrap().table(), "wide Gaussian"),
    ] {
        let top = (1u128 << table.width_bits) - 1;
        for category in [0, 1, 2, 3, 40, 121, table.envelope.len() - 1] {
            for offset in [0, 1, top / 3, top / 2, top] {
                for step in 0..80u64 {
                    // Words crowd around the decisive region: close to one.
                    let word = u64::MAX - step * step * (u64::MAX / 30_000);
                    let quick = table.keeps(category, offset, word, &mut scripted(vec![0; 4]));
                    let exact = table.keeps_exactly(category, offset, word, &mut scripted(vec![0; 4]));
                    assert_eq!(quick, exact, "{name}: category {category}, offset {offset}, word {word:#x}");
                }
            }
        }
    }
}

/// Specification: the extremes of scale work, never overflow and never hang.
#[test]
fn extreme_scales_work() {
    let mut bits = seeded(8);
    for power in [-20, -10, 80, 99] {
        let scale = Rational::power_of_two(power);
        let bound = if power < 0 { 1 } else { 1i128 << (power + 7) };
        for table in [
            DiscreteLaplace::new(&scale).unwrap().table(),
            DiscreteGaussian::new(&scale.squared()).unwrap().table(),
        ] {
            // Beyond 128 scales lies less than exp(−128) of either law.
            assert!((0..2000).all(|_| table.sample(&mut bits).abs() < bound), "scale 2^{power}");
        }
    }
}

/// Specification: every integer of 128 bits has its block, and what lies beyond is the end of the range: no block that
/// fits is cut off, however far out it lies.
#[test]
fn every_block_that_fits_has_its_integers() {
    let table = DiscreteLaplace::new(&parse("63.9")).unwrap().table();
    assert_eq!(table.width_bits, 1);
    for block in [0usize, 1, (1 << 30) - 1, 1 << 30, 1 << 40, usize::MAX / 4] {
        for offset in [0, 1] {
            let magnitude = 2 * block as i128 + offset as i128;
            assert_eq!(table.value(2 * block, offset), magnitude);
            assert_eq!(table.value(2 * block + 1, offset), -magnitude - 1);
        }
    }
    let wide = DiscreteLaplace::new(&Rational::power_of_two(100)).unwrap().table();
    assert_eq!(wide.width_bits, 96);
    let top = (1u128 << 96) - 1;
    let last = (1usize << 31) - 1;
    assert_eq!((wide.value(2 * last, top), wide.value(2 * last + 1, top)), (i128::MAX, i128::MIN));
    assert_eq!(wide.value(2 * last, 0), i128::MAX - top as i128);
    for beyond in [1usize << 31, 1 << 40, usize::MAX / 4] {
        assert_eq!((wide.value(2 * beyond, 5), wide.value(2 * beyond + 1, 5)), (i128::MAX, i128::MIN));
    }
    let points = DiscreteLaplace::new(&parse("3")).unwrap().table();
    assert_eq!((points.width_bits, points.value(usize::MAX, 0)), (0, -(usize::MAX as i128 / 2) - 1));
}
