//! Why tables are not published. Words about the plan, the catalog and the budget; never about data.

use pointillist_curator::{AskError, StartError};
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::PublishError;
use pointillist_privacy::ParameterError;
use pointillist_query::Refusal;
use pointillist_workload::WorkloadError;

use crate::{FilesError, KeyError};

/// Why there is no publication.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublicationError {
    /// A table of the plan is about a table that is not declared.
    #[error("`{entry}` is about `{table}`, which the catalog does not declare")]
    NoTable {
        /// The table of the plan.
        entry: String,
        /// The table of the catalog.
        table: String,
    },
    /// A column that is not declared.
    #[error("`{entry}` names the column `{column}`, which `{table}` does not have")]
    NoColumn {
        /// The table of the plan.
        entry: String,
        /// The table of the catalog.
        table: String,
        /// The column.
        column: String,
    },
    /// A column whose values are not public.
    #[error("`{entry}` counts by `{column}`, whose values nobody has declared")]
    NotPublic {
        /// The table of the plan.
        entry: String,
        /// The column.
        column: String,
    },
    /// Bins that a column cannot have.
    #[error("`{entry}`: `{column}` {what}")]
    Bins {
        /// The table of the plan.
        entry: String,
        /// The column.
        column: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A lookup that does not say where every value belongs.
    #[error("`{entry}`: the lookup `{lookup}` {what}")]
    Lookup {
        /// The table of the plan.
        entry: String,
        /// The public table.
        lookup: String,
        /// What is wrong.
        what: String,
    },
    /// A statement that is not answered.
    #[error("`{entry}`: {refusal}")]
    Refused {
        /// The table of the plan.
        entry: String,
        /// Why.
        refusal: Refusal,
    },
    /// A condition that is more, or less, than one.
    #[error(
        "the `where` of `{entry}` is no condition of its own: parentheses, quotes or comments reach beyond it"
    )]
    Condition {
        /// The table of the plan.
        entry: String,
    },
    /// A statement with options of its own.
    #[error("`{entry}` has OPTIONS of its own, and prices and limits are the plan's")]
    Options {
        /// The table of the plan.
        entry: String,
    },
    /// Tables of several populations.
    #[error("`{entry}` is about `{scope}`, and other tables of the plan are about `{other}`")]
    SeveralScopes {
        /// The table of the plan.
        entry: String,
        /// Its population.
        scope: String,
        /// Another one.
        other: String,
    },
    /// A budget in another currency than that of the population.
    #[error("the budget of the plan is {got}, and `{scope}` counts {wanted}")]
    Currency {
        /// The population.
        scope: String,
        /// What it counts.
        wanted: &'static str,
        /// What the plan says.
        got: &'static str,
    },
    /// Wanted errors that cost more than the plan's budget.
    #[error("the wanted errors alone cost {needed}, and the plan has {given}")]
    ErrorsTooSmall {
        /// What they cost.
        needed: String,
        /// What the plan may spend.
        given: String,
    },
    /// Something about the tables together.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A number out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The home, its data or its ledger.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The charge, the data, or what happened after the debit.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The files of the release.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The key that signs it.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The record of what was published.
    #[error(transparent)]
    Record(PublishError),
    /// A name that a release cannot have.
    #[error("`{name}` cannot be the name of a release: {what}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A release that two people have to agree on.
    #[error("releases of this home need an approval, and sanitized tables cannot be prepared for one yet")]
    NeedsApproval,
    /// A sanitized table of somebody else.
    #[error("this table was not paid for and signed by this home")]
    ForeignTable,
    /// A mistake of ours.
    #[error("the release could not be put together: {0}")]
    Internal(&'static str),
}

impl Explained for PublicationError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoTable { .. } => "name a table of the catalog in `from`".to_owned(),
            Self::NoColumn { .. } => "name a declared column of the table".to_owned(),
            Self::NotPublic { .. } => {
                "declare `public_keys` for it, or bounds where it holds whole numbers or days; a statement in `sql` can let \
                 keys be earned"
                    .to_owned()
            }
            Self::Bins { .. } => "choose another `width` or `bins`, or write the statement in `sql`".to_owned(),
            Self::Lookup { .. } => {
                "list every value of the finest column in it once, with the values above it".to_owned()
            }
            Self::Refused { refusal, .. } => return Explained::hint(refusal),
            Self::Condition { .. } => "write one condition, such as age >= 18 AND region = 'north'".to_owned(),
            Self::Options { .. } => {
                "leave OPTIONS out; `weight`, `error` and `period` of the plan say what is wanted, and the catalog how much of \
                 a person counts"
                    .to_owned()
            }
            Self::SeveralScopes { .. } => "publish each population on its own: budgets are not mixed".to_owned(),
            Self::Currency { wanted, .. } => format!("write the budget in {wanted}"),
            Self::ErrorsTooSmall { .. } => "allow larger errors, or give the plan more budget".to_owned(),
            Self::Workload(error) => return error.hint(),
            Self::Parameter(error) => return error.hint(),
            Self::Start(error) => return error.hint(),
            Self::Ask(error) => return error.hint(),
            Self::Files(error) => return error.hint(),
            Self::Key(error) => return error.hint(),
            Self::Record(error) => return error.hint(),
            Self::Name { .. } => "use small letters, digits and underscores, such as adult_synthetic".to_owned(),
            Self::NeedsApproval => {
                "publish tables of counts with `pointillist release prepare`, which two people agree on".to_owned()
            }
            Self::ForeignTable => {
                "make a key with `pointillist release key`, then fit the table again: it is free, and signed".to_owned()
            }
            Self::Internal(_) => "please report this: it is a mistake of ours".to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Refused { refusal, .. } => refusal.kind(),
            Self::Workload(error) => error.kind(),
            Self::Parameter(error) => error.kind(),
            Self::Start(error) => error.kind(),
            Self::Ask(error) => error.kind(),
            Self::Files(error) => error.kind(),
            Self::Key(error) => error.kind(),
            Self::Record(error) => error.kind(),
            Self::Internal(_) => Kind::Environment,
            _ => Kind::Request,
        }
    }
}
