//! What can go wrong, and the way on. Errors speak of requests, budgets and files, never of data.

use pointillist_errors::{Explained, Kind};

mod move_error;
mod open_error;

pub use move_error::MoveError;
pub use open_error::OpenError;

/// The ledger does not serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// Something failed while writing. The same words whatever it was: the owner reads the cause in
    /// [`Ledger::why_stopped`](crate::Ledger::why_stopped).
    #[error("the ledger has stopped, and nothing is answered until it has read its records again")]
    Stopped,
    /// Other servers held the store for too long. Nothing was judged, charged or written.
    #[error("other servers held the ledger for too long, and nothing was charged")]
    Busy,
    /// A receipt from another ledger, or from before a restart.
    #[error("this receipt was not given out by this ledger since it started")]
    ForeignReceipt,
    /// An answer too long to keep.
    #[error("this answer has {bytes} bytes, and the ledger keeps at most {bytes_max}")]
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
    #[error("this question costs {asked}, but {whose} has {left} left")]
    Exhausted {
        /// The price.
        asked: String,
        /// The scope, or the share in it.
        whose: String,
        /// What is left there.
        left: String,
    },
    /// The scope's budget would not hold, though the asker's share would. What is left of it is the owner's business.
    #[error("this question costs {asked}, which is more than the budget of `{scope}` still holds")]
    ScopeExhausted {
        /// The price.
        asked: String,
        /// The scope asked for.
        scope: String,
    },
    /// A scope without a budget.
    #[error("the ledger holds no budget for `{scope}`")]
    NoBudget {
        /// The scope asked for.
        scope: String,
    },
    /// ε where ρ is counted, or the other way round.
    #[error("this question is priced in {asked}, but the budget of `{scope}` is counted in {counted}")]
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
        "request id `{request_id}` was used before, for another request or for an earlier version of the data"
    )]
    Conflict {
        /// The id.
        request_id: String,
    },
    /// The first request with this id has not been answered yet.
    #[error("request `{request_id}` is being answered")]
    InFlight {
        /// The id.
        request_id: String,
    },
    /// Paid for and lost.
    #[error("request `{request_id}` was charged, but its answer was lost")]
    Spent {
        /// The id.
        request_id: String,
    },
    /// The asker's server reads another catalog than the one that the owner has accepted since.
    #[error("the owner has said anew what {name} is, and this server does not know it yet")]
    Redeclared {
        /// The table or the graph.
        name: String,
    },
    /// A release whose approval is used, or counts no more.
    #[error("this release is not approved, or its approval was used a moment ago")]
    NotApproved,
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
    #[error("the ledger holds no budget for `{scope}` that a share could be part of")]
    NoScope {
        /// The scope.
        scope: String,
    },
    /// Sums of ρ and of ε do not add up.
    #[error("`{scope}` is counted in {counted} and cannot be granted {granted}")]
    WrongCurrency {
        /// The scope.
        scope: String,
        /// The letter it is counted in.
        counted: char,
        /// The letter of the grant.
        granted: char,
    },
    /// Somebody else has decided something in between.
    #[error("the ledger was told something else a moment ago")]
    DecidedMeanwhile,
    /// A name the ledger does not keep.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A plan that cannot be prepared or approved.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// Approved before it was prepared, or changed since.
    #[error("nobody has prepared this plan, or it has changed since")]
    NotPrepared,
    /// One person alone.
    #[error("`{who}` has prepared this plan and cannot approve it as well")]
    SamePerson {
        /// Who tried both.
        who: String,
    },
    /// Approved already.
    #[error("`{approver}` has approved this plan already")]
    Approved {
        /// By whom.
        approver: String,
    },
    /// Carried out already.
    #[error("this plan was carried out since it was prepared, in record {seq}")]
    Used {
        /// The payment or the publication.
        seq: u64,
    },
    /// A name the ledger does not keep.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A server that cannot be taken out.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenceError {
    /// A name that was never used, or is over.
    #[error("no server of that name writes to the ledger")]
    Nobody,
    /// The one that is asked to.
    #[error("a server does not take itself out")]
    Oneself,
    /// The ledger does not serve.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A statement that cannot be published.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// Nothing to speak about.
    #[error(
        "the ledger has no answer to reservation {reserve_seq}, so that nothing can be published about it"
    )]
    NotReleased {
        /// The reservation.
        reserve_seq: u64,
    },
    /// The same statement again.
    #[error("this statement was published before, in record {seq}")]
    Published {
        /// Where.
        seq: u64,
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
#[error("the {what} is empty, longer than {bytes_max} bytes, or has a control character in it")]
pub struct NameError {
    /// What is named.
    pub what: &'static str,
    /// The longest name.
    pub bytes_max: usize,
}

impl Explained for LedgerError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Stopped => "ask the owner to restart the service",
            Self::Busy => "ask again in a moment; if that does not help, one of the servers hangs",
            Self::ForeignReceipt => "what it paid for is lost; charge again",
            Self::AnswerTooLong { .. } => "ask for fewer groups at a time",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Busy => Kind::LedgerInUse,
            Self::Stopped | Self::ForeignReceipt | Self::AnswerTooLong { .. } => Kind::Ledger,
        }
    }
}

