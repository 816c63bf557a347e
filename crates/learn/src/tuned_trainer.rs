//! A recipe with a list of values for one setting: which of them is best is found out privately.
//!
//! **Guarantee.** A run trains with one value at four fifths of the run's price and scores the model on the same rows at one fifth; both
//! are released together, so a run loses their sum. Runs are repeated in one of two ways, whichever leaves more for a run:
//! * each value once, and the highest score is kept: m runs at an mth of the price each lose the price together, and which of them is
//!   kept is post-processing;
//! * a random number of runs, each with a value drawn from the public list, and the best of them is kept ([`RandomStopping`]): that
//!   loses no more than the price, by the largest of a public list of parts of it for which that is proven.
//!
//! In ρ the first is always the cheaper one for a few values (random stopping leaves a run about a thirtieth of ρ), in pure ε the second,
//! from three values on (half of ε, however many values there are).
//! **Neighbours.** Add or remove everything of one person, who has at most `rows_per_person` rows.
//! **Proof.** `recipe.rs` for training, `evaluation/model_evaluation.rs` for the score, basic composition of runs and of the two parts
//! of one, and `tuning/stopping_loss.rs` for the best of a random number of runs. Scores are counts or sums with noise, never exact.
//! **Score.** Of classes, right minus wrong answers; of a number, minus the sum of squared errors.
//! **Not covered.** That the best is found: scores are noisy, and a random number of runs may be one. How many there were is not told, but
//! takes its time, and looks at no data.

use std::sync::Arc;

use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss, Rho, Spend};
use serde::{Deserialize, Serialize};

use crate::model::Fitted;
use crate::recipe::{Recipe, Trainer};
use crate::tuning::{RandomStopping, StoppingLaw};
use crate::{CodeBlocks, Encoding, LearnError, Measure, ModelEvaluation, TargetKind};

/// The most values that are compared: with more, the best is rarely tried.
const VALUES_MAX: usize = 16;
/// γ is one over so many times the number of values: about twice as many runs as values, on average.
const RUNS: u64 = 8;
/// Of a run's price, what training and the score take.
const SHARES: [u64; 2] = [4, 1];
/// The price of a run is a multiple of this part of the whole.
const PARTS: u32 = 64;

/// A setting, and the values that are tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    /// The setting.
    pub setting: String,
    /// Its values, as they are written.
    pub values: Vec<String>,
}

/// What a trainer released, and of a list of values which one it is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The place of the value that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<u32>,
    /// The numbers.
    #[serde(flatten)]
    pub fitted: Fitted,
}

impl Trained {
    /// The bytes that are recorded.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What was recorded; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl Tuning {
    /// From `lambda 1 10 100`, with or without a colon.
    ///
    /// # Errors
    /// When there is no setting, or not two values and more.
    pub fn parse(text: &str) -> Result<Self, LearnError> {
        let mut words =
            text.split(|sign: char| sign.is_whitespace() || sign == ':').filter(|word| !word.is_empty());
        let setting = words.next().unwrap_or_default().to_owned();
        let values: Vec<String> = words.map(str::to_owned).collect();
        if !(2..=VALUES_MAX).contains(&values.len()) {
            return Err(LearnError::parameter(format!(
                "`tune` names a setting and between two and {VALUES_MAX} values of it, such as tune = lambda 1 10 100"
            )));
        }
        if setting == "tune" || setting == "rows" {
            return Err(LearnError::parameter(format!(
                "`{setting}` is no setting that could be better or worse"
            )));
        }
        Ok(Self { setting, values })
    }

    /// The recipes that are compared.
    pub(crate) fn recipes(&self, recipe: &Recipe) -> Result<Vec<Recipe>, LearnError> {
        let plain = Recipe { tune: None, ..recipe.clone() };
        let with = |value: &String| plain.clone().with_settings(&format!("{} = {value}", self.setting));
        self.values.iter().map(with).collect()
    }
}

/// Trainers that are compared, at the price of a run.
pub(crate) struct TunedTrainer {
    trainers: Vec<Trainer>,
    measure: Measure,
    score: Spend,
    rows_per_person: u32,
    repetition: Repetition,
    run: Spend,
}

/// How often runs are made.
enum Repetition {
    /// Once with each value.
    Each,
    /// As often as chance says, with a value drawn at random.
    Random(Box<RandomStopping>),
}

