//! Releases that somebody has prepared and that wait for a word or for their day, from the ledger alone.

use std::collections::{BTreeMap, BTreeSet};

use pointillist_ledger::OpenError;
use pointillist_ledger::record::Record;

use crate::home::Home;
use crate::words::amount_upper;

/// A release that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRelease {
    /// Its name.
    pub name: String,
    /// The digest of the plan, in hexadecimal digits.
    pub plan: String,
    /// What it would cost, rounded up.
    pub price: String,
    /// Who prepared it.
    pub prepared_by: String,
    /// Who approved it, if somebody has.
    pub approved_by: Option<String>,
}

impl Home {
    /// What was prepared and not published, the newest first.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn waiting_releases(&self) -> Result<Vec<WaitingRelease>, OpenError> {
        let mut waiting: Vec<WaitingRelease> = Vec::new();
        let mut approved = BTreeMap::new();
        let mut published = BTreeSet::new();
        for entry in self.history(false)? {
            match &entry.entry.record {
                Record::Preparation(prepared) => waiting.push(WaitingRelease {
                    name: prepared.name.clone(),
                    plan: prepared.plan.to_string(),
                    price: amount_upper(prepared.price.currency(), prepared.price.amount()),
                    prepared_by: prepared.who.clone(),
                    approved_by: None,
                }),
                Record::Approval(approval) => {
                    approved.insert(approval.plan.to_string(), approval.who.clone());
                }
                Record::Publication(publication) => {
                    published.insert(publication.plan.to_string());
                }
                _ => {}
            }
        }
        waiting.retain(|release| !published.contains(&release.plan));
        for release in &mut waiting {
            release.approved_by = approved.get(&release.plan).cloned();
        }
        waiting.reverse();
        Ok(waiting)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;
    use pointillist_ledger::Digest;
    use pointillist_ledger::record::{Approval, Preparation};
    use pointillist_privacy::{Delta, Price, Rho};

    use super::*;

    #[test]
    fn what_was_prepared_waits_until_it_is_published() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::parse("[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n").unwrap();
        let home = Home::new(folder.path().to_owned(), catalog);
        home.accept_budgets().unwrap();
        assert_eq!(home.waiting_releases().unwrap(), []);
        let ledger = home.ledger().unwrap();
        let price = Price::zcdp(&Rho::parse("0.25").unwrap(), &Delta::zero());
        for (name, plan) in [("one", Digest([1; 32])), ("two", Digest([2; 32]))] {
            ledger.prepare(Preparation { name: name.into(), plan, price, who: "ada".into() }).unwrap();
        }
        ledger.approve(Approval { plan: Digest([1; 32]), who: "bo".into() }).unwrap();
        drop(ledger);
        let waiting = home.waiting_releases().unwrap();
        let said: Vec<(&str, Option<&str>)> =
            waiting.iter().map(|release| (release.name.as_str(), release.approved_by.as_deref())).collect();
        assert_eq!(said, [("two", None), ("one", Some("bo"))]);
    }
}
