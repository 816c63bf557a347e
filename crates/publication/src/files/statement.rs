//! `release.json`: everything that a release says of itself, and the digest of every other file.
//!
//! **Exactness.** Numbers that carry a promise are decimals in text, as the ledger counts them or rounded up; nothing is
//! rounded again on the way to a reader.

use pointillist_privacy::{Currency, EpsilonDelta, Price};
use pointillist_render::decimals::{exact, long_upper};
use serde::Serialize;

use super::FileBytes;
use super::columns::{columns, type_word};
use crate::{Accounting, Published, PublishedTable, ReleaseFacts};

/// What this file is, for programs that will read it when there are others.
const FORMAT: &str = "pointillist-release-1";

#[derive(Serialize)]
struct Statement<'a> {
    format: &'static str,
    name: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    licence: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    citation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<&'a str>,
    keywords: &'a [String],
    released_on: &'a str,
    not_before: Option<&'a str>,
    protection: Protection<'a>,
    charged: Charged,
    accounting: AccountingJson,
    measured: Vec<MeasuredJson<'a>>,
    data: Vec<Data<'a>>,
    software: &'a str,
    plan_digest: &'a str,
    plan: &'a str,
    receipt: Receipt<'a>,
    earlier: Vec<Earlier<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prepared_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<&'a str>,
    tables: Vec<TableJson<'a>>,
    files: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Protection<'a> {
    scope: &'a str,
    unit: &'a str,
    neighbours: &'a str,
    model: &'static str,
}

/// A price: for readers as decimals, and in the units that the ledger counts in, which a verifier compares.
#[derive(Serialize)]
pub(crate) struct Charged {
    currency: &'static str,
    loss: String,
    delta: String,
    loss_units: String,
    delta_units: String,
}

#[derive(Serialize)]
struct EpsilonDeltaJson {
    epsilon: String,
    delta: String,
}

#[derive(Serialize)]
struct AccountingJson {
    tight: Option<EpsilonDeltaJson>,
    by_ledger_rule: Option<EpsilonDeltaJson>,
    sum_of_parts: Charged,
    groups: Vec<GroupJson>,
    event_level_factor: Option<f64>,
}

#[derive(Serialize)]
struct GroupJson {
    size: u64,
    epsilon: String,
    delta: String,
}

#[derive(Serialize)]
struct MeasuredJson<'a> {
    what: &'a str,
    mechanism: &'a str,
    scale: &'a str,
    sensitivity: &'a str,
    price: &'a str,
    grid: &'a str,
}

#[derive(Serialize)]
struct Data<'a> {
    table: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct Receipt<'a> {
    seq: u64,
    hash: &'a str,
    release_seq: u64,
    release_hash: &'a str,
}

#[derive(Serialize)]
struct Earlier<'a> {
    seq: u64,
    released_on: &'a str,
    charged: Charged,
    together: Charged,
}

#[derive(Serialize)]
struct TableJson<'a> {
    name: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    sql: &'a str,
    rows: usize,
    columns: Vec<ColumnJson>,
    method: &'a str,
    strategies: Vec<Strategy<'a>>,
    notes: &'a [String],
    files: [String; 2],
}

#[derive(Serialize)]
struct ColumnJson {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    description: String,
}

#[derive(Serialize)]
struct Strategy<'a> {
    name: &'a str,
    expected_error: f64,
    is_chosen: bool,
}

/// A file and its digest.
#[derive(Serialize)]
pub(crate) struct Listed<'a> {
    path: &'a str,
    bytes: usize,
    sha256: String,
}

