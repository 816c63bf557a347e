//! What is written down about releases of whole tables: who prepared and approved one, and what was published.

use super::{Ledger, check_name};
use crate::book::is_same_person;
use crate::record::{Approval, Preparation, Publication, Record};
use crate::{ApprovalError, Digest, LedgerError, PreparedPlan, PublishError, PublishedStatement, Recorded};

impl Ledger {
    /// Writes down that somebody wants a plan to be carried out. An approval of what was prepared before counts no more.
    ///
    /// # Errors
    /// When a name cannot be written down, or the ledger has stopped.
    pub fn prepare(&self, preparation: Preparation) -> Result<Recorded, ApprovalError> {
        check_name("name of the release", &preparation.name)?;
        check_name("name of the preparer", &preparation.who)?;
        Ok(self.write_down(Record::Preparation(preparation), |_| Ok::<_, LedgerError>(()))?)
    }

    /// Writes down that somebody else agrees. Who may is for the caller to know.
    ///
    /// # Errors
    /// When nobody has prepared the plan, the same person has, it is approved or used already, or the ledger has stopped.
    pub fn approve(&self, approval: Approval) -> Result<Recorded, ApprovalError> {
        check_name("name of the approver", &approval.who)?;
        let Approval { plan, who } = approval.clone();
        self.write_down(Record::Approval(approval), move |book| {
            let prepared = book.publications().prepared(&plan).ok_or(ApprovalError::NotPrepared)?;
            if is_same_person(&prepared.preparation.who, &who) {
                return Err(ApprovalError::SamePerson { who });
            }
            if let Some(seq) = prepared.used_by {
                return Err(ApprovalError::Used { seq });
            }
            match &prepared.approved_by {
                Some(approver) => Err(ApprovalError::Approved { approver: approver.clone() }),
                None => Ok(()),
            }
        })
    }

    /// Writes down which statement was published about an answer.
    ///
    /// # Errors
    /// When the answer is not recorded, the statement was published before, a name cannot be written down, or the ledger
    /// has stopped.
    pub fn publish(&self, publication: Publication) -> Result<Recorded, PublishError> {
        check_name("name of the release", &publication.name)?;
        publication.not_before.as_deref().map_or(Ok(()), |day| check_name("day of the release", day))?;
        let wanted = publication.clone();
        self.write_down(Record::Publication(publication), move |book| {
            if !book.is_released(wanted.reserve_seq) {
                return Err(PublishError::NotReleased { reserve_seq: wanted.reserve_seq });
            }
            let mut published = book.publications().published().iter();
            match published.find(|one| one.publication.statement == wanted.statement) {
                Some(one) => Err(PublishError::Published { seq: one.seq }),
                None => Ok(()),
            }
        })
    }

    /// What was prepared last for this plan, and what became of it.
    ///
    /// # Errors
    /// When the ledger has stopped.
    pub fn prepared(&self, plan: &Digest) -> Result<Option<PreparedPlan>, LedgerError> {
        Ok(self.fresh()?.book.publications().prepared(plan).cloned())
    }

    /// Every statement that was published, the first one first.
    ///
    /// # Errors
    /// When the ledger has stopped.
    pub fn published(&self) -> Result<Vec<PublishedStatement>, LedgerError> {
        Ok(self.fresh()?.book.publications().published().to_vec())
    }
}
