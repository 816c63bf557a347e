//! Uniform integers.
//!
//! **Guarantee.** `uniform_below(n)` returns each of 0, …, n − 1 with probability exactly 1/n: it draws as many
//! bits as n has and starts again when they make a number that is too large, which happens less than half the time.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use crate::BitSource;

/// A uniform integer in `0..bound`.
///
/// # Panics
/// When `bound` is zero: there is nothing to choose from, and callers have checked.
pub fn uniform_below<B: BitSource + ?Sized>(bound: &UBig, bits: &mut B) -> UBig {
    assert!(*bound != UBig::ZERO, "a uniform choice needs at least one candidate");
    let length = (bound - UBig::ONE).bit_len();
    loop {
        let candidate = if length <= 128 {
            UBig::from(bits.take(length as u32))
        } else {
            let words: Vec<u64> = (0..length.div_ceil(64)).map(|_| bits.word()).collect();
            UBig::from_words(&words) >> (words.len() * 64 - length)
        };
        if candidate < *bound {
            return candidate;
        }
    }
}

/// A uniform integer in `0..bound`, for bounds that fit a word.
///
/// # Panics
/// When `bound` is zero.
pub fn uniform_u64_below<B: BitSource + ?Sized>(bound: u64, bits: &mut B) -> u64 {
    assert!(bound > 0, "a uniform choice needs at least one candidate");
    let length = 64 - (bound - 1).leading_zeros();
    loop {
        let candidate = bits.take(length) as u64;
        if candidate < bound {
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, seeded};

    use super::*;

    /// Specification: the law is uniform; checked on bounds that do and do not fill their bits.
    /// False alarm: 1e-9 a bound (χ²).
    #[test]
    fn every_value_is_equally_likely() {
        for bound in [1u64, 2, 3, 7, 64, 65, 1000] {
            let mut bits = seeded(bound);
            let draws = (0..100_000).map(|_| uniform_u64_below(bound, &mut bits) as i64);
            assert_distribution(draws, |_| 1.0 / bound as f64, 0..=bound as i64 - 1, "uniform");
            let big = UBig::from(bound);
            let draws = (0..100_000).map(|_| i64::try_from(uniform_below(&big, &mut bits)).unwrap());
            assert_distribution(draws, |_| 1.0 / bound as f64, 0..=bound as i64 - 1, "uniform");
        }
    }

    /// Specification: beyond one and two words the leading digit is uniform as well.
    /// False alarm: 1e-9 a bound (χ²).
    #[test]
    fn huge_bounds_are_uniform_in_their_leading_digit() {
        for power in [70, 130, 300] {
            let (unit, mut bits) = (UBig::ONE << power, seeded(power as u64));
            let bound = &unit * UBig::from(10u8);
            let draws = (0..50_000).map(|_| i64::try_from(uniform_below(&bound, &mut bits) / &unit).unwrap());
            assert_distribution(draws, |_| 0.1, 0..=9, "leading digit");
        }
    }
}
