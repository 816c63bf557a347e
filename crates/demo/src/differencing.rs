//! The differencing attack: the same number twice, once without one person. See `attack/src/differencing.rs` for what it
//! learns from exact numbers.
//!
//! **Claim.** Whoever starts at even odds on whether Ada's record is there, and knows everybody else's, guesses right
//! with probability at most ½ + ½·(δ + √(ρ/2)) after answers that cost (ρ, δ) together, however they were chosen. Proof:
//! statement 3 of `attack/src/limits.rs`, with q = ½.
//! The two counts of the attack do not change when Ada has another condition instead of no record, so that they say
//! no more about her condition than about her presence.

use pointillist_attack::limits::{Indistinguishability, right_guess_from_upper};
use pointillist_catalog::Value;
use pointillist_curator::{Ask, AskError, Curator, Paid, Reply};
use pointillist_privacy::{Amount, Currency};
use pointillist_query::Options;

use crate::RARE;

/// Five ways to say the same, so that every attempt gets fresh noise: the same plan would get the same answer.
const WITH: [&str; 5] = [
    "condition = '{}'",
    "condition IN ('{}')",
    "condition LIKE '{}'",
    "lower(condition) = '{}'",
    "condition >= '{}' AND condition <= '{}'",
];
const WITHOUT: [&str; 5] =
    ["age <> 101", "age < 101", "age <= 100", "NOT age = 101", "age BETWEEN 0 AND 100"];

/// One attempt: the number with Ada, the number without.
pub struct Attempt {
    /// How many have the condition.
    pub with: i64,
    /// How many of them are not 101 years old.
    pub without: i64,
}

impl Attempt {
    /// What the attacker computes.
    pub fn difference(&self) -> i64 {
        self.with - self.without
    }

    /// The attacker's best guess: nearer to one than to zero means that she is there.
    pub fn says_she_is_there(&self) -> bool {
        self.difference() >= 1
    }
}

/// The attack as it went.
pub struct Differencing {
    /// One pair of answers after the other.
    pub attempts: Vec<Attempt>,
    /// What all answers cost together.
    pub cost: Amount,
    /// The widest of the answers' errors.
    pub error_95: f64,
}

impl Differencing {
    /// The ε of each question.
    pub const EPSILON: &str = "0.1";
    /// The true numbers: with Ada, and without.
    pub const TRUTH: [i64; 2] = [71, 70];

    /// The two questions of an attempt.
    pub fn questions(attempt: usize) -> [String; 2] {
        let condition = WITH[attempt % WITH.len()].replace("{}", RARE);
        let with = format!("SELECT count(*) FROM patients WHERE {condition}");
        let without = format!("{with} AND {}", WITHOUT[attempt % WITHOUT.len()]);
        [with, without]
    }

    /// How many of the guesses were right: she is there.
    pub fn right_guesses(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.says_she_is_there()).count()
    }

    /// The probability with which the best guess is right after answers that cost this much together, at most.
    pub fn best_guess_upper(cost: Amount) -> f64 {
        right_guess_from_upper(&Indistinguishability::of_amount(Currency::Zcdp, cost), 0.5)
    }
}

/// Asks all of them.
pub(crate) fn attack(curator: &Curator, analyst: &str, options: &Options) -> Result<Differencing, AskError> {
    let mut attack = Differencing { attempts: Vec::new(), cost: Amount::ZERO, error_95: 0.0 };
    for attempt in 0..WITH.len() {
        let mut counts = [0; 2];
        for (count, sql) in counts.iter_mut().zip(Differencing::questions(attempt)) {
            let ask = Ask { options: options.clone(), ..Ask::new(sql, analyst) };
            let reply = curator.ask(&ask)?;
            *count = first_integer(&reply);
            let release = reply.answer.columns.first().and_then(|column| column.release.as_ref());
            attack.error_95 =
                attack.error_95.max(release.and_then(|release| release.error_95).unwrap_or(0.0));
            // The same plan twice is one answer, paid for once.
            if reply.paid != Paid::Nothing {
                attack.cost = attack.cost.plus(reply.price.amount());
            }
        }
        let [with, without] = counts;
        attack.attempts.push(Attempt { with, without });
    }
    Ok(attack)
}

fn first_integer(reply: &Reply) -> i64 {
    match reply.answer.rows.first().and_then(|row| row.values.first()) {
        Some(Some(Value::Integer(value))) => *value,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// √(0.02/2) = 0.1, so 55 %; nobody is more right than certainly.
    #[test]
    fn the_best_guess_follows_the_formula() {
        let cost = |rho: u128| Amount { loss_units: rho * 10u128.pow(22), delta_units: 0 };
        assert!((Differencing::best_guess_upper(cost(2)) - 0.55).abs() < 1e-9);
        assert_eq!(Differencing::best_guess_upper(cost(900)), 1.0);
        assert_eq!(Differencing::best_guess_upper(Amount::ZERO), 0.5);
    }

    #[test]
    fn every_attempt_is_worded_anew() {
        let all: std::collections::BTreeSet<String> = (0..5).flat_map(Differencing::questions).collect();
        assert_eq!(all.len(), 10);
    }
}
