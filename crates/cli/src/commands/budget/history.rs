//! `pointillist budget history`: every record of the ledger, in words.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use pointillist_catalog::Catalog;
use pointillist_catalog::calendar::timestamp_text;
use pointillist_curator::{QuestionLog, dataset_words};
use pointillist_ledger::{Account, Digest, Entry, LedgerReader, Record};
use pointillist_privacy::{Amount, Currency};
use serde_json::{Map, Value, json};

use super::Common;
use crate::answer::money;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::Json;
use pointillist_render::text::shown;

/// Which records.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist budget history
  pointillist budget history --last 20 --json

What was asked stands below what was paid for it: it is for the owner, in a file beside the ledger that nobody else can
read. Times are the ledger's, in UTC. Answers have none: how long one took is not for whoever reads the ledger.")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Only the last records
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Also when the ledger was opened
    #[arg(long)]
    all: bool,
}

/// Prints the records.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.common.home.open()?;
    let audit = home.reader()?;
    let told = |(entry, _): &&(Entry, Digest)| arguments.all || !matches!(entry.record, Record::Epoch);
    let all: Vec<&(Entry, Digest)> =
        audit.as_ref().map_or(&[][..], |audit| audit.history()).iter().filter(told).collect();
    let asked = QuestionLog::read(home.place().directory());
    let from = all.len().saturating_sub(arguments.last.unwrap_or(usize::MAX));
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        let records = all[from..].iter().map(|(entry, hash)| as_json(audit.as_ref(), entry, *hash, &asked));
        writeln!(out, "{}", Json(&json!({ "records": records.collect::<Vec<_>>() })))?;
    } else if all.is_empty() {
        writeln!(out, "There is no ledger yet: nobody has asked anything.")?;
    } else {
        let ink = Ink::for_stdout();
        for (entry, hash) in &all[from..] {
            let at = entry.at.map_or_else(String::new, minute);
            let hash: String = hash.to_string().chars().take(8).collect();
            let words = words(&home.catalog, audit.as_ref(), &entry.record);
            writeln!(out, "{:>5}  {}  {at:16}  {words}", entry.seq, ink.faint(&hash))?;
            for line in question(&entry.record, &asked).iter().flat_map(|sql| sql.lines()) {
                writeln!(out, "{:33}  {}", "", ink.faint(&shown(line)))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// What was asked, where the words were kept.
fn question<'a>(record: &Record, asked: &'a BTreeMap<String, String>) -> Option<&'a String> {
    let request = match record {
        Record::Reserve(reserve) => reserve.asked.request,
        Record::Repeat(repeat) => repeat.asked.request,
        _ => return None,
    };
    asked.get(&request.to_string())
}

/// Seconds from 1970 as `2026-12-31 23:59`.
fn minute(seconds: u64) -> String {
    let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    timestamp_text(micros).replace('T', " ").chars().take(16).collect()
}

/// The currency that a scope is counted in.
fn currency(audit: Option<&LedgerReader>, scope: &str) -> Currency {
    audit.and_then(|audit| audit.balance(scope)).map_or(Currency::Zcdp, |balance| balance.currency)
}

fn words(catalog: &Catalog, audit: Option<&LedgerReader>, record: &Record) -> String {
    let price =
        |scope: &str, amount: Amount| money::paid_amount(catalog, scope, currency(audit, scope), amount);
    match record {
        Record::Epoch => "the ledger was opened".to_owned(),
        Record::Grant { account, budget } => {
            let amount = money::granted_amount(catalog, &account.scope, budget.currency, budget.amount);
            format!("granted to {}: {amount}", whose(account))
        }
        Record::Dataset(dataset) => {
            format!("declared {}: {}", shown(&dataset.name), shown(&dataset_words(dataset)))
        }
        Record::Reserve(reserve) => {
            let asked = &reserve.asked;
            format!(
                "{} asked about {} and paid {}{}",
                shown(&asked.analyst),
                shown(&asked.scope),
                price(&asked.scope, reserve.cost),
                request(asked.request_id.as_deref())
            )
        }
        Record::Release(release) => format!("answer to {} recorded", release.reserve_seq),
        Record::Repeat(repeat) => {
            let asked = &repeat.asked;
            let paid = match repeat.share_cost {
                Amount::ZERO => "for free".to_owned(),
                cost => format!("for {} of their share", price(&asked.scope, cost)),
            };
            let request = request(asked.request_id.as_deref());
            format!("{} got answer {} again, {paid}{request}", shown(&asked.analyst), repeat.release_seq)
        }
        Record::Burn { anchor_seq, spent, .. } => {
            let sums = spent.iter().filter(|line| line.account.analyst.is_none());
            let sums = sums.map(|line| {
                format!("{} {}", line.account.scope, money::amount_upper(line.currency, line.amount))
            });
            let sums = sums.collect::<Vec<_>>().join("; ");
            format!(
                "the owner went on after a restored copy: spent raised to what was known at record {anchor_seq} ({sums})"
            )
        }
    }
}

fn whose(account: &Account) -> String {
    match &account.analyst {
        None => format!("scope {}", shown(&account.scope)),
        Some(analyst) => format!("{} in {}", shown(analyst), shown(&account.scope)),
    }
}

fn request(id: Option<&str>) -> String {
    id.map_or_else(String::new, |id| format!(" (request {})", shown(id)))
}

fn as_json(
    audit: Option<&LedgerReader>,
    entry: &Entry,
    hash: Digest,
    asked: &BTreeMap<String, String>,
) -> Value {
    let mut object = Map::new();
    object.insert("seq".to_owned(), entry.seq.into());
    object.insert("hash".to_owned(), hash.to_string().into());
    object.insert("at".to_owned(), entry.at.map_or(Value::Null, Value::from));
    object.insert("kind".to_owned(), entry.record.kind().into());
    if let Some(sql) = question(&entry.record, asked) {
        object.insert("sql".to_owned(), sql.clone().into());
    }
    let amount = |scope: &str, amount| Value::Object(money::amount_json("", currency(audit, scope), amount));
    let details = match &entry.record {
        Record::Epoch => json!({ "epoch": entry.epoch.to_string() }),
        Record::Grant { account, budget } => json!({
            "scope": account.scope,
            "analyst": account.analyst,
            "granted": money::amount_json("", budget.currency, budget.amount),
        }),
        Record::Dataset(dataset) => json!({
            "dataset": dataset.name,
            "scope": dataset.scope,
            "source": dataset.source,
            "privacy_unit": dataset.unit,
        }),
        Record::Reserve(reserve) => json!({
            "scope": reserve.asked.scope,
            "analyst": reserve.asked.analyst,
            "request_id": reserve.asked.request_id,
            "question": reserve.asked.question.to_string(),
            "cost": amount(&reserve.asked.scope, reserve.cost),
        }),
        Record::Release(release) => {
            json!({ "answers": release.reserve_seq, "request_id": release.request_id })
        }
        Record::Repeat(repeat) => json!({
            "scope": repeat.asked.scope,
            "analyst": repeat.asked.analyst,
            "request_id": repeat.asked.request_id,
            "question": repeat.asked.question.to_string(),
            "repeats": repeat.release_seq,
            "share_cost": amount(&repeat.asked.scope, repeat.share_cost),
        }),
        Record::Burn { anchor_seq, spent, .. } => {
            let spent = spent.iter().map(|line| {
                json!({
                    "scope": line.account.scope,
                    "analyst": line.account.analyst,
                    "spent": money::amount_json("", line.currency, line.amount),
                })
            });
            json!({ "anchor_seq": anchor_seq, "spent": spent.collect::<Vec<_>>() })
        }
    };
    if let Value::Object(details) = details {
        object.extend(details);
    }
    Value::Object(object)
}
