//! The general form: which people a set of exact answers determines, and by which combination.
//!
//! **Statement.** Linear questions q_1, …, q_m give answers q_j·x about unknown values x of n people. The
//! value of person i follows from the answers alone, for every x, exactly when the unit vector e_i is in the
//! span of the questions; the coefficients c with Σ c_j·q_j = e_i then give x_i = Σ c_j·answer_j. (If e_i is
//! outside, some x with all answers zero has x_i ≠ 0, and adding it changes nothing that is seen.)
//! **Not covered.** What follows from more than linear algebra: that values are bits, or that a count equals
//! its group's size.

use std::collections::BTreeMap;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::{IBig, Rational};
use pointillist_privacy::{SensitivityL1, SensitivityL2, Spend};

use super::span::{Determined, eliminate};
use crate::AttackError;
use crate::deviation::deviation;

/// Elimination takes the square of the questions times the people; these bounds keep it to seconds.
const QUESTIONS_MAX: usize = 128;
const PEOPLE_MAX: usize = 65_536;
/// Distinct columns, after people about whom all questions say the same are taken together.
const PATTERNS_MAX: usize = 1024;
const WEIGHT_MAX: i64 = 1_000_000;

/// Questions with one integer weight for every person: "the sum of weight times value".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearQuestions {
    pub(super) weights: Vec<Vec<i64>>,
    people: usize,
}

impl LinearQuestions {
    /// Questions, each with one weight for every person.
    pub fn new(weights: Vec<Vec<i64>>) -> Result<Self, AttackError> {
        let people = weights.first().map_or(0, Vec::len);
        if people == 0 || people > PEOPLE_MAX || weights.len() > QUESTIONS_MAX {
            return Err(AttackError::new(
                format!("{} questions about {people} people cannot be examined", weights.len()),
                format!("give 1 to {QUESTIONS_MAX} questions about 1 to {PEOPLE_MAX} people"),
            ));
        }
        if let Some(question) = weights.iter().position(|question| question.len() != people) {
            return Err(AttackError::new(
                format!(
                    "question {} has {} weights, the first one {people}",
                    question + 1,
                    weights[question].len()
                ),
                "give every question one weight for every person, zero for those it is not about",
            ));
        }
        if let Some(weight) =
            weights.iter().flatten().find(|weight| weight.unsigned_abs() > WEIGHT_MAX as u64)
        {
            return Err(AttackError::new(
                format!("the weight {weight} is too large"),
                format!("weights run from −{WEIGHT_MAX} to {WEIGHT_MAX}; choose a coarser unit"),
            ));
        }
        let questions = Self { weights, people };
        if questions.patterns().len() > PATTERNS_MAX {
            return Err(AttackError::new(
                format!("the questions treat more than {PATTERNS_MAX} people or groups differently"),
                "examine fewer questions at a time",
            ));
        }
        Ok(questions)
    }

    /// Counting questions: each person is in or out.
    pub fn counting(subsets: &[Vec<bool>]) -> Result<Self, AttackError> {
        Self::new(subsets.iter().map(|subset| subset.iter().map(|flag| i64::from(*flag)).collect()).collect())
    }

    /// How many people the questions are about.
    pub fn people(&self) -> usize {
        self.people
    }

    /// How many questions there are.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// The exact answers.
    pub fn answers(&self, values: &[bool]) -> Result<Vec<i128>, AttackError> {
        if values.len() != self.people {
            return Err(AttackError::new(
                format!("{} values do not fit questions about {} people", values.len(), self.people),
                "give one value for every person",
            ));
        }
        let answer = |question: &Vec<i64>| {
            question
                .iter()
                .zip(values)
                .filter(|(_, value)| **value)
                .map(|(weight, _)| i128::from(*weight))
                .sum()
        };
        Ok(self.weights.iter().map(answer).collect())
    }

    /// Everybody whose value follows from the exact answers, in order.
    pub fn determined(&self) -> Vec<Determined> {
        let patterns = self.patterns();
        let count = self.count();
        let unit = |question: usize| (0..count).map(move |other| IBig::from(u8::from(other == question)));
        let mut rows: Vec<Vec<IBig>> = (0..count)
            .map(|question| {
                let reduced = patterns.keys().map(|pattern| IBig::from(pattern[question]));
                reduced.chain(unit(question)).collect()
            })
            .collect();
        let pivots = eliminate(&mut rows, patterns.len());
        let members: Vec<&Vec<usize>> = patterns.values().collect();
        let mut determined: Vec<Determined> = pivots
            .iter()
            .enumerate()
            .filter(|(row, pivot)| {
                let others = rows[*row][..patterns.len()].iter().enumerate();
                members[**pivot].len() == 1
                    && others.filter(|(column, _)| column != *pivot).all(|(_, entry)| *entry == IBig::ZERO)
            })
            .map(|(row, pivot)| {
                let (left, right) = rows[row].split_at(patterns.len());
                let scale = Rational::from(left[*pivot].clone());
                let coefficients = right.iter().map(|entry| Rational::from(entry.clone()) / scale.clone());
                let combination = coefficients.enumerate().filter(|(_, factor)| !factor.is_zero()).collect();
                Determined { person: members[*pivot][0], combination }
            })
            .collect();
        determined.sort_by_key(|found| found.person);
        determined
    }