impl Explained for FenceError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Nobody => "look at the list of servers that write",
            Self::Oneself => "stop it: a server that ends says so itself",
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Nobody | Self::Oneself => Kind::Request,
            Self::Ledger(error) => error.kind(),
        }
    }
}

impl Explained for ChargeError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Exhausted { .. } => {
                "accept more noise and ask for at most what is left, or ask the owner for a raise"
            }
            Self::ScopeExhausted { .. } => "accept more noise, or ask the owner for a raise",
            Self::NoBudget { .. } => "check the name, or ask the owner to grant a budget",
            Self::WrongCurrency { counted, .. } => return Some(format!("price it in {counted}")),
            Self::Conflict { .. } => "use a new id for a new request",
            Self::InFlight { .. } => "ask again with the same id in a moment; it costs nothing",
            Self::Spent { .. } => "ask again with a new id; it will be charged again",
            Self::Redeclared { .. } => "ask the owner to give this server the new catalog and to restart it",
            Self::NotApproved => "prepare it again, and let somebody else approve it",
            Self::Name(error) => return error.hint(),
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Exhausted { .. } | Self::ScopeExhausted { .. } | Self::NoBudget { .. } => Kind::Budget,
            Self::WrongCurrency { .. } | Self::Conflict { .. } | Self::InFlight { .. } => Kind::Request,
            Self::Spent { .. } => Kind::ChargedInVain,
            Self::Redeclared { .. } => Kind::BudgetChanged,
            Self::NotApproved => Kind::Refused,
            Self::Name(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
        }
    }
}

impl Explained for GrantError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoScope { .. } => "grant the scope a budget first",
            Self::WrongCurrency { .. } => {
                "give the population a new scope, and count what was spent against it by hand"
            }
            Self::DecidedMeanwhile => "look at what has changed, and decide again",
            Self::Name(error) => return error.hint(),
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        // Granting is for the owner at the ledger: what does not fit there is no question of anybody's.
        Kind::Ledger
    }
}

impl Explained for NameError {
    fn hint(&self) -> Option<String> {
        Some("use a short name of letters, digits and signs".to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}

impl Explained for ApprovalError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotPrepared => "prepare it as it is now, and let somebody else approve that",
            Self::SamePerson { .. } => "let somebody else approve it",
            Self::Approved { .. } => "it can be released",
            Self::Used { .. } => "prepare it again: every release needs an approval of its own",
            Self::Name(error) => return error.hint(),
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Name(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
            _ => Kind::Refused,
        }
    }
}

