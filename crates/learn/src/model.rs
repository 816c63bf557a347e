//! A model: released numbers with everything public that is needed to use them.
//!
//! **Guarantee.** A model is made of a recipe, an encoding and released numbers; what it says of a row, and every table of it, is
//! post-processing.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::gram::Constant;
use crate::{
    AdaSspRelease, AdditiveModel, Encoding, Feature, GradientModel, GramRelease, Interval, KMeansModel,
    Label, LearnError, LinearModel, MarginModel, NaiveBayesModel, Penalty, Recipe, RowLength, TargetKind,
};

/// What a trainer released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fitted {
    /// A linear classifier of two classes.
    Margin(MarginModel),
    /// A linear model of classes, or of a number.
    Gradient(GradientModel),
    /// Noisy sums of a linear regression.
    Linear(AdaSspRelease),
    /// Noisy sums of each class.
    NaiveBayes(NaiveBayesModel),
    /// Scores of bins.
    Additive(AdditiveModel),
    /// Centres.
    Clusters(KMeansModel),
    /// Products of features.
    Moments(GramRelease),
}

impl Fitted {
    /// The bytes that are recorded.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether there is a number for every feature, and no number is of a feature that there is not.
    fn fits(&self, encoding: &Encoding) -> bool {
        let d = encoding.dimension();
        let classes = match encoding.target_kind() {
            Some(TargetKind::TwoClasses(_)) => 2,
            Some(TargetKind::Classes(classes)) => classes.len(),
            Some(TargetKind::Number) | None => 0,
        };
        match self {
            Self::Margin(model) => classes == 2 && model.coefficients.values.len() == d,
            Self::Gradient(model) => {
                let length = model.coefficients.values.len();
                length == d && classes <= 2 || length == d * classes && classes >= 2
            }
            Self::Linear(release) => {
                classes == 0
                    && release.target_products.values.len() == d
                    && release.products.values.len() == d * (d + 1) / 2
            }
            Self::NaiveBayes(model) => model.fits(d, classes),
            Self::Additive(model) => {
                let bins: usize = model.features.iter().map(Feature::bins).sum();
                model.features.iter().all(|feature| feature.check(d).is_ok())
                    && [&model.scores, &model.counts].iter().all(|numbers| numbers.values.len() == bins)
            }
            Self::Clusters(model) => {
                let clusters = model.counts.values.len();
                clusters > 0 && model.centres.values.len() == clusters * d
            }
            Self::Moments(release) => {
                release.dimension() == d && release.numbers().values.len() == d * (d + 1) / 2
            }
        }
    }

    /// What was recorded; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// A kind of model, how rows become features, and what was released.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Model {
    recipe: Recipe,
    encoding: Encoding,
    fitted: Fitted,
    /// The coefficients of a linear regression, solved for when they are first asked for.
    #[serde(skip)]
    solved: OnceLock<LinearModel>,
}

/// What has been solved for is a function of the rest.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        let Self { recipe, encoding, fitted, solved: _ } = self;
        *recipe == other.recipe && *encoding == other.encoding && *fitted == other.fitted
    }
}

/// A model as a file has it, which may be anybody's.
#[derive(Deserialize)]
struct Parts {
    recipe: Recipe,
    encoding: Encoding,
    fitted: Fitted,
}

impl TryFrom<Parts> for Model {
    type Error = LearnError;

    fn try_from(Parts { recipe, encoding, fitted }: Parts) -> Result<Self, LearnError> {
        match fitted.fits(&encoding) {
            true => Ok(Self::new(recipe, encoding, fitted)),
            false => Err(LearnError::parameter("the numbers of the model do not fit its columns")),
        }
    }
}

/// What a model says of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// A class, and how likely it is.
    Class {
        /// Its name.
        class: String,
        /// How likely, as far as the model knows.
        probability: f64,
    },
    /// A number.
    Number(f64),
    /// The number of a cluster, from zero on.
    Cluster(usize),
    /// Nothing: the model is a description of rows.
    Nothing,
}

/// One number of a model, for people to read.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelNumber {
    /// What it is about: a class, a cluster, or what is described.
    pub part: String,
    /// The feature.
    pub feature: String,
    /// The number.
    pub value: f64,
    /// Between which numbers it lies with 95 %, where that can be told.
    pub interval: Option<(f64, f64)>,
}

/// How sure intervals are.
const CONFIDENCE: f64 = 0.95;
/// The two-sided quantile of a normal law at 95 %, rounded up.
pub(crate) const QUANTILE: f64 = 1.96;
/// Principal components that are shown.
const COMPONENTS: usize = 3;

impl Model {
    pub(crate) fn new(recipe: Recipe, encoding: Encoding, fitted: Fitted) -> Self {
        Self { recipe, encoding, fitted, solved: OnceLock::new() }
    }

