//! A sanitized table, published: rows that everybody may ask about for ever, free and through every door.
//!
//! **Guarantee.** Only a file that the key of this home has signed is published, and only if the ledger has a payment of its number, its
//! population and its price, with numbers that were released for it; which numbers those are is not looked up: the home's own signature
//! stands for that. An embargo of the same numbers holds for whatever else is made of them. The folder is a release like every other: one signed statement that names each file with its digest, and a record of
//! its publication in the ledger. The rows are a function of the released numbers, so that verifying the release with its home
//! makes them again and compares.
//! **Price.** Nothing: everything here is post-processing of what was paid for.

use std::path::Path;

use pointillist_curator::{AskError, Clock, FittedTable, Home, StartError};
use pointillist_ledger::record::Publication;
use pointillist_ledger::{Digest, Entry, PublishError, Record};
use pointillist_privacy::Price;
use pointillist_render::page::MadeBy;
use serde::Serialize;

use crate::files::{Charged, Draft, FileBytes, Listed, STATEMENT, charged, json, parquet_of_batch};
use crate::named_rows::NamedRows;
use crate::plan_file::release_complaint;
use crate::publish::{hash_at, held_back, reserve_at};
use crate::sanitized_file::SanitizedFile;
use crate::sanitized_report::SanitizedReport;
use crate::verify::{Statement, Trusted};
use crate::{
    KeyOrigin, ModelFileError, ModelSigner, PublicationError, PublishOptions, ReleaseKey, SOFTWARE,
    statement_digest,
};

/// The table's name behind that of its release.
pub const SANITIZED_TABLE: &str = "rows";
/// The file with the released numbers.
const MODEL: &str = "table.json";
/// The format of `release.json`, which verifiers know.
const FORMAT: &str = "pointillist-release-1";
/// What the plan of such a release is.
pub(crate) const KIND: &str = "sanitized table";

#[derive(Serialize)]
struct SanitizedStatement<'a> {
    format: &'static str,
    kind: &'static str,
    name: &'a str,
    title: String,
    released_on: &'a str,
    not_before: Option<&'a str>,
    protection: Protection<'a>,
    charged: Charged,
    software: &'a str,
    plan_digest: String,
    plan: &'a str,
    receipt: Receipt,
    tables: [TableJson; 1],
    files: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Protection<'a> {
    scope: &'a str,
    unit: &'a str,
    neighbours: &'static str,
    model: &'static str,
}

#[derive(Serialize)]
struct Receipt {
    seq: u64,
    hash: String,
    release_seq: u64,
    release_hash: String,
}

#[derive(Serialize)]
struct TableJson {
    name: &'static str,
    rows: u64,
    method: String,
    columns: Vec<String>,
}

/// Publishes a sanitized table under a name, into a folder that is not there yet.
///
/// # Errors
/// When the file was not signed here, the ledger does not know it, releases need an approval, or the folder cannot be written.
pub fn publish_sanitized(
    home: &Home,
    file: &SanitizedFile,
    name: &str,
    folder: &Path,
    options: &PublishOptions,
) -> Result<FittedTable, PublicationError> {
    if let Some(what) = release_complaint(name) {
        return Err(PublicationError::Name { name: name.to_owned(), what });
    }
    if home.catalog.releases.need_approval() {
        return Err(PublicationError::NeedsApproval);
    }
    let draft = Draft::open(folder)?;
    let key = ReleaseKey::of(home)?;
    match file.signer(Trusted { key: None, home: Some(home) }) {
        Ok(ModelSigner::Holder(_, KeyOrigin::Home)) => {}
        Ok(_) => return Err(PublicationError::ForeignTable),
        Err(ModelFileError::Key(error)) => return Err(error.into()),
        Err(_) => return Err(PublicationError::ForeignTable),
    }
    let curator = home.curator(Clock::Immediate)?;
    let history = curator.ledger().history().map_err(StartError::from)?;
    let (receipt, price) = paid(file, &history, &curator)?;
    let options = &held_back(&curator, receipt.seq, options)?;
    let fitted =
        file.fitted().map_err(|_| PublicationError::Internal("numbers that are not of their columns"))?;
    let plan = plan_digest(file);
    let mut files = table_files(file, &fitted)?;
    let report = SanitizedReport::new(file, &fitted).page().to_html(&MadeBy {
        command: format!("pointillist synth publish {MODEL} --name {name}"),
        date: options.released_on.clone(),
    });
    files.push(FileBytes::new("report.html", report));
    let reserve_seq = receipt.seq;
    let statement = json(&SanitizedStatement {
        format: FORMAT,
        kind: KIND,
        name,
        title: format!("Made-up rows that resemble {}", file.privacy().tables),
        released_on: &options.released_on,
        not_before: options.not_before.as_deref(),
        protection: Protection {
            scope: &file.privacy().scope,
            unit: &file.privacy().protects,
            neighbours: "data sets that differ in everything that one of these contributed: added, or removed",
            model: match price.currency() {
                pointillist_privacy::Currency::Zcdp => "zcdp",
                pointillist_privacy::Currency::Pure => "pure",
            },
        },
        charged: charged(&price),
        software: SOFTWARE,
        plan_digest: plan.to_string(),
        plan: file.sql(),
        receipt,
        tables: [TableJson {
            name: SANITIZED_TABLE,
            rows: fitted.row_count(),
            method: file.table().recipe().recipe.method.to_string(),
            columns: fitted.columns().iter().map(|column| column.name.clone()).collect(),
        }],
        files: files.iter().map(Listed::of).collect(),
    });
    let record = Publication {
        reserve_seq,
        name: name.to_owned(),
        plan,
        statement: statement_digest(&statement),
        not_before: options.not_before.clone(),
    };
    let signatures = key.files(&statement).map(|(name, text)| FileBytes::new(name, text));
    files.push(FileBytes::new(STATEMENT, statement));
    files.extend(signatures);
    match curator.ledger().publish(record) {
        Ok(_) | Err(PublishError::Published { .. }) => {}
        Err(error) => return Err(PublicationError::Record(error)),
    }
    draft.finish(&files, &options.released_on)?;
    Ok(fitted)
}

