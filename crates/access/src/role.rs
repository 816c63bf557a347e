//! Roles and what each may do: the one matrix for every door.

/// What somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Declares data, populations and budgets; asks nothing over the network.
    Owner,
    /// Approves releases.
    Curator,
    /// Asks, and sees their own share and past.
    Analyst,
    /// Sees the ledger: who spent what, never an answer.
    Auditor,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Pay for an answer.
    Ask,
    /// See what an answer would cost.
    Explain,
    /// Ask made-up rows.
    Rehearse,
    /// See what is declared.
    Catalog,
    /// See one's own share and past.
    OwnBooks,
    /// See everybody's spending.
    AllBooks,
    /// See what is published.
    Releases,
    /// Approve a release.
    Approve,
    /// Make the service read its catalog again.
    Reload,
}
