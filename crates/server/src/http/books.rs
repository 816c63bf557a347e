//! Budgets and history: an analyst's own, everybody's for the owner and for auditors. Never an answer.
//!
//! **Guarantee.** An auditor sees who paid what and when, and nothing by which words of a question could be guessed at: neither the words
//! nor the digest of the question, which has no key, nor that of a plan that is not published. The head of the chain stays:
//! it is taken over the epoch as well, which is random and shown to nobody here.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::response::Response;
use pointillist_access::{Role, Verb};
use pointillist_curator::{HistoryEntry, OWNER};
use serde_json::{Value, json};

use super::caller::caller;
use super::presentation;
use super::problem::Problem;
use super::questions::replied;
use crate::service::{Declared, Service};

/// Entries of a history, where nobody says how many.
pub(crate) const ENTRIES: usize = 1_000;
/// The most entries of a history.
pub(crate) const ENTRIES_MAX: usize = 100_000;

/// `GET /v1/budget`: what is granted, spent and left.
pub(crate) async fn budget(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let caller = caller(&service, &request.into_parts().0, &[Verb::AllBooks, Verb::OwnBooks])?;
        let asker = caller.asker()?.to_owned();
        let whose = if caller.may(Verb::AllBooks) { OWNER.to_owned() } else { asker.clone() };
        let read = service.read(&asker, move |declared| {
            let balances = declared.curator.balances().map_err(|error| Problem::of(&error))?;
            Ok(presentation::json(&balances.seen_by(&whose)))
        });
        read.await.unwrap_or_else(|| Err(unread()))
    })
    .await
}

/// `GET /v1/history`: who paid for what, the newest first. The words of questions are for whoever asked them and for the owner.
pub(crate) async fn history(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let parts = request.into_parts().0;
        let caller = caller(&service, &parts, &[Verb::AllBooks, Verb::OwnBooks])?;
        let entries_max = entries_max(&parts.uri)?;
        let (sees_all, sees_words) = (caller.may(Verb::AllBooks), caller.person().role == Role::Owner);
        let asker = caller.asker()?.to_owned();
        let whose = asker.clone();
        let read = service.read(&asker, move |declared| match (sees_all, sees_words) {
            (false, _) => own(declared, &whose, entries_max),
            (true, sees_words) => everybodys(declared, sees_words, entries_max),
        });
        let history = read.await.unwrap_or_else(|| Err(unread()))?;
        Ok(presentation::json(&json!({ "history": history })))
    })
    .await
}

fn own(declared: &Declared, asker: &str, entries_max: usize) -> Result<Vec<Value>, Problem> {
    let own = declared.home.own_history(asker).map_err(|error| Problem::of(&error))?;
    Ok(own.iter().rev().take(entries_max).map(|entry| json!(entry)).collect())
}

fn everybodys(declared: &Declared, sees_words: bool, entries_max: usize) -> Result<Vec<Value>, Problem> {
    let all = declared.home.history(false).map_err(|error| Problem::of(&error))?;
    let all: Vec<Value> = match sees_words {
        true => all.iter().rev().take(entries_max).map(|entry| json!(entry)).collect(),
        false => wordless(&all).into_iter().rev().take(entries_max).collect(),
    };
    Ok(all)
}

/// Entries without anything that words could be tried against.
fn wordless(all: &[HistoryEntry]) -> Vec<Value> {
    let mut entries: Vec<Value> = all.iter().map(|entry| json!(entry)).collect();
    let is_publication = |entry: &&Value| entry["kind"] == "publication";
    let published: BTreeSet<String> = entries
        .iter()
        .filter(is_publication)
        .filter_map(|entry| Some(entry["plan"].as_str()?.to_owned()))
        .collect();
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        entry.remove("sql");
        entry.remove("question");
        if entry.get("plan").and_then(Value::as_str).is_some_and(|plan| !published.contains(plan)) {
            entry.remove("plan");
        }
    }
    entries
}

/// How many entries the caller wants: `?limit=`.
fn entries_max(uri: &Uri) -> Result<usize, Problem> {
    let wrong = || {
        Problem::request("the part after `?` is not understood")
            .with_hint(format!("write ?limit= and a number from 1 to {ENTRIES_MAX}"))
    };
    let Some(query) = uri.query().filter(|query| !query.is_empty()) else { return Ok(ENTRIES) };
    let digits = query.strip_prefix("limit=").ok_or_else(wrong)?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let wanted = digits.parse().ok().filter(|wanted| plain && (1..=ENTRIES_MAX).contains(wanted));
    wanted.ok_or_else(wrong)
}

fn unread() -> Problem {
    Problem::request("the books could not be read")
}
