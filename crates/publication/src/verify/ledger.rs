//! Where a ledger has a release: its payment, its numbers, its publication.

use pointillist_ledger::record::{Record, Release, Reserve};
use pointillist_ledger::{Digest, LedgerReader};

use super::{Statement, VerifyError};
use crate::statement_digest;

/// Where a ledger has a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InLedger {
    /// The payment.
    pub reserve_seq: u64,
    /// The numbers.
    pub release_seq: u64,
    /// The publication of the statement.
    pub publication_seq: u64,
}

/// Finds a statement in a ledger that was read as a whole and agrees with its anchor.
pub(super) fn find(
    statement: &Statement,
    bytes: &[u8],
    reader: &LedgerReader,
) -> Result<InLedger, VerifyError> {
    let refused = |problem| VerifyError::NotInLedger { problem };
    let (reserve_seq, release_seq) = (statement.paid.0, statement.released.0);
    let Some(Record::Reserve(Reserve { asked, cost })) = record(reader, statement.paid) else {
        return Err(refused("the record that it names as its payment is another one"));
    };
    let currency = reader.balance(&asked.scope).map(|balance| balance.currency);
    let is_price = currency == Some(statement.charged.currency()) && *cost == statement.charged.amount();
    if asked.scope != statement.scope || !is_price {
        return Err(refused("its payment was of another price, or from another budget"));
    }
    match record(reader, statement.released) {
        Some(Record::Release(Release { reserve_seq: paid, .. })) if *paid == reserve_seq => {}
        _ => return Err(refused("the record that it names as its numbers is another one")),
    }
    let digest = statement_digest(bytes);
    let mut published = reader.published().iter();
    let published = published.find(|one| one.publication.statement == digest);
    let published = published.ok_or(refused("no publication of this release.json is recorded"))?;
    let said = &published.publication;
    let is_same = (said.reserve_seq, &said.name, said.plan) == (reserve_seq, &statement.name, statement.plan)
        && said.not_before == statement.not_before;
    match is_same {
        true => Ok(InLedger { reserve_seq, release_seq, publication_seq: published.seq }),
        false => Err(refused("its publication is recorded under another name, plan, payment or day")),
    }
}

/// The record of this number, where the chain has this hash with it included.
fn record(reader: &LedgerReader, (seq, hash): (u64, Digest)) -> Option<&Record> {
    let index = usize::try_from(seq.checked_sub(1)?).ok()?;
    let (entry, head) = reader.history().get(index)?;
    (entry.seq == seq && *head == hash).then_some(&entry.record)
}
