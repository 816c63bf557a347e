//! Which keys may be named at all: the choice that keeps the most keys any (ε, δ) allows.
//!
//! **Guarantee.** Each key held by n people is kept independently with probability π(n); (ε, δ)-differential
//! privacy for neighbours that add or remove one person, who holds at most g keys. With one key a person no
//! (ε, δ)-private rule keeps any key with a higher probability.
//! **Neighbours.** Add or remove one person, who holds at most g keys.
//! **Source.** Desfontaines, Voss, Gipson, Mandayam (2020), arXiv:2006.03684, and the proof here: π(0) = 0,
//! π(n) = min(e^ε·π(n−1) + δ, 1 − e^−ε·(1 − π(n−1) − δ), 1). Neighbours differ by one in the n of one key,
//! and keys are independent, so privacy is four inequalities between π(n−1) and π(n). The two terms are two
//! of them, "kept" on the larger side and "not kept" on the smaller; the other two hold because π never
//! falls. π grows as fast as all allow, by induction from π(0) = 0, which is optimality. Solved: the first
//! term is the smaller one while π(n−1) ≤ (1 − δ)/(1 + e^ε), which gives δ·(e^(nε) − 1)/(e^ε − 1) up to some
//! n₁; then 1 − π(n) + δ/(e^ε − 1) falls by e^−ε a step until π reaches one. For g keys a person each key
//! gets ε/g and 1 − (1 − δ)^(1/g): the pair of laws for one key is a mixture, 1 − δ₁ of a pair that is
//! ε₁-close and δ₁ of anything; so for g independent keys it is (1 − δ₁)^g of a gε₁-close pair and the rest.
//! **Error.** A key of at least [`PartitionSelection::people_needed`] people is kept with probability at
//! least 1 − β.
//! **Exactness.** π(n) is irrational. A lazy uniform number is compared with certified bounds of it, refined
//! until they decide, so that keeping has probability exactly π(n). Kept keys are sorted.
//! **Not covered.** Counts: this names keys only; their counts are another release. Optimality for g > 1.

use std::collections::BTreeMap;

use pointillist_noise::{LazyUniform, SecureBits};
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Loss};

use crate::aggregate::contribution_bound::{ContributionBound, delta_per_group_lower};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "partition selection",
    releases: "the keys that enough people hold",
    guarantee: "(ε, δ)-DP; optimal for one key a person",
    error: "at ε = 1, δ = 1e-5 a key of 12 people is kept with probability ½, one of 23 always",
    source: "Desfontaines, Voss, Gipson, Mandayam 2020, arXiv:2006.03684",
};

/// A private choice of keys.
#[derive(Clone, Debug)]
pub struct PartitionSelection {
    bound: ContributionBound,
    /// ε and δ of one key.
    epsilon: Rational,
    delta: Rational,
    /// The last n that follows the first term of the recursion.
    turn: u128,
    /// The first n that is kept for certain.
    certain: u128,
    /// Bits that divisions and large exponentials may cost.
    guard: usize,
    loss: Loss,
}

impl PartitionSelection {
    /// A choice among keys of which each person holds at most `max_groups`; δ must not be zero.
    pub fn new(max_groups: u64, epsilon: &Epsilon, delta: &Delta) -> Result<Self, MechanismError> {
        let bound = ContributionBound::new(max_groups, 1)?;
        let delta_each = delta_per_group_lower(delta, max_groups)?;
        let epsilon_each = epsilon.divided_by(max_groups)?.value().clone();
        let bits = |value: &Rational| {
            let numerator = value.numerator().to_string().len();
            4 * value.denominator().to_string().len().saturating_sub(numerator) + 8
        };
        let mut selection = Self {
            bound,
            guard: bits(&delta_each) + 2 * bits(&epsilon_each) + 16,
            epsilon: epsilon_each,
            delta: delta_each,
            turn: 1,
            certain: 2,
            loss: Loss::approximate(epsilon.clone(), delta.clone()),
        };
        selection.turn = 1 + selection.whole_steps(|this, precision| this.turn_argument(precision));
        selection.certain =
            selection.turn + 1 + selection.whole_steps(|this, precision| this.end_argument(precision));
        Ok(selection)
    }

    /// What one choice costs, over all keys.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The probability that a key of this many people is kept, between certified bounds.
    pub fn keep_probability(&self, people: u64, precision: usize) -> Enclosure {
        let people = u128::from(people);
        if people == 0 || people >= self.certain {
            return Enclosure::integer(i64::from(people > 0), precision);
        }
        let working = precision + self.guard;
        let result = if people <= self.turn {
            self.before_turn(people, working)
        } else {
            let (rest, limit) = (self.rest_at_turn(working), self.limit(working));
            let fallen = Enclosure::exp_of_minus(&self.times(people - self.turn), working);
            &(&Enclosure::integer(1, working) + &limit) - &(&(&rest + &limit) * &fallen)
        };
        let (lower, upper) = (result.lower_units().clone(), result.upper_units().clone());
        let one = Enclosure::integer(1, working).upper_units().clone();
        // A probability lies between zero and one, whatever the rounding says.
        let clamp = |units: IBig| units.clamp(IBig::ZERO, one.clone());
        Enclosure::new(clamp(lower), clamp(upper), working).at_precision(precision)
    }

    /// Whether a key of this many people is kept, this time.
    pub fn keeps<B: SecureBits + ?Sized>(&self, people: u64, bits: &mut B) -> bool {
        LazyUniform::new(bits).is_below(bits, |precision, _| self.keep_probability(people, precision))
    }

