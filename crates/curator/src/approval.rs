//! Four eyes: where the catalog names approvers, a release is prepared by one person and approved by another.
//!
//! **Guarantee.** Where `[releases] approvers` is declared, [`require_approval`] lets a plan through only if somebody has
//! prepared it as it is (tables, noise, price, versions of the data and all words: the digest of all of it), and somebody else, who is
//! an approver today, has approved that preparation. The approval is used once: by the payment, in the ledger, whether or
//! not the numbers ever come. A changed plan has another digest, and no approval.
//! **Not covered.** Who somebody is: names are what people say at the owner's machine, or whose token they show to the server,
//! and the ledger remembers what was said. Nor an owner who takes the approvers out of the catalog.

use pointillist_catalog::{Catalog, is_same_person, person_complaint};
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::record::{Approval, Preparation};
use pointillist_ledger::{ApprovalError, Ledger, PreparedPlan, Recorded};

/// Who stands behind a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approved {
    /// Who prepared it.
    pub prepared_by: String,
    /// Who approved it.
    pub approved_by: String,
}

/// Whether a plan may be paid for, and who stands behind it; nobody where the catalog names no approvers. `prepared` is
/// what the ledger has for the plan's digest. Ask before paying.
///
/// # Errors
/// When somebody has yet to prepare or to approve it.
pub fn require_approval(
    catalog: &Catalog,
    prepared: Option<&PreparedPlan>,
) -> Result<Option<Approved>, ApprovalRefusal> {
    let releases = &catalog.releases;
    if !releases.need_approval() {
        return Ok(None);
    }
    let Some(prepared) = prepared else {
        return Err(ApprovalRefusal::NotPrepared { approvers: releases.approvers.clone() });
    };
    let preparer = &prepared.preparation.who;
    if let Some(seq) = prepared.used_by {
        return Err(ApprovalRefusal::Used { seq });
    }
    match &prepared.approved_by {
        None => Err(ApprovalRefusal::NotApproved {
            preparer: preparer.clone(),
            approvers: others(catalog, preparer)?,
        }),
        Some(approver) if !releases.may_approve(approver) => {
            Err(ApprovalRefusal::NoApprover { who: approver.clone(), approvers: others(catalog, preparer)? })
        }
        Some(approver) if is_same_person(approver, preparer) => {
            Err(ApprovalRefusal::Ledger(ApprovalError::SamePerson { who: approver.clone() }))
        }
        Some(approver) => Ok(Some(Approved { prepared_by: preparer.clone(), approved_by: approver.clone() })),
    }
}

/// Writes down that somebody wants a plan to be carried out. Costs nothing.
///
/// # Errors
/// When releases need no approval, nobody else could give one, the name is none, or the ledger does not take it.
pub fn prepare(
    catalog: &Catalog,
    ledger: &Ledger,
    preparation: Preparation,
) -> Result<Recorded, ApprovalRefusal> {
    check_person(catalog, &preparation.who)?;
    others(catalog, &preparation.who)?;
    Ok(ledger.prepare(preparation)?)
}

/// Writes down that somebody approves what another person has prepared. Costs nothing.
///
/// # Errors
/// When this person may not approve, nobody else has prepared this plan as it is, it is approved or used already, or the
/// ledger does not take it.
pub fn approve(catalog: &Catalog, ledger: &Ledger, approval: Approval) -> Result<Recorded, ApprovalRefusal> {
    check_person(catalog, &approval.who)?;
    if !catalog.releases.may_approve(&approval.who) {
        let approvers = catalog.releases.approvers.clone();
        return Err(ApprovalRefusal::NoApprover { who: approval.who, approvers });
    }
    Ok(ledger.approve(approval)?)
}

fn check_person(catalog: &Catalog, who: &str) -> Result<(), ApprovalRefusal> {
    if !catalog.releases.need_approval() {
        return Err(ApprovalRefusal::NotNeeded);
    }
    match person_complaint(who) {
        Some(complaint) => Err(ApprovalRefusal::NoName { complaint }),
        None => Ok(()),
    }
}

/// Who may approve what this person has prepared.
fn others(catalog: &Catalog, preparer: &str) -> Result<Vec<String>, ApprovalRefusal> {
    let approvers = catalog.releases.approvers.iter();
    let others: Vec<String> = approvers.filter(|other| !is_same_person(other, preparer)).cloned().collect();
    match others.is_empty() {
        true => Err(ApprovalRefusal::NobodyElse { who: preparer.to_owned() }),
        false => Ok(others),
    }
}

/// A release that needs somebody's word first.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalRefusal {
    /// Nobody is to be asked.
    #[error("the catalog names nobody who approves releases, so that none needs an approval")]
    NotNeeded,
    /// No name of a person.
    #[error("the name of the person {complaint}")]
    NoName {
        /// What is wrong with it.
        complaint: &'static str,
    },
    /// The first step is missing.
    #[error("releases need an approval here, and nobody has prepared this one as it is now")]
    NotPrepared {
        /// Who may approve.
        approvers: Vec<String>,
    },
    /// The second step is missing.
    #[error("`{preparer}` has prepared this release, and nobody has approved it yet")]
    NotApproved {
        /// Who has prepared it.
        preparer: String,
        /// Who may approve it.
        approvers: Vec<String>,
    },
    /// Not one of them.
    #[error("`{who}` is none of those who approve releases")]
    NoApprover {
        /// Whose word does not count.
        who: String,
        /// Whose does.
        approvers: Vec<String>,
    },
    /// One person alone.
    #[error("`{who}` is the only person who may approve releases, and cannot approve their own")]
    NobodyElse {
        /// The preparer.
        who: String,
    },
    /// An approval pays once.
    #[error("the approval of this release was used in record {seq}")]
    Used {
        /// The payment or the publication.
        seq: u64,
    },
    /// What the ledger says.
    #[error(transparent)]
    Ledger(#[from] ApprovalError),
}

impl Explained for ApprovalRefusal {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotNeeded => "release it, or name approvers in the catalog".to_owned(),
            Self::NoName { .. } => "write a name of letters, digits and any of `_-.@`".to_owned(),
            Self::NotPrepared { approvers } => {
                format!("prepare it, and let somebody else approve it: {}", one_of(approvers))
            }
            Self::NotApproved { approvers, .. } | Self::NoApprover { approvers, .. } => {
                format!("let it be approved by {}", one_of(approvers))
            }
            Self::NobodyElse { .. } => {
                "let somebody else prepare it, or name another approver in the catalog".to_owned()
            }
            Self::Used { .. } => {
                "prepare it again and let it be approved again: every payment needs an approval of its own"
                    .to_owned()
            }
            Self::Ledger(error) => return error.hint(),
        })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::NotNeeded | Self::NoName { .. } => Kind::Request,
            Self::Ledger(error) => error.kind(),
            _ => Kind::Refused,
        }
    }
}

fn one_of(people: &[String]) -> String {
    people.join(" or ")
}

#[cfg(test)]
mod tests;
