//! What people like, learnt from their ratings so that nobody's ratings show.
//!
//! ```text
//!   ratings ──► global mean ──► item sums ──► residual covariance        three releases with noise, one after the other
//!                   │               │                 │
//!                   ▼               ▼                 ▼
//!                  mu      effects, chosen items   cleaned factors       computed from what was released, at no price
//!                                   │
//!   your own ratings ──────────► prediction for you alone                nothing of it is released
//! ```
//!
//! **Guarantee.** Everything that is released is ρ-zCDP, and so (ε, δ)-differentially private, for the [`Unit`] that was chosen: all
//! ratings of a person, or what a person said of one item. A prediction for somebody is computed from released numbers and
//! from their own ratings, and is shown to them alone: what everybody else is shown depends on them no more than the
//! released numbers do (joint differential privacy). Predictions for somebody that are published to others are not covered.
//! **Neighbours.** Add or remove everything of one unit. Which items there are is public.
//! **Source.** McSherry and Mironov, "Differentially private recommender systems" (KDD 2009), which protects single ratings; the bounds
//! for whole people, and the exact ones for single ratings, are proved in `global_mean.rs`, `item_sums.rs` and `covariance.rs`.
//! The three are chosen one after the other, and zCDP adds up (Bun and Steinke 2016, Lemma 2.3).

mod blur;
mod catalogue;
mod cleaning;
mod covariance;
mod error;
mod evaluation;
mod folder;
mod global_mean;
mod grid;
mod item_effects;
mod item_file;
mod item_sums;
mod learner;
mod lines;
mod made_up;
mod model;
mod neighbours;
mod page;
mod rating_file;
mod ratings;
mod residuals;
mod settings;
mod small_system;
mod study;

pub use catalogue::{Catalogue, Item};
pub use error::RecommendationError;
pub use evaluation::{Evaluation, Scores};
pub use folder::CATALOG;
pub use grid::Points;
pub use item_file::read_catalogue;
pub use learner::{Learner, Released, ReleasedPairs};
pub use made_up::MadeUp;
pub use model::{Method, Model, Predictor};
pub use neighbours::Neighbours;
pub use page::{COVERED, page};
pub use rating_file::{RatingFile, RatingFormat, StarScale};
pub use ratings::{Rating, Ratings, RatingsBuilder};
pub use settings::{CovarianceSettings, Settings, Unit};
pub use study::{Preset, RatingStudy, Source, StudyOutcome, StudyPayment, StudyRelease};
