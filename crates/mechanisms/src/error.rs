//! What is wrong with a request, and what to write instead. No message carries a value from the data.

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
    #[error("there is no candidate to choose from\nhint: give at least one candidate")]
    NoCandidates,
    /// A score is NaN or infinite.
    #[error(
        "the score of candidate {index} is not a finite number\nhint: scores are finite; clamp them to the range your sensitivity was computed for"
    )]
    ScoreNotFinite {
        /// Which candidate, counted from zero.
        index: usize,
    },
    /// A lower bound above its upper bound.
    #[error(
        "the lower bound {lower} is not below the upper bound {upper}\nhint: write the smaller bound first"
    )]
    BoundsReversed {
        /// The lower bound as given.
        lower: String,
        /// The upper bound as given.
        upper: String,
    },
    /// More is asked for than there is.
    #[error("{asked} of {available} cannot be released\nhint: ask for at most {available}")]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        available: usize,
    },
    /// The mechanism has given all the answers that were paid for.
    #[error("this mechanism has given all the answers that were paid for\nhint: pay for a new one")]
    Spent,
    /// A parameter that no other variant covers.
    #[error("{what}\nhint: {hint}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// What to write instead.
        hint: &'static str,
    },
}

impl MechanismError {
    /// A parameter that is wrong in its own way.
    pub(crate) fn invalid(what: impl Into<String>, hint: &'static str) -> Self {
        Self::Invalid { what: what.into(), hint }
    }
}
