//! What to expect before anybody is asked: the local model beside a trusted curator.
//!
//! Everything here is arithmetic on public settings, in floats: nothing is released, and nothing but a
//! forecast depends on it.
//!
//! **Local.** The standard error of a share is that of a value which few people hold,
//! `√(q(1−q)/h)/((p−q)√n)`, about `1/(ε√n)` for small ε; of a mean, the largest that any answers can cause.
//! **Central.** A curator adds discrete Laplace noise of scale Δ/ε to each count and divides by n, which has
//! standard deviation `√(2t)/((1−t)n)`, `t = e^{−ε/Δ}`, about `√2·Δ/(εn)`. Replacing one person's answer
//! moves a single count by at most one, so Δ = 1 for two values (the other count is n minus the first), and
//! two counts by one each, Δ = 2, for more. A mean gets the same noise on the sum of steps, which one person
//! moves by all of them.
//! **The gap is not the method's fault.** Let n people be drawn from a population in which a share 1/2 + α or
//! 1/2 − α says yes, and let each send one ε-differentially private report. Whatever the randomizers and
//! whatever is made of the reports, for `α = 1/(√8·(e^ε − 1)·√n)` one of the two populations is estimated
//! wrongly by α or more with probability at least 1/4.
//! **Proof.** A report y has probability `m(y) = Σ_x π(x)·R(y|x)` under population π. With
//! `r(y) = min_x R(y|x)`, the two populations' laws differ by at most
//! `TV·(max_x R(y|x) − r(y)) ≤ TV·(e^ε − 1)·r(y)`, TV = 2α, and both are at least r(y). So
//! `χ² = Σ_y (m₁ − m₂)²/m₂ ≤ TV²(e^ε − 1)²·Σ_y r(y) ≤ 4α²(e^ε − 1)²`, and Kullback-Leibler divergence is at
//! most χ². It adds up over n reports, also when each is asked for in view of the earlier ones, to at most
//! `4nα²(e^ε − 1)² = 1/2`. By Pinsker's inequality the laws of all reports are within 1/2 in total variation.
//! An estimate with error below α would tell the populations apart, and no test errs with probability below
//! (1 − 1/2)/2 on the worse of the two. (The idea is Duchi, Jordan, Wainwright 2013, arXiv:1302.3203; the
//! constant is ours.)
//! **Not covered.** The floor is about a population and so includes the error of sampling people, which is
//! what remains of it for large ε.

mod shuffled;

pub use shuffled::{Shuffled, ShuffledFigure, ShuffledPrice};

use pointillist_privacy::{Delta, Epsilon};
use serde::Serialize;

use crate::estimate::NORMAL_975;
use crate::{Cost, LocalError, MISS_OF_A_WORD, MeanOracle, Protocol, Survey, SurveyDesign, auto};

/// People for whom a method is chosen before it is known how many are needed.
const PEOPLE_USUAL: u64 = 1_000_000;
/// Points of a curve, from a thousandth of the people to a thousand times as many.
const POINTS: i32 = 25;

/// What to expect of a survey.
#[derive(Clone, Debug, Serialize)]
pub struct Forecast {
    /// The survey.
    #[serde(skip)]
    pub survey: Survey,
    /// Its line.
    pub setting: String,
    /// The name of its method.
    pub method: String,
    /// How many people are asked.
    pub people: u64,
    /// What a report costs its sender.
    pub cost: Cost,
    /// The errors.
    #[serde(flatten)]
    pub figures: ForecastFigures,
    /// All methods for this question, the most accurate first.
    pub candidates: Vec<MethodForecast>,
    /// Why this one was taken.
    #[serde(skip)]
    pub reason: MethodReason,
    /// What a shuffler would add, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<Shuffled>,
}

/// A standard error, and half the width of the normal 95 % interval that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExpectedError {
    /// The standard error.
    pub standard_error: f64,
    /// Half the width of a normal 95 % interval.
    pub error_95: f64,
}

impl ExpectedError {
    fn new(standard_error: f64) -> Self {
        Self { standard_error, error_95: NORMAL_975 * standard_error }
    }
}

