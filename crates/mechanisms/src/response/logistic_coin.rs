//! A coin that is kept with probability 1/(1 + m·e^−ε), exactly.
//!
//! **Guarantee.** [`LogisticCoin::sample`] is true with probability exactly `1/(1 + m·e^−ε) = e^ε/(e^ε + m)`,
//! for any rational m from zero to 2^64. The number is irrational; a lazy uniform number is compared with
//! certified bounds of it, to as many digits as the decision takes.

use pointillist_noise::{LazyUniform, SecureBits};
use pointillist_numbers::{Enclosure, Rational};

/// The coin of randomized response with `others` alternatives to the truth; a rational number of them where
/// sets of different sizes stand against each other.
#[derive(Clone, Debug)]
pub struct LogisticCoin {
    epsilon: Rational,
    others: Rational,
    /// Words below the first are certainly true, words from the second on certainly false.
    bounds: (u128, u128),
}

impl LogisticCoin {
    /// The coin with this weight against the truth, at most 2^64.
    pub fn new(epsilon: Rational, others: impl Into<Rational>) -> Self {
        let others = others.into();
        let bounds = bounds(&keep_probability(&epsilon, &others, 64));
        Self { epsilon, others, bounds }
    }

    /// The probability of true.
    pub fn keep_probability(&self, precision: usize) -> Enclosure {
        keep_probability(&self.epsilon, &self.others, precision)
    }

    /// The probability of each of the alternatives, were there m: `1/(e^ε + m)`, as a quotient that does not
    /// cancel for large ε.
    pub fn other_probability(&self, precision: usize) -> Enclosure {
        let (decay, sum) = decay_and_sum(&self.epsilon, &self.others, precision);
        decay.checked_div(&sum).expect("one and more is not zero").at_precision(precision)
    }

    /// One toss.
    #[inline]
    pub fn sample<B: SecureBits + ?Sized>(&self, bits: &mut B) -> bool {
        let word = bits.word();
        if u128::from(word) < self.bounds.0 {
            true
        } else if u128::from(word) >= self.bounds.1 {
            false
        } else {
            self.decide_exactly(word, bits)
        }
    }

    #[cold]
    fn decide_exactly<B: SecureBits + ?Sized>(&self, word: u64, bits: &mut B) -> bool {
        LazyUniform::starting_with(word).is_below(bits, |precision, _| self.keep_probability(precision))
    }
}

fn keep_probability(epsilon: &Rational, others: &Rational, precision: usize) -> Enclosure {
    let (decay, sum) = decay_and_sum(epsilon, others, precision);
    let one = Enclosure::integer(1, decay.precision());
    one.checked_div(&sum).expect("one and more is not zero").at_precision(precision)
}

/// e^−ε and 1 + m·e^−ε, with 80 bits to spare for m.
fn decay_and_sum(epsilon: &Rational, others: &Rational, precision: usize) -> (Enclosure, Enclosure) {
    let working = precision + 80;
    let decay = Enclosure::exp_of_minus(epsilon, working);
    let weight = &decay * &Enclosure::of(others, working);
    let sum = &Enclosure::integer(1, working) + &weight;
    (decay, sum)
}

fn bounds(probability: &Enclosure) -> (u128, u128) {
    let units = |units: &pointillist_numbers::IBig| {
        u128::try_from(units.clone()).expect("a probability lies between 0 and 2^64 units")
    };
    (units(probability.lower_units()), units(probability.upper_units()))
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, scripted, seeded};

    use super::*;

    /// Specification: the first 64 digits decide unless they meet the bounds; then further digits do.
    #[test]
    fn an_undecided_word_is_refined() {
        let coin = LogisticCoin::new(Rational::one(), 1);
        let (sure, never) = coin.bounds;
        assert!(never - sure <= 3, "the bounds are tight");
        assert!(coin.sample(&mut scripted(vec![sure as u64 - 1])));
        assert!(!coin.sample(&mut scripted(vec![never as u64])));
        let exact = coin.keep_probability(128);
        let edge = u64::try_from(exact.lower_units().clone() >> 64).unwrap();
        assert!(coin.sample(&mut scripted(vec![edge, 0])));
        assert!(!coin.sample(&mut scripted(vec![edge, u64::MAX])));
    }

    /// False alarm: 1e-9 a case (χ²).
    #[test]
    fn frequencies_match_the_probability() {
        for (seed, (epsilon, others)) in
            [("1", 1), ("0.001", 1), ("2", 9), ("1000000", 3)].into_iter().enumerate()
        {
            let epsilon = Rational::parse(epsilon).unwrap();
            let keep = 1.0 / (1.0 + others as f64 * (-epsilon.to_f64_upper()).exp());
            let coin = LogisticCoin::new(epsilon, others);
            let mut bits = seeded(seed as u64);
            let draws = (0..100_000).map(|_| i64::from(coin.sample(&mut bits)));
            assert_distribution(draws, |k| if k == 1 { keep } else { 1.0 - keep }, 0..=1, "logistic coin");
        }
    }
}
