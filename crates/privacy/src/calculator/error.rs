//! Why a form has no answer, and what to fill in instead.

use pointillist_errors::{Explained, Kind};

use crate::amplification::SamplingRate;
use crate::{Delta, ParameterError};

/// Parts that make no question, or a question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalculatorError {
    /// A ρ, and neither ε nor δ.
    #[error("ρ alone has no ε")]
    RhoAlone,
    /// A δ, and nothing else.
    #[error("δ alone is no guarantee")]
    DeltaAlone,
    /// Nothing to convert.
    #[error("there is nothing to convert")]
    NothingToConvert,
    /// Both ends of a curve.
    #[error("both ε and δ are given, and nothing is left to compute")]
    NothingToCompute,
    /// Bounded range and an ε.
    #[error("bounded range with an ε has no question")]
    RangeWithEpsilon,
    /// Several guarantees to convert.
    #[error("more than one guarantee is given")]
    SeveralGuarantees,
    /// The ρ of a budget of pure ε.
    #[error("no ρ fits into a budget with δ = 0")]
    RhoOfPureBudget,
    /// Neither a sample nor a shuffler.
    #[error("nothing amplifies the guarantee")]
    NothingAmplifies,
    /// A sample and a shuffler.
    #[error("both a sampling rate and shuffled reports are given")]
    SampledAndShuffled,
    /// A shuffler without δ.
    #[error("shuffling gains nothing at δ = 0")]
    ShuffledAtZeroDelta,
    /// A shuffler, asked the other way round.
    #[error("the loss before amplification is known for sampling only")]
    InverseOfShuffling,
    /// A δ that publishing the sample would keep.
    #[error("δ = {delta} is not below the sampling rate {rate}, so that publishing the sample is within it")]
    SampleWithinDelta {
        /// The δ to reach.
        delta: Delta,
        /// The rate.
        rate: SamplingRate,
    },
    /// No guarantee for one person.
    #[error("there is no guarantee to enlarge")]
    NothingToEnlarge,
    /// ε and ρ for one person.
    #[error("both ε and ρ are given")]
    EpsilonAndRho,
    /// A δ beside ρ.
    #[error("δ goes with ε, not with ρ")]
    DeltaWithRho,
    /// No budget.
    #[error("there is no budget")]
    NoBudget,
    /// A budget of two kinds.
    #[error("the budget has both an ε and a ρ")]
    TwoBudgets,
    /// A question without a loss.
    #[error("the question has no price")]
    NoPrice,
    /// A question with losses of two kinds.
    #[error("the question has both an ε and a ρ")]
    TwoPrices,
    /// ρ against pure ε.
    #[error("no filter counts ρ against a budget of pure ε")]
    NoFilter,
    /// A loss that is no ρ.
    #[error("the price is too large to be counted as ρ")]
    PriceTooLarge,
    /// A parameter is out of range, or a result promises nothing.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl Explained for CalculatorError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::RhoAlone => "add a δ to ask for ε, or an ε to ask for δ",
            Self::DeltaAlone => "add what is known: ε, ρ, μ or η",
            Self::NothingToConvert => "give what is known, such as ρ = 0.1 and δ = 1e-6",
            Self::NothingToCompute => "leave out ε to ask for ε, or δ to ask for δ",
            Self::RangeWithEpsilon => "give η alone for ρ, or with δ for ε",
            Self::SeveralGuarantees => "give exactly one of ρ, μ and η, or ε without them",
            Self::RhoOfPureBudget => {
                "give a small positive δ such as 1e-9, or leave it out to convert pure ε"
            }
            Self::NothingAmplifies => "give a sampling rate, such as 0.01, or the number of shuffled reports",
            Self::SampledAndShuffled => "ask for one of them at a time; no theorem here covers both at once",
            Self::ShuffledAtZeroDelta => "give the δ at which ε is asked for, such as 1e-6",
            Self::InverseOfShuffling => "give a sampling rate, or try values of ε with the shuffler",
            Self::SampleWithinDelta { .. } => "ask for a δ far below the sampling rate",
            Self::NothingToEnlarge => "give ε, with δ where there is one, or ρ",
            Self::EpsilonAndRho => "ask for one of them at a time",
            Self::DeltaWithRho => "leave δ out, and convert the ρ of the group",
            Self::NoBudget => "give the budget's ε, with δ where there is one, or its ρ",
            Self::TwoBudgets | Self::TwoPrices => "give one of the two",
            Self::NoPrice => "give the question's ε, with δ where there is one, or its ρ",
            Self::NoFilter => "give the budget a δ, such as 1e-9, or price the question with ε",
            Self::PriceTooLarge => "give the question a smaller ε, such as 0.1",
            Self::Parameter(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}
