//! A question that is too expensive: what would fit, as a flag.

use pointillist_curator::{Affordable, Ask, AskError};

use crate::failure::Failure;
use crate::home::Home;

/// An error of the curator, for people at a command line.
pub fn refusal(home: &Home, ask: &Ask, error: AskError) -> Failure {
    let Some(whose) = error.exhausted() else { return error.into() };
    let Some(too_expensive) = home.too_expensive(ask) else { return error.into() };
    let flag = |fits: &Affordable| format!("--{} {}", fits.option, fits.value);
    Failure::explained(too_expensive.explanation(whose, flag))
}