    /// Bytes that are the same for the same model, and others for any other.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_else(|_| format!("{self:?}").into_bytes())
    }

    /// What was trained.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How rows become features.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// What was released.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// What it says of a row of values, in the order of the encoding's columns.
    pub fn predict(&self, values: &[Option<Label>]) -> Prediction {
        self.predict_features(&self.encoding.features_of(values))
    }

    /// The same for a row that is encoded.
    pub fn predict_features(&self, row: &[f64]) -> Prediction {
        if let Fitted::Clusters(model) = &self.fitted {
            return Prediction::Cluster(model.cluster(row));
        }
        if let Some(probabilities) = self.probabilities(row) {
            let best = likeliest(&probabilities);
            let class = self.classes().get(best).cloned().unwrap_or_default();
            return Prediction::Class { class, probability: probabilities.get(best).copied().unwrap_or(0.0) };
        }
        let number = self.value(row).and_then(|value| self.encoding.number_of(value));
        number.map_or(Prediction::Nothing, Prediction::Number)
    }

    /// How likely each class is; `None` where the model has no classes.
    pub fn probabilities(&self, row: &[f64]) -> Option<Vec<f64>> {
        if self.predicts_a_number() {
            return None;
        }
        let two = |one: f64| Some(vec![1.0 - one, one]);
        match &self.fitted {
            Fitted::Margin(model) => two(model.probability(row)),
            Fitted::Gradient(model) => Some(model.probabilities(row)),
            Fitted::NaiveBayes(model) => Some(model.probabilities(row)),
            Fitted::Additive(model) => two(1.0 / (1.0 + (-model.score(row)).exp())),
            Fitted::Linear(_) | Fitted::Clusters(_) | Fitted::Moments(_) => None,
        }
    }

    /// The number of the class that it sees in a row; the first one where it has none.
    pub fn class_number(&self, row: &[f64]) -> usize {
        self.probabilities(row).map_or(0, |probabilities| likeliest(&probabilities))
    }

    /// The number that it predicts, from −1 to 1 as targets are; `None` where the model has classes.
    pub fn value(&self, row: &[f64]) -> Option<f64> {
        match &self.fitted {
            Fitted::Linear(_) => Some(self.regression()?.predict(row)),
            Fitted::Gradient(model) if self.predicts_a_number() => Some(model.predict(row)),
            Fitted::Additive(model) if self.predicts_a_number() => Some(model.predict(row)),
            _ => None,
        }
    }

    fn predicts_a_number(&self) -> bool {
        matches!(self.encoding.target_kind(), Some(TargetKind::Number))
    }

    /// The linear regression that noisy sums are: solved once, for however many rows.
    pub fn regression(&self) -> Option<&LinearModel> {
        match &self.fitted {
            Fitted::Linear(release) => {
                Some(self.solved.get_or_init(|| release.regression(Penalty::Automatic)))
            }
            _ => None,
        }
    }

    /// A number that rises with the second class, or with the target: what a receiver operating curve is drawn of.
    pub fn score(&self, row: &[f64]) -> f64 {
        match &self.fitted {
            Fitted::Margin(model) => model.score(row),
            Fitted::Gradient(model) => match model.scores(row).as_slice() {
                [only] => *only,
                [first, second] => second - first,
                _ => 0.0,
            },
            Fitted::Linear(_) => self.regression().map_or(0.0, |model| model.predict(row)),
            Fitted::NaiveBayes(model) => model.probabilities(row).last().copied().unwrap_or(0.0),
            Fitted::Additive(model) => model.score(row),
            Fitted::Clusters(_) | Fitted::Moments(_) => 0.0,
        }
    }

    /// The classes, in their order.
    pub fn classes(&self) -> Vec<String> {
        match self.encoding.target_kind() {
            Some(TargetKind::TwoClasses(classes)) => classes.to_vec(),
            Some(TargetKind::Classes(classes)) => classes,
            Some(TargetKind::Number) | None => Vec::new(),
        }
    }

    /// Intervals of the coefficients of a linear regression at 95 %, where the noise leaves any.
    fn coefficient_intervals(&self) -> Option<Vec<Interval>> {
        let Fitted::Linear(release) = &self.fitted else { return None };
        match self.encoding.row_length() {
            RowLength::Clip => release.intervals_of_unit_rows(CONFIDENCE),
            RowLength::Scale | RowLength::Whole => {
                let column = self.encoding.dimension().checked_sub(1)?;
                release.intervals(Constant { column, value: self.encoding.factor() }, CONFIDENCE)
            }
        }
    }

    /// Why numbers of this model have no interval, or what those that have one are about, in words.
    pub fn interval_words(&self) -> &'static str {
        match &self.fitted {
            Fitted::Linear(_) if self.coefficient_intervals().is_some() => {
                "intervals are about the coefficients of people like these, noise and the luck of the draw included, with about 95 % each"
            }
            Fitted::Linear(_) => {
                "no intervals: the noise hides how the columns vary together; a higher price or fewer columns would leave some, \
                 and a category whose values are all listed always hides its own level"
            }
            Fitted::Margin(_) | Fitted::Gradient(_) => {
                "no intervals: they need products of columns, which this method does not release"
            }
            Fitted::NaiveBayes(_) | Fitted::Moments(_) => {
                "counts of rows are within their intervals with 95 % each; means and deviations have none"
            }
            Fitted::Additive(_) | Fitted::Clusters(_) => {
                "no intervals: how steps of such a model blur each other is not known"
            }
        }
    }

    /// The model as a table: coefficients, centres, curves or moments.
    pub fn numbers(&self) -> Vec<ModelNumber> {
        let names = self.encoding.feature_names();
        let target = self.encoding.target().map(|target| target.name.clone()).unwrap_or_default();
        let classes = self.classes();
        let each = |part: &str, values: Vec<f64>, intervals: Option<Vec<Interval>>| -> Vec<ModelNumber> {
            let interval = |at: usize| {
                let interval = intervals.as_ref()?.get(at)?;
                Some((interval.low, interval.high))
            };
            let number = |(at, value): (usize, f64)| ModelNumber {
                part: part.to_owned(),
                feature: names.get(at).cloned().unwrap_or_default(),
                value,
                interval: interval(at),
            };
            values.into_iter().enumerate().map(number).collect()
        };
        match &self.fitted {
            Fitted::Margin(model) => {
                let second = classes.get(1).cloned().unwrap_or(target);
                each(&second, model.coefficients.to_f64(), None)
            }
            Fitted::Gradient(model) => {
                let theta = model.coefficients.to_f64();
                let parts: Vec<&[f64]> = theta.chunks_exact(names.len().max(1)).collect();
                let part = |at: usize| match (parts.len(), classes.as_slice()) {
                    (1, [_, second]) => second.clone(),
                    _ => classes.get(at).cloned().unwrap_or_else(|| target.clone()),
                };
                let parts = parts.iter().enumerate().map(|(at, theta)| each(&part(at), theta.to_vec(), None));
                parts.flatten().collect()
            }
            Fitted::Linear(_) => {
                let coefficients = self.regression().map(|model| model.coefficients.clone());
                each(&target, coefficients.unwrap_or_default(), self.coefficient_intervals())
            }
            Fitted::NaiveBayes(model) => model.table(&names, &classes),
            Fitted::Additive(model) => {
                let (scores, mut start) = (model.scores.to_f64(), 0);
                let mut numbers = Vec::new();
                for feature in &model.features {
                    for bin in 0..feature.bins() {
                        numbers.push(ModelNumber {
                            part: "score".to_owned(),
                            feature: bin_name(feature, bin, &names, self.encoding.factor()),
                            value: scores.get(start + bin).copied().unwrap_or(0.0),
                            interval: None,
                        });
                    }
                    start += feature.bins();
                }
                numbers
            }
            Fitted::Clusters(model) => {
                let factor = self.encoding.factor();
                let centre = |(at, centre): (usize, Vec<f64>)| {
                    let centre = centre.into_iter().map(|value| value / factor).collect();
                    each(&format!("centre {}", at + 1), centre, None)
                };
                model.centres().into_iter().enumerate().flat_map(centre).collect()
            }
            Fitted::Moments(release) => {
                let factor = self.encoding.factor();
                let constant = Constant { column: names.len() - 1, value: factor };
                let moments = release.moments(constant);
                let width = QUANTILE * release.noise_variance().sqrt() / factor.powi(2);
                let deviations =
                    moments.variances().into_iter().map(|variance| variance.max(0.0).sqrt() / factor);
                let means = moments.mean.iter().map(|mean| mean / factor).collect();
                let mut numbers = each("mean", means, None);
                numbers.extend(each("deviation", deviations.collect(), None));
                let components = release.principal_components(constant, COMPONENTS.min(names.len()));
                for (at, axis) in components.directions.into_iter().enumerate() {
                    numbers.extend(each(&format!("component {}", at + 1), axis, None));
                }
                numbers.insert(
                    0,
                    ModelNumber {
                        part: "rows".to_owned(),
                        feature: String::new(),
                        value: moments.count,
                        interval: Some(((moments.count - width).max(0.0), moments.count + width)),
                    },
                );
                numbers
            }
        }
    }
}

/// The place of the largest, the last one where several are.
fn likeliest(probabilities: &[f64]) -> usize {
    let order = |a: &usize, b: &usize| probabilities[*a].total_cmp(&probabilities[*b]);
    (0..probabilities.len()).max_by(order).unwrap_or(0)
}

/// A bin of an additive model, in the units of the place between a column's bounds.
fn bin_name(feature: &Feature, bin: usize, names: &[String], factor: f64) -> String {
    match feature {
        Feature::Category { first, .. } => names.get(first + bin).cloned().unwrap_or_default(),
        Feature::Cuts { column, cuts } => {
            let name = names.get(*column).cloned().unwrap_or_default();
            let end = |at: usize| cuts.get(at).map(|cut| format!("{:.3}", cut / factor));
            match (bin.checked_sub(1).and_then(end), end(bin)) {
                (None, Some(high)) => format!("{name} below {high} of its range"),
                (Some(low), None) => format!("{name} from {low} of its range"),
                (Some(low), Some(high)) => format!("{name} from {low} to {high} of its range"),
                (None, None) => name,
            }
        }
    }
}
