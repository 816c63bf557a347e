//! What the records say about releases: plans that wait, approvals and what used them, statements that were published.
//!
//! **Guarantee.** An approval names a plan that somebody else has prepared, and is used once: by the payment whose
//! request is that plan, or by a publication of it, whichever comes first. A payment uses it whether or not the numbers
//! ever come, so that nothing is paid twice with one approval. Whoever prepares the same plan again begins anew: an
//! approval of what was prepared before counts no more.

use std::collections::{HashMap, HashSet};

use crate::Digest;
use crate::record::{Approval, Preparation, Publication};

#[derive(Default)]
pub(crate) struct Publications {
    /// By plan; as it was prepared last.
    prepared: HashMap<Digest, PreparedPlan>,
    published: Vec<PublishedStatement>,
    statements: HashSet<Digest>,
}

/// A plan that somebody has prepared, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedPlan {
    /// The number of the record.
    pub seq: u64,
    /// What was prepared, and by whom.
    pub preparation: Preparation,
    /// Who has approved it.
    pub approved_by: Option<String>,
    /// The payment or the publication that has used the approval.
    pub used_by: Option<u64>,
}

/// A statement that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedStatement {
    /// The number of the record.
    pub seq: u64,
    /// What was published.
    pub publication: Publication,
}

impl PreparedPlan {
    /// Whether a payment may still be made with its approval.
    pub fn is_approved(&self) -> bool {
        self.approved_by.is_some() && self.used_by.is_none()
    }
}

impl Publications {
    pub fn enter_preparation(&mut self, seq: u64, preparation: &Preparation) {
        let prepared =
            PreparedPlan { seq, preparation: preparation.clone(), approved_by: None, used_by: None };
        self.prepared.insert(preparation.plan, prepared);
    }

    pub fn enter_approval(&mut self, approval: &Approval) -> Result<(), &'static str> {
        let prepared =
            self.prepared.get_mut(&approval.plan).ok_or("it approves a plan that nobody has prepared")?;
        if is_same_person(&prepared.preparation.who, &approval.who) {
            return Err("it approves a plan that the same person has prepared");
        }
        if prepared.approved_by.is_some() || prepared.used_by.is_some() {
            return Err("it approves a plan a second time");
        }
        prepared.approved_by = Some(approval.who.clone());
        Ok(())
    }

    /// A payment whose request is a plan uses what was prepared and approved for it.
    pub fn use_approval(&mut self, seq: u64, plan: &Digest) {
        if let Some(prepared) = self.prepared.get_mut(plan).filter(|prepared| prepared.used_by.is_none()) {
            prepared.used_by = Some(seq);
        }
    }

    pub fn enter_publication(&mut self, seq: u64, publication: &Publication) -> Result<(), &'static str> {
        if !self.statements.insert(publication.statement) {
            return Err("it publishes a statement that was published before");
        }
        self.use_approval(seq, &publication.plan);
        self.published.push(PublishedStatement { seq, publication: publication.clone() });
        Ok(())
    }

    pub fn prepared(&self, plan: &Digest) -> Option<&PreparedPlan> {
        self.prepared.get(plan)
    }

    pub fn published(&self) -> &[PublishedStatement] {
        &self.published
    }
}

/// Names that differ in case alone are one person's.
pub(crate) fn is_same_person(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
