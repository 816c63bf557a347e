//! Who is certain from exact counts of bits: linear combinations, and counts of nobody and of everybody.
//!
//! **Rules**, until none of them says anything new: what is known is taken out of every count; a count of
//! nobody among the rest is a zero for each of them, and a count of all of them a one; whom a linear
//! combination of the counts determines has its value.
//! **Not covered.** More is certain in rare cases: several counts together may leave one set of bits where no
//! rule applies. To find all of them is as hard as solving integer programmes.

use pointillist_numbers::Rational;

use super::{Determined, LinearQuestions};
use crate::AttackError;

/// A person whose bit is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certain {
    /// Who, counted from zero.
    pub person: usize,
    /// Whether they have it.
    pub value: bool,
    /// Which rule tells.
    pub reason: Reason,
}

/// Why a bit is certain. Questions are counted from zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Some answers, each times something, add up to it.
    Combination(Determined),
    /// The same, once what else is certain has been taken out of the answers.
    Rest(Determined),
    /// The question counts nobody, but for those who are certain.
    Nobody(usize),
    /// The question counts everybody it is about.
    Everybody(usize),
}

impl LinearQuestions {
    /// Everybody whose bit is certain from exact counts, by the rules above, in order.
    pub fn certain(&self, answers: &[i128]) -> Result<Vec<Certain>, AttackError> {
        if answers.len() != self.count()
            || self.weights.iter().flatten().any(|weight| !(0..=1).contains(weight))
        {
            return Err(AttackError::new(
                "counts are missing, or the questions are more than counts",
                "give one count for every question, and a zero or a one for every person",
            ));
        }
        let mut known: Vec<Option<bool>> = vec![None; self.people()];
        let mut certain = Vec::new();
        loop {
            let rest = self.without(&known, answers)?;
            let by_combination = |determined: Determined| -> Result<Certain, AttackError> {
                let value = bit(&determined.value(&rest.answers)).ok_or_else(contradiction)?;
                let person = rest.people[determined.person];
                let found = Determined { person, ..determined };
                let reason = if certain.is_empty() { Reason::Combination } else { Reason::Rest };
                Ok(Certain { person, value, reason: reason(found) })
            };
            let mut new = rest.nobody_or_everybody();
            if new.is_empty() && !rest.people.is_empty() {
                let questions = LinearQuestions::new(rest.weights.clone())?;
                let determined = questions.determined().into_iter();
                new = determined.map(by_combination).collect::<Result<_, _>>()?;
            }
            if new.is_empty() {
                certain.sort_by_key(|certain: &Certain| certain.person);
                return Ok(certain);
            }
            for found in &new {
                known[found.person] = Some(found.value);
            }
            certain.extend(new);
        }
    }

    /// The same questions about those who are not known yet.
    fn without(&self, known: &[Option<bool>], answers: &[i128]) -> Result<Rest, AttackError> {
        let people: Vec<usize> = (0..known.len()).filter(|person| known[*person].is_none()).collect();
        let weights: Vec<Vec<i64>> = self
            .weights
            .iter()
            .map(|question| people.iter().map(|person| question[*person]).collect())
            .collect();
        let ones = |question: &Vec<i64>| -> i128 {
            let ones = question.iter().zip(known).filter(|(_, known)| **known == Some(true));
            ones.map(|(weight, _)| i128::from(*weight)).sum()
        };
        let answers: Vec<i128> =
            answers.iter().zip(&self.weights).map(|(answer, question)| answer - ones(question)).collect();
        let size = |question: &Vec<i64>| question.iter().map(|weight| i128::from(*weight)).sum();
        match answers.iter().zip(&weights).all(|(answer, question)| (0..=size(question)).contains(answer)) {
            true => Ok(Rest { people, weights, answers }),
            false => Err(contradiction()),
        }
    }
}

/// What is left of the questions.
struct Rest {
    people: Vec<usize>,
    weights: Vec<Vec<i64>>,
    answers: Vec<i128>,
}

