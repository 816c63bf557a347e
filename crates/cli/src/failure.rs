//! How a command ends when it does not succeed: words on stderr; a code, and with `--json` an object, for scripts.
//!
//! ```text
//! {"error":{"kind":"budget","exit_code":3,"message":"…","hint":"…"}}
//! ```

use std::io::{self, Write};
use std::process::ExitCode;

use pointillist_catalog::CatalogError;
use pointillist_curator::sandbox::SandboxError;
use pointillist_curator::{AskError, StartError};
use pointillist_errors::Explained;
use pointillist_graph::GraphError;
use pointillist_ledger::{ChargeError, GrantError, LedgerError, OpenError};
use pointillist_local::LocalError;
use pointillist_query::Refusal;
use serde_json::{Value, json};

use crate::message::insist;
use crate::terminal::Json;
use pointillist_render::decimals::readable;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The request is wrong; the text says what to write instead.
    Request(String),
    /// The request is understood and refused, for privacy or for the budget.
    Refused(String),
    /// Something outside the request failed.
    Environment(String),
    /// One of the above, more precisely.
    Of(Kind, String),
    /// The report is printed already, and is the object for scripts: a code, and words for people where there are some.
    Told(u8, String),
    /// The reader of our output went away, as `head` does: nothing is wrong.
    ReaderGone,
}

/// What scripts tell failures apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The budget, or the asker's share of it, does not hold the price.
    Budget,
    /// The asker has no share of the population's budget.
    NoShare,
    /// The catalog and the ledger disagree about a budget.
    BudgetChanged,
    /// The catalog cannot be read, or says something that is not understood.
    Catalog,
    /// Nobody of this name is declared.
    UnknownAnalyst,
    /// The files of a table cannot be opened.
    DataUnavailable,
    /// Charged, and not answered.
    ChargedInVain,
    /// The ledger does not serve, or is not safe to use as it is.
    Ledger,
    /// Another process uses the ledger.
    LedgerInUse,
    /// What the planner says about a question: a kind of refusal, by its word.
    Question(&'static str),
}

impl Kind {
    /// The word in JSON.
    fn word(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::NoShare => "no_share",
            Self::BudgetChanged => "budget_changed",
            Self::Catalog => "catalog",
            Self::UnknownAnalyst => "unknown_analyst",
            Self::DataUnavailable => "data_unavailable",
            Self::ChargedInVain => "charged_in_vain",
            Self::Ledger => "ledger",
            Self::LedgerInUse => "ledger_in_use",
            Self::Question(word) => word,
        }
    }

    /// 2 for what the asker can fix, 3 for what is refused for privacy or budget, 1 for the rest.
    fn code(self) -> u8 {
        match self {
            Self::Budget | Self::NoShare | Self::BudgetChanged | Self::Question("privacy") => 3,
            Self::Catalog | Self::UnknownAnalyst | Self::Question(_) => 2,
            Self::DataUnavailable | Self::ChargedInVain | Self::Ledger | Self::LedgerInUse => 1,
        }
    }
}

impl Failure {
    /// A wrong request, from an error that carries its own hint.
    pub fn request(error: impl ToString) -> Self {
        Self::Request(error.to_string())
    }

    /// The same in other words.
    pub fn with_text(self, text: String) -> Self {
        match self {
            Self::Request(_) => Self::Request(text),
            Self::Refused(_) => Self::Refused(text),
            Self::Environment(_) => Self::Environment(text),
            Self::Of(kind, _) => Self::Of(kind, text),
            Self::Told(code, _) => Self::Told(code, text),
            Self::ReaderGone => Self::ReaderGone,
        }
    }

    /// Whether another process uses the ledger, so that waiting helps.
    pub fn is_ledger_in_use(&self) -> bool {
        matches!(self, Self::Of(Kind::LedgerInUse, _))
    }

    /// The words, with their hint.
    pub fn text(&self) -> &str {
        match self {
            Self::Request(text)
            | Self::Refused(text)
            | Self::Environment(text)
            | Self::Of(_, text)
            | Self::Told(_, text) => text,
            Self::ReaderGone => "",
        }
    }

    fn word_and_code(&self) -> (&'static str, u8) {
        match self {
            Self::Request(_) => ("request", 2),
            Self::Refused(_) => ("refused", 3),
            Self::Environment(_) => ("environment", 1),
            Self::Of(kind, _) => (kind.word(), kind.code()),
            Self::Told(code, _) => ("", *code),
            Self::ReaderGone => ("", 0),
        }
    }

    /// Tells the person, and the script that asked for JSON; returns the code.
    pub fn report(self, json: bool) -> ExitCode {
        let (word, code) = self.word_and_code();
        let text = readable(self.text());
        if json && !matches!(self, Self::Told(..) | Self::ReaderGone) {
            // A reader that is gone is no reason to end differently.
            let _ = writeln!(io::stdout().lock(), "{}", Json(&as_json(word, code, &text)));
        }
        if !text.is_empty() {
            insist(format_args!("error: {text}"));
        }
        ExitCode::from(code)
    }
}

/// The object that scripts get in place of an answer.
pub fn as_json(kind: &str, code: u8, text: &str) -> Value {
    let (message, hint) = match text.split_once("\nhint: ") {
        Some((message, hint)) => (message, Some(hint)),
        None => (text, None),
    };
    json!({ "error": { "kind": kind, "exit_code": code, "message": message, "hint": hint } })
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

/// What would not be private is refused; everything else about a question is for its author to write differently.
impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Of(Kind::Question(refusal.kind()), refusal.to_string())
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Self {
        Self::Of(Kind::Catalog, error.to_string())
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
            ) => Self::Of(Kind::Budget, text),
            AskError::NotCharged(_) => Self::Request(text),
            AskError::Unknown { .. } => Self::Of(Kind::UnknownAnalyst, text),
            AskError::Closed { .. } => Self::Of(Kind::NoShare, text),
            AskError::Unavailable { .. } => Self::Of(Kind::DataUnavailable, text),
            AskError::Failed => Self::Of(Kind::ChargedInVain, text),
            AskError::Ledger(_) => Self::Of(Kind::Ledger, text),
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
            StartError::BudgetChanged { .. } | StartError::DatasetChanged { .. } => {
                Self::Of(Kind::BudgetChanged, text)
            }
            StartError::TwoPayers { .. } => Self::Of(Kind::Catalog, text),
            StartError::Grant(_) | StartError::Engine(_) => Self::Environment(text),
        }
    }
}

impl From<SandboxError> for Failure {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Start(error) => error.into(),
            error => {
                let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                Self::Environment(format!("{error}{hint}"))
            }
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
            OpenError::Locked { .. } => return Self::Of(Kind::LedgerInUse, error.to_string()),
            _ => return Self::Of(Kind::Ledger, with_cause(&error)),
        };
        let text = error.to_string();
        let text = text.rsplit_once(" (Ledger::").map_or(text.as_str(), |(text, _)| text);
        Self::Of(Kind::Ledger, format!("{text}: `pointillist budget recover {command}`"))
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
            let failure = Failure::from(error);
            assert_eq!(failure.word_and_code(), ("ledger", 1));
            let text = failure.text();
            assert!(text.ends_with(command) && !text.contains("Ledger::"), "{text}");
        }
    }
}
