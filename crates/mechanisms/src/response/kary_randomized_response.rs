//! k-ary randomized response: everyone names one of k categories, and everyone may have lied.
//!
//! **Guarantee.** A report that is the truth with probability `p = e^ε/(e^ε + k − 1)` and each of the other k
//! − 1 categories with probability `q = 1/(e^ε + k − 1)` is ε-differentially private, and `ε·tanh(ε/2)`-zCDP,
//! against whoever collects it.
//! **Neighbours.** Replace one person's answer.
//! **Source.** Kairouz, Bonawitz, Ramage (2016), arXiv:1602.07387, "k-RR"; the proof is one line: p/q = e^ε,
//! and every report has probability p or q whatever the truth. zCDP: the proof at [`rho_of_pure`], which is
//! tight for k = 2.
//! **Error.** The estimate `(C − n·q)/(p − q)` of a category's count, from C reports of it among n, is
//! unbiased. When a share f of the people are in the category its variance is
//! `n(f·p(1−p) + (1−f)·q(1−q))/(p−q)²`. With probability at least 1 − β no category's estimate misses by more
//! than `√(n·ln(2k/β)/2)/(p − q)` (Hoeffding for each report count, and a union bound over the categories).
//! **Exactness.** Keeping is decided by lazy comparison with certified bounds of p; the lie is uniform,
//! exactly. Estimates and variances are correct to 128 bits and more; they touch no privacy.
//! **Not covered.** Many categories: the error grows as k/e^ε, and unary encodings do better once k > 3·e^ε +
//! 2.
//!
//! **When.** Few categories and no trusted curator. With a curator, a noisy histogram errs far less.

use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use crate::number::loss_upper::{pure_and_rho, rho_of_pure};
use crate::response::logistic_coin::LogisticCoin;
use crate::{Card, MechanismError};

/// The mechanism in a line each.
pub const CARD: Card = Card {
    name: "k-ary randomized response",
    releases: "one of k categories from each person, without a curator",
    guarantee: "ε-DP; truth with probability e^ε/(e^ε+k−1); replace one answer",
    error: "no count misses by more than √(n·ln(2k/β)/2)/(p−q), except with probability β",
    source: "Kairouz, Bonawitz, Ramage 2016, arXiv:1602.07387",
};

/// Enough that p − q, at least 2^-128, is known to more than 128 significant bits.
const PRECISION: usize = 384;

/// Reports of one of k categories, the truth being e^ε times likelier than any other.
#[derive(Clone, Debug)]
pub struct KaryRandomizedResponse {
    coin: LogisticCoin,
    categories: u64,
    epsilon: Epsilon,
}

impl KaryRandomizedResponse {
    /// The response over categories `0..categories`, at least two.
    pub fn new(epsilon: &Epsilon, categories: u64) -> Result<Self, MechanismError> {
        if categories < 2 {
            return Err(MechanismError::invalid(
                format!("{categories} categories leave nothing to choose"),
                "give at least two categories",
            ));
        }
        let coin = LogisticCoin::new(epsilon.value().clone(), categories - 1);
        Ok(Self { coin, categories, epsilon: epsilon.clone() })
    }

    /// How many categories there are.
    pub fn categories(&self) -> u64 {
        self.categories
    }

    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    /// p, the probability of the truth.
    pub fn truth_probability(&self, precision: usize) -> Enclosure {
        self.coin.keep_probability(precision)
    }

    /// q, the probability of each other category.
    pub fn lie_probability(&self, precision: usize) -> Enclosure {
        self.coin.other_probability(precision)
    }

    /// One person's report. An answer outside the categories is refused before anything is drawn; map or drop
    /// such answers where they are collected, since a refusal is visible.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: u64, bits: &mut B) -> Result<u64, MechanismError> {
        if answer >= self.categories {
            return Err(MechanismError::invalid(
                format!("the answer is not one of the {} categories", self.categories),
                "number the categories from zero, and keep one for every other answer",
            ));
        }
        if self.coin.sample(bits) {
            return Ok(answer);
        }
        // Uniform over the others: those from the answer on move up by one.
        let other = uniform_u64_below(self.categories - 1, bits);
        Ok(if other < answer { other } else { other + 1 })
    }

    /// The unbiased estimates of how many people are in each category, from how many reported it.
    pub fn estimate(&self, reported: &[u64]) -> Result<Vec<Rational>, MechanismError> {
        if u64::try_from(reported.len()) != Ok(self.categories) {
            return Err(MechanismError::invalid(
                format!("{} counts are not one for each of {} categories", reported.len(), self.categories),
                "give a count for every category, zeros included",
            ));
        }
        let n: Rational =
            reported.iter().map(|count| Rational::from(*count)).fold(Rational::zero(), |a, b| a + b);
        let (q, gap) = (self.lie_near(), self.gap_near());
        let lies = &n * &q;
        Ok(reported.iter().map(|count| (Rational::from(*count) - lies.clone()) / gap.clone()).collect())
    }

    /// The variance of a category's estimated count among n people of whom a share `frequency` are in it.
    pub fn variance_count(&self, n: u64, frequency: &Rational) -> Result<Rational, MechanismError> {
        if frequency.is_negative() || *frequency > Rational::one() {
            return Err(MechanismError::invalid(
                "a frequency lies between 0 and 1",
                "give a share such as 0.3",
            ));
        }
        let q = self.lie_near();
        // 1 − p is (k − 1)·q, which keeps its digits when p is close to one.
        let lie = &q * &Rational::from(self.categories - 1);
        let spread_in = &lie * &(Rational::one() - lie.clone());
        let spread_out = &q * &(Rational::one() - q.clone());
        let mean = frequency * &spread_in + &(Rational::one() - frequency.clone()) * &spread_out;
        Ok(Rational::from(n) * mean / self.gap_near().squared())
    }

    /// How far any of the k counts estimated from `n` reports strays from the truth: some does farther with
    /// probability at most β.
    pub fn error_bound(&self, n: u64, beta: &FailureProbability) -> Rational {
        let ratio = Rational::from(2) * Rational::from(self.categories) / beta.value().clone();
        let ln = Enclosure::ln_of(&ratio, PRECISION).expect("2k/β is positive");
        let deviation = (&ln * &Enclosure::integer(n, PRECISION)).scale_by_power_of_two(-1).sqrt();
        let bound =
            deviation.checked_div(&self.gap()).expect("p − q is at least 2^-129 and known to 384 bits");
        bound.upper().round_up_significant(64)
    }

    fn gap(&self) -> Enclosure {
        &self.truth_probability(PRECISION) - &self.lie_probability(PRECISION)
    }

    fn gap_near(&self) -> Rational {
        self.gap().upper()
    }

    fn lie_near(&self) -> Rational {
        self.lie_probability(PRECISION).upper()
    }
}

#[cfg(test)]
mod tests;
