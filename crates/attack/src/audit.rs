//! Audits: attempts to refute a promise by measuring it.

mod canaries;
mod mechanisms;
mod observation;
mod subject;

pub use canaries::Canaries;
pub use mechanisms::{canaries, mechanisms};
pub use observation::{Observation, Part};
pub use subject::{Side, Subject, Trial};
