//! What somebody asks for: a kind of model, a method and settings, all public; and the trainer that follows from a price.
//!
//! **Guarantee.** A [`Trainer`] loses what it says before it sees a row: its loss is that of the one trainer behind it, made for
//! the encoding's dimension and norm bound and for the rows of one person. Everything in a [`Recipe`] is chosen by the asker;
//! nothing is taken from data.
//! **Neighbours.** Add or remove everything of one person, who has at most `rows_per_person` rows.
//! **Proof.** The file of the trainer that is chosen; every trainer refuses rows that are longer or more of one person than it was
//! made for.

use std::fmt;

use pointillist_privacy::{Epsilon, Loss, Rho, Spend};
use serde::{Deserialize, Serialize};

use crate::gaussian_objective::default_lambda_for_epsilon;
use crate::tolerance::Tolerance;
use crate::trainer::Kind;
pub use crate::trainer::Trainer;
use crate::tuned_trainer::{TunedTrainer, Tuning};
use crate::{
    AdaSsp, Additive, AdditiveTarget, Boosting, Descent, Encoding, GaussianObjective, GradientDescent,
    GradientLoss, Gram, KMeans, LearnError, MarginLoss, MarginProblem, NaiveBayes, ObjectivePerturbation,
    OutputPerturbation, RowCount, RowLength, StepSize, TargetKind, default_lambda_for_rho,
};

/// A kind of model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Logistic regression: two classes.
    Logistic,
    /// A support vector machine with Huber's hinge: two classes.
    SupportVector,
    /// Logistic regression with several classes.
    Softmax,
    /// Linear regression of a number.
    Linear,
    /// Naive Bayes: two classes or several.
    NaiveBayes,
    /// A boosted additive model: two classes, or a number.
    Additive,
    /// Clusters by k-means; no target.
    Clusters,
    /// Means, covariances and principal components; no target.
    Moments,
}

impl Family {
    /// Every kind of model, as lists show them.
    pub const ALL: [Self; 8] = [
        Self::Logistic,
        Self::SupportVector,
        Self::Softmax,
        Self::Linear,
        Self::NaiveBayes,
        Self::Additive,
        Self::Clusters,
        Self::Moments,
    ];

    /// As it is written everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::SupportVector => "svm",
            Self::Softmax => "softmax",
            Self::Linear => "linear",
            Self::NaiveBayes => "bayes",
            Self::Additive => "additive",
            Self::Clusters => "clusters",
            Self::Moments => "moments",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Logistic => "logistic regression of two classes",
            Self::SupportVector => "a linear support vector machine of two classes",
            Self::Softmax => "logistic regression of two classes or more",
            Self::Linear => "linear regression of a number",
            Self::NaiveBayes => "naive Bayes of two classes or more",
            Self::Additive => "an additive model of two classes, or of a number: one curve for each column",
            Self::Clusters => "clusters around centres, without a target",
            Self::Moments => "means, deviations and principal components, without a target",
        }
    }

    /// The kind of model of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn parse(name: &str) -> Result<Self, LearnError> {
        let known = Self::ALL.into_iter().find(|family| family.name() == name);
        known.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            LearnError::parameter(format!("there is no model `{name}`; there are {}", names.join(", ")))
        })
    }

    /// Whether it learns to say something of a row.
    pub fn has_target(self) -> bool {
        !matches!(self, Self::Clusters | Self::Moments)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// How a linear classifier is made private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Noise in what is minimised.
    #[default]
    Objective,
    /// Noise on the coefficients.
    Output,
    /// Noise in every step of a descent.
    Descent,
}

/// A kind of model and the settings that were given; what was not follows from the price and the encoding.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The kind of model.
    pub family: Family,
    /// How linear classifiers are made private.
    #[serde(default)]
    pub method: Method,
    /// The penalty (λ/2)‖θ‖² on the sum of losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// Steps of a descent, rounds of boosting, or iterations of k-means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// How many clusters there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u32>,
    /// In how many bins an additive model has numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// About how many rows there are, where that is public: for the choice of settings, never for privacy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// A setting of which several values are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<Tuning>,
}

/// Everything that was set. What is recorded is found again by these words, so that a setting that nobody uses is not in them.
impl fmt::Debug for Recipe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, method, lambda, steps, clusters, bins, rows, tune } = self;
        let mut all = out.debug_struct("Recipe");
        all.field("family", family).field("method", method).field("lambda", lambda).field("steps", steps);
        all.field("clusters", clusters).field("bins", bins).field("rows", rows);
        if let Some(tune) = tune {
            all.field("tune", tune);
        }
        all.finish()
    }
}

