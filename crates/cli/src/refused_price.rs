//! A question that is too expensive: what would fit, as a flag.

use pointillist_curator::{Affordable, Ask, AskError};

use crate::failure::Failure;
use crate::home::Home;

/// An error of the curator, for people at a command line.
pub fn refusal(home: &Home, ask: &Ask, error: AskError) -> Failure {
    let Some(whose) = error.exhausted() else { return error.into() };
    let Some(too_expensive) = home.too_expensive(ask) else { return error.into() };
    let flag = |fits: &Affordable| format!("--{} {}", fits.option, fits.value);
    let explanation = too_expensive.explanation(whose, flag);
    let hint = explanation.hint_text().filter(|_| too_expensive.lacks_all_delta());
    let hint = hint.map(|hint| {
        format!(
            "{hint}; the owner writes `pointillist analyst grant NAME --share SCOPE=epsilon:1,delta:1e-10`"
        )
    });
    Failure::explained(match hint {
        Some(hint) => explanation.with_hint(hint),
        None => explanation,
    })
}
