//! Randomized response: everyone answers yes or no, and everyone may have lied.
//!
//! **Guarantee.** An answer that is the truth with probability 1/2 + γ and a lie otherwise is
//! ε-differentially private with `ε = ln((1/2 + γ)/(1/2 − γ))`, and exactly `2γ·ε`-zCDP (`2γ = tanh(ε/2)`).
//! It holds for each person's own answer, against whoever collects it: no curator has to be trusted.
//! **Neighbours.** Replace one person's answer.
//! **Source.** Warner (1965); the ratio of the two probabilities of either report is e^ε or e^−ε. zCDP: the
//! proof at [`rho_of_pure`], where randomized response is the worst case.
//! **Error.** The count estimated from n reports is unbiased, has variance `n(1/4 − γ²)/(4γ²)` whatever the
//! truth, and misses the true count by more than `√(n·ln(2/β)/2)/(2γ)` with probability at most β (Hoeffding:
//! a count of n independent reports strays from its mean by more than t with probability at most
//! `2·exp(−2t²/n)`).
//! **Exactness.** The coin has exactly the stated bias: a rational one, or `e^ε/(1 + e^ε)` compared lazily
//! with certified bounds. Estimates are exact when γ is rational and correct to 128 bits otherwise; they
//! touch no privacy.
//! **Not covered.** Somebody who answers twice pays twice. That a person took part is not hidden.
//!
//! **When.** When nobody may see the true answers. The error grows as √n: with a trusted curator the
//! [geometric mechanism](crate::number::geometric) errs by a constant, ln(1/β)/ε.

use pointillist_noise::{Bernoulli, SecureBits};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use crate::number::loss_upper::{epsilon_upper, pure_and_rho, rho_of_pure, rho_upper};
use crate::response::logistic_coin::LogisticCoin;
use crate::{Card, MechanismError};

/// The mechanism in a line each.
pub const CARD: Card = Card {
    name: "randomized response",
    releases: "a yes or no from each person, without a curator",
    guarantee: "ε-DP for ε = ln((1/2+γ)/(1/2−γ)); 2γ·ε-zCDP; replace one answer",
    error: "the count misses by more than √(n·ln(2/β)/2)/(2γ) with probability β",
    source: "Warner 1965",
};

/// Enough that an estimate has more than 128 correct bits even at the smallest ε, 2^-64.
const PRECISION: usize = 320;

/// Answers that are the truth with probability 1/2 + γ.
#[derive(Clone, Debug)]
pub struct RandomizedResponse {
    coin: Coin,
    loss: Loss,
}

#[derive(Clone, Debug)]
enum Coin {
    Rational { gamma: Rational, truth: Bernoulli },
    Logistic(LogisticCoin),
}

/// What n reports say about n people. No clipping: an unbiased estimate may leave the range of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyEstimate {
    /// How many would truthfully say yes.
    pub count: Rational,
    /// The share that would.
    pub fraction: Rational,
    /// The variance of the count.
    pub variance_count: Rational,
    /// The variance of the share.
    pub variance_fraction: Rational,
}

impl RandomizedResponse {
    /// Two fair coins: tell the truth on the first one's tails, and let the second answer on heads. The truth
    /// has probability 3/4 and ε is ln 3.
    pub fn coin() -> Self {
        Self::with_gamma(Rational::ratio(1, 4)).expect("a quarter lies between zero and a half")
    }

    /// The truth with probability 1/2 + γ, for a rational γ from 2^-66 up to, not including, 1/2.
    pub fn with_gamma(gamma: Rational) -> Result<Self, MechanismError> {
        let half = Rational::ratio(1, 2);
        if gamma < Rational::power_of_two(-66) || gamma >= half {
            return Err(MechanismError::invalid(
                format!("γ = {gamma} does not lie between 2^-66 and 1/2"),
                "0 would say nothing and 1/2 would hide nothing; 1/4 is the survey with two coins",
            ));
        }
        let (truth, lie) = (&half + &gamma, &half - &gamma);
        let ratio = &truth / &lie;
        let epsilon =
            Enclosure::ln_of(&ratio, PRECISION).expect("a ratio of probabilities is positive").upper();
        // tanh(ε/2) is 2γ, so that no further rounding enters ρ.
        let rho = rho_upper(&(&epsilon * &(&gamma + &gamma)));
        let loss = pure_and_rho(epsilon_upper(&epsilon)?, rho);
        Ok(Self { coin: Coin::Rational { truth: Bernoulli::new(truth)?, gamma }, loss })
    }

