//! How a command ends when it does not succeed: words on stderr, a code for scripts.

use std::io;
use std::process::ExitCode;

use pointillist_catalog::CatalogError;
use pointillist_curator::{AskError, StartError};
use pointillist_graph::GraphError;
use pointillist_ledger::{ChargeError, GrantError, LedgerError, OpenError};
use pointillist_local::LocalError;
use pointillist_query::Refusal;

use crate::terminal::tell;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The request is wrong; the text says what to write instead.
    Request(String),
    /// The request is understood and refused, for privacy or for the budget.
    Refused(String),
    /// Something outside the request failed.
    Environment(String),
    /// The reader of our output went away, as `head` does: nothing is wrong.
    ReaderGone,
}

impl Failure {
    /// A wrong request, from an error that carries its own hint.
    pub fn request(error: impl ToString) -> Self {
        Self::Request(error.to_string())
    }

    /// Tells the person and returns the code for the script.
    pub fn report(self) -> ExitCode {
        let (text, code) = match self {
            Self::Request(text) => (text, ExitCode::from(2)),
            Self::Refused(text) => (text, ExitCode::from(3)),
            Self::Environment(text) => (text, ExitCode::FAILURE),
            Self::ReaderGone => return ExitCode::SUCCESS,
        };
        tell(&format!("error: {text}"));
        code
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::Environment(format!("the output could not be written: {error}"))
        }
    }
}

/// What cannot be proven private is refused; everything else about a question is for its author to fix.
impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal.sqlstate() {
            "0A000" => Self::Refused(refusal.to_string()),
            _ => Self::Request(refusal.to_string()),
        }
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Self {
        Self::Request(error.to_string())
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let text = error.to_string();
        match error {
            AskError::Refused(refusal) => refusal.into(),
            AskError::NotCharged(
                ChargeError::Exhausted { .. }
                | ChargeError::ScopeExhausted { .. }
                | ChargeError::NoBudget { .. },
            ) => Self::Refused(text),
            AskError::NotCharged(_) | AskError::Unknown { .. } => Self::Request(text),
            AskError::Closed { .. } => Self::Refused(text),
            AskError::Unavailable { .. } | AskError::Failed | AskError::Ledger(_) => Self::Environment(text),
        }
    }
}

/// What a graph's mechanism does not answer is refused; parameters and files are for the asker to fix.
impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Unreadable { .. } => Self::request(error),
            error => pointillist_query::refused(&error).into(),
        }
    }
}

/// Settings, answers and reports are for the caller to fix.
impl From<LocalError> for Failure {
    fn from(error: LocalError) -> Self {
        Self::Request(error.to_string())
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        let text = error.to_string();
        match error {
            StartError::Catalog(error) => error.into(),
            StartError::Ledger(error) => error.into(),
            StartError::BudgetChanged { .. } | StartError::DatasetChanged { .. } => Self::Refused(text),
            StartError::TwoPayers { .. } => Self::Request(text),
            StartError::Grant(_) | StartError::Engine(_) => Self::Environment(text),
        }
    }
}

impl From<GrantError> for Failure {
    fn from(error: GrantError) -> Self {
        Self::Environment(error.to_string())
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Environment(error.to_string())
    }
}

/// The ledger's own hint speaks of functions; people at a command line get the command.
impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let command = match &error {
            OpenError::AnchorAhead { .. } | OpenError::Forked { .. } => "--restored",
            OpenError::AnchorMissing { .. } => "--missing-anchor",
            _ => return Self::Environment(with_cause(&error)),
        };
        let text = error.to_string();
        let text = text.rsplit_once(" (Ledger::").map_or(text.as_str(), |(text, _)| text);
        Self::Environment(format!("{text}: `pointillist budget recover {command}`"))
    }
}

/// The text of an error, with what the system said behind its first line.
fn with_cause(error: &OpenError) -> String {
    let text = error.to_string();
    match (std::error::Error::source(error), text.split_once('\n')) {
        (Some(cause), Some((first, rest))) => format!("{first}: {cause}\n{rest}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_on_is_a_command() {
        for (error, command) in [
            (OpenError::AnchorAhead { seq: 3, anchor_seq: 9 }, "`pointillist budget recover --restored`"),
            (OpenError::Forked { anchor_seq: 9 }, "`pointillist budget recover --restored`"),
            (OpenError::AnchorMissing { seq: 3 }, "`pointillist budget recover --missing-anchor`"),
        ] {
            let Failure::Environment(text) = Failure::from(error) else { panic!("a ledger is no request") };
            assert!(text.ends_with(command) && !text.contains("Ledger::"), "{text}");
        }
    }
}