    /// The kept keys, sorted, from one list of keys a person.
    pub fn release<K, P, R, B>(&self, people: P, bits: &mut B) -> Vec<K>
    where
        K: Ord,
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = K>,
        B: SecureBits + ?Sized,
    {
        let mut holders = BTreeMap::new();
        for rows in people {
            for (key, _) in self.bound.bound(rows, bits) {
                *holders.entry(key).or_insert(0u64) += 1;
            }
        }
        self.release_bounded(holders, bits)
    }

    /// The kept keys, sorted, from the number of people who hold each, taken after bounding each person.
    pub fn release_bounded<K: Ord, B: SecureBits + ?Sized>(
        &self,
        holders: BTreeMap<K, u64>,
        bits: &mut B,
    ) -> Vec<K> {
        // Counts repeat, so bounds at the first precision are kept; finer ones are needed once in 2^60 keys.
        let mut known: BTreeMap<u64, Enclosure> = BTreeMap::new();
        let mut kept = Vec::new();
        for (key, people) in holders {
            let mut number = LazyUniform::new(bits);
            let first = number.length();
            let keeps = number.is_below(bits, |precision, _| {
                if precision > first {
                    return self.keep_probability(people, precision);
                }
                known.entry(people).or_insert_with(|| self.keep_probability(people, precision)).clone()
            });
            if keeps {
                kept.push(key);
            }
        }
        kept
    }

    /// The least number of people with which a key is kept with probability at least 1 − β.
    pub fn people_needed(&self, beta: &FailureProbability) -> u128 {
        let wanted = Rational::one() - beta.value().clone();
        let enough = |people: u128| match u64::try_from(people) {
            Ok(people) => self.keep_probability(people, 256).lower() >= wanted,
            Err(_) => people >= self.certain,
        };
        let (mut short, mut enough_at) = (0, self.certain);
        while enough_at - short > 1 {
            let middle = short + (enough_at - short) / 2;
            if enough(middle) { enough_at = middle } else { short = middle }
        }
        enough_at
    }

    fn times(&self, count: u128) -> Rational {
        &self.epsilon * &Rational::from(count)
    }

    /// 1 − e^−ε.
    fn drop(&self, precision: usize) -> Enclosure {
        &Enclosure::integer(1, precision) - &Enclosure::exp_of_minus(&self.epsilon, precision)
    }

    /// δ·(e^(nε) − 1)/(e^ε − 1), written as δ·e^((n−1)ε)·(1 − e^(−nε))/(1 − e^−ε): nothing in it is much
    /// above one.
    fn before_turn(&self, people: u128, precision: usize) -> Enclosure {
        let growth = Enclosure::of(&self.times(people - 1), precision).exp();
        let shape =
            &Enclosure::integer(1, precision) - &Enclosure::exp_of_minus(&self.times(people), precision);
        let product = &(&Enclosure::of(&self.delta, precision) * &growth) * &shape;
        product.checked_div(&self.drop(precision)).expect("ε is positive at this precision")
    }

    fn rest_at_turn(&self, precision: usize) -> Enclosure {
        &Enclosure::integer(1, precision) - &self.before_turn(self.turn, precision)
    }

    /// δ/(e^ε − 1).
    fn limit(&self, precision: usize) -> Enclosure {
        let product =
            &Enclosure::of(&self.delta, precision) * &Enclosure::exp_of_minus(&self.epsilon, precision);
        product.checked_div(&self.drop(precision)).expect("ε is positive at this precision")
    }

    /// ln(1 + tanh(ε/2)·(1/δ − 1))/ε, whose whole part is n₁ − 1.
    fn turn_argument(&self, precision: usize) -> Enclosure {
        let odds = Rational::one() / self.delta.clone() - Rational::one();
        let decay = Enclosure::exp_of_minus(&self.epsilon, precision);
        let one = Enclosure::integer(1, precision);
        let tanh = self.drop(precision).checked_div(&(&one + &decay)).expect("one and more is not zero");
        let inside = &one + &(&tanh * &Enclosure::of(&odds, precision));
        self.over_epsilon(inside.ln().expect("one and more is positive"), precision)
    }

    /// ln(1 + (1 − π(n₁))·(e^ε − 1)/δ)/ε = 1 + ln(e^−ε + (1 − π(n₁))·(1 − e^−ε)/δ)/ε; π is one beyond its
    /// whole part.
    fn end_argument(&self, precision: usize) -> Enclosure {
        let decay = Enclosure::exp_of_minus(&self.epsilon, precision);
        let weight = Enclosure::of(&(Rational::one() / self.delta.clone()), precision);
        let inside = &decay + &(&(&self.rest_at_turn(precision) * &self.drop(precision)) * &weight);
        let steps = self.over_epsilon(inside.ln().expect("a positive number at this precision"), precision);
        &steps + &Enclosure::integer(1, precision)
    }

    fn over_epsilon(&self, value: Enclosure, precision: usize) -> Enclosure {
        let epsilon = Enclosure::of(&self.epsilon, precision);
        value.checked_div(&epsilon).expect("ε is positive at this precision")
    }

    /// The whole part of a number, at whatever precision it takes. It ends, because the number is no integer:
    /// that would make e^ε a root of a polynomial with rational coefficients, and for rational ε it is none.
    fn whole_steps(&self, argument: impl Fn(&Self, usize) -> Enclosure) -> u128 {
        let mut precision = 64 + 2 * self.guard;
        loop {
            if let Some(whole) = argument(self, precision).floor() {
                return u128::try_from(whole).expect("ln(1 + x)/ε lies between 0 and 2^72");
            }
            precision *= 2;
        }
    }
}

#[cfg(test)]
mod tests;
