//! The attack on slightly wrong counts, and on as many counts at a price.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Spend};
use pointillist_render::decimals::significant;
use pointillist_render::page::Page;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::secret::Secret;
use super::{Answers, Method, Norm, Reconstruction, Recovery, SecretOracle, attack, page};
use crate::serialized;
use crate::{AttackError, Comparison, limits};

/// The linear programme is for few people.
const PROGRAMME_MAX: usize = 300;
/// Who is counted in which question is a bit in memory.
const BITS_MAX: usize = 1 << 31;

/// A secret and how it is asked about.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Everybody's bit, and what a one means.
    pub secret: Secret,
    /// Questions a person; four are plenty.
    pub questions_each: usize,
    /// The largest error of the answers that others publish: a quarter of the root of the people, unless it is said.
    pub error: Option<f64>,
    /// The price of all our answers together.
    pub epsilon: Epsilon,
}

/// How much of a secret is recovered from others' answers, and how much from ours.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "reconstruct")]
pub struct Outcome {
    /// Where the secret comes from, and what a one means.
    pub secret: Secret,
    /// How many people have a bit.
    pub people: usize,
    /// How many questions were asked.
    pub questions: usize,
    /// The largest error of others' answers.
    pub error: f64,
    /// The price of all our answers together.
    #[serde(serialize_with = "serialized::epsilon")]
    pub epsilon: Epsilon,
    /// The share recovered from others' answers.
    pub recovered: f64,
    /// The share recovered from ours.
    pub recovered_private: f64,
    /// The share that giving everybody the more common bit gets.
    pub recovered_blindly: f64,
    /// The probability with which a bit that was a fair coin is guessed from our answers, at most.
    pub right_upper: f64,
    /// The attack on others' answers.
    #[serde(rename = "without")]
    pub others: Attacked,
    /// The attack on ours.
    #[serde(rename = "with")]
    pub ours: Attacked,
}

/// One attack and how well it went.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// What the attack made of the answers.
    pub result: Reconstruction,
    /// How much of the secret that is.
    pub recovery: Recovery,
}

/// The error of a careless publisher, unless somebody says otherwise: a quarter of the root of the people, at which nearly
/// everybody is recovered.
pub fn careless_error(people: usize) -> f64 {
    0.25 * (people as f64).sqrt()
}

/// Asks, decodes, compares.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { secret, questions_each, error, epsilon } = settings;
    let people = secret.people();
    check_memory(people, questions_each)?;
    let questions = people.saturating_mul(questions_each);
    let error = error.unwrap_or_else(|| careless_error(people));
    let price = Spend::Pure(epsilon.clone());
    let others = attacked(secret.bits(), questions, &Answers::ErrorUpTo(error), bits)?;
    let ours = attacked(secret.bits(), questions, &Answers::Private(price.clone()), bits)?;
    Ok(Outcome {
        secret,
        people,
        questions,
        error,
        epsilon,
        recovered: others.recovery.fraction(),
        recovered_private: ours.recovery.fraction(),
        recovered_blindly: others.recovery.fraction_blindly(),
        right_upper: limits::right_guess_upper(&price),
        others,
        ours,
    })
}

/// Attacks a publisher who answers this way.
fn attacked(
    secret: &[bool],
    questions: usize,
    answers: &Answers,
    bits: &mut dyn SecureBits,
) -> Result<Attacked, AttackError> {
    let few = secret.len() <= PROGRAMME_MAX;
    let method = if few { Method::LinearProgram(Norm::Sum) } else { Method::LeastSquares };
    let mut oracle = SecretOracle::new(secret, answers, questions, bits)?;
    let result = attack(secret.len(), questions, method, &mut oracle, bits)?;
    let recovery = result.recovery(secret)?;
    Ok(Attacked { result, recovery })
}

/// Refuses what does not fit into memory, in terms of people and of questions a person.
fn check_memory(people: usize, questions_each: usize) -> Result<(), AttackError> {
    let bits = people.checked_mul(people).and_then(|pairs| pairs.checked_mul(questions_each));
    if bits.is_some_and(|bits| bits <= BITS_MAX) {
        return Ok(());
    }
    let hint = match (BITS_MAX / questions_each.max(1)).isqrt() {
        0 => "ask fewer questions a person; four are plenty".to_owned(),
        people => format!("attack {people} people or fewer, or ask fewer questions a person"),
    };
    Err(AttackError::new(
        format!("{people} people with {questions_each} questions each do not fit into memory"),
        hint,
    ))
}

impl Outcome {
    /// The price of all our answers together.
    pub(super) fn price(&self) -> Spend {
        Spend::Pure(self.epsilon.clone())
    }

    /// Why a share is above the bound, where it is.
    fn luck(&self) -> &'static str {
        if self.recovered_private <= self.right_upper {
            ""
        } else if self.recovered_private <= self.recovered_blindly {
            " More are right here because one bit is so common that guessing it blindly gets as far."
        } else {
            " More are right here by the luck of one run, or because one bit is more common."
        }
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        format!(
            "The secret is {}. Every answer is off by up to {}. {}",
            self.secret.meaning(),
            significant(self.error),
            self.others.result.summary(Some(&self.others.recovery))
        )
    }

    fn with(&self) -> String {
        format!(
            "The same questions at {} for all answers together. {} At this price no computation \
             guesses a bit that was a fair coin to it in more than {:.1} % of all cases.{}",
            self.price(),
            self.ours.result.summary(Some(&self.ours.recovery)),
            100.0 * self.right_upper,
            self.luck()
        )
    }

    fn page(&self, bits: &mut dyn SecureBits) -> Result<Page, AttackError> {
        page::page(self, bits)
    }
}

impl Serialize for Attacked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Attacked", 6)?;
        members.serialize_field("method", &self.result.method.to_string())?;
        members.serialize_field("questions", &self.result.planned)?;
        members.serialize_field("answered", &self.result.answered)?;
        members.serialize_field("recovered", &self.recovery.fraction())?;
        members.serialize_field("right", &self.recovery.right)?;
        members.serialize_field("wrong", &self.recovery.wrong())?;
        members.end()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    fn settings(people: usize, questions_each: usize) -> Settings {
        let secret = Secret::made_up(people, &mut seeded(1)).unwrap();
        Settings { secret, questions_each, error: None, epsilon: Epsilon::parse("1").unwrap() }
    }

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let outcome = run(settings(64, 4), &mut seeded(2)).unwrap();
        let found = serde_json::to_value(&outcome).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        let expected = [
            "attack",
            "epsilon",
            "error",
            "people",
            "questions",
            "recovered",
            "recovered_blindly",
            "recovered_private",
            "right_upper",
            "secret",
            "with",
            "without",
        ];
        assert_eq!(names, expected);
        assert_eq!((&found["secret"], &found["questions"]), (&"made up".into(), &256.into()));
        assert_eq!((&found["error"], &found["people"]), (&2.0.into(), &64.into()));
        let side: Vec<&String> = found["with"].as_object().unwrap().keys().collect();
        assert_eq!(side, ["answered", "method", "questions", "recovered", "right", "wrong"]);
        assert!(found["recovered"].as_f64() > Some(0.9), "{found}");
    }

    #[test]
    fn what_does_not_fit_into_memory_is_refused() {
        let error = run(settings(46_000, 4), &mut seeded(1)).unwrap_err();
        assert!(error.to_string().contains("46000 people with 4 questions each"), "{error}");
        assert!(run(settings(10, usize::MAX), &mut seeded(1)).is_err());
        assert!(run(settings(10, 0), &mut seeded(1)).is_err());
    }
}
