//! Coins of one bias, tossed singly or sixty-four at a time.
//!
//! **Guarantee.** Every toss is true with probability exactly the bias, a rational or a logistic probability,
//! and all tosses are independent.
//! **Method.** A toss is true when a uniform number lies below the bias. Sixty-four numbers are compared at
//! once: bit i of the d-th random word is digit d of number i. A number is decided at the first digit in
//! which it differs from the bias, so that half of those undecided are decided by every word, and eight words
//! are enough on average. Digits of the bias beyond the first few dozen are computed when they are asked for,
//! which happens about once in 2^50 words.

use pointillist_mechanisms::LogisticCoin;
use pointillist_noise::{LazyUniform, SecureBits};
use pointillist_numbers::{Enclosure, IBig, Rational, UBig};

/// The bias of a coin, strictly between zero and one.
#[derive(Clone, Debug)]
pub(crate) enum Bias {
    /// A fraction.
    Fraction(Rational),
    /// The probability that a logistic coin shows true.
    Keep(LogisticCoin),
    /// The probability of each of its alternatives.
    Other(LogisticCoin),
}

impl Bias {
    pub(crate) fn enclosure(&self, precision: usize) -> Enclosure {
        match self {
            Self::Fraction(fraction) => Enclosure::of(fraction, precision),
            Self::Keep(coin) => coin.keep_probability(precision),
            Self::Other(coin) => coin.other_probability(precision),
        }
    }
}

/// Coins of one bias.
#[derive(Clone, Debug)]
pub(crate) struct Coins {
    bias: Bias,
    /// Words below the first are certainly below the bias, words from the second on certainly not.
    bounds: (u128, u128),
    /// The first binary digits of the bias, from the highest bit on.
    digits: u64,
    /// How many of them are certain.
    known: u32,
    /// Whether all further digits are zero.
    ends: bool,
}

impl Coins {
    pub(crate) fn new(bias: Bias) -> Self {
        let first = bias.enclosure(64);
        let units = |units: &IBig| {
            u128::try_from(units.clone()).expect("a probability lies between 0 and 2^64 units")
        };
        let bounds = (units(first.lower_units()), units(first.upper_units()));
        let exact = bounds.0 == bounds.1;
        // A bias below one whose upper bound rounds to one shares no digit with its lower bound for certain.
        let known = match (exact, u64::try_from(bounds.1)) {
            (true, _) => 64,
            (false, Ok(upper)) => (bounds.0 as u64 ^ upper).leading_zeros(),
            (false, Err(_)) => 0,
        };
        Self { bias, bounds, digits: bounds.0 as u64, known, ends: exact }
    }

    /// The bias.
    pub(crate) fn bias(&self) -> &Bias {
        &self.bias
    }

    /// One toss.
    #[inline]
    pub(crate) fn toss<B: SecureBits + ?Sized>(&self, bits: &mut B) -> bool {
        let word = bits.word();
        if u128::from(word) < self.bounds.0 {
            true
        } else if u128::from(word) >= self.bounds.1 {
            false
        } else {
            LazyUniform::starting_with(word).is_below(bits, |precision, _| self.bias.enclosure(precision))
        }
    }

    /// Sixty-four tosses, one a bit.
    #[inline]
    pub(crate) fn word<B: SecureBits + ?Sized>(&self, bits: &mut B) -> u64 {
        let (mut undecided, mut below) = (u64::MAX, 0);
        let mut place = 0;
        // What is left of a bias that ends is zero: no number lies below it that has not been decided.
        let last = if self.ends { 64 - self.digits.trailing_zeros() } else { u32::MAX };
        while undecided != 0 && place < last {
            let drawn = bits.word();
            if self.digit(place) {
                below |= undecided & !drawn;
                undecided &= drawn;
            } else {
                undecided &= !drawn;
            }
            place += 1;
        }
        below
    }

    #[inline]
    fn digit(&self, place: u32) -> bool {
        if place < self.known { self.digits >> (63 - place) & 1 == 1 } else { self.digit_exactly(place) }
    }