    /// The most truthful response that is ε-differentially private: the truth with probability
    /// `e^ε/(1 + e^ε)`, exactly.
    pub fn for_epsilon(epsilon: &Epsilon) -> Self {
        let coin = LogisticCoin::new(epsilon.value().clone(), 1);
        Self { coin: Coin::Logistic(coin), loss: pure_and_rho(epsilon.clone(), rho_of_pure(epsilon)) }
    }

    /// What one answer costs the person who gives it.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The probability of a lie, `1/2 − γ`.
    pub fn lie_probability(&self, precision: usize) -> Enclosure {
        match &self.coin {
            Coin::Rational { gamma, .. } => {
                Enclosure::of(&(Rational::ratio(1, 2) - gamma.clone()), precision)
            }
            Coin::Logistic(coin) => coin.other_probability(precision),
        }
    }

    /// γ, by how much the truth is likelier than a fair coin.
    pub fn gamma(&self, precision: usize) -> Enclosure {
        match &self.coin {
            Coin::Rational { gamma, .. } => Enclosure::of(gamma, precision),
            Coin::Logistic(_) => {
                let half = Enclosure::of(&Rational::ratio(1, 2), precision + 1);
                (&half - &self.lie_probability(precision + 1)).at_precision(precision)
            }
        }
    }

    /// One person's report.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: bool, bits: &mut B) -> bool {
        let truthful = match &self.coin {
            Coin::Rational { truth, .. } => truth.sample(bits),
            Coin::Logistic(coin) => coin.sample(bits),
        };
        answer == truthful
    }

    /// The reports of many people, each with coins of their own.
    pub fn release_all<B: SecureBits + ?Sized>(&self, answers: &[bool], bits: &mut B) -> Vec<bool> {
        answers.iter().map(|answer| self.release(*answer, bits)).collect()
    }

    /// How many of `n` people would truthfully say yes, when `reported_ones` of them reported yes: an
    /// unbiased estimate.
    pub fn estimate(&self, reported_ones: u64, n: u64) -> Result<SurveyEstimate, MechanismError> {
        if n == 0 || reported_ones > n {
            return Err(MechanismError::invalid(
                format!("{reported_ones} of {n} reports cannot be yes"),
                "give the number of yes reports first and the number of all reports second, at least one",
            ));
        }
        let (gamma, people) = (self.gamma_near(), Rational::from(n));
        let twice = &gamma + &gamma;
        let lies = &people * &(Rational::ratio(1, 2) - gamma);
        let count = (Rational::from(reported_ones) - lies) / twice;
        let variance_count = self.variance_count(n);
        Ok(SurveyEstimate {
            fraction: &count / &people,
            variance_fraction: &variance_count / &people.squared(),
            count,
            variance_count,
        })
    }

    /// The variance of the estimated count: `n(1/4 − γ²)/(4γ²)`.
    pub fn variance_count(&self, n: u64) -> Rational {
        let gamma = self.gamma_near();
        // (1/2 − γ)(1/2 + γ), from the lie itself, which for large ε is far smaller than what 1/2 − γ can
        // resolve.
        let lie = self.lie_near();
        let spread = &lie * &(Rational::one() - lie.clone());
        Rational::from(n) * spread / (Rational::from(4) * gamma.squared())
    }

    /// How far the count estimated from `n` reports strays from the truth: farther with probability at most
    /// β.
    pub fn error_bound(&self, n: u64, beta: &FailureProbability) -> Rational {
        let two_over_beta = Rational::from(2) / beta.value().clone();
        let ln = Enclosure::ln_of(&two_over_beta, PRECISION).expect("2/β is positive");
        let deviation = (&ln * &Enclosure::integer(n, PRECISION)).scale_by_power_of_two(-1).sqrt();
        let twice_gamma = self.gamma(PRECISION).scale_by_power_of_two(1);
        let bound = deviation.checked_div(&twice_gamma).expect("γ is at least 2^-67 and known to 320 bits");
        bound.upper().round_up_significant(64)
    }

    fn gamma_near(&self) -> Rational {
        match &self.coin {
            Coin::Rational { gamma, .. } => gamma.clone(),
            Coin::Logistic(_) => self.gamma(PRECISION).upper(),
        }
    }

    fn lie_near(&self) -> Rational {
        match &self.coin {
            Coin::Rational { gamma, .. } => Rational::ratio(1, 2) - gamma.clone(),
            Coin::Logistic(_) => self.lie_probability(PRECISION).upper(),
        }
    }
}

#[cfg(test)]
mod tests;