/// The settings, as they are written, and what each is.
pub const SETTINGS: [(&str, &str); 7] = [
    (
        "method",
        "of logistic, svm and linear: objective (noise in what is minimised), output (noise on coefficients) or descent",
    ),
    (
        "lambda",
        "of linear models: the penalty (lambda/2)·|θ|² on the sum of losses; by default it follows from the price",
    ),
    ("steps", "steps of a descent (100), rounds of boosting, iterations of k-means (5)"),
    ("clusters", "how many clusters there are (3)"),
    ("bins", "in how many bins an additive model has numbers (16)"),
    (
        "rows",
        "about how many rows there are, where that is public: for the choice of the others, never for privacy",
    ),
    (
        "tune",
        "one of the others with several values, such as tune = lambda 1 10 100: the best is found out privately, within the price",
    ),
];
/// The half width of Huber's hinge, as Chaudhuri, Monteleoni and Sarwate have it.
const HALF_WIDTH: f64 = 0.5;
pub(crate) const STEPS: u32 = 100;
const ITERATIONS: u32 = 5;
const CLUSTERS: u32 = 3;
const BINS: u32 = 16;
/// Features whose products are all kept: 2^23 sums of 128 bits.
const SQUARE_MAX: usize = 4_096;
/// Draws of noise that are kept at once.
const NOISE_MAX: usize = 1 << 23;
const CLUSTERS_MAX: usize = 256;

impl Recipe {
    /// A kind of model with all settings left open.
    pub fn new(family: Family) -> Self {
        let method = Method::default();
        Self { family, method, lambda: None, steps: None, clusters: None, bins: None, rows: None, tune: None }
    }

