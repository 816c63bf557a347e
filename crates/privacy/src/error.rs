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
