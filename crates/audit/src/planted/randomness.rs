//! Noise that is drawn in the wrong way: in floats, from a seed, twice the same, cut off.

use pointillist_noise::{BitSource, DiscreteLaplace, SecureBits};
use pointillist_numbers::Rational;

use super::{CONSTANT, Planted, noise_for, pure};
use crate::{Observation, Trial};

pub(super) fn planted() -> Vec<Planted> {
    vec![
        Planted::new(
            "Noise drawn as a logarithm in floats has holes, and they depend on the answer.",
            floats(),
        ),
        Planted::new(
            "The generator is seeded with the data, so that repeated questions get the same answer.",
            seeded(),
        ),
        Planted::new("The generator has a seed of eight bits: only 256 noises exist.", short_seed()),
        Planted::new("Two answers got the same noise, and their difference has none.", twice_the_same()),
        Planted::new("The noise of yesterday was kept: the change since then is exact.", kept_for_a_day()),
        Planted::new(
            "Noise beyond three is drawn again, so whatever is farther away is impossible.",
            cut_off(),
        )
        .after(20_000),
        Planted::new("Uniform noise ends, and where it ends tells the answer.", uniform()),
        Planted::new(
            "Answers are rounded to multiples of a tenth of the data after the noise.",
            grid_of_the_data(),
        ),
        Planted::new("Rounding to multiples of five was taken for noise.", rounded()),
        Planted::new("A total is the sum of parts, and one of three has no noise.", exact_total()),
        Planted::new(
            "Negative answers are drawn again, so small answers weigh more than they should.",
            redrawn(),
        )
        .after(100_000),
    ]
}

fn floats() -> Trial<f64> {
    Trial::new("Laplace in floats", pure("1"), |answer: &f64, bits| {
        Observation::of(answer + broken_laplace(1.0, bits))
    })
    .pair("one more", 0.0, 1.0)
}

/// The textbook sampler: a sign, and the logarithm of a uniform number of 53 bits.
fn broken_laplace(scale: f64, bits: &mut dyn SecureBits) -> f64 {
    let negative = bits.coin();
    let uniform = (bits.take(53) as f64 + 1.0) / (1u64 << 53) as f64;
    let magnitude = -scale * uniform.ln();
    if negative { -magnitude } else { magnitude }
}

/// The words that a seed gives: SplitMix64. Our releases do not take them, so the noise is drawn and added by hand.
struct SeededWords(u64);

impl BitSource for SeededWords {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// Discrete Laplace noise that hides a change of this size at ε = 1.
fn law_for(sensitivity: i64) -> DiscreteLaplace {
    DiscreteLaplace::new(&Rational::from(sensitivity)).expect(CONSTANT)
}

fn seeded() -> Trial<i128> {
    let law = law_for(1);
    Trial::new("noise seeded by the data", pure("1"), move |count: &i128, _| {
        Observation::of(count + law.sample(&mut SeededWords(*count as u64)))
    })
    .pair("one more", 70, 71)
}

fn short_seed() -> Trial<i128> {
    // Ten times the noise, so that nothing but the holes can be seen.
    let law = law_for(10);
    Trial::new("noise from a short seed", pure("0.1"), move |count: &i128, bits| {
        Observation::of(count + law.sample(&mut SeededWords(bits.take(8) as u64)))
    })
    .pair("one more", 70, 71)
}

fn twice_the_same() -> Trial<[i128; 2]> {
    let noise = noise_for(2);
    Trial::new("two counts with the same noise", pure("1"), move |counts: &[i128; 2], bits| {
        let drawn = noise.sample(bits);
        Observation::list(counts.map(|count| count + drawn))
    })
    .pair("somebody in the first", [70, 30], [71, 30])
}

/// What was answered before somebody joined, and what after.
fn kept_for_a_day() -> Trial<[i128; 2]> {
    let noise = noise_for(1);
    Trial::new("noise kept for a second answer", pure("2"), move |days: &[i128; 2], bits| {
        let drawn = noise.sample(bits);
        Observation::new().with("yesterday", days[0] + drawn).with("today", days[1] + drawn)
    })
    .pair("somebody joins today", [70, 70], [70, 71])
}

fn cut_off() -> Trial<i128> {
    let noise = noise_for(1);
    Trial::new("noise cut off at three", pure("1"), move |count: &i128, bits| {
        let drawn = std::iter::repeat_with(|| noise.sample(bits)).find(|drawn| drawn.abs() <= 3);
        Observation::of(count + drawn.expect("noise is small in the end"))
    })
    .pair("one more", 70, 71)
}

fn uniform() -> Trial<i128> {
    Trial::new("uniform noise", pure("0.1"), |count: &i128, bits: &mut dyn SecureBits| {
        Observation::of(count + bits.take(5) as i128)
    })
    .pair("one more", 70, 71)
}

fn grid_of_the_data() -> Trial<Vec<i128>> {
    let noise = noise_for(10);
    Trial::new("noise on a grid of the data", pure("1"), move |rows: &Vec<i128>, bits| {
        let step = rows.iter().max().map_or(1, |most| most / 2).max(1);
        Observation::of(noise.release(rows.iter().sum(), bits).div_euclid(step) * step)
    })
    .pair("somebody with ten", vec![4, 4], vec![4, 4, 10])
}

fn rounded() -> Trial<i128> {
    Trial::new("rounding instead of noise", pure("1"), |count: &i128, _| {
        Observation::of(count.div_euclid(5) * 5)
    })
    .pair("one more", 70, 71)
    .pair("one more, over the edge", 74, 75)
}

fn exact_total() -> Trial<[i128; 3]> {
    let noise = noise_for(1);
    Trial::new("parts of an exact total", pure("1"), move |parts: &[i128; 3], bits| {
        let noisy = [0, 1].map(|part| noise.release(parts[part], bits));
        let rest = parts.iter().sum::<i128>() - noisy.iter().sum::<i128>();
        Observation::list([noisy[0], noisy[1], rest])
    })
    .pair("somebody in the first", [7, 8, 9], [8, 8, 9])
}

/// Half of the noise on zero is drawn again, and less of the noise on one.
fn redrawn() -> Trial<i128> {
    let noise = noise_for(1);
    Trial::new("negative answers drawn again", pure("1"), move |count: &i128, bits| {
        let mut answers = std::iter::repeat_with(|| noise.release(*count, bits));
        Observation::of(answers.find(|answer| *answer >= 0).expect("noise is positive in the end"))
    })
    .pair("one more", 0, 1)
}
