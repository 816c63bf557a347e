//! Training: the exact minimiser of a loss gives away the last person's row.
//!
//! **Setting.** Logistic regression releases θ, the minimiser of Σ l(y·x·θ) + (λ/2)‖θ‖², in full precision. θ looks like an
//! average over everybody. The attacker knows every row but one.
//! **Attack.** At the minimiser the gradient is zero: λθ + Σ l'(y·x·θ)·y·x = 0. So what the known rows and the penalty leave,
//! r = λθ + Σ_known l'(y·x·θ)·y·x = s·y·x, is the unknown row times a number s = −l'(y·x·θ) between 0 and 1. Models have an intercept: the
//! first feature is a public constant c. So the sign of r_1 is the label, s = |r_1|/c, and x = y·r/s: everything about the
//! person, from one model, without a search.
//! **Our side.** The trainer that adds a random slope b to the objective (`pointillist-learn`, objective perturbation) leaves
//! r = s·y·x + b, up to its tolerance. The attacker is told the person's features as well, and guesses the label by the sign of r·x;
//! and, told the label too, whether the person was there at all, by whether r·yx is above half of what the person would add. No guess is right
//! more often than `limits.rs` allows: presence is one step, another label is two.
//! **What is measured.** How far the recovered row is off; and how often the two guesses are right, over trials with fair
//! coins for label and presence and fresh noise.

mod page;

use pointillist_learn::{
    GaussianObjective, LearnError, MarginLoss, MarginModel, MarginProblem, MemoryRows, Objective,
    ObjectivePerturbation, Rows, minimum,
};
use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_render::page::Page;
use serde::{Serialize, Serializer};

use crate::limits::{self, Indistinguishability};
use crate::{AttackError, Comparison};

/// The constant feature, and the largest size of the others: a row of four is at most one long.
const HALF: f64 = 0.5;
/// The features, the constant among them.
const FEATURES: usize = 4;
/// What the labels of the made-up people follow.
const SLOPES: [f64; FEATURES] = [0.4, 4.0, -3.0, 2.0];
/// The penalty (λ/2)‖θ‖² on the sum of losses.
const PENALTY: f64 = 10.0;
const PEOPLE_MAX: usize = 1 << 16;
const TRIALS_MAX: usize = 1 << 16;
/// The prices of the figure, as multiples and parts of the one that was named.
const PRICES: [(u64, u64); 5] = [(1, 4), (1, 2), (1, 1), (2, 1), (4, 1)];

/// A person's row: features, the constant first, and label.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Person {
    /// The features.
    pub features: [f64; FEATURES],
    /// −1 or 1.
    pub label: f64,
}

/// Everybody but one, and the one.
#[derive(Clone, Debug)]
pub struct People {
    known: Vec<Person>,
    last: Person,
}

impl People {
    /// Made-up people: features between −1/2 and 1/2, labels by a logistic law.
    pub fn made_up(count: usize, bits: &mut dyn SecureBits) -> Result<Self, AttackError> {
        if !(2..=PEOPLE_MAX).contains(&count) {
            return Err(AttackError::new(
                format!("a model of {count} people cannot be attacked"),
                format!("take between 2 and {PEOPLE_MAX} people, such as 200"),
            ));
        }
        let mut known: Vec<Person> = (0..count).map(|_| Person::made_up(bits)).collect();
        let last = known.pop().expect("two people and more");
        Ok(Self { known, last })
    }

    /// The rows that a model is trained on, with the last person where there is one.
    fn rows(&self, last: Option<Person>) -> MemoryRows {
        let all = || self.known.iter().chain(last.as_ref());
        let x = all().flat_map(|person| person.features).collect();
        MemoryRows::new(x, all().map(|person| person.label).collect(), FEATURES, 1.0, 1)
    }

    /// What the known rows leave of the gradient at θ: r.
    fn residual(&self, theta: &[f64], penalty: f64) -> [f64; FEATURES] {
        let mut residual = [0.0; FEATURES];
        for (left, theta) in residual.iter_mut().zip(theta) {
            *left = penalty * theta;
        }
        for person in &self.known {
            let slope = MarginLoss::Logistic.slope(person.label * dot(&person.features, theta));
            for (left, x) in residual.iter_mut().zip(person.features) {
                *left += slope * person.label * x;
            }
        }
        residual
    }

