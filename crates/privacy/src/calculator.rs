//! The questions that people ask a calculator, each with a typed answer: what a guarantee is in other words, what
//! sampling or shuffling adds to it, what it means for a group, and how many questions fit into a budget.
//!
//! Nothing here is a theorem of its own: every number is one of [`conversion`](crate::conversion),
//! [`amplification`](crate::amplification), [`Loss`](crate::Loss) or [`filter`](crate::filter), rounded in the direction
//! that those state. What is known is given as optional parts, as on a form; parts that make no question are refused.

mod amplify;
mod convert;
mod error;
mod filters;
mod group;

pub use amplify::{Amplification, AmplificationForm};
pub use convert::{Conversion, ConversionForm, DeltaAtEpsilon, EpsilonAtDelta};
pub use error::CalculatorError;
pub use filters::{FilterComparison, FilterForm, LossForm};
pub use group::{GroupForm, GroupLoss};
