//! What can go wrong, and the way on. Errors speak of requests, budgets and files, never of data.

use std::io;
use std::path::PathBuf;

/// The ledger does not serve.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// Something failed while writing. The same words whatever it was: the owner reads the cause in
    /// [`Ledger::why_stopped`](crate::Ledger::why_stopped).
    #[error(
        "the ledger has stopped, and nothing is answered until it has read its records again\n\
         hint: ask the owner to restart the service"
    )]
    Stopped,
    /// A receipt from another ledger, or from before a restart.
    #[error(
        "this receipt was not given out by this ledger since it started\n\
         hint: what it paid for is lost; charge again"
    )]
    ForeignReceipt,
    /// An answer too long to keep.
    #[error(
        "this answer has {bytes} bytes, and the ledger keeps at most {bytes_max}\n\
         hint: ask for fewer groups at a time"
    )]
    AnswerTooLong {
        /// The length of the answer.
        bytes: usize,
        /// The longest possible.
        bytes_max: usize,
    },
}

/// A charge that was refused. Nothing was spent, and no record was made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChargeError {
    /// The budget would not hold with this answer included.
    #[error(
        "this question costs {asked}, but {whose} has {left} left\n\
         hint: accept more noise and ask for at most what is left, or ask the owner for a raise"
    )]
    Exhausted {
        /// The price.
        asked: String,
        /// The scope, or the share in it.
        whose: String,
        /// What is left there.
        left: String,
    },
    /// The scope's budget would not hold, though the asker's share would. What is left of it is the owner's business.
    #[error(
        "this question costs {asked}, which is more than the budget of `{scope}` still holds\n\
         hint: accept more noise, or ask the owner for a raise"
    )]
    ScopeExhausted {
        /// The price.
        asked: String,
        /// The scope asked for.
        scope: String,
    },
    /// A scope without a budget.
    #[error(
        "the ledger holds no budget for `{scope}`\n\
         hint: check the name, or ask the owner to grant a budget"
    )]
    NoBudget {
        /// The scope asked for.
        scope: String,
    },
    /// ε where ρ is counted, or the other way round.
    #[error(
        "this question is priced in {asked}, but the budget of `{scope}` is counted in {counted}\n\
         hint: price it in {counted}"
    )]
    WrongCurrency {
        /// The letter of the price.
        asked: char,
        /// The letter of the budget.
        counted: char,
        /// The scope asked for.
        scope: String,
    },
    /// One id, two requests.
    #[error(
        "request id `{request_id}` was used before, for another request or for an earlier version of the data\n\
         hint: use a new id for a new request"
    )]
    Conflict {
        /// The id.
        request_id: String,
    },
    /// The first request with this id has not been answered yet.
    #[error(
        "request `{request_id}` is being answered\n\
         hint: ask again with the same id in a moment; it costs nothing"
    )]
    InFlight {
        /// The id.
        request_id: String,
    },
    /// Paid for and lost.
    #[error(
        "request `{request_id}` was charged, but its answer was lost\n\
         hint: ask again with a new id; it will be charged again"
    )]
    Spent {
        /// The id.
        request_id: String,
    },
    /// A name the ledger does not keep.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A budget that cannot be set.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// A share of nothing.
    #[error(
        "the ledger holds no budget for `{scope}` that a share could be part of\n\
         hint: grant the scope a budget first"
    )]
    NoScope {
        /// The scope.
        scope: String,
    },
    /// Sums of ρ and of ε do not add up.
    #[error(
        "`{scope}` is counted in {counted} and cannot be granted {granted}\n\
         hint: give the population a new scope, and count what was spent against it by hand"
    )]
    WrongCurrency {
        /// The scope.
        scope: String,
        /// The letter it is counted in.
        counted: char,
        /// The letter of the grant.
        granted: char,
    },
    /// A name the ledger does not keep.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A scope, an analyst or a request id that cannot be written down.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the {what} is empty, longer than {bytes_max} bytes, or has a control character in it\n\
     hint: use a short name of letters, digits and signs"
)]
pub struct NameError {
    /// What is named.
    pub what: &'static str,
    /// The longest name.
    pub bytes_max: usize,
}

