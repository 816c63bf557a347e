//! Plans and releases in a few lines, and as JSON: the same behind every door.

use pointillist_curator::json::{AmountJson, CostJson};
use pointillist_curator::words::{QuoteLine, amount_lower, amount_upper};
use pointillist_curator::{Home, List};
use pointillist_ledger::{LedgerReader, OpenError, PublishedStatement, Record};
use pointillist_privacy::{Amount, Currency, EpsilonDelta, Price};
use pointillist_render::decimals::{exact, grouped_count, long_upper, percent, short_upper, significant};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Expected, ExpectedTable, PlanFile, Published};

impl Expected {
    /// The tables, one a row.
    pub fn list(&self) -> List {
        let row = |table: &ExpectedTable| {
            vec![
                table.name.clone(),
                table.cells.map_or_else(|| "as earned".to_owned(), grouped_count),
                table
                    .error_95
                    .map_or_else(|| "depends".to_owned(), |error| format!("± {}", significant(error))),
                percent(table.price_share),
                way(table),
            ]
        };
        List {
            headings: &["table", "cells", "error (95 %)", "of the price", "measured as"],
            rows: self.tables.iter().map(row).collect(),
        }
    }

    /// What it costs and means.
    pub fn lines(&self) -> Vec<QuoteLine> {
        let line = |name, text| QuoteLine { name, text };
        let mut lines = vec![line("price", price(&self.charged, self.by_filter.as_ref()))];
        lines.extend(self.tight.as_ref().map(|tight| line("promise", promise(tight))));
        let apart = price(&self.sum_of_parts, None);
        lines.push(line("apart", format!("{apart} if every part were paid for on its own")));
        lines.push(line(
            "budget",
            match &self.remaining {
                Some(left) => {
                    format!("`{}` has {} left", self.scope, amount_lower(left.currency, left.amount))
                }
                None => format!("of `{}`, of which nothing is spent yet", self.scope),
            },
        ));
        lines.extend(self.notes.iter().map(|note| line("note", note.clone())));
        lines
    }

