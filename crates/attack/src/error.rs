//! Why an attack cannot be run, and what to change.

use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// An attack that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\nhint: {hint}")]
pub struct AttackError {
    /// What is wrong.
    pub what: String,
    /// The way out.
    pub hint: String,
}

impl AttackError {
    /// An attack that cannot be run.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

/// The refusals of the private side keep their words.
impl From<MechanismError> for AttackError {
    fn from(error: MechanismError) -> Self {
        let text = error.to_string();
        match text.split_once("\nhint: ") {
            Some((what, hint)) => Self::new(what, hint),
            None => Self::new(text, "change the price, such as ε = 1"),
        }
    }
}

impl From<ParameterError> for AttackError {
    fn from(error: ParameterError) -> Self {
        MechanismError::from(error).into()
    }
}