impl Explained for PublishError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotReleased { .. } => "record the answer first",
            Self::Published { .. } => "nothing needs to be done",
            Self::Name(error) => return error.hint(),
            Self::Ledger(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Name(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
            _ => Kind::Ledger,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use super::*;

    /// Specification: whoever meets an error learns what to do next, in words that are true behind every door.
    #[test]
    fn every_error_has_a_hint() {
        let (scope, request_id) = (|| "people".to_owned(), || "r1".to_owned());
        let broken = || io::Error::other("broken");
        let path = || PathBuf::from("ledger");
        let errors: [Box<dyn Explained>; 48] = [
            Box::new(MoveError::SamePlace { name: scope() }),
            Box::new(MoveError::Occupied { name: scope() }),
            Box::new(MoveError::ForeignAnchor { name: scope() }),
            Box::new(MoveError::Elsewhere { to: scope() }),
            Box::new(MoveError::OtherAnchor { name: scope() }),
            Box::new(MoveError::Store(broken())),
            Box::new(MoveError::Anchor(broken())),
            Box::new(OpenError::Elsewhere { to: scope() }),
            Box::new(OpenError::Belongs { to: scope(), path: path() }),
            Box::new(OpenError::RecordsBeside { name: scope(), path: path() }),
            Box::new(ChargeError::Redeclared { name: scope() }),
            Box::new(ChargeError::NotApproved),
            Box::new(GrantError::DecidedMeanwhile),
            Box::new(OpenError::Postgres { name: scope(), source: broken() }),
            Box::new(LedgerError::Stopped),
            Box::new(LedgerError::Busy),
            Box::new(FenceError::Nobody),
            Box::new(FenceError::Oneself),
            Box::new(OpenError::Departed { to: scope() }),
            Box::new(LedgerError::ForeignReceipt),
            Box::new(LedgerError::AnswerTooLong { bytes: 9, bytes_max: 8 }),
            Box::new(ChargeError::Exhausted {
                asked: "ρ = 1".into(), whose: scope(), left: "ρ = 0".into()
            }),
            Box::new(ChargeError::ScopeExhausted { asked: "ρ = 1".into(), scope: scope() }),
            Box::new(ChargeError::NoBudget { scope: scope() }),
            Box::new(ChargeError::WrongCurrency { asked: 'ε', counted: 'ρ', scope: scope() }),
            Box::new(ChargeError::Conflict { request_id: request_id() }),
            Box::new(ChargeError::InFlight { request_id: request_id() }),
            Box::new(ChargeError::Spent { request_id: request_id() }),
            Box::new(GrantError::NoScope { scope: scope() }),
            Box::new(GrantError::WrongCurrency { scope: scope(), counted: 'ρ', granted: 'ε' }),
            Box::new(NameError { what: "request id", bytes_max: 200 }),
            Box::new(ApprovalError::NotPrepared),
            Box::new(ApprovalError::SamePerson { who: "bo".into() }),
            Box::new(ApprovalError::Approved { approver: "bo".into() }),
            Box::new(ApprovalError::Used { seq: 3 }),
            Box::new(PublishError::NotReleased { reserve_seq: 3 }),
            Box::new(PublishError::Published { seq: 3 }),
            Box::new(OpenError::Locked { path: path() }),
            Box::new(OpenError::Damaged { seq: 3, problem: "it is missing" }),
            Box::new(OpenError::AnchorAhead { seq: 3, anchor_seq: 4 }),
            Box::new(OpenError::Forked { anchor_seq: 4 }),
            Box::new(OpenError::AnchorMissing { seq: 3 }),
            Box::new(OpenError::Anchor(broken())),
            Box::new(OpenError::EpochReused),
            Box::new(OpenError::NoRandomness),
            Box::new(OpenError::File { path: path(), source: broken() }),
            Box::new(OpenError::Store(broken())),
            Box::new(OpenError::Unwritable { cause: "the disk is full".into() }),
        ];
        for error in errors {
            let (message, hint) = (error.to_string(), error.hint().unwrap_or_default());
            assert!(!hint.is_empty() && !message.contains("hint"), "{message}");
            for text in [message, hint] {
                assert!(!text.contains("  "), "a line break lost its backslash: {text}");
                assert!(!text.contains("pointillist ") && !text.contains("--"), "a word of one door: {text}");
            }
        }
    }
}
