//! Why a question about a graph is not answered. Every text says what to do next, and none speaks of private data.

use pointillist_errors::{Explained, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_noise::NoiseError;
use pointillist_privacy::ParameterError;

/// A question that cannot be answered, or a file that is not a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The question cannot be answered privately, or not by this method.
    #[error("{what}")]
    Refused {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// The file cannot be read as a graph.
    #[error("{what}")]
    Unreadable {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// A word that nothing is called.
    #[error("{what}")]
    Unknown {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// A parameter is out of range.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A noise scale is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

impl Explained for GraphError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Refused { hint, .. } | Self::Unreadable { hint, .. } | Self::Unknown { hint, .. } => {
                hint.clone()
            }
            Self::Mechanism(error) => return error.hint(),
            Self::Parameter(error) => return error.hint(),
            Self::Noise(error) => return error.hint(),
        })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Refused { .. } => Kind::Privacy,
            Self::Unreadable { .. } | Self::Unknown { .. } => Kind::Request,
            Self::Mechanism(_) | Self::Parameter(_) | Self::Noise(_) => Kind::Parameter,
        }
    }
}

impl GraphError {
    /// A question that is refused.
    pub fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }

    /// A word that nothing is called.
    pub fn unknown(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Unknown { what: what.into(), hint: hint.into() }
    }

    /// A file that cannot be read.
    pub fn unreadable(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Unreadable { what: what.into(), hint: hint.into() }
    }
}
