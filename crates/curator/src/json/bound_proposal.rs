//! Proposed bounds, what they cost and what is left.

use serde::{Serialize, Serializer};

use super::reply::AccountJson;
use crate::bound_proposal::{BoundProposal, ProposedBound};

#[derive(Serialize)]
struct BoundProposalJson<'a> {
    table: &'a str,
    column: Option<&'a str>,
    bounds: &'a [ProposedBound],
    threshold: i64,
    toml: Option<&'a str>,
    notes: &'a [String],
    #[serde(flatten)]
    account: AccountJson<'a>,
}

impl Serialize for BoundProposal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BoundProposalJson {
            table: &self.table,
            column: self.column.as_deref(),
            bounds: &self.bounds,
            threshold: self.threshold,
            toml: self.toml.as_deref(),
            notes: &self.notes,
            account: AccountJson::new(&self.reply),
        }
        .serialize(serializer)
    }
}
