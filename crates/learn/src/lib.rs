//! Models trained on private data: what is minimised, what noise it takes, and what is proven of it.
//!
//! A trainer is made of public numbers alone: how many features there are, how long a row may be, how many rows one person
//! has, and what may be lost. It says what it loses ([`Loss`](pointillist_privacy::Loss)) before it sees a row, and what it
//! returns are integers on a grid. [`Rows`] is all that it sees of data.

pub mod adassp;
pub mod additive;
mod approximate_minima;
pub mod encoding;
mod error;
pub mod evaluation;
mod feature;
mod gaussian_objective;
#[cfg(test)]
mod golden;
pub mod gradient_descent;
pub mod gram;
mod grid_noise;
mod grid_numbers;
pub mod intervals;
pub mod k_means;
mod loss;
mod margin_model;
mod margin_problem;
mod minimum;
mod model;
pub mod naive_bayes;
mod objective_perturbation;
mod output_perturbation;
mod recipe;
mod row_grid;
mod rows;
mod strong_convexity;
mod symmetric;
mod tolerance;
mod trainer;
mod tuned_trainer;
pub mod tuning;
pub mod utility;

pub use adassp::{AdaSsp, AdaSspRelease};
pub use additive::{Additive, AdditiveModel, AdditiveTarget, Boosting};
pub use approximate_minima::ApproximateMinima;
pub use encoding::{
    CodeBlocks, ColumnEncoding, ColumnKind, EncodedRows, Encoding, Label, NumberUnit, RowLength, TargetKind,
};
pub use error::LearnError;
pub use evaluation::{
    Accuracy, Classes, Confusion, EvaluationNumber, Measure, ModelEvaluation, RSquared, ScoreHistogram,
};
pub use feature::Feature;
pub use gaussian_objective::{
    GaussianObjective, default_lambda, default_lambda_for_epsilon, default_lambda_for_rho,
};
pub use gradient_descent::{Descent, GradientDescent, GradientLoss, GradientModel, RowCount, StepSize};
pub use gram::{Gram, GramRelease, LinearModel, Penalty};
pub use grid_numbers::GridNumbers;
pub use intervals::{Interval, PerturbedLogistic, logistic_intervals};
pub use k_means::{KMeans, KMeansModel};
pub use loss::{HalfWidth, MarginLoss};
pub use margin_model::MarginModel;
pub use margin_problem::MarginProblem;
pub use minimum::{Minimum, Objective, minimum};
pub use model::{Fitted, Model, ModelNumber, Prediction};
pub use naive_bayes::{NaiveBayes, NaiveBayesModel, Number};
pub use objective_perturbation::{ObjectivePerturbation, ReplaceOneConstants, replace_one_constants};
pub use output_perturbation::OutputPerturbation;
pub use recipe::{Family, Method, Recipe, SETTINGS, Trainer};
pub use rows::{Block, MemoryRows, Rows, RowsError, shorten};
pub use strong_convexity::{move_add_remove, move_replace_one};
pub use tuned_trainer::{Trained, Tuning};
pub use tuning::{ModelChoice, PartsTuning, RandomStopping, StoppingLaw};
