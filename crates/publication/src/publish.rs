//! Releases from the plan to the published tables: what they will be, and what they are once they are paid for.

use std::path::Path;

use pointillist_curator::{Clock, Curator, Home};
use pointillist_ledger::record::Publication;
use pointillist_ledger::{Digest, PublishError, Record};
use pointillist_privacy::Budget;

use crate::facts_of::facts;
use crate::planner::{self, Expected, Planned, PublicationError};
use crate::tables::tables;
use crate::{
    Draft, FileBytes, PlanFile, Published, ReleaseKey, STATEMENT, files_of, statement_digest, table_files,
};

/// Who releases, and from when on it may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishOptions {
    /// The day before which it is not to be shown, `2026-12-01`.
    pub not_before: Option<String>,
    /// The day on which it is made, `2026-11-16`.
    pub released_on: String,
}

/// What a release would be; free, and nobody's rows are read.
///
/// # Errors
/// When the plan cannot be carried out.
pub fn explain(home: &Home, file: &PlanFile) -> Result<Expected, PublicationError> {
    let planned = planned(home, file)?;
    let reader = home.reader().map_err(pointillist_curator::StartError::from)?;
    let balance = reader.and_then(|reader| reader.balance(planned.publication.scope()));
    let remaining = balance.and_then(|balance| {
        let granted = balance.budget()?;
        Some(Budget { amount: granted.amount.minus(balance.spent), ..granted })
    });
    Ok(planned.expected(remaining))
}

fn planned(home: &Home, file: &PlanFile) -> Result<Planned, PublicationError> {
    let lookup = |table: &str, columns: &[String]| Ok(home.public_values(table, columns)?);
    planner::plan(&home.catalog, file, &lookup)
}

/// A release that is planned, with the digest that approvals name.
pub struct Prepared {
    pub(crate) planned: Planned,
    /// What identifies the plan as it would be carried out: with its price, and the versions of the data.
    pub digest: Digest,
}

/// Plans a release for a curator that may carry it out.
///
/// # Errors
/// When the plan cannot be carried out.
pub fn prepare(home: &Home, curator: &Curator, file: &PlanFile) -> Result<Prepared, PublicationError> {
    let planned = planned(home, file)?;
    let digest = curator.plan_digest(&planned.publication, &file.text)?;
    Ok(Prepared { planned, digest })
}

/// Buys, computes and records a release, and puts its tables together.
///
/// # Errors
/// Before the debit when the plan cannot be carried out, is not approved or costs too much; after it, one constant failure.
pub fn publish(
    home: &Home,
    curator: &Curator,
    file: &PlanFile,
    options: &PublishOptions,
) -> Result<Published, PublicationError> {
    let Prepared { planned, digest } = prepare(home, curator, file)?;
    let (numbers, at) = curator.publish(planned.publication.clone(), &file.text)?;
    let tables = tables(curator.catalog(), file, &planned, &numbers)?;
    let facts = facts(curator, file, options, &planned, digest, at)?;
    Ok(Published { facts, tables, is_repeat: at.is_repeat })
}

/// The files of a release's tables, from what the ledger has recorded; nothing where it was never made, or where the catalog
/// is about other versions of the data by now. Nothing is paid or written.
///
/// # Errors
/// When the plan cannot be carried out any more, or data cannot be opened.
pub fn recorded_files(
    home: &Home,
    curator: &Curator,
    file: &PlanFile,
) -> Result<Option<Vec<FileBytes>>, PublicationError> {
    let planned = planned(home, file)?;
    let Some(numbers) = curator.recorded_publication(planned.publication.clone())? else { return Ok(None) };
    Ok(Some(table_files(&tables(curator.catalog(), file, &planned, &numbers)?)?))
}

/// Publishes into a folder: files, statement, signature; then writes the statement's digest into the ledger.
///
/// # Errors
/// As [`publish`], and when the folder is not empty or cannot be written: that is looked at before anything is paid.
pub fn release(
    home: &Home,
    file: &PlanFile,
    folder: &Path,
    options: &PublishOptions,
) -> Result<Published, PublicationError> {
    let draft = Draft::open(folder)?;
    let key = ReleaseKey::of(home)?;
    let curator = home.curator(Clock::Immediate)?;
    let options = &with_embargo(home, &curator, file, options)?;
    let published = publish(home, &curator, file, options)?;
    let mut files = files_of(&published)?;
    let statement = files.last().filter(|last| last.name == STATEMENT).map(|last| last.bytes.clone());
    let statement = statement.ok_or(PublicationError::Internal("files without a statement"))?;
    files.extend(key.files(&statement).map(|(name, text)| FileBytes::new(name, text)));
    let record = Publication {
        reserve_seq: published.facts.receipt.seq,
        name: published.facts.name.clone(),
        plan: Digest::from_hex(&published.facts.plan_digest)
            .ok_or(PublicationError::Internal("a plan without a digest"))?,
        statement: statement_digest(&statement),
        not_before: options.not_before.clone(),
    };
    // The record first: a folder that the ledger does not know would not verify, and a record without its folder is
    // repaired by releasing again, which is free.
    match curator.ledger().publish(record) {
        Ok(_) | Err(PublishError::Published { .. }) => {}
        Err(error) => return Err(PublicationError::Record(error)),
    }
    draft.finish(&files, &options.released_on)?;
    Ok(published)
}

/// The embargo of numbers that were released before holds for whatever else is made of them, until its day has come.
fn with_embargo(
    home: &Home,
    curator: &Curator,
    file: &PlanFile,
    options: &PublishOptions,
) -> Result<PublishOptions, PublicationError> {
    let planned = planned(home, file)?;
    let Some(seq) = curator.reserve_of(&planned.publication)? else { return Ok(options.clone()) };
    held_back(curator, seq, options)
}

/// The same options with the embargo of whatever else was made of this payment's numbers.
pub(crate) fn held_back(
    curator: &Curator,
    reserve_seq: u64,
    options: &PublishOptions,
) -> Result<PublishOptions, PublicationError> {
    let published = curator.ledger().published().map_err(pointillist_curator::AskError::from)?;
    let earlier = published.iter().filter(|one| one.publication.reserve_seq == reserve_seq);
    let held_until = earlier.filter_map(|one| one.publication.not_before.clone());
    // Days compare as texts.
    let not_before =
        held_until.filter(|day| *day > options.released_on).chain(options.not_before.clone()).max();
    Ok(PublishOptions { not_before, ..options.clone() })
}

impl Prepared {
    /// What it would cost.
    pub fn price(&self) -> pointillist_privacy::Price {
        self.planned.publication.price()
    }
}

/// The hash of the chain with a record included.
pub(crate) fn hash_at(history: &[(pointillist_ledger::Entry, Digest)], seq: u64) -> Option<String> {
    history.iter().find(|(entry, _)| entry.seq == seq).map(|(_, hash)| hash.to_string())
}

/// What a payment took.
pub(crate) fn reserve_at(
    history: &[(pointillist_ledger::Entry, Digest)],
    seq: u64,
) -> Option<&pointillist_ledger::record::Reserve> {
    history.iter().find(|(entry, _)| entry.seq == seq).and_then(|(entry, _)| match &entry.record {
        Record::Reserve(reserve) => Some(reserve),
        _ => None,
    })
}
