//! Why an audit cannot be run, and what to change.

use pointillist_curator::sandbox::SandboxError;
use pointillist_errors::{Explained, Kind};
use pointillist_graph::GraphError;
use pointillist_local::LocalError;
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::ParameterError;

/// An audit that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct AuditError {
    what: String,
    hint: String,
}

impl AuditError {
    /// What is wrong with the request, and the way out.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }

    /// A refusal of the room that is audited, in that room's words.
    fn quoting(text: &str) -> Self {
        let (what, hint) = text.split_once("\nhint: ").unwrap_or((text, "change the price, such as ε = 1"));
        Self::new(what, hint)
    }
}

impl Explained for AuditError {
    fn hint(&self) -> Option<String> {
        Some(self.hint.clone())
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}

impl From<MechanismError> for AuditError {
    fn from(error: MechanismError) -> Self {
        Self::quoting(&error.to_string())
    }
}

impl From<LocalError> for AuditError {
    fn from(error: LocalError) -> Self {
        Self::quoting(&error.to_string())
    }
}

impl From<GraphError> for AuditError {
    fn from(error: GraphError) -> Self {
        Self::quoting(&error.to_string())
    }
}

impl From<ParameterError> for AuditError {
    fn from(error: ParameterError) -> Self {
        MechanismError::from(error).into()
    }
}

impl From<SandboxError> for AuditError {
    fn from(error: SandboxError) -> Self {
        Self::quoting(&error.to_string())
    }
}
