//! What is wrong with a request, and what to write instead. No message carries a value from the data.

use pointillist_errors::{Explained, Kind};
use pointillist_noise::NoiseError;
use pointillist_privacy::ParameterError;

/// A mechanism that cannot be built, or a release that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MechanismError {
    /// A privacy parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A noise scale is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// There is nothing to choose from.
    #[error("there is no candidate to choose from")]
    NoCandidates,
    /// A score is NaN or infinite.
    #[error("the score of candidate {index} is not a finite number")]
    ScoreNotFinite {
        /// Which candidate, counted from zero.
        index: usize,
    },
    /// A lower bound above its upper bound.
    #[error("the lower bound {lower} is not below the upper bound {upper}")]
    BoundsReversed {
        /// The lower bound as given.
        lower: String,
        /// The upper bound as given.
        upper: String,
    },
    /// More is asked for than there is.
    #[error("{asked} of {available} cannot be released")]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        available: usize,
    },
    /// The mechanism has given all the answers that were paid for.
    #[error("this mechanism has given all the answers that were paid for")]
    Spent,
    /// A parameter that no other variant covers.
    #[error("{what}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// What to write instead.
        hint: &'static str,
    },
}

impl Explained for MechanismError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Parameter(error) => return error.hint(),
            Self::Noise(error) => return error.hint(),
            Self::NoCandidates => "give at least one candidate".to_owned(),
            Self::ScoreNotFinite { .. } => {
                "scores are finite; clamp them to the range your sensitivity was computed for".to_owned()
            }
            Self::BoundsReversed { .. } => "write the smaller bound first".to_owned(),
            Self::TooMany { available, .. } => format!("ask for at most {available}"),
            Self::Spent => "pay for a new one".to_owned(),
            Self::Invalid { hint, .. } => (*hint).to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Parameter
    }
}

impl MechanismError {
    /// A parameter that is wrong in its own way.
    pub(crate) fn invalid(what: impl Into<String>, hint: &'static str) -> Self {
        Self::Invalid { what: what.into(), hint }
    }
}

/// A promise that no noise of the kind keeps, or a question that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// Nothing is used.
    #[error("no use at all needs no noise")]
    NoUses,
    /// No promise.
    #[error("there is no target")]
    NoTarget,
    /// Promises of two kinds.
    #[error("the target is given twice")]
    TwoTargets,
    /// Gaussian noise for a pure ε.
    #[error("Gaussian noise has no guarantee with δ = 0")]
    PureGaussian,
    /// An integer answer whose sensitivity is below one.
    #[error("an integer answer cannot move by less than one")]
    LessThanOne,
    /// A sensitivity of answers that are a yes or a no.
    #[error("randomized response has no sensitivity")]
    SensitivityOfResponse,
    /// Our two implementations of one curve differ: a bug.
    #[error("two computations of the Gaussian curve disagree; please report this")]
    Disagreement,
    /// A parameter is out of range, or too small to count.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}

impl From<ParameterError> for CalibrationError {
    fn from(error: ParameterError) -> Self {
        Self::Mechanism(error.into())
    }
}

impl Explained for CalibrationError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoUses => "count at least one use",
            Self::NoTarget => "give ε, with δ where it may fail, or ρ",
            Self::TwoTargets => "give either ρ alone or ε with δ; a conversion turns one into the other",
            Self::PureGaussian => "give a small positive δ such as 1e-9, or a ρ, or use Laplace noise",
            Self::LessThanOne => {
                "give the sensitivity in units of the integer answer, or use Laplace or Gaussian noise"
            }
            Self::SensitivityOfResponse => "leave the sensitivity out: every answer is a yes or a no",
            Self::Mechanism(error) => return error.hint(),
            // A bug has no way out.
            Self::Disagreement => return None,
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Disagreement => Kind::Environment,
            _ => Kind::Request,
        }
    }
}
