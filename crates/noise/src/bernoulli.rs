//! A coin with a rational bias.
//!
//! **Guarantee.** True with probability exactly p, for every rational p in [0, 1].

use dashu_int::IBig;
use pointillist_numbers::{Enclosure, Rational};

use crate::{BitSource, LazyUniform, NoiseError};

/// A coin that shows true with probability exactly `probability`.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    probability: Rational,
    /// Words below this are certainly below the probability.
    sure_below: u64,
    /// Whether the first word can be undecided: only the word `sure_below` itself is.
    exact: bool,
}

impl Bernoulli {
    /// The coin of this bias.
    pub fn new(probability: Rational) -> Result<Self, NoiseError> {
        if probability.is_negative() || probability > Rational::one() {
            return Err(NoiseError::ProbabilityOutOfRange { got: probability });
        }
        let scaled = &probability * &Rational::power_of_two(64);
        // A probability of one has the bound 2^64: it saturates, and the last word is decided exactly below.
        let sure_below = u64::try_from(scaled.floor()).unwrap_or(u64::MAX);
        let exact = Rational::from(IBig::from(sure_below)) == scaled;
        Ok(Self { probability, sure_below, exact })
    }

    /// The bias.
    pub fn probability(&self) -> &Rational {
        &self.probability
    }

    /// One toss.
    #[inline]
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> bool {
        let word = bits.word();
        if word != self.sure_below || self.exact {
            return word < self.sure_below;
        }
        self.decide_exactly(word, bits)
    }

    #[cold]
    fn decide_exactly<B: BitSource + ?Sized>(&self, word: u64, bits: &mut B) -> bool {
        let mut number = LazyUniform::starting_with(word);
        number.is_below(bits, |precision, _| Enclosure::of(&self.probability, precision))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{hoeffding_radius, scripted, seeded};

    use super::*;

    /// False alarm: at most 1e-9 per probability (Hoeffding).
    #[test]
    fn frequencies_match_the_probability() {
        let n = 200_000;
        for (seed, text) in ["0", "1", "1/3", "0.999", "1e-9", "0.5"].iter().enumerate() {
            let coin = Bernoulli::new(Rational::parse(text).unwrap()).unwrap();
            let mut bits = seeded(seed as u64);
            let heads = (0..n).filter(|_| coin.sample(&mut bits)).count() as f64 / n as f64;
            let expected = coin.probability().to_f64_upper();
            assert!((heads - expected).abs() <= hoeffding_radius(n, 1e-9), "{text}: {heads}");
            assert!((*text != "0" || heads == 0.0) && (*text != "1" || heads == 1.0));
        }
    }

    #[test]
    fn the_edge_word_is_decided_by_further_digits() {
        let edge = 0x5555_5555_5555_5555;
        let third = Bernoulli::new(Rational::ratio(1, 3)).unwrap();
        assert!(third.sample(&mut scripted(vec![edge - 1])));
        assert!(!third.sample(&mut scripted(vec![edge + 1])));
        assert!(third.sample(&mut scripted(vec![edge, edge - 1])));
        assert!(!third.sample(&mut scripted(vec![edge, edge + 1])));
        let one = Bernoulli::new(Rational::one()).unwrap();
        assert!(one.sample(&mut scripted(vec![u64::MAX])));
    }

    #[test]
    fn a_probability_outside_zero_and_one_is_refused() {
        for text in ["-0.1", "1.1"] {
            let error = Bernoulli::new(Rational::parse(text).unwrap()).unwrap_err();
            assert!(error.explanation().text().contains("hint:"));
        }
    }
}