    /// The combination that determines one person, if there is one.
    pub fn determines(&self, person: usize) -> Result<Option<Determined>, AttackError> {
        if person >= self.people {
            return Err(AttackError::new(
                format!("there is no person {person} among {}", self.people),
                format!("people are counted from 0 to {}", self.people - 1),
            ));
        }
        Ok(self.determined().into_iter().find(|found| found.person == person))
    }

    /// Determines whom it can, from exact answers about these values and from answers at this price for all
    /// of them together.
    ///
    /// A change of one person's bit moves the answers by their weights: the largest sum of a person's weights
    /// in magnitude is the L1 sensitivity, the largest sum of squares the squared L2 sensitivity.
    pub fn attack(
        &self,
        values: &[bool],
        price: &Spend,
        bits: &mut dyn SecureBits,
    ) -> Result<LinearAttack, AttackError> {
        self.attack_answers(&self.answers(values)?, price, bits)
    }

    /// The same from exact answers that somebody published, where only they know the values behind.
    pub fn attack_answers(
        &self,
        exact: &[i128],
        price: &Spend,
        bits: &mut dyn SecureBits,
    ) -> Result<LinearAttack, AttackError> {
        if exact.len() != self.count() {
            return Err(AttackError::new(
                format!("{} answers do not fit {} questions", exact.len(), self.count()),
                "give one answer for every question, in the same order",
            ));
        }
        let largest = |power: u32| {
            let of = |person: usize| {
                self.weights
                    .iter()
                    .map(|question| i128::from(question[person].abs()).pow(power))
                    .sum::<i128>()
            };
            (0..self.people).map(of).max().unwrap_or(0)
        };
        let sensitivity_l1 = SensitivityL1::new(Rational::from(largest(1)))?;
        let sensitivity_l2 = SensitivityL2::from_squared(Rational::from(largest(2)))?;
        let noise = AdditiveNoise::for_spend(&sensitivity_l1, &sensitivity_l2, price)?;
        let noisy = noise.sample_many(exact.len(), bits);
        let private: Vec<i128> =
            exact.iter().zip(noisy).map(|(answer, noise)| noisy_sum(*answer, noise)).collect();
        let deviation = deviation(&noise);
        let inferences = self.determined().into_iter().map(|found| Inference {
            exact: found.value(exact),
            private: found.value(&private).to_f64_upper(),
            private_deviation: deviation * found.amplification(),
            found,
        });
        Ok(LinearAttack { people: self.people, price: price.clone(), inferences: inferences.collect() })
    }

    /// The distinct columns and who has each; nobody asks about those with only zeros.
    fn patterns(&self) -> BTreeMap<Vec<i64>, Vec<usize>> {
        let mut patterns: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
        for person in 0..self.people {
            let pattern: Vec<i64> = self.weights.iter().map(|question| question[person]).collect();
            if pattern.iter().any(|weight| *weight != 0) {
                patterns.entry(pattern).or_default().push(person);
            }
        }
        patterns
    }
}

/// What the answers say about one person.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// Who, and by which combination.
    pub found: Determined,
    /// The combination of the exact answers: the person's value.
    pub exact: Rational,
    /// The same combination of the private answers.
    pub private: f64,
    /// The standard deviation of that.
    pub private_deviation: f64,
}

/// What the answers say about everybody they determine.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearAttack {
    /// How many people there are.
    pub people: usize,
    /// What all private answers together cost.
    pub price: Spend,
    /// One for every person that exact answers determine.
    pub inferences: Vec<Inference>,
}

impl LinearAttack {
    /// The attack in words.
    pub fn summary(&self) -> String {
        let Some(first) = self.inferences.first() else {
            return format!(
                "No combination of these answers is about one of the {} people alone.",
                self.people
            );
        };
        format!(
            "These exact answers determine {} of {} people, for certain: person {} has {} = {}. The same \
             formula on answers at {} in total gives {:.1}, with a deviation of {:.1}.",
            self.inferences.len(),
            self.people,
            first.found.person + 1,
            first.found,
            first.exact,
            self.price,
            first.private,
            first.private_deviation
        )
    }
}
