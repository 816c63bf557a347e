//! What a public model is worth on private rows: a measure, a price, released integers and what they say.
//!
//! **Guarantee.** [`ModelEvaluation::release`] loses what [`ModelEvaluation::loss`] says before it sees a row: it is the release
//! of the one measure behind it, made for the rows of one person. Everything that [`ModelEvaluation::numbers`] says is computed
//! from the released integers and public things.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** The files of the measures. Rows are encoded by the model's own public bounds and lists, one by one, and whatever
//! the numbers of a model are, what it says of a row is a function of that row: nothing here fails because of one.
//! **Intervals** are at 95 % each, as the measures say.

use std::fmt;
use std::sync::Arc;

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Spend};

use super::{Accuracy, Classes, Confusion, RSquared, ScoreHistogram};
use crate::{CodeBlocks, EncodedRows, Interval, LearnError, Model, TargetKind};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The share of rows that a classifier gets right.
    Accuracy,
    /// How many rows of each class were taken for which.
    Confusion,
    /// The area under the ROC curve of two classes.
    Area,
    /// How often what a score says is so, of two classes.
    Calibration,
    /// How much of a number's variance is explained.
    RSquared,
}

/// Buckets of probability that an area is counted in. More leave fewer ties, and have more noise.
const AREA_BUCKETS: usize = 32;
/// Buckets of a calibration, which people read.
const CALIBRATION_BUCKETS: usize = 10;
/// Targets and predictions go from −1 to 1, so this clamps no error.
const ERROR_MAX: f64 = 2.0;

impl Measure {
    /// Every measure, as lists show them.
    pub const ALL: [Self; 5] =
        [Self::Accuracy, Self::Confusion, Self::Area, Self::Calibration, Self::RSquared];

