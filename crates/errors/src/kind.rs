//! Kinds of failure, and the one place where exit codes, SQLSTATEs and HTTP statuses are decided.

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The asker's: the request is wrong, and can be written differently.
    Asker,
    /// Nobody's: the request is understood, and refused for privacy or for the budget.
    Refused,
    /// The owner's or the machine's: something outside the request.
    Environment,
}

/// What scripts and clients tell failures apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A request that is wrong in some other way than those below.
    Request,
    /// A parameter or a constant outside its range.
    Parameter,
    /// Text that is not SQL, or too much of it.
    Syntax,
    /// Types that do not go together.
    Type,
    /// A table or a graph that is not declared.
    UnknownTable,
    /// A column that is not declared.
    UnknownColumn,
    /// Nobody of this name is declared.
    UnknownAnalyst,
    /// No proof covers the question, and another way of asking may have one.
    Unsupported,
    /// There is no catalog where one was looked for.
    CatalogMissing,
    /// The catalog says something that is not understood.
    Catalog,
    /// It would show single rows, or let one person move an answer without limit.
    Privacy,
    /// Refused for another reason of privacy or budget.
    Refused,
    /// The budget, or the asker's share of it, does not hold the price.
    Budget,
    /// The asker has no share of the population's budget.
    NoShare,
    /// The catalog and the ledger disagree about a budget or about what a name stands for.
    BudgetChanged,
    /// Files cannot be opened or read.
    DataUnavailable,
    /// Charged, and not answered.
    ChargedInVain,
    /// The ledger does not serve, or is not safe to use as it is.
    Ledger,
    /// The ledger is older than its anchor: a backup was put back.
    LedgerRestored,
    /// The ledger's anchor is not there.
    AnchorMissing,
    /// Another process uses the ledger.
    LedgerInUse,
    /// Something that was published is not what was signed and recorded, or nobody can tell.
    Unverified,
    /// The machine: disk, memory, network, output.
    Environment,
}

impl Kind {
    /// Every kind, for tables and tests.
    pub const ALL: [Self; 23] = [
        Self::Request,
        Self::Parameter,
        Self::Syntax,
        Self::Type,
        Self::UnknownTable,
        Self::UnknownColumn,
        Self::UnknownAnalyst,
        Self::Unsupported,
        Self::CatalogMissing,
        Self::Catalog,
        Self::Privacy,
        Self::Refused,
        Self::Budget,
        Self::NoShare,
        Self::BudgetChanged,
        Self::DataUnavailable,
        Self::ChargedInVain,
        Self::Ledger,
        Self::LedgerRestored,
        Self::AnchorMissing,
        Self::LedgerInUse,
        Self::Unverified,
        Self::Environment,
    ];

    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Parameter => "parameter",
            Self::Syntax => "syntax",
            Self::Type => "type",
            Self::UnknownTable => "unknown_table",
            Self::UnknownColumn => "unknown_column",
            Self::UnknownAnalyst => "unknown_analyst",
            Self::Unsupported => "unsupported",
            Self::CatalogMissing | Self::Catalog => "catalog",
            Self::Privacy => "privacy",
            Self::Refused => "refused",
            Self::Budget => "budget",
            Self::NoShare => "no_share",
            Self::BudgetChanged => "budget_changed",
            Self::DataUnavailable => "data_unavailable",
            Self::ChargedInVain => "charged_in_vain",
            // How a ledger came to be unsafe is told in words; a script does the same about all of them.
            Self::Ledger | Self::LedgerRestored | Self::AnchorMissing => "ledger",
            Self::LedgerInUse => "ledger_in_use",
            Self::Unverified => "unverified",
            Self::Environment => "environment",
        }
    }

    /// Whose turn it is.
    pub fn fault(self) -> Fault {
        match self {
            Self::Request
            | Self::Parameter
            | Self::Syntax
            | Self::Type
            | Self::UnknownTable
            | Self::UnknownColumn
            | Self::UnknownAnalyst
            | Self::Unsupported
            | Self::CatalogMissing
            | Self::Catalog => Fault::Asker,
            Self::Privacy | Self::Refused | Self::Budget | Self::NoShare | Self::BudgetChanged => {
                Fault::Refused
            }
            Self::DataUnavailable
            | Self::ChargedInVain
            | Self::Ledger
            | Self::LedgerRestored
            | Self::AnchorMissing
            | Self::LedgerInUse
            | Self::Unverified
            | Self::Environment => Fault::Environment,
        }
    }

    /// What a process ends with: 2 for what the asker can fix, 3 for what is refused, 1 for the rest.
    pub fn exit_code(self) -> u8 {
        match self.fault() {
            Fault::Asker => 2,
            Fault::Refused => 3,
            Fault::Environment => 1,
        }
    }

    /// The five characters by which PostgreSQL's clients tell errors apart.
    pub fn sqlstate(self) -> &'static str {
        match self {
            Self::Privacy | Self::Unsupported | Self::Refused => "0A000",
            Self::Request | Self::Parameter => "22023",
            Self::Syntax => "42601",
            Self::Type => "42804",
            Self::UnknownTable => "42P01",
            Self::UnknownColumn => "42703",
            Self::UnknownAnalyst | Self::NoShare => "42501",
            Self::Budget => "53400",
            Self::CatalogMissing | Self::Catalog | Self::BudgetChanged => "F0000",
            Self::LedgerInUse => "55006",
            Self::ChargedInVain => "58030",
            Self::DataUnavailable
            | Self::Ledger
            | Self::LedgerRestored
            | Self::AnchorMissing
            | Self::Unverified
            | Self::Environment => "58000",
        }
    }

    /// What an HTTP door answers with.
    pub fn http_status(self) -> u16 {
        match self {
            Self::Request | Self::Parameter | Self::Syntax | Self::Type | Self::Unsupported => 400,
            Self::UnknownTable | Self::UnknownColumn => 404,
            Self::UnknownAnalyst | Self::NoShare => 403,
            Self::Privacy | Self::Refused => 422,
            Self::Budget => 402,
            Self::CatalogMissing
            | Self::Catalog
            | Self::BudgetChanged
            | Self::DataUnavailable
            | Self::ChargedInVain
            | Self::Ledger
            | Self::LedgerRestored
            | Self::AnchorMissing
            | Self::LedgerInUse
            | Self::Unverified
            | Self::Environment => 503,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: whose turn it is, is said alike to a shell, to a Postgres client and to an HTTP client.
    #[test]
    fn the_three_codes_agree_about_whose_turn_it_is() {
        for kind in Kind::ALL {
            let server_side = kind.http_status() >= 500;
            match kind.fault() {
                // A catalog is the asker's own at a command line, and the owner's behind a server.
                Fault::Asker => assert!(!server_side || kind.word() == "catalog", "{kind:?}"),
                Fault::Refused => assert!(!server_side || kind == Kind::BudgetChanged, "{kind:?}"),
                Fault::Environment => assert!(server_side, "{kind:?}"),
            }
            assert_eq!(kind.sqlstate().len(), 5, "{kind:?}");
        }
    }
}
