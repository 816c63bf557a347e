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

    /// The text of another room's refusal.
    fn in_their_words(text: &str) -> Self {
        let (what, hint) = text.split_once("\nhint: ").unwrap_or((text, "change the price, such as ε = 1"));
        Self::new(what, hint)
    }
}

/// The refusals of the private side keep their words.
impl From<MechanismError> for AttackError {
    fn from(error: MechanismError) -> Self {
        Self::in_their_words(&error.to_string())
    }
}

impl From<ParameterError> for AttackError {
    fn from(error: ParameterError) -> Self {
        MechanismError::from(error).into()
    }
}