    /// The same with settings as people write them: `lambda = 10, method = output`.
    ///
    /// # Errors
    /// When there is no such setting, or its value is none.
    pub fn with_settings(mut self, text: &str) -> Result<Self, LearnError> {
        for setting in text.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                LearnError::parameter(format!("`{setting}` is no setting; write it as lambda = 10"))
            })?;
            self.set(name.trim(), value.trim())?;
        }
        Ok(self)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), LearnError> {
        fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<Option<T>, LearnError> {
            let wrong = || LearnError::parameter(format!("`{value}` is no value of the setting `{name}`"));
            value.parse().map(Some).map_err(|_| wrong())
        }
        match name {
            "lambda" => self.lambda = number(name, value)?,
            "steps" => self.steps = number(name, value)?,
            "clusters" => self.clusters = number(name, value)?,
            "bins" => self.bins = number(name, value)?,
            "rows" => self.rows = number(name, value)?,
            "tune" => self.tune = Some(Tuning::parse(value)?),
            "method" => {
                self.method = match value {
                    "objective" => Method::Objective,
                    "output" => Method::Output,
                    "descent" => Method::Descent,
                    _ => {
                        return Err(LearnError::parameter(format!(
                            "there is no method `{value}`; there are objective, output and descent"
                        )));
                    }
                }
            }
            _ => {
                return Err(LearnError::parameter(format!(
                    "there is no setting `{name}`; there are {}",
                    SETTINGS.map(|(name, _)| name).join(", ")
                )));
            }
        }
        Ok(())
    }

    /// How rows get their length: linear models see directions, the others single columns.
    pub fn row_length(&self) -> RowLength {
        match self.family {
            Family::Logistic | Family::SupportVector | Family::Softmax | Family::Linear => RowLength::Clip,
            Family::NaiveBayes | Family::Additive | Family::Clusters | Family::Moments => RowLength::Scale,
        }
    }

    /// The trainer for rows that are encoded so, of which one person has at most `rows_per_person`, at a price.
    ///
    /// # Errors
    /// When the target does not fit the kind of model, a setting is out of range, or the price is of a currency in which nothing
    /// is proven of it.
    pub fn trainer(
        &self,
        encoding: Encoding,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Trainer, LearnError> {
        self.check_size(&encoding)?;
        let (kind, loss) = match &self.tune {
            None => self.kind(&encoding, rows_per_person, spend)?,
            Some(tune) => {
                let (tuned, loss) = TunedTrainer::new(self, tune, &encoding, rows_per_person, spend)?;
                (Kind::Tuned(Box::new(tuned)), loss)
            }
        };
        Ok(Trainer::new(self.clone(), encoding, rows_per_person, kind, loss))
    }

    fn kind(&self, encoding: &Encoding, k: u32, spend: &Spend) -> Result<(Kind, Loss), LearnError> {
        let (d, radius) = (encoding.dimension(), encoding.norm_bound());
        let classes = self.classes(encoding)?;
        Ok(match self.family {
            Family::Logistic | Family::SupportVector if self.method != Method::Descent => {
                let loss = match self.family {
                    Family::Logistic => MarginLoss::Logistic,
                    _ => MarginLoss::huber_hinge(HALF_WIDTH)?,
                };
                self.margin(loss, d, radius, k, spend)?
            }
            Family::SupportVector => {
                return Err(LearnError::parameter(
                    "gradient descent is for logistic, softmax and linear models; leave the method out",
                ));
            }
            Family::Logistic => self.descent(GradientLoss::Logistic, d, radius, k, spend)?,
            Family::Softmax => self.descent(GradientLoss::Softmax { classes }, d, radius, k, spend)?,
            Family::Linear if self.method == Method::Descent => {
                self.descent(GradientLoss::Squared { clip: 1.0 }, d, radius, k, spend)?
            }
            Family::Linear => {
                let trainer = AdaSsp::new(d, radius, k, self.rho(spend)?)?;
                let loss = trainer.loss();
                (Kind::AdaSsp(Box::new(trainer)), loss)
            }
            Family::NaiveBayes => {
                let (numbers, categories) = encoding.evidence()?;
                let trainer = NaiveBayes::new(numbers, categories, classes, d, k, self.rho(spend)?)?;
                let loss = trainer.loss();
                (Kind::NaiveBayes(Box::new(trainer)), loss)
            }
            Family::Additive => {
                let target = match encoding.target_kind() {
                    Some(TargetKind::Number) => AdditiveTarget::Number,
                    _ => AdditiveTarget::Classes,
                };
                let boosting = Boosting {
                    rounds: self.steps.unwrap_or(Boosting::default().rounds),
                    ..Boosting::default()
                };
                let features = encoding.bins(self.bins.unwrap_or(BINS).max(2) as usize)?;
                let trainer = Additive::new(target, features, boosting, d, k, self.rho(spend)?)?;
                let loss = trainer.loss();
                (Kind::Additive(Box::new(trainer)), loss)
            }
            Family::Clusters => {
                let clusters = self.clusters.unwrap_or(CLUSTERS) as usize;
                let iterations = self.steps.unwrap_or(ITERATIONS);
                let bounds = encoding.feature_bounds();
                let trainer = KMeans::new(clusters, iterations, bounds, radius, k, self.rho(spend)?)?;
                let loss = trainer.loss();
                (Kind::KMeans(Box::new(trainer)), loss)
            }
            Family::Moments => {
                let trainer = Gram::new(d, radius, k, None, self.rho(spend)?)?;
                let loss = trainer.loss();
                (Kind::Gram(Box::new(trainer)), loss)
            }
        })
    }

    /// A linear classifier of two classes.
    fn margin(
        &self,
        loss: MarginLoss,
        d: usize,
        radius: f64,
        k: u32,
        spend: &Spend,
    ) -> Result<(Kind, Loss), LearnError> {
        let lambda = self.lambda.unwrap_or_else(|| match spend {
            Spend::Concentrated(rho) => default_lambda_for_rho(loss, d, radius, k, rho, self.rows),
            Spend::Pure(epsilon) => default_lambda_for_epsilon(loss, d, radius, k, epsilon, self.rows),
        });
        let problem = MarginProblem::new(loss, d, radius, k, lambda)?;
        if let Some(rows) = self.rows {
            Tolerance::new(&problem)?.check_rows(&problem, rows)?;
        }
        Ok(match (spend, self.method) {
            (Spend::Concentrated(rho), Method::Output) => {
                let trainer = OutputPerturbation::for_rho(problem, rho)?;
                let loss = trainer.loss();
                (Kind::Output(Box::new(trainer)), loss)
            }
            (Spend::Concentrated(rho), _) => {
                let trainer = GaussianObjective::for_rho(problem, rho)?;
                let loss = trainer.loss();
                (Kind::Gaussian(Box::new(trainer)), loss)
            }
            (Spend::Pure(epsilon), Method::Output) => {
                let trainer = OutputPerturbation::new(problem, epsilon)?;
                let loss = trainer.loss();
                (Kind::Output(Box::new(trainer)), loss)
            }
            (Spend::Pure(epsilon), _) => self.pure_objective(problem, epsilon)?,
        })
    }

    fn pure_objective(&self, problem: MarginProblem, epsilon: &Epsilon) -> Result<(Kind, Loss), LearnError> {
        let trainer = ObjectivePerturbation::new(problem, epsilon)?;
        let loss = trainer.loss();
        Ok((Kind::Objective(Box::new(trainer)), loss))
    }

    fn descent(
        &self,
        loss: GradientLoss,
        d: usize,
        radius: f64,
        k: u32,
        spend: &Spend,
    ) -> Result<(Kind, Loss), LearnError> {
        let descent = Descent {
            steps: self.steps.unwrap_or(STEPS),
            step_size: StepSize::Automatic,
            penalty: self.lambda.unwrap_or(0.0),
            rows: self.rows.map_or(RowCount::Estimated, RowCount::Declared),
            ..Descent::default()
        };
        let trainer = GradientDescent::new(loss, descent, d, radius, k, self.rho(spend)?)?;
        let loss = trainer.loss();
        Ok((Kind::Descent(Box::new(trainer)), loss))
    }

    /// The price in ρ.
    fn rho(&self, spend: &Spend) -> Result<Rho, LearnError> {
        match spend {
            Spend::Concentrated(rho) => Ok(rho.clone()),
            Spend::Pure(_) => Err(LearnError::parameter(format!(
                "nothing is proven of `{}` in a budget of pure epsilon; logistic and svm have pure methods",
                self.family
            ))),
        }
    }

    /// Whether memory holds what a fit keeps: squares of features, and all of its noise at once. A curator that runs out of memory ends
    /// for everybody.
    fn check_size(&self, encoding: &Encoding) -> Result<(), LearnError> {
        let (d, classes) = (encoding.dimension(), self.classes(encoding)?.max(1));
        let clusters = self.clusters.unwrap_or(CLUSTERS) as usize;
        let squares = match self.family {
            Family::Linear | Family::Moments if self.method != Method::Descent => d,
            _ => 0,
        };
        let steps = |usual: u32| self.steps.unwrap_or(usual) as usize;
        let noise = match self.family {
            Family::Logistic | Family::SupportVector | Family::Linear if self.method != Method::Descent => d,
            Family::Logistic | Family::SupportVector | Family::Softmax | Family::Linear => {
                steps(STEPS).saturating_mul(d).saturating_mul(classes)
            }
            Family::NaiveBayes => d.saturating_mul(2 * classes),
            Family::Additive => {
                let bins = self.bins.unwrap_or(BINS) as usize;
                steps(Boosting::default().rounds).saturating_mul(d).saturating_mul(bins)
            }
            Family::Clusters => steps(ITERATIONS).saturating_mul(d + 1).saturating_mul(clusters),
            Family::Moments => 0,
        };
        if squares > SQUARE_MAX || noise > NOISE_MAX || clusters > CLUSTERS_MAX {
            return Err(LearnError::parameter(format!(
                "{d} features with these settings take more memory than a model may; choose fewer columns, categories with \
                 fewer values, or fewer steps, bins or clusters"
            )));
        }
        Ok(())
    }

    /// How many classes the target has, where it fits the kind of model.
    fn classes(&self, encoding: &Encoding) -> Result<usize, LearnError> {
        let wrong = |wanted: &str| {
            Err(LearnError::parameter(format!("`{}` needs {wanted}; choose another model", self.family)))
        };
        match (self.family, encoding.target_kind()) {
            (Family::Logistic | Family::SupportVector, Some(TargetKind::TwoClasses(_))) => Ok(2),
            (Family::Logistic | Family::SupportVector, _) => wrong("a target of two classes"),
            (Family::Softmax | Family::NaiveBayes, Some(TargetKind::TwoClasses(_))) => Ok(2),
            (Family::Softmax | Family::NaiveBayes, Some(TargetKind::Classes(classes))) => Ok(classes.len()),
            (Family::Softmax | Family::NaiveBayes, _) => wrong("a target of classes"),
            (Family::Linear, Some(TargetKind::Number)) => Ok(0),
            (Family::Linear, _) => wrong("a target that is a number"),
            (Family::Additive, Some(TargetKind::Number)) => Ok(0),
            (Family::Additive, Some(TargetKind::TwoClasses(_))) => Ok(2),
            (Family::Additive, _) => wrong("a target of two classes, or a number"),
            (Family::Clusters | Family::Moments, None) => Ok(0),
            (Family::Clusters | Family::Moments, Some(_)) => wrong("no target"),
        }
    }
}

#[cfg(test)]
mod tests;
