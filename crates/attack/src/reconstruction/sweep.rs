//! How much of the secret an attack recovers as the answers get worse: the figures of a plot.

use pointillist_noise::SecureBits;

use super::{Answers, Method, Oracle, Queries, Recovery, SecretOracle, attack_with, check_size};
use crate::AttackError;

/// One point of the plot.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// How the publisher answered.
    pub answers: Answers,
    /// The standard deviation of an answer's error: the horizontal axis.
    pub error_deviation: f64,
    /// What was recovered: the vertical axis, and the level of a blind guess.
    pub recovery: Recovery,
}

/// The same questions, asked to publishers that answer worse and worse.
pub fn sweep(
    secret: &[bool],
    questions: usize,
    method: Method,
    publishers: &[Answers],
    bits: &mut dyn SecureBits,
) -> Result<Vec<SweepPoint>, AttackError> {
    check_size(secret.len(), questions, method)?;
    let queries = Queries::random(secret.len(), questions, bits)?;
    let point = |answers: &Answers| {
        let mut oracle = SecretOracle::new(secret, answers, questions, bits)?;
        let recovery = attack_with(&queries, method, &mut oracle)?.recovery(secret)?;
        let error_deviation = oracle.error_deviation().unwrap_or(0.0);
        Ok(SweepPoint { answers: answers.clone(), error_deviation, recovery })
    };
    publishers.iter().map(point).collect()
}