/// A ledger that is not safe to use as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A second writer.
    #[error(
        "another process uses this ledger: {} is locked\n\
         hint: stop the other process; a ledger has one writer",
        path.display()
    )]
    Locked {
        /// The locked file.
        path: PathBuf,
    },
    /// A record that is not what was written.
    #[error(
        "the ledger is damaged at record {seq}: {problem}\n\
         hint: restore the ledger from a backup, and keep the anchor as it is: it knows what was spent since"
    )]
    Damaged {
        /// The first record that is wrong.
        seq: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A restored backup.
    #[error(
        "the ledger ends at record {seq}, but the anchor has seen record {anchor_seq}: an older copy was put \
         in its place, or its log was removed\n\
         hint: put the newer copy back; if there is none, the owner accepts this one, and what the anchor knows \
         to be spent stays spent (Ledger::accept_restored)"
    )]
    AnchorAhead {
        /// The last record of the ledger.
        seq: u64,
        /// The last record that the anchor has seen.
        anchor_seq: u64,
    },
    /// Two histories.
    #[error(
        "record {anchor_seq} of the ledger is not the one that the anchor has seen: they are of two histories\n\
         hint: find the ledger that this anchor belongs to; if it is lost, the owner accepts this one, and what \
         was spent in either history is counted (Ledger::accept_restored)"
    )]
    Forked {
        /// The record they disagree about.
        anchor_seq: u64,
    },
    /// No protection against an older copy.
    #[error(
        "the ledger has {seq} records but no anchor, so that an older copy of it would go unnoticed\n\
         hint: put the anchor back; if it is lost, and nobody can have restored an older copy, the owner \
         accepts that (Ledger::accept_missing_anchor)"
    )]
    AnchorMissing {
        /// The last record of the ledger.
        seq: u64,
    },
    /// An anchor that cannot be read.
    #[error(
        "the anchor cannot be read\n\
         hint: put a copy of it back; if there is none, remove the file, and it is treated as lost"
    )]
    Anchor(#[source] io::Error),
    /// An epoch that has been used.
    #[error("this epoch was used before\nhint: let the operating system choose one")]
    EpochReused,
    /// The operating system gives no randomness.
    #[error("the operating system gives no random bytes\nhint: try again once it has started up")]
    NoRandomness,
    /// Files that cannot be read or written.
    #[error("the ledger in {} cannot be read or written\nhint: check the path, its owner and the disk", path.display())]
    File {
        /// The file that failed.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The store failed.
    #[error("the records cannot be read\nhint: check the disk, or restore the ledger and keep the anchor")]
    Store(#[source] io::Error),
    /// Writing failed at once.
    #[error("the ledger cannot be written: {cause}\nhint: check that the disk is not full or read-only")]
    Unwritable {
        /// What failed.
        cause: String,
    },
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: whoever meets an error learns what to do next, on a line of its own.
    #[test]
    fn every_error_has_a_hint() {
        let (scope, request_id) = (|| "people".to_owned(), || "r1".to_owned());
        let broken = || io::Error::other("broken");
        let path = || PathBuf::from("ledger");
        let texts = [
            LedgerError::Stopped.to_string(),
            LedgerError::ForeignReceipt.to_string(),
            LedgerError::AnswerTooLong { bytes: 9, bytes_max: 8 }.to_string(),
            ChargeError::Exhausted { asked: "ρ = 1".into(), whose: scope(), left: "ρ = 0".into() }
                .to_string(),
            ChargeError::ScopeExhausted { asked: "ρ = 1".into(), scope: scope() }.to_string(),
            ChargeError::NoBudget { scope: scope() }.to_string(),
            ChargeError::WrongCurrency { asked: 'ε', counted: 'ρ', scope: scope() }.to_string(),
            ChargeError::Conflict { request_id: request_id() }.to_string(),
            ChargeError::InFlight { request_id: request_id() }.to_string(),
            ChargeError::Spent { request_id: request_id() }.to_string(),
            GrantError::NoScope { scope: scope() }.to_string(),
            GrantError::WrongCurrency { scope: scope(), counted: 'ρ', granted: 'ε' }.to_string(),
            NameError { what: "request id", bytes_max: 200 }.to_string(),
            OpenError::Locked { path: path() }.to_string(),
            OpenError::Damaged { seq: 3, problem: "it is missing" }.to_string(),
            OpenError::AnchorAhead { seq: 3, anchor_seq: 4 }.to_string(),
            OpenError::Forked { anchor_seq: 4 }.to_string(),
            OpenError::AnchorMissing { seq: 3 }.to_string(),
            OpenError::Anchor(broken()).to_string(),
            OpenError::EpochReused.to_string(),
            OpenError::NoRandomness.to_string(),
            OpenError::File { path: path(), source: broken() }.to_string(),
            OpenError::Store(broken()).to_string(),
            OpenError::Unwritable { cause: "the disk is full".into() }.to_string(),
        ];
        for text in texts {
            assert_eq!(text.matches("\nhint: ").count(), 1, "{text}");
            assert!(!text.contains("  "), "a line break lost its backslash: {text}");
        }
    }
}
