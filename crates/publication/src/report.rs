//! The page of a release: for people who were not there and know nothing of privacy.
//!
//! It begins with what was found, shows pictures before numbers, says in words how wrong a number may be and why, and ends
//! with how to check all of it. It stands alone: no script, no request, no other file. Everything on it was released or is
//! public, and whatever comes from keys or from the plan is escaped.

mod accounting;
mod figure;
mod numbers;
mod picture;
mod protection;
mod sampling;
mod uncertainty;

use pointillist_render::page::{Block, MadeBy, Page, Tone};

use crate::{Published, PublishedTable};

/// So many tables are on the page; the others are in their files.
const TABLES_MAX: usize = 24;

/// The page, as HTML.
pub(crate) fn page(published: &Published) -> String {
    let facts = &published.facts;
    let mut page = Page::new(facts.title.clone(), lead(published));
    let first = opening(published);
    if !first.is_empty() {
        page = page.section("", first);
    }
    for table in published.tables.iter().take(TABLES_MAX) {
        page = page.section(table.title.clone(), shown(table));
    }
    if published.tables.len() > TABLES_MAX {
        page = page.section("More tables", rest(&published.tables[TABLES_MAX..]));
    }
    let page = page
        .section("How wrong may these numbers be?", uncertainty::blocks(published))
        .section("Noise for privacy beside the play of chance", sampling::blocks(published))
        .section("What is protected, and what is not", protection::blocks(facts))
        .section("What it cost, by every account", accounting::blocks(facts))
        .section("How to check it", checking(published))
        .section("Licence and citation", licence(published))
        .section("The plan", vec![Block::text(PLAN), Block::Code(facts.plan_text.clone())]);
    let command = "pointillist release PLAN.toml -o FOLDER".to_owned();
    page.to_html(&MadeBy { command, date: facts.released_on.clone() })
}

const PLAN: &str = "What was asked for, word for word. It was fixed before anything was measured.";

fn lead(published: &Published) -> String {
    let tables = match published.tables.len() {
        1 => "A table".to_owned(),
        more => format!("{more} tables"),
    };
    let agree = if published.tables.len() > 1 { ", and tables that count the same rows agree" } else { "" };
    format!(
        "{tables} to see the picture by, never the dot: every number has a little noise on purpose, so that nobody can be \
         sure from it whether any one person is in the data{agree}."
    )
}

fn opening(published: &Published) -> Vec<Block> {
    let facts = &published.facts;
    let mut blocks = Vec::new();
    if let Some(day) = &facts.not_before {
        let text = format!("Embargo: not to be shown to others before {day}.");
        blocks.push(Block::verdict(Tone::Alarm, text));
    }
    if let Some(description) = &facts.description {
        blocks.push(Block::text(description.clone()));
    }
    blocks
}

/// One table: picture, numbers, what to know, why it was measured as it was.
fn shown(table: &PublishedTable) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(table.description.clone().map(Block::text));
    blocks.extend(picture::blocks(table));
    blocks.extend(numbers::blocks(table));
    if !table.notes.is_empty() {
        blocks.push(Block::text(table.notes.join("\n")));
    }
    blocks.push(uncertainty::method(table));
    blocks
}

fn rest(tables: &[PublishedTable]) -> Vec<Block> {
    let rows = tables
        .iter()
        .map(|table| vec![table.title.clone(), table.rows.len().to_string(), format!("{}.csv", table.name)]);
    let head = ["table", "rows", "file"].map(str::to_owned).to_vec();
    vec![
        Block::text("This page would be too long with all of them. They are in the files beside it."),
        Block::Table { head, rows: rows.collect() },
    ]
}

const CHECKING: &str = "The statement release.json names every file with its digest, and is signed. The first command \
    checks the signature and every digest with the owner's public key, and needs nothing else; the second also looks into the owner's \
    ledger, which has the payment and the numbers in a chain of records.";

fn checking(published: &Published) -> Vec<Block> {
    let facts = &published.facts;
    let commands = "pointillist release verify FOLDER --key OWNERS.pub\npointillist release verify FOLDER --catalog pointillist.toml";
    let receipt = &facts.receipt;
    let mut rows = vec![
        ("payment", format!("record {} of the ledger", receipt.seq)),
        ("chain at the payment", receipt.hash.clone()),
        ("numbers", format!("record {} of the ledger", receipt.release_seq)),
        ("chain at the numbers", receipt.release_hash.clone()),
        ("digest of the plan and its words", facts.plan_digest.clone()),
        ("software", facts.software.clone()),
    ];
    rows.extend(
        facts
            .data
            .iter()
            .filter(|data| !data.version.is_empty())
            .map(|data| ("data", format!("{}, version {}", data.table, data.version))),
    );
    rows.extend(facts.prepared_by.clone().map(|who| ("prepared by", who)));
    rows.extend(facts.approved_by.clone().map(|who| ("approved by", who)));
    vec![Block::text(CHECKING), Block::Code(commands.to_owned()), Block::facts(rows), files(published)]
}

fn files(published: &Published) -> Block {
    let mut rows: Vec<[String; 2]> = vec![];
    for table in published.tables.iter().take(TABLES_MAX) {
        rows.push([format!("{0}.csv, {0}.parquet", table.name), table.title.clone()]);
    }
    if published.tables.len() > TABLES_MAX {
        rows.push(["…".to_owned(), format!("{} tables more", published.tables.len() - TABLES_MAX)]);
    }
    for (name, what) in [
        ("codebook.csv", "every column: type, meaning, values"),
        ("csv-metadata.json", "the same for programs (CSV on the Web)"),
        ("release.json", "what is protected, how, at what price; the digest of every file"),
    ] {
        rows.push([name.to_owned(), what.to_owned()]);
    }
    Block::Table {
        head: ["file", "what"].map(str::to_owned).to_vec(),
        rows: rows.into_iter().map(Vec::from).collect(),
    }
}

fn licence(published: &Published) -> Vec<Block> {
    let facts = &published.facts;
    let mut rows = vec![("released on", facts.released_on.clone())];
    rows.push((
        "licence",
        facts.licence.clone().unwrap_or_else(|| "none is declared: ask before you use it".to_owned()),
    ));
    rows.extend(facts.citation.clone().map(|citation| ("cite as", citation)));
    rows.extend(facts.contact.clone().map(|contact| ("contact", contact)));
    if !facts.keywords.is_empty() {
        rows.push(("keywords", facts.keywords.join(", ")));
    }
    vec![Block::facts(rows)]
}

#[cfg(test)]
mod tests;
