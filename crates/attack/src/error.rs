//! Why an attack cannot be run, and what to change.

use std::fmt;

use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// An attack that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct AttackError(Explanation);

impl AttackError {
    /// What is wrong with the request, and the way out.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self(Explanation::new(Kind::Request, what).with_hint(hint))
    }

    /// What another room says about it, in that room's words.
    pub(crate) fn of(error: &impl Explained) -> Self {
        Self(error.explanation())
    }

    /// What should not have happened: a mistake of ours, and nothing the caller can change.
    #[cfg_attr(not(feature = "curator"), allow(dead_code))]
    pub(crate) fn ours(what: String) -> Self {
        Self(
            Explanation::new(Kind::Environment, what)
                .with_hint("this is a mistake of ours; please report it"),
        )
    }

    /// The same failure with words before its message, such as the name of a file.
    #[must_use]
    pub fn about(self, words: impl fmt::Display) -> Self {
        Self(self.0.about(words))
    }
}

impl Explained for AttackError {
    fn hint(&self) -> Option<String> {
        self.0.hint()
    }

    fn kind(&self) -> Kind {
        self.0.kind()
    }
}

/// The refusals of the private side keep their words.
impl From<MechanismError> for AttackError {
    fn from(error: MechanismError) -> Self {
        let text = error.to_string();
        let (what, hint) = text.split_once("\nhint: ").unwrap_or((&text, "change the price, such as ε = 1"));
        Self::new(what, hint)
    }
}

impl From<ParameterError> for AttackError {
    fn from(error: ParameterError) -> Self {
        MechanismError::from(error).into()
    }
}
