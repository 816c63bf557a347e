//! Which method suits a question: the least error, and of nearly equal ones the shortest reports.
//!
//! **Rule.** The expected squared error of all k estimated counts together,
//! `n(p(1−p) + (k−1)·q(1−q))/(h(p−q)²)`, does not depend on the truth (see [`Rates`](crate::Rates)), so the
//! methods can be compared before anybody is asked. Among the methods whose root of it is within 2 % of the
//! least, the one with the shortest lines is taken. n decides no ranking, as all errors grow alike with it;
//! but local hashing is left out where collecting would take more than 2^42 steps, and encodings whose rows
//! are longer than 2^20 bits are left out.
//!
//! In short: k-ary response for few values, k below about `3e^ε + 2`; local hashing or Hadamard response
//! beyond that; subset selection in between.

use pointillist_privacy::Epsilon;

use crate::{LocalError, Method, Oracle};

/// Roots of squared errors within this factor count as equal.
const NEARLY: f64 = 1.02;
/// The most steps that collecting may take: an hour or so.
const STEPS_MAX: u128 = 1 << 42;
/// Those that are compared. Symmetric unary encoding never beats the optimised one.
const COMPARED: [Method; 6] = [
    Method::BinaryResponse,
    Method::KaryResponse,
    Method::HadamardResponse,
    Method::LocalHashing,
    Method::SubsetSelection,
    Method::UnaryEncoding,
];

/// A method that was chosen, and what it was compared with.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The method.
    pub oracle: Oracle,
    /// All methods that could have been taken, the most accurate first.
    pub candidates: Vec<Candidate>,
}

/// A method's figures for one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// The root of the expected squared error of a share, averaged over the values.
    pub share_error: f64,
    /// How long a line is at most.
    pub line_bytes_max: u64,
}

/// The method for a question with so many values, asked of so many people at this price.
pub fn auto(values: u64, epsilon: &Epsilon, people: u64) -> Result<Choice, LocalError> {
    let people = people.max(1);
    let mut candidates = Vec::new();
    for method in COMPARED {
        let two_only = method == Method::BinaryResponse && values != 2;
        let slow = method == Method::LocalHashing && u128::from(values) * u128::from(people) > STEPS_MAX;
        if two_only || slow {
            continue;
        }
        // A method that cannot take so many values is no candidate; k-ary response can, or says why nobody
        // can.
        match Oracle::new(method, epsilon, values) {
            Ok(oracle) => candidates.push((candidate(method, &oracle, people), oracle)),
            Err(error) if method == Method::KaryResponse => return Err(error),
            Err(_) => {}
        }
    }
    candidates.sort_by(|(a, _), (b, _)| a.share_error.total_cmp(&b.share_error));
    let least = candidates.first().map_or(0.0, |(candidate, _)| candidate.share_error);
    let near = candidates.iter().filter(|(candidate, _)| candidate.share_error <= least * NEARLY);
    let (_, oracle) = near
        .min_by_key(|(candidate, _)| candidate.line_bytes_max)
        .expect("k-ary response is always a candidate");
    Ok(Choice {
        oracle: oracle.clone(),
        candidates: candidates.into_iter().map(|(candidate, _)| candidate).collect(),
    })
}

fn candidate(method: Method, oracle: &Oracle, people: u64) -> Candidate {
    let total = oracle.rates().squared_error_total(people, oracle.values());
    let share_error = (total / oracle.values() as f64).sqrt() / people as f64;
    Candidate { method, share_error, line_bytes_max: oracle.line_bytes_max() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(values: u64, epsilon: &str, people: u64) -> Choice {
        auto(values, &Epsilon::parse(epsilon).unwrap(), people).unwrap()
    }

    fn name(choice: &Choice) -> String {
        choice.oracle.to_string().split(' ').next().unwrap().to_owned()
    }

    /// Specification: no method that is compared has an error more than 2 % below the chosen one, and none
    /// within 2 % has shorter lines.
    #[test]
    fn the_choice_is_the_least_error_and_then_the_shortest_line() {
        for values in [2, 3, 5, 10, 16, 64, 100, 1024, 30_000] {
            for epsilon in ["0.1", "0.5", "1", "2", "4", "8"] {
                let choice = chosen(values, epsilon, 10_000);
                let own = |oracle: &Oracle| {
                    let total = oracle.rates().squared_error_total(10_000, values);
                    ((total / values as f64).sqrt() / 10_000.0, oracle.line_bytes_max())
                };
                let (error, bytes) = own(&choice.oracle);
                assert!(choice.candidates.is_sorted_by(|a, b| a.share_error <= b.share_error));
                let least = choice.candidates[0].share_error;
                assert!(error <= least * NEARLY, "{values} {epsilon}");
                for other in &choice.candidates {
                    assert!(other.share_error > least * NEARLY || other.line_bytes_max >= bytes);
                }
            }
        }
    }

    #[test]
    fn usual_questions_get_their_usual_methods() {
        assert_eq!(name(&chosen(2, "1", 1000)), "randomized-response");
        assert_eq!(name(&chosen(3, "2", 1000)), "k-ary-response");
        assert_eq!(name(&chosen(16, "4", 1000)), "k-ary-response");
        assert_eq!(name(&chosen(1024, "1", 1000)), "local-hashing");
        assert_eq!(name(&chosen(1024, "0.1", 1000)), "hadamard-response");
        // Local hashing would take a day to collect.
        assert_ne!(name(&chosen(1 << 20, "1", 100_000_000)), "local-hashing");
    }

    #[test]
    fn impossible_questions_are_refused_with_a_hint() {
        for values in [0, 1, u64::MAX] {
            let message = auto(values, &Epsilon::parse("1").unwrap(), 10).unwrap_err().told();
            assert!(message.contains("hint: "), "{message}");
        }
        assert!(auto(2, &Epsilon::parse("1").unwrap(), 0).is_ok());
    }
}
