//! What happened in a ledger, record by record, with the words of the questions that were paid for.
//!
//! **For the owner.** Words of askers stand beside their payments: they are in a file that nobody else can read
//! (`question_log.rs`), and no analyst is shown any of it. Answers have no time: how long one took is not for whoever
//! reads the ledger.

use pointillist_catalog::Catalog;
use pointillist_ledger::record::{Approval, Asked, Preparation, Publication, Record};
use pointillist_ledger::{Account, Digest, Entry, LedgerReader, OpenError};
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
        let entries = reader.history().iter().filter(|(entry, _)| openings || !is_opening(entry));
        let entry = |(entry, hash): &(Entry, _)| HistoryEntry {
            sql: request(&entry.record).and_then(|asking| asked.get(&asking.request.to_string()).cloned()),
            currency: currency(&reader, &entry.record),
            entry: entry.clone(),
            hash: format!("{hash}"),
        };
        Ok(entries.map(entry).collect())
    }
}

/// Whether somebody has opened the ledger, or closed it, and that is all.
fn is_opening(entry: &Entry) -> bool {
    match &entry.record {
        Record::Epoch | Record::Join => true,
        Record::Fence { epoch } => *epoch == entry.epoch,
        _ => false,
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
    /// What was paid, and from which population's budget or a share of it; nothing where the record is no payment.
    pub fn payment(&self) -> Option<(&str, Amount)> {
        match &self.entry.record {
            Record::Reserve(reserve) => Some((&reserve.asked.scope, reserve.cost)),
            Record::Repeat(repeat) => Some((&repeat.asked.scope, repeat.share_cost)),
            _ => None,
        }
    }

    /// The record in a sentence.
    pub fn words(&self, catalog: &Catalog) -> String {
        self.sentence(catalog, true)
    }

    /// The same without anything that words of a question or of a plan could be tried against: for auditors.
    pub fn words_without_plans(&self, catalog: &Catalog) -> String {
        self.sentence(catalog, false)
    }

    fn sentence(&self, catalog: &Catalog, with_plans: bool) -> String {
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
            Record::Preparation(Preparation { name, plan, price, who }) => {
                let price = amount_upper(price.currency(), price.amount());
                let plan = if with_plans { format!(" (plan {})", short(plan)) } else { String::new() };
                format!("{} prepared the release {}{plan} at {price}", shown(who), shown(name))
            }
            Record::Approval(Approval { plan, who }) => {
                let plan = if with_plans { format!("the plan {}", short(plan)) } else { "a plan".to_owned() };
                format!("{} approved {plan}", shown(who))
            }
            Record::Publication(publication) => {
                let Publication { reserve_seq, name, not_before, .. } = publication;
                let day = not_before
                    .as_ref()
                    .map_or_else(String::new, |day| format!(", not before {}", shown(day)));
                format!("answer to {reserve_seq} published as the release {}{day}", shown(name))
            }
            Record::Join => format!("server {} opened the ledger", self.entry.epoch),
            Record::Fence { epoch } if *epoch == self.entry.epoch => format!("server {epoch} left"),
            Record::Fence { epoch } => format!("the owner took server {epoch} out"),
            Record::Departure(departure) => format!("the ledger moved to {}", shown(&departure.name)),
            Record::Arrival { at } => format!("the ledger goes on in store {at}"),
        }
    }
}

fn whose(account: &Account) -> String {
    match &account.analyst {
        None => format!("scope {}", shown(&account.scope)),
        Some(analyst) => format!("{} in {}", shown(analyst), shown(&account.scope)),
    }
}

/// Enough of a digest to tell plans apart by eye; the whole one is in the JSON.
fn short(digest: &Digest) -> String {
    digest.to_string().chars().take(12).collect()
}

fn id(asked: &Asked) -> String {
    asked.request_id.as_ref().map_or_else(String::new, |id| format!(" (request {})", shown(id)))
}

#[cfg(test)]
mod tests {
    use pointillist_ledger::{Charge, Charged, Question};
    use pointillist_privacy::{Delta, Price, Rho};

    use super::*;

    /// Specification: who prepared, approved and published what is told in words, with the same name of the plan.
    #[test]
    fn releases_are_told_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::parse("[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n").unwrap();
        let home = Home::new(folder.path().to_owned(), catalog);
        home.accept_budgets().unwrap();
        let question = Question::new(b"the plan");
        let plan = question.id();
        let price = Price::zcdp(&Rho::parse("0.25").unwrap(), &Delta::zero());
        let ledger = home.ledger().unwrap();
        let name = "visits_2026".to_owned();
        ledger.prepare(Preparation { name: name.clone(), plan, price, who: "ada".into() }).unwrap();
        ledger.approve(Approval { plan, who: "bo".into() }).unwrap();
        let charge = Charge {
            request_id: None,
            analyst: "owner".into(),
            scope: "people".into(),
            price,
            question,
            request: Digest([1; 32]),
        };
        let Charged::Fresh(receipt) = ledger.charge(charge).unwrap() else { panic!("never asked before") };
        let reserve_seq = receipt.seq();
        ledger.record(receipt, b"numbers").unwrap();
        let (statement, not_before) = (Digest([2; 32]), Some("2026-12-01".to_owned()));
        ledger.publish(Publication { reserve_seq, name, plan, statement, not_before }).unwrap();
        drop(ledger);
        let history = home.history(false).unwrap();
        let words: Vec<String> = history.iter().map(|entry| entry.words(&home.catalog)).collect();
        let [prepared, approved, paid, recorded, published] = words.last_chunk().unwrap();
        let plan = &plan.to_string()[..12];
        assert_eq!(*prepared, format!("ada prepared the release visits_2026 (plan {plan}) at ρ = 0.25"));
        assert_eq!(*approved, format!("bo approved the plan {plan}"));
        assert!(paid.starts_with("owner asked about people and paid "), "{paid}");
        assert_eq!(*recorded, format!("answer to {reserve_seq} recorded"));
        let expected =
            format!("answer to {reserve_seq} published as the release visits_2026, not before 2026-12-01");
        assert_eq!(*published, expected);
        let verified = home.verify().unwrap();
        let names: Vec<&str> = verified.published.iter().map(|one| one.publication.name.as_str()).collect();
        assert_eq!(names, ["visits_2026"]);
        let json = serde_json::to_value(&history).unwrap();
        assert_eq!(json.as_array().unwrap().last().unwrap()["publishes"], reserve_seq);
    }
}
