//! What somebody has asked and paid themselves, for them to see.
//!
//! **Guarantee.** An analyst's own past and nothing of others': no number of a record, since numbers count everybody's records, and no
//! difference between a question that was computed and one whose answer existed because somebody else had asked it. What
//! tells them apart is what the asker paid.

use pointillist_ledger::OpenError;
use pointillist_ledger::record::{Asked, Record};
use pointillist_privacy::{Amount, Currency};
use serde::Serialize;

use crate::home::Home;
use crate::json::AmountJson;

/// A question that somebody asked.
#[derive(Clone, Debug, Serialize)]
pub struct OwnQuestion {
    /// When, in seconds since 1970.
    pub at: Option<u64>,
    /// The population that it was about.
    pub scope: String,
    /// The asker's name for the request.
    pub request_id: Option<String>,
    /// What it cost their share; nothing where they had paid before.
    pub paid: AmountJson,
    /// The same, as the ledger counts it.
    #[serde(skip)]
    pub amount: Amount,
    /// What the ledger counts in.
    #[serde(skip)]
    pub currency: Currency,
    /// The head of the chain with the payment, as on the receipt.
    pub hash: String,
    /// What was asked, where the words were kept.
    pub sql: Option<String>,
}

impl Home {
    /// What this analyst has asked, in order.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn own_history(&self, analyst: &str) -> Result<Vec<OwnQuestion>, OpenError> {
        let mut own = Vec::new();
        for entry in self.history(false)? {
            let (asked, cost): (&Asked, Amount) = match &entry.entry.record {
                Record::Reserve(reserve) => (&reserve.asked, reserve.cost),
                Record::Repeat(repeat) => (&repeat.asked, repeat.share_cost),
                _ => continue,
            };
            if asked.analyst == analyst {
                own.push(OwnQuestion {
                    at: entry.entry.at,
                    scope: asked.scope.clone(),
                    request_id: asked.request_id.clone(),
                    paid: AmountJson::new(entry.currency, cost),
                    amount: cost,
                    currency: entry.currency,
                    hash: entry.hash,
                    sql: entry.sql,
                });
            }
        }
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;
    use pointillist_ledger::{Charge, Charged, Digest, Question};
    use pointillist_privacy::{Delta, Price, Rho};

    use super::*;

    /// Specification: whether the answer existed already cannot be told from one's own past.
    #[test]
    fn ones_own_past_does_not_tell_what_others_asked() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[analyst.ana]\nshares = { people = { rho = 0.25 } }\n\
                    [analyst.ben]\nshares = { people = { rho = 0.25 } }\n";
        let home = Home::new(folder.path().to_owned(), Catalog::parse(text).unwrap());
        home.accept_budgets().unwrap();
        let ledger = home.ledger().unwrap();
        for analyst in ["ben", "ana"] {
            let charge = Charge {
                request_id: None,
                analyst: analyst.into(),
                scope: "people".into(),
                price: Price::zcdp(&Rho::parse("0.125").unwrap(), &Delta::zero()),
                question: Question::new(b"how many"),
                request: Digest([1; 32]),
            };
            match ledger.charge(charge).unwrap() {
                Charged::Fresh(receipt) => drop(ledger.record(receipt, b"numbers").unwrap()),
                Charged::Repeat(_) => assert_eq!(analyst, "ana"),
            }
        }
        drop(ledger);
        let shape = |analyst: &str| {
            let [own] = <[OwnQuestion; 1]>::try_from(home.own_history(analyst).unwrap()).unwrap();
            let mut json = serde_json::to_value(&own).unwrap();
            assert_eq!(json["hash"].as_str().map(str::len), Some(64));
            assert!(json["at"].is_u64(), "{json}");
            (json["hash"], json["at"]) = (Default::default(), Default::default());
            json
        };
        assert_eq!(shape("ana"), shape("ben"), "one was computed, the other given again");
        assert!(home.own_history("mallory").unwrap().is_empty());
    }
}