/// What is to be expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ForecastFigures {
    /// Of shares and means.
    Errors {
        /// When nobody is trusted.
        local: ExpectedError,
        /// When a curator is trusted.
        central: ExpectedError,
        /// How many times larger the local error is.
        ratio: f64,
        /// For how many people the local model is as accurate as a curator is for those asked.
        people_for_central_error: f64,
        /// Every local method errs by this or more in at least one of four surveys of some population; of means
        /// it is not known.
        local_floor: Option<f64>,
        /// The error of a random sample of people, at most.
        sampling: ExpectedError,
    },
    /// Of words.
    Words {
        /// Words as frequent as this are found; above one, none is.
        least_share: f64,
    },
}

/// A method that would do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodForecast {
    /// Its name.
    pub method: &'static str,
    /// The root of the mean squared error of a share, or the standard error of a mean.
    pub standard_error: f64,
    /// How long a line is at most, where that differs among the methods.
    pub line_bytes_max: Option<u64>,
}

/// Why a method was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodReason {
    /// It was asked for, and remembers; those it is compared with forget.
    AskedToRemember,
    /// It was asked for.
    Asked,
    /// It has the least error.
    LeastError,
    /// Its error is within 2 % of the least, and its reports are the shortest.
    ShortestReports,
}

/// Half the width of a 95 % interval against the number of people; the method stays the same.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorCurves {
    /// When nobody is trusted.
    pub local: Vec<(f64, f64)>,
    /// When a curator is trusted.
    pub central: Vec<(f64, f64)>,
    /// Of a random sample alone, at most.
    pub sampling: Vec<(f64, f64)>,
}

impl Forecast {
    /// What to expect when so many people are asked; with δ, also what a shuffler would add.
    pub fn new(design: &SurveyDesign, people: u64, delta: Option<&Delta>) -> Result<Self, LocalError> {
        if people == 0 {
            return Err(LocalError::refused("nobody is asked", "ask at least one person"));
        }
        let survey = design.survey(people)?;
        let candidates = candidates(&survey, people)?;
        Ok(Self {
            setting: survey.to_string(),
            method: survey.method(),
            people,
            cost: survey.cost(),
            figures: ForecastFigures::new(&survey, people),
            reason: reason(design, &survey, &candidates),
            candidates,
            shuffle: delta.map(|delta| Shuffled::new(design, &survey, people, delta)).transpose()?,
            survey,
        })
    }

    /// What to expect when as many people are asked as it takes for a 95 % interval of this half width.
    pub fn for_error(
        design: &SurveyDesign,
        error_95: f64,
        delta: Option<&Delta>,
    ) -> Result<Self, LocalError> {
        Self::new(design, people_for(design, error_95)?, delta)
    }

    /// Errors against the number of people; `None` for words, which have none.
    pub fn curves(&self) -> Option<ErrorCurves> {
        let ForecastFigures::Errors { local, central, sampling, .. } = &self.figures else {
            return None;
        };
        let factors =
            (0..POINTS).map(|point| 10f64.powf(6.0 * f64::from(point) / f64::from(POINTS - 1) - 3.0));
        let factors: Vec<f64> = factors.filter(|factor| self.people as f64 * factor >= 10.0).collect();
        let curve = |error: &ExpectedError, power: f64| -> Vec<(f64, f64)> {
            let point = |factor: &f64| (self.people as f64 * factor, error.error_95 * factor.powf(power));
            factors.iter().map(point).collect()
        };
        Some(ErrorCurves {
            local: curve(local, -0.5),
            central: curve(central, -1.0),
            sampling: curve(sampling, -0.5),
        })
    }

    /// How many reports would cost as much without a memory as all reports from one cost with it; `None` where
    /// nothing is remembered.
    pub fn reports_worth_a_memory(&self) -> Option<u64> {
        let all = self.cost.epsilon_of_one_memory.as_ref()?;
        let reports = (all.to_f64_upper() / self.cost.epsilon.to_f64_upper()).floor().max(1.0);
        Some(reports as u64 + 1)
    }
}

impl ForecastFigures {
    fn new(survey: &Survey, people: u64) -> Self {
        let n = people as f64;
        let epsilon = survey.epsilon();
        let local = local_error(survey, people);
        let (central, local_floor, sampling) = match survey.protocol() {
            Protocol::Frequency(oracle) => (
                central_share_error(oracle.values(), &epsilon, n),
                Some(local_floor(&epsilon, n)),
                0.5 / n.sqrt(),
            ),
            Protocol::Mean(oracle) => {
                let width = width(oracle);
                let steps = oracle.range().steps() as f64;
                // Noise on the sum of steps, which one person moves by all of them.
                let deviation = laplace_deviation(epsilon.to_f64_upper() / steps);
                (deviation * width / steps / n, None, width / 2.0 / n.sqrt())
            }
            Protocol::Strings(_) => return Self::Words { least_share: local },
        };
        let ratio = local / central;
        Self::Errors {
            local: ExpectedError::new(local),
            central: ExpectedError::new(central),
            ratio,
            people_for_central_error: n * ratio * ratio,
            local_floor,
            sampling: ExpectedError::new(sampling),
        }
    }
}

