//! A uniform real number whose digits are drawn only as far as anybody looks.
//!
//! **Guarantee.** [`LazyUniform::is_below`] is true with probability exactly `x` for every real `x` in [0, 1] that
//! can be enclosed to any precision. The decision uses only digits already drawn, and is certain for every number
//! that begins with them; so the digits not yet drawn stay uniform and independent of the decision.
//! **Time.** Each further 64 digits are needed with probability about 2^-62, so nobody waits.

use dashu_int::{IBig, UBig};
use pointillist_numbers::Enclosure;

use crate::BitSource;

/// A uniform real in [0, 1), known to `length` binary digits.
#[derive(Clone, Debug)]
pub struct LazyUniform {
    digits: UBig,
    length: usize,
}

impl LazyUniform {
    /// A new number with its first 64 digits.
    pub fn new<B: BitSource + ?Sized>(bits: &mut B) -> Self {
        Self::starting_with(bits.word())
    }

    /// The number whose first 64 digits are `word`, already drawn.
    pub fn starting_with(word: u64) -> Self {
        Self { digits: UBig::from(word), length: 64 }
    }

    /// How many digits are known.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Draws 64 more digits.
    pub fn reveal<B: BitSource + ?Sized>(&mut self, bits: &mut B) {
        self.digits = (&self.digits << 64) + UBig::from(bits.word());
        self.length += 64;
    }

    /// Draws digits until at least `length` are known.
    pub fn reveal_to<B: BitSource + ?Sized>(&mut self, length: usize, bits: &mut B) {
        while self.length < length {
            self.reveal(bits);
        }
    }

    /// The known digits as an integer in units of `2^-length`; the number is less than one unit above it.
    pub fn digits(&self) -> &UBig {
        &self.digits
    }

    /// Every number that begins with the known digits.
    pub fn enclosure(&self) -> Enclosure {
        let lower = IBig::from(self.digits.clone());
        Enclosure::new(lower.clone(), lower + IBig::ONE, self.length)
    }

    /// Whether the number lies below the real that `threshold` encloses at the precision it is given.
    /// The threshold may draw bits itself, for instance to learn more digits of another number.
    pub fn is_below<B: BitSource + ?Sized>(
        &mut self,
        bits: &mut B,
        mut threshold: impl FnMut(usize, &mut B) -> Enclosure,
    ) -> bool {
        loop {
            let bound = threshold(self.length, bits);
            assert_eq!(bound.precision(), self.length, "a threshold has the precision it was asked for");
            let digits = IBig::from(self.digits.clone());
            if digits < *bound.lower_units() {
                return true;
            }
            if digits >= *bound.upper_units() {
                return false;
            }
            self.reveal(bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_testkit::scripted;

    use super::*;

    fn third(precision: usize) -> Enclosure {
        Enclosure::of(&Rational::ratio(1, 3), precision)
    }

    /// Specification: digits are drawn only when the known ones cannot decide, and the decision is then right.
    /// One third is 0.010101…: a first word of 0101…01 lies on the edge, and the second word decides.
    #[test]
    fn an_undecided_word_is_refined() {
        let edge = 0x5555_5555_5555_5555;
        let decide = |words: Vec<u64>| {
            let mut bits = scripted(words);
            let mut number = LazyUniform::new(&mut bits);
            let below = number.is_below(&mut bits, |precision, _| third(precision));
            (below, number.length())
        };
        assert_eq!(decide(vec![edge - 1]), (true, 64));
        assert_eq!(decide(vec![edge + 1]), (false, 64));
        assert_eq!(decide(vec![edge, edge - 1]), (true, 128));
        assert_eq!(decide(vec![edge, edge + 1]), (false, 128));
        assert_eq!(decide(vec![edge, edge, 0]), (true, 192));
    }

    #[test]
    fn certain_events_need_no_luck() {
        let mut bits = scripted(vec![0, u64::MAX, 0, u64::MAX]);
        for (x, expected) in [(0, false), (0, false), (1, true), (1, true)] {
            let mut number = LazyUniform::new(&mut bits);
            assert_eq!(number.is_below(&mut bits, |precision, _| Enclosure::integer(x, precision)), expected);
        }
    }
}
