//! A demonstration: a hospital that does not exist, questions asked about it, refusals, and an attack that fails.
//!
//! Because nobody in the hospital is real, the truth may be shown beside every answer, which no curator does. Everything
//! is asked through a curator as anybody would ask; doors tell the story in their own way.

mod demonstration;
mod differencing;
mod error;
mod folder;
mod hospital;
pub mod playground;
mod questions;
mod truth;

pub use demonstration::{ANALYST, Demonstration, FORBIDDEN, OTHER_ANALYST};
pub use differencing::{Attempt, Differencing};
pub use error::DemoError;
pub use folder::{CATALOG, write};
pub use hospital::{Hospital, Patient, RARE, Visit};
pub use questions::{QUESTIONS, Question};
pub use truth::Truths;
