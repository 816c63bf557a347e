//! What a shuffler would add to a survey: a smaller ε for all reports together, or a larger one for each.

use pointillist_numbers::{short_decimal_lower, short_decimal_upper};
use pointillist_privacy::{Delta, Epsilon};
use serde::{Serialize, Serializer};

use super::{ExpectedError, local_error};
use crate::shuffle::{Randomizer, epsilon_local_lower, epsilon_upper};
use crate::survey::{self, DIGITS};
use crate::{LocalError, Protocol, Survey, SurveyDesign};

/// The bounds for shufflers are computed for so many people at most, which is a true bound for more.
const SHUFFLED_MAX: u64 = 1_000_000_000;

/// What a shuffler adds.
#[derive(Clone, Debug, Serialize)]
pub struct Shuffled {
    /// The ε of all reports together, rounded up.
    #[serde(serialize_with = "survey::epsilon_upper")]
    pub epsilon: Epsilon,
    /// The probability with which that ε may fail.
    #[serde(serialize_with = "exact_delta")]
    pub delta: Delta,
    /// What everyone may spend for the ε that was asked for; none where the method is given with its price.
    #[serde(flatten)]
    pub price: Option<ShuffledPrice>,
}

/// What everyone may spend so that all reports together keep the ε that was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct ShuffledPrice {
    /// The ε of each report, rounded down.
    #[serde(serialize_with = "epsilon_lower")]
    pub epsilon_local: Epsilon,
    /// The line of the survey at that price.
    pub setting: String,
    /// The name of its method.
    #[serde(skip)]
    pub method: String,
    /// What is to be expected then.
    #[serde(flatten)]
    pub figure: ShuffledFigure,
}

/// What is to be expected at the price that a shuffler allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShuffledFigure {
    /// The error of a share or a mean.
    Local(ExpectedError),
    /// The least share of words that are found.
    LeastShare(f64),
}

impl Shuffled {
    pub(super) fn new(
        design: &SurveyDesign,
        survey: &Survey,
        people: u64,
        delta: &Delta,
    ) -> Result<Self, LocalError> {
        if delta.is_zero() {
            return Err(LocalError::refused(
                "shuffling gains nothing at δ = 0",
                "give a small δ, such as 1e-9",
            ));
        }
        let asked = survey.epsilon();
        let shuffled = people.min(SHUFFLED_MAX);
        let epsilon = epsilon_upper(randomizer(survey), &asked, shuffled, delta)?;
        let price = if design.has_price() { price(design, &asked, people, delta)? } else { None };
        Ok(Self { epsilon, delta: delta.clone(), price })
    }
}

/// The better bound is for responses only, and the method depends on the price that the bound allows: it is tried,
/// and kept if the method is still a response.
fn price(
    design: &SurveyDesign,
    asked: &Epsilon,
    people: u64,
    delta: &Delta,
) -> Result<Option<ShuffledPrice>, LocalError> {
    let shuffled = people.min(SHUFFLED_MAX);
    for known in [Randomizer::Response, Randomizer::Any] {
        let epsilon_local = epsilon_local_lower(known, asked, shuffled, delta)?;
        let Some(survey) = design.survey_at(&epsilon_local, shuffled).transpose()? else {
            return Ok(None);
        };
        if known == Randomizer::Any || randomizer(&survey) == known {
            let error = local_error(&survey, people);
            let figure = match survey.protocol() {
                Protocol::Strings(_) => ShuffledFigure::LeastShare(error),
                _ => ShuffledFigure::Local(ExpectedError::new(error)),
            };
            let (setting, method) = (survey.to_string(), survey.method());
            return Ok(Some(ShuffledPrice { epsilon_local, setting, method, figure }));
        }
    }
    Ok(None)
}

/// What a proof may use of the method.
fn randomizer(survey: &Survey) -> Randomizer {
    match survey.protocol() {
        Protocol::Frequency(oracle) => Randomizer::of(oracle),
        Protocol::Mean(oracle) => Randomizer::of_mean(oracle),
        Protocol::Strings(_) => Randomizer::Any,
    }
}

/// A decimal of 17 digits, rounded down.
fn epsilon_lower<S: Serializer>(epsilon: &Epsilon, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&short_decimal_lower(epsilon.value(), DIGITS))
}

/// The number as it was given.
fn exact_delta<S: Serializer>(delta: &Delta, to: S) -> Result<S::Ok, S::Error> {
    let upper = short_decimal_upper(delta.value(), DIGITS);
    let is_exact = upper == short_decimal_lower(delta.value(), DIGITS);
    to.serialize_str(&if is_exact { upper } else { delta.value().to_string() })
}
