//! How good a public model is on private rows, at a stated price.
//!
//! | measure | by | what is released |
//! |---|---|---|
//! | accuracy | [`Accuracy`] | two counts: right and wrong |
//! | confusion, precision, recall | [`Confusion`] | a count for each true and predicted class |
//! | area under the ROC curve, calibration | [`ScoreHistogram`] | counts of both classes in public buckets of the score |
//! | R² of a regression | [`RSquared`] | four sums: rows, y, y², squared errors |
//! | any of these of a whole model | [`ModelEvaluation`] | what the measure does |
//!
//! **Guarantee.** Every release is ε-DP or ρ-zCDP as its [`Spend`](pointillist_privacy::Spend) says, for add or remove of
//! everything of one person, who has at most k rows. The model may be anything that looks at one row at a time; it is public,
//! or paid for elsewhere. Noise is drawn before rows are read, and exact sums of integers get it.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Intervals** hold with probability at least 1 − β over the noise, for whatever rows there are: they are about these
//! rows. They are computed from what was released, so they cost nothing, and may be asked for at several β.
//! **Not covered.** Whether these rows are like those of tomorrow, but for [`AccuracyRelease::population`].

mod accuracy;
mod confusion;
mod linear_tail;
mod model_evaluation;
mod noisy_counts;
mod r_squared;
mod score_histogram;
mod share;

pub use accuracy::{Accuracy, AccuracyRelease, two_classes};
pub use confusion::{Classes, Confusion, ConfusionRelease};
pub use model_evaluation::{EvaluationNumber, Measure, ModelEvaluation};
pub use r_squared::{RSquared, RSquaredRelease};
pub use score_histogram::{Area, Reliability, ScoreHistogram, ScoreHistogramRelease};
