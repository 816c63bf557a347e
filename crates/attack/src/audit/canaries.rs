//! Many people who are in or out by a coin each, and one run.

use pointillist_noise::BitSource;
use pointillist_privacy::Loss;

use crate::AttackError;

/// A release over a world with many canaries: people made up for the audit, each of whom is in or out (or answers yes or
/// no) by a coin of their own.
pub trait Canaries {
    /// What is audited, in a few words.
    fn name(&self) -> String;

    /// What the release promises when one canary's coin falls the other way.
    fn claim(&self) -> Loss;

    /// How many canaries there are.
    fn count(&self) -> usize;

    /// One release of the world in which exactly the canaries marked are in; from it alone, a score a canary: the
    /// higher, the more it looks as if the canary was in.
    fn scores(&mut self, present: &[bool], bits: &mut dyn BitSource) -> Result<Vec<f64>, AttackError>;
}
