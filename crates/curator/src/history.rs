//! What happened in a ledger, record by record, with the words of the questions that were paid for.
//!
//! **For the owner.** Words of askers stand beside their payments: they are in a file that nobody else can read
//! (`question_log.rs`), and no analyst is shown any of it. Answers have no time: how long one took is not for whoever
//! reads the ledger.

use pointillist_catalog::Catalog;
use pointillist_ledger::record::{Asked, Record};
use pointillist_ledger::{Account, Entry, LedgerReader, OpenError};
use pointillist_privacy::{Amount, Currency};
use pointillist_render::text::shown;

use crate::datasets::dataset_words;
use crate::words::{amount_upper, granted_amount, paid_amount};
use crate::{Home, QuestionLog};

/// One record.
#[derive(Clone, Debug)]
pub struct HistoryEntry {
    /// What was written down, with its number and its time.
    pub entry: Entry,
    /// The head of the chain after it, in hex.
    pub hash: String,
    /// What was asked, where a payment was made for it and the words were kept.
    pub sql: Option<String>,
    /// What the scope of a payment is counted in.
    pub currency: Currency,
}

impl Home {
    /// Every record in order; when the ledger was opened only where `openings` are wanted.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn history(&self, openings: bool) -> Result<Vec<HistoryEntry>, OpenError> {
        let Some(reader) = self.reader()? else { return Ok(Vec::new()) };
        let asked = QuestionLog::read(self.place().directory());
        let entries = reader.history().iter().filter(|(entry, _)| openings || entry.record != Record::Epoch);
        let entry = |(entry, hash): &(Entry, _)| HistoryEntry {
            sql: request(&entry.record).and_then(|asking| asked.get(&asking.request.to_string()).cloned()),
            currency: currency(&reader, &entry.record),
            entry: entry.clone(),
            hash: format!("{hash}"),
        };
        Ok(entries.map(entry).collect())
    }
}

/// Who asked, where the record is about a question.
fn request(record: &Record) -> Option<&Asked> {
    match record {
        Record::Reserve(reserve) => Some(&reserve.asked),
        Record::Repeat(repeat) => Some(&repeat.asked),
        _ => None,
    }
}

fn currency(reader: &LedgerReader, record: &Record) -> Currency {
    let scope = request(record).and_then(|asked| reader.balance(&asked.scope));
    scope.map_or(Currency::Zcdp, |balance| balance.currency)
}

impl HistoryEntry {
    /// The record in a sentence.
    pub fn words(&self, catalog: &Catalog) -> String {
        let price = |scope: &str, amount: Amount| paid_amount(catalog, scope, self.currency, amount);
        match &self.entry.record {
            Record::Epoch => "the ledger was opened".to_owned(),
            Record::Grant { account, budget } => {
                let amount = granted_amount(catalog, &account.scope, budget.currency, budget.amount);
                format!("granted to {}: {amount}", whose(account))
            }
            Record::Dataset(dataset) => {
                format!("declared {}: {}", shown(&dataset.name), shown(&dataset_words(dataset)))
            }
            Record::Reserve(reserve) => {
                let asked = &reserve.asked;
                let paid = price(&asked.scope, reserve.cost);
                format!(
                    "{} asked about {} and paid {paid}{}",
                    shown(&asked.analyst),
                    shown(&asked.scope),
                    id(asked)
                )
            }
            Record::Release(release) => format!("answer to {} recorded", release.reserve_seq),
            Record::Repeat(repeat) => {
                let asked = &repeat.asked;
                let paid = match repeat.share_cost {
                    Amount::ZERO => "for free".to_owned(),
                    cost => format!("for {} of their share", price(&asked.scope, cost)),
                };
                let analyst = shown(&asked.analyst);
                format!("{analyst} got answer {} again, {paid}{}", repeat.release_seq, id(asked))
            }
            Record::Burn { anchor_seq, spent, .. } => {
                let sums = spent.iter().filter(|line| line.account.analyst.is_none());
                let sums = sums.map(|line| {
                    format!("{} {}", line.account.scope, amount_upper(line.currency, line.amount))
                });
                let sums = sums.collect::<Vec<_>>().join("; ");
                format!(
                    "the owner went on after a restored copy: spent raised to what was known at record {anchor_seq} \
                     ({sums})"
                )
            }
        }
    }
}

fn whose(account: &Account) -> String {
    match &account.analyst {
        None => format!("scope {}", shown(&account.scope)),
        Some(analyst) => format!("{} in {}", shown(analyst), shown(&account.scope)),
    }
}

fn id(asked: &Asked) -> String {
    asked.request_id.as_ref().map_or_else(String::new, |id| format!(" (request {})", shown(id)))
}
