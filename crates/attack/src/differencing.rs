//! Differencing: questions about many that together are a question about one.
//!
//! **Setting.** "How many people have it?" says 71; "how many people other than Ana have it?" says 70. Each
//! count hides Ana among seventy others, and both together do not ([`two_counts`]). Rules against small counts or
//! small differences do not help in general: any set of exact answers determines everybody whose unit vector
//! is a linear combination of the questions ([`LinearQuestions`]), counts of nobody or of everybody tell more, and somebody always finds a combination
//! that the rule did not foresee ([`published_counts`]).
//! **What noise does.** With independent noise on each answer the difference is Ana's bit and the noise of
//! both. Only the first answer depends on her, so at ε an answer nobody guesses her bit with probability
//! above e^ε/(1 + e^ε), from this pair or whatever else is asked about others ([`limits`](crate::limits)).

mod certain;
mod linear;
pub mod published_counts;
mod span;
pub mod two_counts;

pub use certain::{Certain, Reason};
pub use linear::{Inference, LinearAttack, LinearQuestions};
pub use span::Determined;

#[cfg(test)]
mod tests;
