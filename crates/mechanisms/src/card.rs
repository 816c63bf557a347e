//! What a mechanism says of itself in one line each, for people who choose one.

/// A mechanism's entry in the list that users read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// The mechanism's name in plain words, such as "Laplace".
    pub name: &'static str,
    /// What it releases, in a few words, such as "real numbers on a grid".
    pub releases: &'static str,
    /// The guarantee in one line, such as "ε-DP; scale Δ₁/ε".
    pub guarantee: &'static str,
    /// The error in one line, such as "beyond ln(1/β)·Δ/ε with probability β".
    pub error: &'static str,
    /// Paper and statement.
    pub source: &'static str,
}
