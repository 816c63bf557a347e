//! Why a parameter is refused, and what to write instead.

use pointillist_errors::{Explained, Kind};
use pointillist_numbers::NumberError;

/// A parameter that would break a promise, or a computation that would leave its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// The text or the float is no number at all.
    #[error("{parameter}: {source}")]
    NotANumber {
        /// What the number was meant to be.
        parameter: &'static str,
        /// What is wrong with it, with a hint of its own.
        source: NumberError,
    },
    /// A number below zero, or a zero with a minus sign.
    #[error("{parameter} = {given} is negative")]
    Negative {
        /// Which parameter.
        parameter: &'static str,
        /// The number as given.
        given: String,
        /// A sensible value.
        example: &'static str,
    },
    /// Zero, where zero would mean no privacy or no answer.
    #[error("{parameter} = {given} is zero")]
    Zero {
        /// Which parameter.
        parameter: &'static str,
        /// The number as given.
        given: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// A positive number below the smallest one we count.
    #[error("{parameter} = {given} is too small to count")]
    TooSmall {
        /// Which parameter.
        parameter: &'static str,
        /// The number as given.
        given: String,
        /// The smallest valid value, rounded into the range.
        least: String,
        /// A sensible value.
        example: &'static str,
    },
    /// A number above the largest one that means anything.
    #[error("{parameter} = {given} is too large")]
    TooLarge {
        /// Which parameter.
        parameter: &'static str,
        /// The number as given.
        given: String,
        /// The limit in words: "at most 1000000", "less than 1".
        limit: String,
        /// A sensible value.
        example: &'static str,
    },
    /// A budget split into no shares.
    #[error("{parameter} = {given} cannot be divided into 0 shares")]
    NoShares {
        /// Which parameter.
        parameter: &'static str,
        /// The number to be divided.
        given: String,
    },
    /// A loss split into parts of which one would be nothing.
    #[error("a share of zero would buy an answer for nothing")]
    ZeroWeight,
    /// The privacy of nobody.
    #[error("a group of 0 units needs no privacy")]
    EmptyGroup,
    /// Group privacy whose δ would reach one.
    #[error("for a group of {size} units, ε = {epsilon} and δ = {delta} promise nothing: their δ reaches 1")]
    GroupTooLarge {
        /// How many units.
        size: u64,
        /// ε for one unit.
        epsilon: String,
        /// δ for one unit.
        delta: String,
    },
    /// Group privacy of a guarantee that has none.
    #[error("approximate zCDP says nothing about groups")]
    GroupOfApproximateZcdp,
    /// A computed loss past the largest value that means anything.
    #[error("the {parameter} of the result reaches {reached}, which promises nothing")]
    PromisesNothing {
        /// Which number of the result.
        parameter: &'static str,
        /// The value, rounded up.
        reached: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// A total of no releases.
    #[error("there is nothing to add up")]
    NothingToCompose,
    /// A δ for the total that the δ of the releases have used up.
    #[error("δ = {asked} is not above {spent}, the δ that the releases have of their own")]
    DeltaUsedUp {
        /// The δ asked for.
        asked: String,
        /// What the releases' own δ add up to, rounded up.
        spent: String,
    },
    /// Rényi divergences known at different orders only.
    #[error("the Rényi curves share no order")]
    NoCommonOrder,
    /// A Rényi order at which a formula does not hold.
    #[error("a subsampled Gaussian is bounded at whole Rényi orders from 2 to {most} only, not at {given}")]
    OrderNotWhole {
        /// The order as given.
        given: String,
        /// The largest order evaluated.
        most: u64,
    },
    /// A privacy unit nobody can name.
    #[error("`{given}` is not a privacy unit")]
    Unit {
        /// The text as given, control characters escaped.
        given: String,
    },
    /// A neighbour relation we do not know.
    #[error("`{given}` is not a neighbour relation")]
    Neighbours {
        /// The text as given, control characters escaped.
        given: String,
    },
}

impl Explained for ParameterError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotANumber { source, .. } => return source.hint(),
            Self::Negative { example, .. } => format!("write a number without a sign, such as {example}"),
            Self::Zero { hint, .. } => (*hint).to_owned(),
            Self::TooSmall { least, example, .. } => format!("write at least {least}, for example {example}"),
            Self::TooLarge { limit, example, .. } => format!("write {limit}, for example {example}"),
            Self::NoShares { .. } => "ask for at least one share".to_owned(),
            Self::ZeroWeight => "give every part a positive weight, such as 1 and 1".to_owned(),
            Self::EmptyGroup => "ask for a group of at least 1, such as a household of 4".to_owned(),
            Self::GroupTooLarge { .. } => {
                "ask about a smaller group, or release with a smaller ε or δ".to_owned()
            }
            Self::GroupOfApproximateZcdp => {
                "convert it to (ε, δ) first and ask for the group privacy of that".to_owned()
            }
            Self::PromisesNothing { hint, .. } => (*hint).to_owned(),
            Self::NothingToCompose => "name at least one release".to_owned(),
            Self::DeltaUsedUp { spent, .. } => {
                format!("ask for a δ above {spent}, or make the releases with a smaller δ")
            }
            Self::NoCommonOrder => "evaluate both at the same list of orders".to_owned(),
            Self::OrderNotWhole { .. } => "list whole orders, such as 2, 4, 8, 16, 32".to_owned(),
            Self::Unit { .. } => {
                "write row, edge, node, or the column that names a person, such as visitor_id".to_owned()
            }
            Self::Neighbours { .. } => "write add/remove or replace one".to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Parameter
    }
}
