//! What the owner says about releases: where they lie, and who must have agreed to one before it is paid for.

use crate::name;

/// `[releases]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    /// The folder of releases that can be asked about like public tables, relative to the catalog's.
    pub folder: Option<String>,
    /// Who may approve a release; where this is empty, none needs an approval.
    pub approvers: Vec<String>,
}

impl Releases {
    /// Whether a release needs to be prepared by one person and approved by another.
    pub fn need_approval(&self) -> bool {
        !self.approvers.is_empty()
    }

    /// Whether this person may approve what others have prepared.
    pub fn may_approve(&self, person: &str) -> bool {
        self.approvers.iter().any(|approver| is_same_person(approver, person))
    }
}

/// Whether two names are one person's: `Bo` who approves what `bo` has prepared is nobody else.
pub fn is_same_person(one: &str, other: &str) -> bool {
    name::folded(one) == name::folded(other)
}

/// What is wrong with the name of somebody who prepares or approves, if anything.
pub fn person_complaint(person: &str) -> Option<&'static str> {
    name::analyst_complaint(person)
}
