//! How a command ends when it does not succeed: words on stderr; a code, and with `--json` an object, for scripts.
//!
//! ```text
//! {"error":{"kind":"budget","exit_code":3,"message":"…","hint":"…"}}
//! ```
//!
//! Code and kind follow from the error's [`Kind`] alone. What an error advises is true behind every door; where the next
//! step is a command of this one, [`command`] says which.

use std::io::{self, Write};
use std::process::ExitCode;

use pointillist_access::AccessError;
use pointillist_attack::AttackError;
use pointillist_audit::AuditError;
use pointillist_catalog::CatalogError;
use pointillist_catalog::smartnoise::ImportError;
use pointillist_curator::sandbox::SandboxError;
use pointillist_curator::{AskError, LedgerPlaceError, OneOffError, StartError};
use pointillist_demo::DemoError;
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_graph::GraphError;
use pointillist_ledger::{GrantError, LedgerError, OpenError};
use pointillist_local::LocalError;
use pointillist_privacy::ParameterError;
use pointillist_publication::{
    FilesError, KeyError, ModelFileError, PlanFileError, PublicationError, VerifyError,
};
use pointillist_query::Refusal;
use pointillist_server::ServeError;
use pointillist_study::recommendations::RecommendationError;
use pointillist_study::traces::TraceError;
use serde_json::{Value, json};

use crate::message::insist;
use crate::terminal::Json;
use pointillist_render::decimals::readable;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// A message, a hint and a kind.
    Explained(Box<Explanation>),
    /// The report is printed already, and is the object for scripts: a code, and words for people where there are some.
    Told(u8, String),
    /// The reader of our output went away, as `head` does: nothing is wrong.
    ReaderGone,
}

impl Failure {
    /// A wrong request, and what to write instead.
    pub fn wrong(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::explained(Explanation::new(Kind::Request, what).with_hint(hint))
    }

    /// Something outside the request that failed.
    pub fn environment(what: impl Into<String>) -> Self {
        Self::explained(Explanation::new(Kind::Environment, what))
    }

    /// The same, where something can be done about it.
    pub fn outside(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::explained(Explanation::new(Kind::Environment, what).with_hint(hint))
    }

    /// A wrong request, whatever else the error may be.
    pub fn request(error: impl Explained) -> Self {
        Self::explained(error.explanation().of_kind(Kind::Request))
    }

    /// What an error says, with the command that follows from it.
    pub fn of(error: &impl Explained) -> Self {
        let explanation = error.explanation();
        let hint = explanation.hint_text().map(|hint| format!("{hint}{}", command(error.kind())));
        Self::explained(match hint {
            Some(hint) => explanation.with_hint(hint),
            None => explanation,
        })
    }

    /// The same failure of another kind.
    pub fn of_kind(self, kind: Kind) -> Self {
        match self.explanation() {
            Some(said) => Self::explained(said.of_kind(kind)),
            None => self,
        }
    }

    /// A failure in these words.
    pub fn explained(explanation: Explanation) -> Self {
        Self::Explained(Box::new(explanation))
    }

    /// What is said about it; `None` where all has been said.
    pub fn explanation(&self) -> Option<Explanation> {
        match self {
            Self::Explained(explanation) => Some(explanation.as_ref().clone()),
            Self::Told(..) | Self::ReaderGone => None,
        }
    }

    /// Tells the person, and the script that asked for JSON; returns the code.
    pub fn report(self, json: bool) -> ExitCode {
        let (text, code) = match (&self, self.explanation()) {
            (_, Some(explanation)) => {
                let (kind, code) = (explanation.kind(), explanation.kind().exit_code());
                if json {
                    let message = readable(explanation.message());
                    let hint = explanation.hint_text().map(readable);
                    let object = as_json(kind.word(), code, &message, hint.as_deref());
                    // A reader that is gone is no reason to end differently.
                    let _ = writeln!(io::stdout().lock(), "{}", Json(&object));
                }
                (explanation.text(), code)
            }
            (Self::Told(code, text), None) => (text.clone(), *code),
            (_, None) => (String::new(), 0),
        };
        if !text.is_empty() {
            insist(format_args!("error: {}", readable(&text)));
        }
        ExitCode::from(code)
    }
}

/// The next step at this door, behind the advice that holds at all of them.
fn command(kind: Kind) -> &'static str {
    match kind {
        Kind::CatalogMissing => " (--catalog PATH names one, `pointillist init FILE` writes one)",
        Kind::BudgetChanged => ": `pointillist budget grant`",
        Kind::DataUnavailable => ": `pointillist check`",
        Kind::LedgerInUse => "; or wait for it: --wait SECONDS",
        Kind::LedgerRestored => ": `pointillist budget recover --restored`",
        Kind::AnchorMissing => ": `pointillist budget recover --missing-anchor`",
        _ => "",
    }
}

/// The object that scripts get in place of an answer.
pub fn as_json(kind: &str, code: u8, message: &str, hint: Option<&str>) -> Value {
    json!({ "error": { "kind": kind, "exit_code": code, "message": message, "hint": hint } })
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::environment(format!("the output could not be written: {error}"))
        }
    }
}

/// What the libraries below say, in their own words.
macro_rules! failures_of {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::of(&error)
            }
        })*
    };
}

failures_of![
    AccessError,
    AskError,
    AttackError,
    AuditError,
    CatalogError,
    DemoError,
    FilesError,
    GrantError,
    GraphError,
    ImportError,
    KeyError,
    LedgerError,
    LedgerPlaceError,
    ModelFileError,
    OneOffError,
    OpenError,
    PlanFileError,
    PublicationError,
    RecommendationError,
    TraceError,
    Refusal,
    SandboxError,
    ServeError,
    StartError,
    VerifyError,
];

/// Parameters are for the asker to fix.
impl From<ParameterError> for Failure {
    fn from(error: ParameterError) -> Self {
        Self::request(error)
    }
}

/// Settings, answers and reports are for the caller to fix.
impl From<LocalError> for Failure {
    fn from(error: LocalError) -> Self {
        Self::request(error)
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
            let explanation = Failure::from(error).explanation().expect("words");
            assert_eq!((explanation.kind().word(), explanation.kind().exit_code()), ("ledger", 1));
            assert!(explanation.text().ends_with(command), "{}", explanation.text());
        }
    }
}