/// What identifies what is published: the statement that asked, and everything that was released for it.
fn plan_digest(file: &SanitizedFile) -> Digest {
    let measured = file.table().measured().to_bytes();
    Digest::of("pointillist sanitized table", &[file.sql().as_bytes(), &measured])
}

/// The rows as CSV and as Parquet, and the numbers that they were made of.
fn table_files(file: &SanitizedFile, fitted: &FittedTable) -> Result<Vec<FileBytes>, PublicationError> {
    let no_table = || PublicationError::Internal("rows that are no table");
    let rows = NamedRows::of(fitted, None).ok_or_else(no_table)?;
    let parquet = parquet_of_batch(rows.batch()).map_err(|_| no_table())?;
    Ok(vec![
        FileBytes::new(format!("{SANITIZED_TABLE}.csv"), rows.csv()),
        FileBytes::new(format!("{SANITIZED_TABLE}.parquet"), parquet),
        FileBytes::new(MODEL, file.text()),
    ])
}

/// Where the ledger has a table, and what was paid for it.
fn paid(
    file: &SanitizedFile,
    history: &[(Entry, Digest)],
    curator: &pointillist_curator::Curator,
) -> Result<(Receipt, Price), PublicationError> {
    let unknown = || PublicationError::ForeignTable;
    let seq = file.receipt().seq.ok_or_else(unknown)?;
    let reserve = reserve_at(history, seq).filter(|reserve| reserve.asked.scope == file.receipt().scope);
    let reserve = reserve.ok_or_else(unknown)?;
    let released = history.iter().find(|(entry, _)| match &entry.record {
        Record::Release(release) => release.reserve_seq == seq,
        _ => false,
    });
    let release_seq = released.map(|(entry, _)| entry.seq).ok_or_else(unknown)?;
    let hash = |seq: u64| hash_at(history, seq).ok_or_else(unknown);
    let receipt = Receipt { seq, hash: hash(seq)?, release_seq, release_hash: hash(release_seq)? };
    let scope = curator.catalog().paying_scope(&reserve.asked.scope).ok_or(AskError::Failed)?;
    let price = Price::from_units(scope.budget.currency(), reserve.cost).ok_or_else(unknown)?;
    // A ledger that was begun anew has other payments under the numbers of the old one.
    let (cost, loss) = (&file.privacy().cost, price.amount().loss().to_string());
    let said = [&cost["rho"], &cost["epsilon"]].into_iter().find_map(|amount| amount.as_str());
    if said != Some(loss.as_str()) {
        return Err(unknown());
    }
    Ok((receipt, price))
}

/// Whether the rows of a published table are those of the signed numbers beside them; `None` where the statement is of another kind of release.
pub(crate) fn rows_are_of_their_numbers(statement: &Statement, folder: &Path) -> Option<bool> {
    if statement.json["kind"] != KIND {
        return None;
    }
    let again = || {
        let file = SanitizedFile::read(&folder.join(MODEL)).ok()?;
        let fitted = file.fitted().ok()?;
        let made = table_files(&file, &fitted).ok()?;
        let is_listed = |made: &FileBytes| {
            statement.files.iter().any(|listed| listed.path == made.name && listed.sha256 == made.digest())
        };
        Some(plan_digest(&file) == statement.plan && made.iter().all(is_listed))
    };
    Some(again().unwrap_or(false))
}
