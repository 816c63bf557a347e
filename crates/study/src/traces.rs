//! What a network carries, learnt from its packets so that nobody's packets show.

pub mod cdf;
mod choice;
mod error;
pub mod histogram;
pub mod made_up;
pub mod trace;

pub use choice::Choice;
pub use error::TraceError;
