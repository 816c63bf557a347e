//! A question that is too expensive: what would fit, as a flag.

use pointillist_curator::{Ask, AskError};
use pointillist_errors::{Explanation, Kind};
use pointillist_ledger::ChargeError;

use crate::failure::Failure;
use crate::home::Home;

/// An error of the curator, for people at a command line.
pub fn refusal(home: &Home, ask: &Ask, error: AskError) -> Failure {
    let AskError::NotCharged(ChargeError::Exhausted { whose, .. }) = &error else { return error.into() };
    let Some(too_expensive) = home.too_expensive(ask) else { return error.into() };
    let hint = match &too_expensive.affordable {
        Some(fits) => {
            format!(
                "--{} {} would fit, with more noise; or ask the owner for a raise",
                fits.option, fits.value
            )
        }
        None => "nothing smaller fits: ask the owner for a raise".to_owned(),
    };
    Failure::explained(Explanation::new(Kind::Budget, too_expensive.words(whose)).with_hint(hint))
}