    /// As it is written everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Confusion => "confusion",
            Self::Area => "auc",
            Self::Calibration => "calibration",
            Self::RSquared => "r2",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Accuracy => "the share of rows that the model gets right",
            Self::Confusion => "how many rows of each class are taken for which, with precision and recall",
            Self::Area => {
                "the area under the ROC curve: how often a row of the second class has the higher score"
            }
            Self::Calibration => {
                "how often rows are of the second class, by the probability that the model says"
            }
            Self::RSquared => "how much of the target's variance the model explains",
        }
    }

    /// The measure of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn parse(name: &str) -> Result<Self, LearnError> {
        Self::ALL.into_iter().find(|measure| measure.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            LearnError::parameter(format!("there is no measure `{name}`; there are {names}"))
        })
    }

    /// The measure that a model has where none is named: by what its target is.
    ///
    /// # Errors
    /// When the model says nothing of rows.
    pub fn usual(model: &Model) -> Result<Self, LearnError> {
        match model.encoding().target_kind() {
            Some(TargetKind::TwoClasses(_) | TargetKind::Classes(_)) => Ok(Self::Accuracy),
            Some(TargetKind::Number) => Ok(Self::RSquared),
            None => Err(LearnError::parameter(format!(
                "`{}` predicts nothing that rows could show to be right or wrong",
                model.recipe().family
            ))),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A measure of a model at a price: what it loses is known, and nothing of data is.
pub struct ModelEvaluation {
    model: Arc<Model>,
    measure: Measure,
    rows_per_person: u32,
    classes: Classes,
    kind: Kind,
}

enum Kind {
    Accuracy(Accuracy),
    Confusion(Confusion),
    Scores(ScoreHistogram),
    RSquared(RSquared),
}

/// One number of an evaluation, for people to read.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationNumber {
    /// What is measured.
    pub measure: &'static str,
    /// Of what: a class, a bucket, or all rows.
    pub part: String,
    /// The number.
    pub value: f64,
    /// Between which numbers it lies with 95 %; an end that nothing is known of is infinite.
    pub interval: Option<(f64, f64)>,
}

impl ModelEvaluation {
    /// The evaluation at this price, of rows of which one person has at most `rows_per_person`.
    ///
    /// # Errors
    /// When the measure does not fit what the model predicts, or noise of this size cannot be drawn.
    pub fn new(
        model: Arc<Model>,
        measure: Measure,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, LearnError> {
        // A model without a target has no measure at all.
        Measure::usual(&model)?;
        let target = model.encoding().target_kind();
        let count = model.classes().len();
        let classes = match count {
            2 => Classes::Two,
            _ => Classes::Several(u32::try_from(count).unwrap_or(u32::MAX)),
        };
        let wrong = |wanted: &str| {
            let (measure, family) = (measure.name(), model.recipe().family);
            Err(LearnError::parameter(format!(
                "`{measure}` is a measure of {wanted}, and this `{family}` is none; leave the measure out for the usual one"
            )))
        };
        let scores = |buckets: usize| {
            ScoreHistogram::new((0.0, 1.0), buckets, rows_per_person, spend).map(Kind::Scores)
        };
        let kind = match (measure, &target) {
            (Measure::RSquared, Some(TargetKind::Number)) => {
                Kind::RSquared(RSquared::new(ERROR_MAX, rows_per_person, spend)?)
            }
            (Measure::RSquared, _) => return wrong("models that predict a number"),
            (_, Some(TargetKind::Number) | None) => return wrong("models that predict a class"),
            (Measure::Accuracy, _) => Kind::Accuracy(Accuracy::new(rows_per_person, spend)?),
            (Measure::Confusion, _) => Kind::Confusion(Confusion::new(classes, rows_per_person, spend)?),
            (Measure::Area, Some(TargetKind::TwoClasses(_))) => scores(AREA_BUCKETS)?,
            (Measure::Calibration, Some(TargetKind::TwoClasses(_))) => scores(CALIBRATION_BUCKETS)?,
            (Measure::Area | Measure::Calibration, _) => return wrong("models of two classes"),
        };
        // A linear regression is solved for before anybody has paid, and once for all rows.
        let _ = model.regression();
        Ok(Self { model, measure, rows_per_person, classes, kind })
    }

    /// What is evaluated.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What is measured.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// What is lost.
    pub fn loss(&self) -> Loss {
        match &self.kind {
            Kind::Accuracy(it) => it.loss(),
            Kind::Confusion(it) => it.loss(),
            Kind::Scores(it) => it.loss(),
            Kind::RSquared(it) => it.loss(),
        }
    }

    /// How it is made private.
    pub fn mechanism(&self) -> &'static str {
        match &self.kind {
            Kind::Accuracy(_) | Kind::Confusion(_) | Kind::Scores(_) => "noisy counts of rows",
            Kind::RSquared(_) => "noisy sums of squares",
        }
    }

    /// What to expect, in words: nothing in them comes from data.
    pub fn outlook(&self) -> Vec<String> {
        let beta = beta();
        let counts =
            |radius: f64| format!("every count of rows is within {radius} with 95 %, all of them at once");
        vec![match &self.kind {
            Kind::Accuracy(it) => counts(it.radius(&beta)),
            Kind::Confusion(it) => counts(it.radius(&beta)),
            Kind::Scores(it) => {
                format!("{} buckets of probability; {}", it.buckets(), counts(it.radius(&beta)))
            }
            Kind::RSquared(it) => format!(
                "the sum of squared errors is as noisy as {:.0} rows; ten times as many rows or more leave little of it",
                it.radius(&beta).ceil()
            ),
        }]
    }

    /// Reads rows and adds noise. The codes are those of the model's own columns, and then of its target.
    ///
    /// # Errors
    /// When the rows went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        source: &dyn CodeBlocks,
        bits: &mut B,
    ) -> Result<Vec<i128>, LearnError> {
        let model = &self.model;
        let rows = EncodedRows::new(source, model.encoding(), self.rows_per_person);
        let class = |row: &[f64]| match self.classes {
            Classes::Two => 2.0 * model.class_number(row) as f64 - 1.0,
            Classes::Several(_) => model.class_number(row) as f64,
        };
        Ok(match &self.kind {
            Kind::Accuracy(it) => {
                let found = it.release(&class, &rows, bits)?;
                vec![found.right().into(), found.wrong().into()]
            }
            Kind::Confusion(it) => {
                it.release(&class, &rows, bits)?.counts().iter().map(|it| i128::from(*it)).collect()
            }
            Kind::Scores(it) => {
                let second =
                    |row: &[f64]| model.probabilities(row).and_then(|all| all.get(1).copied()).unwrap_or(0.0);
                let found = it.release(&second, &rows, bits)?;
                found.negatives().iter().chain(found.positives()).map(|it| i128::from(*it)).collect()
            }
            Kind::RSquared(it) => {
                let value = |row: &[f64]| model.value(row).unwrap_or(0.0);
                it.release(&value, &rows, bits)?.steps().to_vec()
            }
        })
    }

    /// What released integers say; `None` for integers that no release of this is.
    pub fn numbers(&self, released: &[i128]) -> Option<Vec<EvaluationNumber>> {
        let beta = beta();
        let counts = || released.iter().map(|it| i64::try_from(*it).ok()).collect::<Option<Vec<i64>>>();
        let number = |measure, part: &str, Interval { estimate, low, high }: Interval| EvaluationNumber {
            measure,
            part: part.to_owned(),
            value: estimate,
            interval: Some((low, high)),
        };
        let rows = |part: &str, count: i64, radius: f64| {
            let value = count as f64;
            let interval = Some(((value - radius).max(0.0), (value + radius).max(0.0)));
            EvaluationNumber { measure: "rows", part: part.to_owned(), value, interval }
        };
        Some(match &self.kind {
            Kind::Accuracy(it) => {
                let found = it.recorded(counts()?)?;
                let mut numbers = vec![number("accuracy", "on these rows", found.accuracy(&beta))];
                numbers
                    .extend(found.population(&beta).map(|it| number("accuracy", "on rows like these", it)));
                numbers.push(rows("right", found.right(), it.radius(&beta)));
                numbers.push(rows("wrong", found.wrong(), it.radius(&beta)));
                numbers
            }
            Kind::Confusion(it) => {
                let found = it.recorded(counts()?)?;
                let names = self.model.classes();
                let mut numbers = Vec::new();
                for (truth, name) in names.iter().enumerate() {
                    for (seen, other) in names.iter().enumerate() {
                        let part = format!("{name} taken for {other}");
                        numbers.push(rows(&part, found.count(truth, seen), it.radius(&beta)));
                    }
                }
                for (class, name) in names.iter().enumerate() {
                    numbers.push(number("recall", name, found.recall(class, &beta)));
                    numbers.push(number("precision", name, found.precision(class, &beta)));
                }
                numbers
            }
            Kind::Scores(it) => {
                let found = it.recorded(counts()?)?;
                let second = self.model.classes().get(1).cloned().unwrap_or_default();
                if self.measure == Measure::Area {
                    let area = found.area(&beta);
                    let (estimate, low, high) = (area.estimate, area.low, area.high);
                    let ties = EvaluationNumber {
                        measure: "ties",
                        part: "pairs with scores of one bucket".to_owned(),
                        value: area.ties,
                        interval: None,
                    };
                    vec![number("auc", &second, Interval { estimate, low, high }), ties]
                } else {
                    let width = 0.5 / it.buckets() as f64;
                    let mut numbers = Vec::new();
                    for bucket in found.calibration(&beta) {
                        let (low, high) = (bucket.score - width, bucket.score + width);
                        let part = format!("{second}, said with {low:.2} to {high:.2}");
                        numbers.push(number("share", &part, bucket.positive));
                        let all = rows(&part, bucket.rows, 2.0 * it.radius(&beta));
                        numbers.push(all);
                    }
                    numbers
                }
            }
            Kind::RSquared(it) => {
                let found = it.recorded(released)?;
                let mut numbers = vec![number("r2", "on these rows", found.r_squared(&beta))];
                let [count, ..] = found.sums();
                numbers.push(rows("all", count.round() as i64, it.radius(&beta).ceil()));
                numbers
            }
        })
    }
}

/// How often an interval may be wrong: one in twenty.
fn beta() -> FailureProbability {
    FailureProbability::new(Rational::ratio(1, 20)).expect("one in twenty is a probability")
}

#[cfg(test)]
mod tests;