/// The statement; `files` are all others of its folder.
pub(super) fn statement(published: &Published, files: &[FileBytes]) -> Vec<u8> {
    let facts = &published.facts;
    json(&Statement {
        format: FORMAT,
        name: &facts.name,
        title: &facts.title,
        description: facts.description.as_deref(),
        licence: facts.licence.as_deref(),
        citation: facts.citation.as_deref(),
        contact: facts.contact.as_deref(),
        keywords: &facts.keywords,
        released_on: &facts.released_on,
        not_before: facts.not_before.as_deref(),
        protection: Protection {
            scope: &facts.scope,
            unit: &facts.unit,
            neighbours: &facts.neighbours,
            model: match facts.accounting.charged.currency() {
                Currency::Zcdp => "zcdp",
                Currency::Pure => "pure",
            },
        },
        charged: charged(&facts.accounting.charged),
        accounting: accounting(&facts.accounting),
        measured: measured(facts),
        data: facts.data.iter().map(|data| Data { table: &data.table, version: &data.version }).collect(),
        software: &facts.software,
        plan_digest: &facts.plan_digest,
        plan: &facts.plan_text,
        receipt: Receipt {
            seq: facts.receipt.seq,
            hash: &facts.receipt.hash,
            release_seq: facts.receipt.release_seq,
            release_hash: &facts.receipt.release_hash,
        },
        earlier: earlier(facts),
        prepared_by: facts.prepared_by.as_deref(),
        approved_by: facts.approved_by.as_deref(),
        tables: published.tables.iter().map(table).collect(),
        files: files.iter().map(Listed::of).collect(),
    })
}

impl<'a> Listed<'a> {
    pub(crate) fn of(file: &'a FileBytes) -> Self {
        Self { path: &file.name, bytes: file.bytes.len(), sha256: file.sha256() }
    }
}

/// JSON for people too: indented, with a line end at its end.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("texts, numbers and lists are JSON");
    bytes.push(b'\n');
    bytes
}

pub(crate) fn charged(price: &Price) -> Charged {
    let amount = price.amount();
    Charged {
        currency: match price.currency() {
            Currency::Zcdp => "rho",
            Currency::Pure => "epsilon",
        },
        loss: amount.loss().to_string(),
        delta: exact(&amount.delta()),
        loss_units: amount.loss_units.to_string(),
        delta_units: amount.delta_units.to_string(),
    }
}

fn epsilon_delta(said: &EpsilonDelta) -> EpsilonDeltaJson {
    EpsilonDeltaJson { epsilon: long_upper(said.epsilon.value()), delta: exact(said.delta.value()) }
}

fn accounting(accounting: &Accounting) -> AccountingJson {
    AccountingJson {
        tight: accounting.tight.as_ref().map(epsilon_delta),
        by_ledger_rule: accounting.by_filter.as_ref().map(epsilon_delta),
        sum_of_parts: charged(&accounting.sum_of_parts),
        groups: accounting
            .groups
            .iter()
            .map(|group| GroupJson {
                size: group.size,
                epsilon: group.epsilon.to_string(),
                delta: group.delta.to_string(),
            })
            .collect(),
        event_level_factor: accounting.event_level_factor,
    }
}

fn measured(facts: &ReleaseFacts) -> Vec<MeasuredJson<'_>> {
    facts
        .measured
        .iter()
        .map(|measured| MeasuredJson {
            what: &measured.what,
            mechanism: &measured.mechanism,
            scale: &measured.scale,
            sensitivity: &measured.sensitivity,
            price: &measured.price,
            grid: &measured.grid,
        })
        .collect()
}

fn earlier(facts: &ReleaseFacts) -> Vec<Earlier<'_>> {
    facts
        .earlier
        .iter()
        .map(|release| Earlier {
            seq: release.seq,
            released_on: &release.released_on,
            charged: charged(&release.charged),
            together: charged(&release.together),
        })
        .collect()
}

fn table(table: &PublishedTable) -> TableJson<'_> {
    TableJson {
        name: &table.name,
        title: &table.title,
        description: table.description.as_deref(),
        sql: &table.sql,
        rows: table.rows.len(),
        columns: columns(table)
            .into_iter()
            .map(|column| ColumnJson {
                name: column.name,
                kind: type_word(column.kind),
                role: column.role.word(),
                description: column.meaning,
            })
            .collect(),
        method: &table.method,
        strategies: table
            .strategies
            .iter()
            .map(|line| Strategy {
                name: &line.name,
                expected_error: line.expected_error,
                is_chosen: line.is_chosen,
            })
            .collect(),
        notes: &table.notes,
        files: [format!("{}.csv", table.name), format!("{}.parquet", table.name)],
    }
}