    /// The same for scripts.
    pub fn to_json(&self, plan: &PlanFile) -> Value {
        let table = |table: &ExpectedTable| {
            let strategies: Vec<Value> = table
                .strategies
                .iter()
                .map(|line| json!({ "name": line.name, "expected_error": line.expected_error, "is_chosen": line.is_chosen }))
                .collect();
            json!({
                "name": table.name, "title": table.title, "cells": table.cells, "error_95": table.error_95,
                "price_share": table.price_share, "method": table.method, "strategies": strategies,
            })
        };
        // Rounded up, in text: it carries a promise.
        let tight = |said: &EpsilonDelta| json!({ "epsilon": long_upper(said.epsilon.value()), "delta": exact(said.delta.value()) });
        json!({
            "name": plan.name,
            "title": plan.title,
            "scope": self.scope,
            "cost": CostJson::new(&self.charged, self.by_filter.as_ref()),
            "tight": self.tight.as_ref().map(tight),
            "sum_of_parts": CostJson::new(&self.sum_of_parts, None),
            "remaining": self.remaining.map(|left| AmountJson::new(left.currency, left.amount)),
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// What the ledger takes, and what its rule makes of that. The δ is the plan's own: nothing of it is kept for earned keys.
fn price(price: &Price, by_rule: Option<&EpsilonDelta>) -> String {
    let taken = amount_upper(price.currency(), price.amount());
    let Some(said) = by_rule else {
        return taken;
    };
    let (epsilon, delta) = (short_upper(said.epsilon.value()), short_upper(said.delta.value()));
    format!("{taken} (ε = {epsilon} at δ = {delta} by the ledger's rule)")
}

fn promise(tight: &EpsilonDelta) -> String {
    let (epsilon, delta) = (short_upper(tight.epsilon.value()), short_upper(tight.delta.value()));
    format!("ε = {epsilon} at δ = {delta}, by the tight account of the whole")
}

/// The way that is chosen, and how much worse the next best one would be.
fn way(table: &ExpectedTable) -> String {
    let Some(chosen) = table.strategies.iter().find(|line| line.is_chosen) else {
        return table.method.clone();
    };
    let others = table.strategies.iter().filter(|line| !line.is_chosen);
    let next = others.min_by(|one, other| one.expected_error.total_cmp(&other.expected_error));
    match next {
        Some(next) if chosen.expected_error > 0.0 => {
            let times = significant(next.expected_error / chosen.expected_error);
            format!("{} ({}: {times} times the noise)", chosen.name, next.name)
        }
        _ => chosen.name.clone(),
    }
}

impl Published {
    /// What it cost and where it is recorded.
    pub fn lines(&self) -> Vec<QuoteLine> {
        let facts = &self.facts;
        let line = |name, text| QuoteLine { name, text };
        let accounting = &facts.accounting;
        let price = price(&accounting.charged, accounting.by_filter.as_ref());
        let paid = match self.is_repeat {
            true => format!("free: released before, so these are the same numbers; they cost {price} then"),
            false => price,
        };
        let mut lines = vec![line("price", paid)];
        lines.extend(accounting.tight.as_ref().map(|tight| line("promise", promise(tight))));
        let hash: String = facts.receipt.hash.chars().take(16).collect();
        lines.push(line("receipt", format!("record {} of the ledger, {hash}", facts.receipt.seq)));
        lines.extend(
            facts.not_before.iter().map(|day| line("embargo", format!("not to be shown before {day}"))),
        );
        lines
    }
}

/// A release as the ledger knows it.
#[derive(Clone, Debug, Serialize)]
pub struct ReleasedEntry {
    /// The number of its record.
    pub seq: u64,
    /// Its name.
    pub name: String,
    /// The day of its payment.
    pub released_on: Option<String>,
    /// The day before which it is not to be shown.
    pub not_before: Option<String>,
    /// The population that paid.
    pub scope: String,
    cost: AmountJson,
    /// What identifies its plan.
    pub plan_digest: String,
    #[serde(skip)]
    cost_words: String,
}

/// What was released so far, the first one first.
///
/// # Errors
/// When the ledger is not safe to use as it is.
pub fn released(home: &Home) -> Result<Vec<ReleasedEntry>, OpenError> {
    let Some(reader) = home.reader()? else {
        return Ok(Vec::new());
    };
    Ok(reader.published().iter().map(|published| entry(&reader, published)).collect())
}

/// Releases, one a row.
pub fn released_list(entries: &[ReleasedEntry]) -> List {
    let row = |entry: &ReleasedEntry| {
        vec![
            entry.seq.to_string(),
            entry.name.clone(),
            entry.released_on.clone().unwrap_or_default(),
            entry.not_before.clone().unwrap_or_default(),
            entry.scope.clone(),
            entry.cost_words.clone(),
        ]
    };
    List {
        headings: &["record", "release", "on", "not before", "paid by", "cost"],
        rows: entries.iter().map(row).collect(),
    }
}

fn entry(reader: &LedgerReader, published: &PublishedStatement) -> ReleasedEntry {
    let publication = &published.publication;
    let at = |seq: u64| reader.history().iter().map(|(entry, _)| entry).find(|entry| entry.seq == seq);
    let (scope, cost) = match at(publication.reserve_seq).map(|entry| &entry.record) {
        Some(Record::Reserve(reserve)) => (reserve.asked.scope.clone(), reserve.cost),
        // A ledger that replays has the payment of every publication.
        _ => (String::new(), Amount::ZERO),
    };
    let currency = reader.balance(&scope).map_or(Currency::Zcdp, |balance| balance.currency);
    let day = |seconds: u64| {
        pointillist_catalog::calendar::date_text(i32::try_from(seconds / 86_400).unwrap_or(i32::MAX))
    };
    ReleasedEntry {
        seq: published.seq,
        name: publication.name.clone(),
        // Answers and what is published of them have no time in the ledger; payments do.
        released_on: at(publication.reserve_seq).and_then(|entry| entry.at).map(day),
        not_before: publication.not_before.clone(),
        cost: AmountJson::new(currency, cost),
        cost_words: amount_upper(currency, cost),
        scope,
        plan_digest: publication.plan.to_string(),
    }
}
