//! Models trained on private data: what is minimised, what noise it takes, and what is proven of it.
//!
//! A trainer is made of public numbers alone: how many features there are, how long a row may be, how many rows one person
//! has, and what may be lost. It says what it loses ([`Loss`](pointillist_privacy::Loss)) before it sees a row, and what it
//! returns are integers on a grid. [`Rows`] is all that it sees of data.

pub mod adassp;
pub mod additive;
mod error;
mod feature;
pub mod gradient_descent;
pub mod gram;
mod grid_noise;
mod grid_numbers;
pub mod intervals;
pub mod k_means;
pub mod naive_bayes;
mod row_grid;
mod rows;
mod symmetric;

pub use adassp::{AdaSsp, AdaSspRelease};
pub use additive::{Additive, AdditiveModel, AdditiveTarget, Boosting};
pub use error::LearnError;
pub use feature::Feature;
pub use gradient_descent::{Descent, GradientDescent, GradientLoss, GradientModel, RowCount};
pub use gram::{Gram, GramRelease, LinearModel, Penalty};
pub use grid_numbers::GridNumbers;
pub use intervals::{Interval, PerturbedLogistic, logistic_intervals};
pub use k_means::{KMeans, KMeansModel};
pub use naive_bayes::{NaiveBayes, NaiveBayesModel, Number};
pub use rows::{Block, MemoryRows, Rows, RowsError, shorten};
