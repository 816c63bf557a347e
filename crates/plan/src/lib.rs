//! The small total language between SQL and engines.
//!
//! A question that somebody writes in SQL, or in whatever comes next, becomes a [`PrivatePlan`]: rows to groups of
//! integers ([`Aggregation`]), noise for exactly how far one person moves those ([`Release`]), and formulas on the numbers
//! that were released ([`AnswerPlan`]). A statement may be several of these, and what is computed from all of them
//! ([`StatementPlan`]). An engine sees the aggregation alone. Expressions ([`Scalar`]) have a value in every
//! row, so that nothing that a row holds can make a question fail.
//!
//! | file | its idea |
//! | --- | --- |
//! | `scalar.rs` | expressions of one row, in which nothing can fail |
//! | `types.rs` | the type of an expression, and the limits of its size |
//! | `visit.rs` | one walker for all who look into expressions |
//! | `date_units.rs` | parts and units of days and moments, for the planner that lists them and the engine that cuts to them |
//! | `relation.rs` | rows, and why they stay their owners' whatever is done to them |
//! | `aggregation.rs` | what an engine adds up, for whom, in which groups |
//! | `sensitivity.rs` | how far one person moves it |
//! | `private_plan.rs` | a question with its noise and its price |
//! | `statement_plan.rs` | several of these, and what is computed from all of them |
//! | `answer.rs` | what is computed from released numbers |
//! | `multiple_comparisons.rs` | error bars of groups that were picked by their noise |
//! | `error_bound.rs` | how wrong a count or a sum may be, before anything is paid |
//! | `training_rows.rs` | rows of features and a target, for a model to be trained on |
//! | `disclosure.rs` | which noise a plan adds, in public numbers |
//! | `fixed_releases.rs` | the same for the tight account of plans that are bought together |
//! | `canonical.rs` | a question as bytes: equal questions, equal bytes |
//! | `terms.rs` | on what terms numbers were released, and which other questions they answer |
//! | `describe.rs`, `relation_text.rs`, `notes.rs`, `text.rs` | plans and expressions for people to read |

mod aggregation;
mod answer;
mod canonical;
pub mod date_units;
mod describe;
mod disclosure;
mod error_bound;
mod fixed_releases;
mod multiple_comparisons;
mod notes;
mod private_plan;
mod public_statement;
mod relation;
mod relation_text;
mod scalar;
mod sensitivity;
mod statement_plan;
mod terms;
pub mod text;
mod training_rows;
mod types;
pub mod visit;

pub use aggregation::{Aggregation, Excess, Form, KeyColumn, Measure, Quantity, ScanColumn, Units};
pub use answer::{Aggregate, AnswerColumn, AnswerPlan, Formula, Order, PairMoments, PairStatistic, Role};
pub use canonical::{canonical, canonical_release, canonical_topic, canonical_training};
pub use disclosure::{AggregateNoise, KeyThreshold, Law, MeasureNoise};
pub use error_bound::error_bound;
pub use notes::notes;
pub use private_plan::{Draw, PrivatePlan, Release};
pub use public_statement::{DeclaredRows, PublicStatement};
pub use relation::{
    ExactAggregate, ExactFunction, Frame, FrameEnd, Join, JoinKind, Link, Owner, Ownership, PAIRS_MAX,
    RELATION_DEPTH_MAX, Relation, Scan, Window, WindowFunction,
};
pub use scalar::{
    Arithmetic, Comparison, DEPTH_MAX, DatePart, Function, NODES_MAX, PATTERN_BYTES_MAX, Scalar, Type,
};
pub use statement_plan::{Outer, OuterColumn, StatementError, StatementPlan};
pub use terms::{Found, MeasureTerms, Terms};
pub use training_rows::{Code, TrainingColumn, TrainingRows};
pub use types::{type_of, type_of_column, type_of_value};
