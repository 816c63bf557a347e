//! `pointillist study recommendations`: films that people rate, and what the privacy of their ratings costs.

use crate::failure::Failure;

/// Whose ratings, and at which price.
#[derive(clap::Args)]
pub struct Arguments {}

/// Studies, and says what was found.
pub fn run(_arguments: &Arguments) -> Result<(), Failure> {
    Ok(())
}