/// The standard error without a curator; of words, the least share that is found.
fn local_error(survey: &Survey, people: u64) -> f64 {
    let n = people as f64;
    match survey.protocol() {
        Protocol::Frequency(oracle) => oracle.rates().variance_count(people, 0.0).sqrt() / n,
        Protocol::Mean(oracle) => (oracle.variance_max() / n).sqrt(),
        Protocol::Strings(tree) => tree.least_share(people, MISS_OF_A_WORD),
    }
}

/// The standard deviation of a curator's noise on a count, over the number of people.
fn central_share_error(values: u64, epsilon: &Epsilon, people: f64) -> f64 {
    let sensitivity = if values == 2 { 1.0 } else { 2.0 };
    laplace_deviation(epsilon.to_f64_upper() / sensitivity) / people
}

/// The standard deviation of discrete Laplace noise, `√(2t)/(1 − t)` for `t = e^{−rate}`.
fn laplace_deviation(rate: f64) -> f64 {
    (2.0 * (-rate).exp()).sqrt() / -(-rate).exp_m1()
}

/// α of the theorem above.
fn local_floor(epsilon: &Epsilon, people: f64) -> f64 {
    1.0 / (8f64.sqrt() * epsilon.to_f64_upper().exp_m1() * people.sqrt())
}

fn width(oracle: &MeanOracle) -> f64 {
    (oracle.range().upper() - oracle.range().lower()).to_f64_upper()
}

/// How many people it takes. Variances fall as one over the people.
fn people_for(design: &SurveyDesign, error_95: f64) -> Result<u64, LocalError> {
    if !(error_95.is_finite() && error_95 > 0.0) {
        return Err(LocalError::refused(
            "the error is not a positive number",
            "write 0.01 for one percentage point",
        ));
    }
    let needed = |guess: u64| -> Result<u64, LocalError> {
        let survey = design.survey(guess)?;
        if matches!(survey.protocol(), Protocol::Strings(_)) {
            return Err(LocalError::refused(
                "a search for words has no error to reach",
                "say how many people there are, and see what is found",
            ));
        }
        let one = (NORMAL_975 * local_error(&survey, 1) / error_95).powi(2).ceil();
        Ok((one as u64).max(1))
    };
    needed(needed(PEOPLE_USUAL)?)
}

fn candidates(survey: &Survey, people: u64) -> Result<Vec<MethodForecast>, LocalError> {
    Ok(match survey.protocol() {
        Protocol::Frequency(oracle) => {
            let choice = auto(oracle.values(), &survey.epsilon(), people)?;
            let candidates = choice.candidates.iter().map(|one| MethodForecast {
                method: one.method.name(),
                standard_error: one.share_error,
                line_bytes_max: Some(one.line_bytes_max),
            });
            candidates.collect()
        }
        Protocol::Mean(oracle) => {
            let both = [MeanOracle::sign, MeanOracle::window]
                .map(|method| method(&survey.epsilon(), oracle.range().clone()));
            let mut both: Vec<MethodForecast> = ["sign-mean", "window-mean"]
                .into_iter()
                .zip(both)
                .map(|(method, oracle)| MethodForecast {
                    method,
                    standard_error: (oracle.variance_max() / people as f64).sqrt(),
                    line_bytes_max: None,
                })
                .collect();
            both.sort_by(|a, b| a.standard_error.total_cmp(&b.standard_error));
            both
        }
        Protocol::Strings(_) => Vec::new(),
    })
}

fn reason(design: &SurveyDesign, survey: &Survey, candidates: &[MethodForecast]) -> MethodReason {
    match candidates.first() {
        _ if survey.rappor().is_some() => MethodReason::AskedToRemember,
        _ if !design.is_automatic() => MethodReason::Asked,
        Some(best) if best.method == survey.method() => MethodReason::LeastError,
        _ => MethodReason::ShortestReports,
    }
}

#[cfg(test)]
mod tests;