    /// The last person's row, from the model of all.
    pub fn recover(&self, theta: &[f64]) -> Person {
        let residual = self.residual(theta, PENALTY);
        let label = residual[0].signum();
        let size = residual[0].abs() / HALF;
        Person { features: residual.map(|left| label * left / size), label }
    }
}

impl Person {
    fn made_up(bits: &mut dyn SecureBits) -> Self {
        let mut unit = || bits.take(53) as f64 / (1u64 << 53) as f64;
        let features = [HALF, unit() - HALF, unit() - HALF, unit() - HALF];
        let positive = unit() < 1.0 / (1.0 + (-dot(&features, &SLOPES)).exp());
        Self { features, label: if positive { 1.0 } else { -1.0 } }
    }

    fn labelled(self, label: f64) -> Self {
        Self { label, ..self }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The exact minimiser, as textbooks release it.
fn exact_model(rows: &dyn Rows) -> Result<Vec<f64>, AttackError> {
    let objective = Objective { rows, loss: MarginLoss::Logistic, lambda: PENALTY, linear: &[0.0; FEATURES] };
    Ok(minimum(&objective, 1e-10).map_err(LearnError::from)?.theta)
}

/// Our trainer at a price.
enum Trainer {
    Pure(Box<ObjectivePerturbation>),
    Concentrated(Box<GaussianObjective>),
}

impl Trainer {
    fn new(price: &Spend) -> Result<Self, LearnError> {
        let problem = MarginProblem::new(MarginLoss::Logistic, FEATURES, 1.0, 1, PENALTY)?;
        Ok(match price {
            Spend::Pure(epsilon) => Self::Pure(Box::new(ObjectivePerturbation::new(problem, epsilon)?)),
            Spend::Concentrated(rho) => {
                Self::Concentrated(Box::new(GaussianObjective::for_rho(problem, rho)?))
            }
        })
    }

    /// The penalty that is used, which is public; small prices take a larger one.
    fn penalty(&self) -> f64 {
        match self {
            Self::Pure(trainer) => trainer.problem().lambda(),
            Self::Concentrated(trainer) => trainer.problem().lambda(),
        }
    }

    fn fit(&self, rows: &dyn Rows, bits: &mut dyn SecureBits) -> Result<MarginModel, LearnError> {
        match self {
            Self::Pure(trainer) => trainer.fit(rows, bits),
            Self::Concentrated(trainer) => trainer.fit(rows, bits),
        }
    }
}

/// How often guesses from our models were right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guesses {
    /// What a model cost.
    #[serde(serialize_with = "as_words")]
    pub price: Spend,
    /// Of how many models, for each of the two guesses.
    pub trials: usize,
    /// The share of right guesses of the label.
    pub label_right: f64,
    /// No guess of the label is right more often.
    pub label_upper: f64,
    /// The share of right guesses of presence.
    pub presence_right: f64,
    /// No guess of presence is right more often.
    pub presence_upper: f64,
}

fn as_words<S: Serializer>(price: &Spend, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(price)
}

/// Trains models at this price, with fair coins for the label and the presence of the last person, and guesses both.
pub fn guesses(
    people: &People,
    price: &Spend,
    trials: usize,
    bits: &mut dyn SecureBits,
) -> Result<Guesses, AttackError> {
    if !(1..=TRIALS_MAX).contains(&trials) {
        return Err(AttackError::new(
            format!("{trials} models cannot be trained"),
            format!("train between one and {TRIALS_MAX} models, such as 1000"),
        ));
    }
    let trainer = Trainer::new(price)?;
    let last = people.last;
    let [positive, negative] = [1.0, -1.0].map(|label| people.rows(Some(last.labelled(label))));
    let (present, absent) = (people.rows(Some(last)), people.rows(None));
    let model =
        |rows: &MemoryRows, bits: &mut dyn SecureBits| -> Result<([f64; FEATURES], Vec<f64>), AttackError> {
            let theta = trainer.fit(rows, bits)?.coefficients.to_f64();
            Ok((people.residual(&theta, trainer.penalty()), theta))
        };
    let (mut label_right, mut presence_right) = (0usize, 0usize);
    for _ in 0..trials {
        let is_positive = bits.coin();
        let (residual, _) = model(if is_positive { &positive } else { &negative }, bits)?;
        label_right += usize::from((dot(&residual, &last.features) > 0.0) == is_positive);
        let is_present = bits.coin();
        let (residual, theta) = model(if is_present { &present } else { &absent }, bits)?;
        let slope = MarginLoss::Logistic.slope(last.label * dot(&last.features, &theta));
        let half = -slope * dot(&last.features, &last.features) / 2.0;
        presence_right += usize::from((last.label * dot(&residual, &last.features) > half) == is_present);
    }
    let alike = Indistinguishability::from(price);
    Ok(Guesses {
        price: price.clone(),
        trials,
        label_right: label_right as f64 / trials as f64,
        label_upper: limits::right_guess_from_upper(&alike.of_two_steps(), 0.5),
        presence_right: presence_right as f64 / trials as f64,
        presence_upper: limits::right_guess_from_upper(&alike, 0.5),
    })
}

/// What is attacked, and at which price.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many people the model is trained on.
    pub people: usize,
    /// The price of one of our models.
    pub price: Spend,
    /// How many of them are trained for each figure.
    pub trials: usize,
}

