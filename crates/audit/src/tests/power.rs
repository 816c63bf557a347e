//! Leaks that hide: what no mean, no frequent word and no first column shows. Each claims ε = 1 and tells the bit at least
//! once in 32 releases; ten thousand counted ones bound that from below by 0.02 and its absence from above by 0.003, at the
//! rate of the verdict.

use super::*;

fn refuted(
    releases: usize,
    release: impl Fn(&bool, &mut dyn SecureBits) -> Observation + Send + 'static,
) -> bool {
    let subject = Trial::new("a leak", Loss::pure(epsilon("1")), release).pair("a bit", false, true);
    run(subject, releases).refuted()
}

pub(super) fn noise(bits: &mut dyn SecureBits) -> i128 {
    drawn(40, bits)
}

pub(super) fn drawn(count: u32, bits: &mut dyn SecureBits) -> i128 {
    bits.take(count) as i128
}

#[test]
fn what_two_numbers_tell_together_is_seen() {
    assert!(refuted(10_000, |bit, bits| {
        let (a, b) = (noise(bits), noise(bits));
        let parity = (a + b + i128::from(*bit)) % 2;
        Observation::list([a, b + parity, noise(bits)])
    }));
    assert!(refuted(10_000, |bit, bits| {
        let a = noise(bits);
        Observation::list([a, if *bit { a } else { noise(bits) }])
    }));
    assert!(refuted(10_000, |bit, bits| {
        let (a, b) = (noise(bits), noise(bits));
        Observation::list(if *bit { [a.min(b), a.max(b)] } else { [a, b] })
    }));
}

/// Multiples of a power of two are added to a value that is finer.
#[test]
fn noise_that_is_coarser_than_the_value_is_seen_through() {
    for coarse in [10, 40, 70] {
        let value = move |bit: &bool| (1 << (coarse - 1)) + 17 + if *bit { 64 * 5 } else { 0 };
        assert!(
            refuted(5_000, move |bit, bits| Observation::of((noise(bits) << coarse) + value(bit))),
            "{coarse}"
        );
    }
}

#[test]
fn last_digits_are_seen() {
    assert!(refuted(5_000, |bit, bits| Observation::of(3 * noise(bits) + i128::from(*bit))));
    assert!(refuted(5_000, |bit, bits| {
        let digits = 2 * drawn(1, bits) + i128::from(*bit);
        Observation::of(10 * noise(bits) + 2 * digits)
    }));
    // The last bits of floats, where the very last one is set on both sides.
    assert!(refuted(5_000, |bit, bits| {
        let value = 1.0 + (bits.take(49) * 8 + 1) as f64 / 2f64.powi(52);
        Observation::of(f64::from_bits(value.to_bits() | if *bit { 2 } else { 4 }))
    }));
}

#[test]
fn signs_of_zero_and_kinds_of_nothing_are_seen() {
    assert!(refuted(5_000, |bit, bits| {
        Observation::new().with("zero", if *bit { -0.0 } else { 0.0 }).with("noise", noise(bits))
    }));
    assert!(refuted(5_000, |bit, bits| {
        Observation::new().with("odd", if *bit { f64::NAN } else { f64::INFINITY }).with("noise", noise(bits))
    }));
}

/// The last name of two hundred, in the order of names.
#[test]
fn one_part_among_many_is_seen() {
    assert!(refuted(2_000, |bit, bits| {
        Observation::list((0..200).map(|place| drawn(6, bits) + if place == 99 && *bit { 40 } else { 0 }))
    }));
}

#[test]
fn a_rare_key_among_many_is_seen() {
    assert!(refuted(3_000, |bit, bits| {
        let mut seen = Observation::new();
        for key in 0..150 {
            if bits.take(2) > 0 {
                seen = seen.with(format!("key {key}"), 1);
            }
        }
        if *bit && bits.coin() { seen.with("mine", 1) } else { seen }
    }));
}

#[test]
fn a_rare_word_among_many_is_seen() {
    assert!(refuted(20_000, |bit, bits| {
        let word = bits.take(5);
        let word = if word == 0 && *bit { "mine".to_owned() } else { format!("word {word}") };
        Observation::new().with("word", word).with("noise", noise(bits))
    }));
    // A word that is never the same, and longer by one letter.
    assert!(refuted(5_000, |bit, bits| {
        let word = bits.take(32) | 1 << 32;
        Observation::of(if *bit { format!("{word:x}!") } else { format!("{word:x}") })
    }));
}
