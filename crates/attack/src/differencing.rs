//! Differencing: questions about many that together are a question about one.
//!
//! **Setting.** "How many people have it?" says 71; "how many people other than Ana have it?" says 70. Each
//! count hides Ana among seventy others, and both together do not ([`attack`]). Rules against small counts or
//! small differences do not help in general: any set of exact answers determines everybody whose unit vector
//! is a linear combination of the questions ([`LinearQuestions`]), counts of nobody or of everybody tell more, and somebody always finds a combination
//! that the rule did not foresee.
//! **What noise does.** With independent noise on each answer the difference is Ana's bit and the noise of
//! both. Only the first answer depends on her, so at ε an answer nobody guesses her bit with probability
//! above e^ε/(1 + e^ε), from this pair or whatever else is asked about others ([`limits`]).

mod certain;
mod linear;
mod span;

pub use certain::{Certain, Reason};
pub use linear::{Inference, LinearAttack, LinearQuestions};
pub use span::Determined;

use std::collections::BTreeMap;

use pointillist_mechanisms::additive_noise::{AdditiveNoise, Price};
use pointillist_noise::SecureBits;

use crate::{AttackError, limits};

/// The most repetitions of the private pair.
const TRIALS_MAX: usize = 1 << 22;

/// Pairs that are shown one by one: a single one may happen to be the truth.
const SHOWN: usize = 5;

/// Two counts of people who have something: with one person and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    with: u64,
    without: u64,
}

impl Counts {
    /// The pair of the lectures: 71 with the person, 70 without.
    pub const LECTURES: Self = Self { with: 71, without: 70 };

    /// Two counts; the person adds zero or one.
    pub fn new(with: i128, without: i128) -> Result<Self, AttackError> {
        let count = |value: i128| {
            u64::try_from(value).map_err(|_| {
                AttackError::new(
                    format!("{value} is not a count"),
                    "counts are whole numbers from zero on, below 2^64",
                )
            })
        };
        let counts = Self { with: count(with)?, without: count(without)? };
        if !(0..=1).contains(&(with - without)) {
            return Err(AttackError::new(
                format!("the counts {with} and {without} differ by more than one person"),
                "give the count with the person first; it is the same as the count without, or one more",
            ));
        }
        Ok(counts)
    }

    /// The count with the person.
    pub fn with(&self) -> u64 {
        self.with
    }

    /// The count without the person.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// What exact counts reveal, with certainty: whether the person has it.
    pub fn reveal(&self) -> bool {
        self.with > self.without
    }
}

/// The attack on both kinds of counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Differencing {
    /// The exact counts.
    pub counts: Counts,
    /// What each private count cost.
    pub price_each: Price,
    /// Pairs of private counts, each as a curator might have published it: the first few that were drawn.
    pub released: Vec<(i128, i128)>,
    /// How often each difference came up when the pair was drawn again and again: the figures of a plot.
    pub differences: Vec<(i128, usize)>,
    /// How many pairs were drawn.
    pub trials: usize,
    /// In how many of them "one if the difference is at least one" was the right guess.
    pub right: usize,
    /// How often any guess about one person can be right at this price.
    pub right_upper: f64,
}

impl Differencing {
    /// The fraction of private pairs from which the guess was right; from exact counts it is one.
    pub fn right_fraction(&self) -> f64 {
        self.right as f64 / self.trials as f64
    }

    /// The attack in words.
    pub fn summary(&self) -> String {
        let Counts { with, without } = self.counts;
        let verdict = if self.counts.reveal() { "has it" } else { "does not have it" };
        format!(
            "Exact counts: {with} − {without} = {}, so the person {verdict}, for certain. {}",
            with - without,
            self.private_summary()
        )
    }

    /// What private counts tell, in words.
    pub fn private_summary(&self) -> String {
        let differences: Vec<String> =
            self.released.iter().map(|(with, without)| signed(with.saturating_sub(*without))).collect();
        let first = self.released.first().map_or_else(String::new, |(with, without)| {
            format!("{} − {} = {}", signed(*with), signed(*without), differences[0])
        });
        let again = match differences.get(1..) {
            None | Some([]) => String::new(),
            Some(others) => format!("; drawn again, the difference is {}", others.join(", ")),
        };
        format!(
            "Private counts at {} each: {first}{again}: the person and the noise of both. A guess from such a \
             pair was right in {:.1} % of {} draws, give or take a point; no guess at this price is right \
             with probability above {:.1} %.",
            self.price_each,
            100.0 * self.right_fraction(),
            self.trials,
            100.0 * self.right_upper
        )
    }
}

/// A whole number with a minus as long as the one between the counts.
fn signed(number: i128) -> String {
    number.to_string().replace('-', "−")
}

/// Takes the difference of exact counts, and of private ones at this price each, `trials` times with fresh
/// noise.
pub fn attack(
    counts: &Counts,
    price_each: &Price,
    trials: usize,
    bits: &mut dyn SecureBits,
) -> Result<Differencing, AttackError> {
    if trials == 0 || trials > TRIALS_MAX {
        return Err(AttackError::new(
            format!("{trials} private pairs cannot be drawn"),
            format!("draw between one and {TRIALS_MAX} pairs, such as 10000"),
        ));
    }
    let noise = AdditiveNoise::for_number(1, price_each)?;
    let noisy = noise.sample_many(2 * trials, bits);
    let (with, without) = (i128::from(counts.with), i128::from(counts.without));
    // The noise of one count has far fewer than 127 bits at any price that exists.
    let pairs = noisy
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[first, second]| (with.saturating_add(*first), without.saturating_add(*second)));
    let mut differences = BTreeMap::new();
    let mut right = 0;
    for (with, without) in pairs.clone() {
        let difference = with.saturating_sub(without);
        *differences.entry(difference).or_insert(0) += 1;
        right += usize::from((difference >= 1) == counts.reveal());
    }
    Ok(Differencing {
        counts: *counts,
        price_each: price_each.clone(),
        released: pairs.clone().take(SHOWN).collect(),
        differences: differences.into_iter().collect(),
        trials,
        right,
        right_upper: limits::right_guess_upper(price_each),
    })
}

#[cfg(test)]
mod tests;