    /// Digits that the first 64 bits do not settle.
    #[cold]
    fn digit_exactly(&self, place: u32) -> bool {
        let place = place as usize;
        let mut precision = place + 64;
        loop {
            let bias = self.bias.enclosure(precision);
            let leading = |units: &IBig| units >> (precision - 1 - place);
            let lower = leading(bias.lower_units());
            if lower == leading(bias.upper_units()) {
                let digits = UBig::try_from(lower).expect("a probability is not negative");
                return digits & UBig::ONE == UBig::ONE;
            }
            precision += 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, counting, scripted, seeded};

    use super::*;

    fn biases() -> Vec<Bias> {
        let logistic = |epsilon: &str| LogisticCoin::new(Rational::parse(epsilon).unwrap(), 1);
        let fractions = ["1/2", "1/3", "3/4", "0.001", "1/18446744073709551616"];
        let mut biases: Vec<Bias> =
            fractions.map(|text| Bias::Fraction(Rational::parse(text).unwrap())).to_vec();
        biases.extend(["1", "0.001", "3"].map(|epsilon| Bias::Other(logistic(epsilon))));
        biases.push(Bias::Keep(logistic("2")));
        biases
    }

    /// Specification: single tosses and every bit of a word have the stated bias. False alarm: 1e-9 a case
    /// (χ²).
    #[test]
    fn frequencies_match_the_bias() {
        for (seed, bias) in biases().into_iter().enumerate() {
            let mut bits = seeded(seed as u64);
            let coins = Coins::new(bias);
            let heads = coins.bias().enclosure(96).upper().to_f64_upper();
            let law = |k: i64| if k == 1 { heads } else { 1.0 - heads };
            let tosses: Vec<i64> = (0..100_000).map(|_| i64::from(coins.toss(&mut bits))).collect();
            assert_distribution(tosses, law, 0..=1, "a toss");
            let words: Vec<u64> = (0..40_000).map(|_| coins.word(&mut bits)).collect();
            for lane in [0, 17, 63] {
                let tosses = words.iter().map(|word| (word >> lane & 1) as i64);
                assert_distribution(tosses, law, 0..=1, "a bit of a word");
            }
            // Two bits of a word are independent.
            let pairs = words.iter().map(|word| (word >> 5 & 3) as i64);
            assert_distribution(pairs, |k| law(k & 1) * law(k >> 1), 0..=3, "two bits of a word");
        }
    }

    /// Specification: the number of a bit is compared with all digits of the bias. One third is 0.0101…; the
    /// number whose digits follow it is decided by the first digit that differs, even past the 64 that are
    /// prepared.
    #[test]
    fn digits_past_the_prepared_ones_are_exact() {
        let coins = Coins::new(Bias::Fraction(Rational::ratio(1, 3)));
        for place in 0..200 {
            assert_eq!(coins.digit(place), place % 2 == 1, "digit {place}");
        }
        // Bit 0 follows one third for 100 digits and then differs; all other bits are one at once: not below.
        for (last, below) in [(0u64, 0u64), (1, 0)] {
            let mut words: Vec<u64> = (0..100).map(|place| !1 | (place % 2)).collect();
            words.extend([last, last]);
            let got = coins.word(&mut scripted(words));
            // Digit 100 is 0 and digit 101 is 1: a one at 100 is above, zeros at both are below.
            assert_eq!(got & 1, if last == 0 { 1 } else { below });
        }
        let e = Coins::new(Bias::Other(LogisticCoin::new(Rational::one(), 1)));
        let exact = e.bias().enclosure(256);
        for place in 0..200usize {
            let digits = UBig::try_from(exact.lower_units() >> (255 - place)).unwrap();
            assert_eq!(e.digit(place as u32), digits & UBig::ONE == UBig::ONE, "digit {place}");
        }
    }

    /// Specification: sixty-four fair coins cost one word, and others far fewer than sixty-four.
    #[test]
    fn words_are_cheap() {
        for (bias, most) in
            [(Rational::ratio(1, 2), 1.0), (Rational::ratio(1, 4), 2.0), (Rational::ratio(1, 3), 9.0)]
        {
            let (mut bits, count) = counting(seeded(1));
            let coins = Coins::new(Bias::Fraction(bias));
            let _: Vec<u64> = (0..1000).map(|_| coins.word(&mut bits)).collect();
            assert!(count.get() as f64 <= 1000.0 * most);
        }
    }
}
