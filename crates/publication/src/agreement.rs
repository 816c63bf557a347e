//! A plan from its file to what people agree about: prepared by one, approved by another. The rules are the curator's
//! (`pointillist_curator::approval`); here a plan becomes the digest that they are about.

use pointillist_curator::{AskError, Curator, Home, approval};
use pointillist_ledger::Digest;
use pointillist_ledger::record::{Approval, Preparation};
use pointillist_privacy::Price;
use serde_json::{Value, json};

use crate::{PlanFile, PublicationError, prepare};

/// What people agree about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The plan as it would be carried out now.
    pub plan: Digest,
    /// What it would cost.
    pub price: Price,
    /// The number of the record in the ledger.
    pub seq: u64,
}

impl Agreement {
    /// What was agreed, for scripts.
    pub fn to_json(&self) -> Value {
        json!({ "plan": self.plan.to_string(), "price": self.price.to_string(), "record": self.seq })
    }
}

/// Writes down that somebody wants this plan to be carried out as it is now. Costs nothing.
///
/// # Errors
/// When the plan cannot be carried out, or this person cannot prepare it.
pub fn prepare_as(
    home: &Home,
    curator: &Curator,
    file: &PlanFile,
    who: &str,
) -> Result<Agreement, PublicationError> {
    let prepared = prepare(home, curator, file)?;
    let (plan, price) = (prepared.digest, prepared.price());
    let preparation = Preparation { name: file.name.clone(), plan, price, who: who.to_owned() };
    let recorded = approval::prepare(&home.catalog, curator.ledger(), preparation).map_err(AskError::from)?;
    Ok(Agreement { plan, price, seq: recorded.seq })
}

/// Writes down that somebody approves this plan as it is now. Costs nothing.
///
/// # Errors
/// When the plan cannot be carried out, nobody else has prepared it as it is now, or this person cannot approve it.
pub fn approve_as(
    home: &Home,
    curator: &Curator,
    file: &PlanFile,
    who: &str,
) -> Result<Agreement, PublicationError> {
    let prepared = prepare(home, curator, file)?;
    let (plan, price) = (prepared.digest, prepared.price());
    let approves = Approval { plan, who: who.to_owned() };
    let recorded = approval::approve(&home.catalog, curator.ledger(), approves).map_err(AskError::from)?;
    Ok(Agreement { plan, price, seq: recorded.seq })
}
