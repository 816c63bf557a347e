//! Why an audit cannot be run, and what to change.

use std::error::Error;
use std::fmt;

use pointillist_attack::AttackError;
use pointillist_catalog::CatalogError;
use pointillist_curator::sandbox::SandboxError;
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_graph::GraphError;
use pointillist_local::LocalError;
use pointillist_mechanisms::MechanismError;
use pointillist_noise::EntropyError;
use pointillist_privacy::ParameterError;
use pointillist_query::Refusal;

/// An audit that cannot be run: in its own words, or in those of the room that is audited.
#[derive(Debug)]
pub struct AuditError {
    explanation: Explanation,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl AuditError {
    /// What is wrong with the request, and the way out.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { explanation: Explanation::new(Kind::Request, what).with_hint(hint), source: None }
    }

    /// What another room says.
    fn of(error: impl Explained + Send + Sync + 'static) -> Self {
        Self { explanation: error.explanation(), source: Some(Box::new(error)) }
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explanation.fmt(out)
    }
}

impl Error for AuditError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn Error + 'static))
    }
}

impl Explained for AuditError {
    fn hint(&self) -> Option<String> {
        self.explanation.hint()
    }

    fn kind(&self) -> Kind {
        self.explanation.kind()
    }
}

macro_rules! in_their_words {
    ($($error:ty),*) => {$(
        impl From<$error> for AuditError {
            fn from(error: $error) -> Self {
                Self::of(error)
            }
        }
    )*};
}
in_their_words!(
    AttackError,
    CatalogError,
    EntropyError,
    GraphError,
    LocalError,
    MechanismError,
    ParameterError,
    Refusal,
    SandboxError
);
