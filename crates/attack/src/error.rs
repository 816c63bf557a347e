//! Why an attack cannot be run, and what to change.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// An attack that cannot be run.
#[derive(Clone, Debug)]
pub struct AttackError {
    explanation: Explanation,
    /// The error of another room, where there is one.
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl AttackError {
    /// What is wrong with the request, and the way out.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { explanation: Explanation::new(Kind::Request, what).with_hint(hint), source: None }
    }

    /// What another room says about it, in that room's words.
    #[cfg(feature = "curator")]
    pub(crate) fn of(error: impl Explained + Send + Sync + 'static) -> Self {
        Self { explanation: error.explanation(), source: Some(Arc::new(error)) }
    }

    /// What should not have happened: a mistake of ours, and nothing the caller can change.
    #[cfg(feature = "curator")]
    pub(crate) fn ours(what: String) -> Self {
        let explanation = Explanation::new(Kind::Environment, what);
        Self {
            explanation: explanation.with_hint("this is a mistake of ours; please report it"),
            source: None,
        }
    }

    /// The same failure with words before its message, such as the name of a file.
    #[must_use]
    pub fn about(self, words: impl fmt::Display) -> Self {
        Self { explanation: self.explanation.about(words), ..self }
    }
}

impl fmt::Display for AttackError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explanation.fmt(out)
    }
}

impl Error for AttackError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

impl Explained for AttackError {
    fn hint(&self) -> Option<String> {
        self.explanation.hint()
    }

    fn kind(&self) -> Kind {
        self.explanation.kind()
    }
}

/// The refusals of the private side keep their words.
impl From<MechanismError> for AttackError {
    fn from(error: MechanismError) -> Self {
        let hint = error.hint().unwrap_or_else(|| "change the price, such as ε = 1".to_owned());
        let explanation = Explanation::new(Kind::Request, error.to_string()).with_hint(hint);
        Self { explanation, source: Some(Arc::new(error)) }
    }
}

impl From<ParameterError> for AttackError {
    fn from(error: ParameterError) -> Self {
        MechanismError::from(error).into()
    }
}