impl Rest {
    /// Those in a question that counts nobody or everybody; each once.
    fn nobody_or_everybody(&self) -> Vec<Certain> {
        let mut found: Vec<Certain> = Vec::new();
        let mut seen = vec![false; self.people.len()];
        for (question, (weights, answer)) in self.weights.iter().zip(&self.answers).enumerate() {
            let size: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
            let (value, reason) = match *answer {
                0 => (false, Reason::Nobody(question)),
                answer if answer == size => (true, Reason::Everybody(question)),
                _ => continue,
            };
            for place in (0..weights.len()).filter(|place| weights[*place] == 1) {
                if !std::mem::replace(&mut seen[place], true) {
                    found.push(Certain { person: self.people[place], value, reason: reason.clone() });
                }
            }
        }
        found
    }
}

fn bit(value: &Rational) -> Option<bool> {
    [false, true].into_iter().find(|bit| *value == Rational::from(u64::from(*bit)))
}

fn contradiction() -> AttackError {
    AttackError::new(
        "the counts contradict each other: no group of people has all of them",
        "this attack is about exact counts; look for rounded or wrong ones, or for a person in the wrong row",
    )
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use super::*;

    fn questions(rows: &[&[i64]]) -> LinearQuestions {
        LinearQuestions::new(rows.iter().map(|row| row.to_vec()).collect()).unwrap()
    }

    #[test]
    fn each_rule_finds_its_people() {
        // Nobody of the first two; everybody of the third and fourth; the fifth by a difference.
        let rows: [&[i64]; 4] =
            [&[1, 1, 0, 0, 0, 0, 0], &[0, 0, 1, 1, 0, 0, 0], &[0, 0, 1, 0, 1, 1, 1], &[0, 0, 0, 1, 0, 1, 1]];
        let found = questions(&rows).certain(&[0, 2, 3, 2]).unwrap();
        let values: Vec<(usize, bool)> = found.iter().map(|found| (found.person, found.value)).collect();
        assert_eq!(values, [(0, false), (1, false), (2, true), (3, true), (4, true)]);
        assert_eq!(found[0].reason, Reason::Nobody(0));
        assert_eq!(found[3].reason, Reason::Everybody(1));
        assert!(
            matches!(&found[4].reason, Reason::Rest(found) if found.to_string() == "answer 3 − answer 4")
        );
    }

    /// Specification: whatever is called certain holds for all bits that agree with the counts, and the rules
    /// find everybody whom a linear combination determines.
    #[test]
    fn what_is_certain_is_true_of_all_that_agree() {
        let people = 3usize;
        let dot = |mask: u32, bits: u32| i128::from((mask & bits).count_ones());
        for code in 0..8u32.pow(3) {
            let masks: Vec<u32> = (0..3).map(|question| code / 8u32.pow(question) % 8).collect();
            let rows: Vec<Vec<i64>> = masks
                .iter()
                .map(|mask| (0..people).map(|person| i64::from(mask >> person & 1)).collect())
                .collect();
            let questions = LinearQuestions::new(rows).unwrap();
            for truth in 0..8u32 {
                let answers: Vec<i128> = masks.iter().map(|mask| dot(*mask, truth)).collect();
                let found = questions.certain(&answers).unwrap();
                let agrees = |bits: &u32| {
                    masks.iter().zip(&answers).all(|(mask, answer)| dot(*mask, *bits) == *answer)
                };
                for certain in &found {
                    assert!(
                        (0..8u32)
                            .filter(agrees)
                            .all(|bits| (bits >> certain.person & 1 == 1) == certain.value)
                    );
                }
                for determined in questions.determined() {
                    assert!(found.iter().any(|found| found.person == determined.person));
                }
            }
        }
    }

    #[test]
    fn contradictions_and_misfits_are_refused() {
        let pair = questions(&[&[1, 1], &[1, 1]]);
        for answers in [&[1, 2][..], &[3, 3], &[-1, -1], &[1]] {
            assert!(pair.certain(answers).unwrap_err().hint().is_some(), "{answers:?}");
        }
        let half = questions(&[&[1, 1, 0], &[0, 1, 1], &[1, 0, 1]]);
        assert!(half.certain(&[1, 1, 1]).is_err(), "each would be one half");
        assert!(questions(&[&[2, 1]]).certain(&[1]).is_err());
    }
}