/// The last person's row from the exact model, and guesses from ours.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "model")]
pub struct Outcome {
    /// How many people the model was trained on.
    pub people: usize,
    /// The last person.
    pub truth: Person,
    /// What the exact model tells of them.
    pub recovered: Person,
    /// How far the recovered features are off at most.
    pub error: f64,
    /// Guesses from our models, at several prices: the figures of a plot. The price that was named is in the middle.
    pub points: Vec<Guesses>,
}

/// Trains and attacks.
pub fn run(settings: &Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let people = People::made_up(settings.people, bits)?;
    let truth = people.last;
    let recovered = people.recover(&exact_model(&people.rows(Some(truth)))?);
    let points: Result<Vec<Guesses>, AttackError> =
        prices(&settings.price).iter().map(|price| guesses(&people, price, settings.trials, bits)).collect();
    Ok(Outcome {
        people: settings.people,
        truth,
        recovered,
        error: distance(&truth, &recovered),
        points: points?,
    })
}

/// The largest difference of a feature.
fn distance(a: &Person, b: &Person) -> f64 {
    let off = a.features.iter().zip(&b.features).map(|(a, b)| (a - b).abs());
    off.fold(0.0, f64::max)
}

/// The named price, parts and multiples of it, as far as they exist.
fn prices(price: &Spend) -> Vec<Spend> {
    let scaled = |(over, under): (u64, u64)| {
        let factor = pointillist_numbers::Rational::ratio(over.into(), under.into());
        match price {
            Spend::Pure(epsilon) => Epsilon::new(epsilon.value() * &factor).ok().map(Spend::Pure),
            Spend::Concentrated(rho) => Rho::new(rho.value() * &factor).ok().map(Spend::Concentrated),
        }
    };
    PRICES.into_iter().filter_map(scaled).collect()
}

impl Outcome {
    /// Guesses at the price that was named.
    fn named(&self) -> &Guesses {
        let middle = self.points.len() / 2;
        &self.points[middle]
    }
}

fn sign(label: f64) -> &'static str {
    if label > 0.0 { "+1" } else { "−1" }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let features = |person: &Person| {
            let each: Vec<String> = person.features[1..].iter().map(|x| format!("{x:.6}")).collect();
            each.join(", ").replace('-', "−")
        };
        format!(
            "A logistic regression of {} people, released exactly. Who knows all others computes the last one's row: label {}, \
             features {}. The truth: label {}, features {}. The largest difference is {:.0e}.",
            self.people,
            sign(self.recovered.label),
            features(&self.recovered),
            sign(self.truth.label),
            features(&self.truth),
            self.error
        )
    }

    fn with(&self) -> String {
        let named = self.named();
        format!(
            "A model at {}. Who knows all others, and the last one's features too, guesses the label right in {:.1} % of {} \
             models, and whether the person was there at all in {:.1} %; no guess is right more often than {:.1} % and {:.1} %.",
            named.price,
            100.0 * named.label_right,
            named.trials,
            100.0 * named.presence_right,
            100.0 * named.label_upper,
            100.0 * named.presence_upper
        )
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

impl From<LearnError> for AttackError {
    fn from(error: LearnError) -> Self {
        Self::new(error.to_string(), "take another price, such as ε = 1")
    }
}

#[cfg(test)]
mod tests;
