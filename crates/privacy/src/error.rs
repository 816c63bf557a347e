//! Why a parameter is refused, and what to write instead.

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
    #[error("{parameter} = {given} is negative\nhint: write a number without a sign, such as {example}")]
    Negative {
        /// Which parameter.
        parameter: &'static str,
        /// The number as given.
        given: String,
        /// A sensible value.
        example: &'static str,
    },
    /// Zero, where zero would mean no privacy or no answer.
    #[error("{parameter} = {given} is zero\nhint: {hint}")]
    Zero {
        /// Which parameter.
        parameter: &'static str,
        /// The number as given.
        given: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// A positive number below the smallest one we count.
    #[error(
        "{parameter} = {given} is too small to count\nhint: write at least {least}, for example {example}"
    )]
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
    #[error("{parameter} = {given} is too large\nhint: write {limit}, for example {example}")]
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
    #[error("{parameter} = {given} cannot be divided into 0 shares\nhint: ask for at least one share")]
    NoShares {
        /// Which parameter.
        parameter: &'static str,
        /// The number to be divided.
        given: String,
    },
    /// A loss split into parts of which one would be nothing.
    #[error(
        "a share of zero would buy an answer for nothing\n\
         hint: give every part a positive weight, such as 1 and 1"
    )]
    ZeroWeight,
    /// The privacy of nobody.
    #[error(
        "a group of 0 units needs no privacy\nhint: ask for a group of at least 1, such as a household of 4"
    )]
    EmptyGroup,
    /// Group privacy whose δ would reach one.
    #[error(
        "for a group of {size} units, ε = {epsilon} and δ = {delta} promise nothing: their δ reaches 1\n\
         hint: ask about a smaller group, or release with a smaller ε or δ"
    )]
    GroupTooLarge {
        /// How many units.
        size: u64,
        /// ε for one unit.
        epsilon: String,
        /// δ for one unit.
        delta: String,
    },
    /// Group privacy of a guarantee that has none.
    #[error(
        "approximate zCDP says nothing about groups\n\
         hint: convert it to (ε, δ) first and ask for the group privacy of that"
    )]
    GroupOfApproximateZcdp,
    /// A computed loss past the largest value that means anything.
    #[error("the {parameter} of the result reaches {reached}, which promises nothing\nhint: {hint}")]
    PromisesNothing {
        /// Which number of the result.
        parameter: &'static str,
        /// The value, rounded up.
        reached: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// A total of no releases.
    #[error("there is nothing to add up\nhint: name at least one release")]
    NothingToCompose,
    /// A δ for the total that the δ of the releases have used up.
    #[error(
        "δ = {asked} is not above {spent}, the δ that the releases have of their own\n\
         hint: ask for a δ above {spent}, or make the releases with a smaller δ"
    )]
    DeltaUsedUp {
        /// The δ asked for.
        asked: String,
        /// What the releases' own δ add up to, rounded up.
        spent: String,
    },
    /// Rényi divergences known at different orders only.
    #[error("the Rényi curves share no order\nhint: evaluate both at the same list of orders")]
    NoCommonOrder,
    /// A Rényi order at which a formula does not hold.
    #[error(
        "a subsampled Gaussian is bounded at whole Rényi orders from 2 to {most} only, not at {given}\n\
         hint: list whole orders, such as 2, 4, 8, 16, 32"
    )]
    OrderNotWhole {
        /// The order as given.
        given: String,
        /// The largest order evaluated.
        most: u64,
    },
    /// A privacy unit nobody can name.
    #[error(
        "`{given}` is not a privacy unit\n\
         hint: write row, edge, node, or the column that names a person, such as visitor_id"
    )]
    Unit {
        /// The text as given, control characters escaped.
        given: String,
    },
    /// A neighbour relation we do not know.
    #[error("`{given}` is not a neighbour relation\nhint: write add/remove or replace one")]
    Neighbours {
        /// The text as given, control characters escaped.
        given: String,
    },
}
