//! What every error says, as data: a message, a hint, and a kind.
//!
//! An error is an output. Its message ([`Display`](std::fmt::Display)) says what is wrong in one sentence; its
//! [hint](Explained::hint) says what to do next, in words that are true behind every door, so without flags of a
//! command line or functions of a notebook; its [`Kind`] says whose turn it is, and from the kind alone follow exit
//! code, SQLSTATE and HTTP status. A door prints the three in its own way and never looks into a text.
//!
//! **What an error may say.** It may speak of the request, of what is declared and of budgets, never of rows.

mod explanation;
mod kind;

pub use explanation::Explanation;
pub use kind::{Fault, Kind};

/// An error that says what to do next and whose turn it is.
pub trait Explained: std::error::Error {
    /// What to do next, as a sentence without a full stop. `None` where nothing can be done.
    fn hint(&self) -> Option<String>;

    /// What kind of failure this is.
    fn kind(&self) -> Kind;

    /// The three as data, for a caller that passes them on.
    fn explanation(&self) -> Explanation {
        let explanation = Explanation::new(self.kind(), self.to_string());
        match self.hint() {
            Some(hint) => explanation.with_hint(hint),
            None => explanation,
        }
    }
}