impl TunedTrainer {
    /// The trainer of a recipe that compares values, at a price for all of it.
    pub fn new(
        recipe: &Recipe,
        tuning: &Tuning,
        encoding: &Encoding,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<(Self, Loss), LearnError> {
        let measure = match encoding.target_kind() {
            Some(TargetKind::Number) => Measure::RSquared,
            Some(_) => Measure::Accuracy,
            None => {
                return Err(LearnError::parameter(format!(
                    "`{}` has no target by which one setting could be better than another; leave `tune` out",
                    recipe.family
                )));
            }
        };
        let (run, repetition) = repetition(tuning.values.len(), spend)?;
        let parts = run.split(&SHARES)?;
        let [train, score] = <[Spend; 2]>::try_from(parts).map_err(|_| LearnError::parameter("two parts"))?;
        let trainers = tuning.recipes(recipe)?.into_iter();
        let trainers = trainers.map(|it| it.trainer(encoding.clone(), rows_per_person, &train));
        let trainers = trainers.collect::<Result<Vec<_>, _>>()?;
        let tuned = Self { trainers, measure, score, rows_per_person, repetition, run };
        // What all runs lose is at most this, and the price is what was named.
        Ok((tuned, spend.loss()))
    }

    /// Trains and scores, and keeps the best.
    pub fn train<B: SecureBits + ?Sized>(
        &self,
        source: &dyn CodeBlocks,
        bits: &mut B,
    ) -> Result<Trained, LearnError> {
        let count = self.trainers.len();
        match &self.repetition {
            Repetition::Random(stopping) => {
                let mut run = |bits: &mut B| {
                    let chosen = uniform_u64_below(count as u64, bits) as usize;
                    self.run(chosen, source, bits)
                };
                stopping.release(&mut run, bits)
            }
            Repetition::Each => {
                let mut best = self.run(0, source, bits)?;
                for chosen in 1..count {
                    let next = self.run(chosen, source, bits)?;
                    if next.0 > best.0 {
                        best = next;
                    }
                }
                Ok(best.1)
            }
        }
    }

    /// One run: a noisy score, and what it is of.
    fn run<B: SecureBits + ?Sized>(
        &self,
        chosen: usize,
        source: &dyn CodeBlocks,
        bits: &mut B,
    ) -> Result<(i64, Trained), LearnError> {
        let trainer = &self.trainers[chosen];
        let fitted = trainer.fit(source, bits)?;
        let model = Arc::new(trainer.model(fitted.clone()));
        let evaluation = ModelEvaluation::new(model, self.measure, self.rows_per_person, &self.score)?;
        let score = match (self.measure, evaluation.release(source, bits)?.as_slice()) {
            (Measure::Accuracy, [right, wrong]) => right - wrong,
            (_, [.., errors]) => -errors,
            (_, []) => 0,
        };
        let score = score.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Ok((score, Trained { candidate: Some(chosen as u32), fitted }))
    }

    /// The trainer of a place.
    pub fn trainer(&self, candidate: u32) -> Option<&Trainer> {
        self.trainers.get(candidate as usize)
    }

    /// What to expect, in words: nothing in them comes from data.
    pub fn outlook(&self, tuning: &Tuning) -> Vec<String> {
        let how = match &self.repetition {
            Repetition::Each => "once each; the best by a noisy score is kept".to_owned(),
            Repetition::Random(stopping) => {
                let runs = stopping.law().mean_upper().to_f64_nearest();
                format!(
                    "one at random in each of about {runs:.0} runs: as many as chance says; the best by a noisy score is kept"
                )
            }
        };
        let mut words = vec![format!("{} = {} are tried, {how}", tuning.setting, tuning.values.join(", "))];
        words.push(format!("a run has {} to spend, a fifth of it for its score", self.run));
        words.extend(self.trainers.first().map(Trainer::outlook).unwrap_or_default());
        words
    }
}

/// How runs are repeated for so many values, and what each may spend.
fn repetition(values: usize, spend: &Spend) -> Result<(Spend, Repetition), LearnError> {
    let weights = vec![1; values];
    let each = spend.split(&weights)?.swap_remove(0);
    let gamma = Rational::ratio(1, u128::from(RUNS) * values as u128);
    let law = StoppingLaw::new(Rational::zero(), gamma)?;
    let amount = |spend: &Spend| match spend {
        Spend::Pure(epsilon) => epsilon.value().clone(),
        Spend::Concentrated(rho) => rho.value().clone(),
    };
    Ok(match price_of_a_run(&law, spend) {
        Ok((run, stopping)) if amount(&run) > amount(&each) => (run, Repetition::Random(Box::new(stopping))),
        _ => (each, Repetition::Each),
    })
}

/// The largest part of a price for a run of which the best of many loses no more than all of it.
fn price_of_a_run(law: &StoppingLaw, spend: &Spend) -> Result<(Spend, RandomStopping), LearnError> {
    let part = |share: u32| -> Result<Option<(Spend, RandomStopping)>, LearnError> {
        let factor = Rational::ratio(i128::from(share), u128::from(PARTS));
        let run = match spend {
            Spend::Pure(all) => Spend::Pure(Epsilon::new(all.value() * &factor)?),
            Spend::Concentrated(all) => Spend::Concentrated(Rho::new(all.value() * &factor)?),
        };
        let stopping = RandomStopping::new(law.clone(), &run.loss())?;
        let lost = stopping.loss();
        let fits = match spend {
            Spend::Pure(all) => lost.pure_epsilon().is_some_and(|it| it.value() <= all.value()),
            Spend::Concentrated(all) => lost.rho().is_some_and(|it| it.value() <= all.value()),
        };
        Ok(fits.then_some((run, stopping)))
    };
    let (mut low, mut high, mut found) = (0, PARTS, None);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        match part(middle)? {
            Some(fitting) => (low, found) = (middle, Some(fitting)),
            None => high = middle,
        }
    }
    found.ok_or_else(|| {
        LearnError::parameter("this price is too small to be shared by several runs; leave `tune` out")
    })
}

#[cfg(test)]
mod tests;
