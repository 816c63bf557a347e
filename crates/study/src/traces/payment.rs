//! Named mechanisms on the same ledger as questions in SQL: pay, then read, then release, then record.
//!
//! **Guarantee.** [`Purse::buy`] charges the price of a mechanism's proven loss, durably, before it calls what reads rows, and hands that the
//! receipt; what is returned is what was recorded. The same mechanism with the same parameters at the same price over the same version
//! of the data has one answer, which is given again for nothing. There is no refund.
//! **Neighbours.** Those of the scope that pays: the catalog says whether its unit is a row or a host.
//! **Proof.** The ledger is the one that the curator's questions are charged to (`ledger/src/lib.rs`), and its filter adds up both.
//! **Not covered.** The names of mechanisms and their parameters are public, as SQL is.

use pointillist_curator::{Home, OWNER, QuestionLog};
use pointillist_ledger::{Charge, Charged, Digest, Ledger, Question, Receipt};
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_privacy::{Currency, Loss, Price};

use super::error::TraceError;

/// A mechanism that SQL cannot say, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMechanism {
    /// Its name.
    pub name: String,
    /// Whatever else its answer depends on, in words.
    pub parameters: String,
}

impl NamedMechanism {
    /// As people read it, and as the ledger's owner finds it.
    pub fn words(&self) -> String {
        format!("{} ({})", self.name, self.parameters)
    }
}

/// The right to spend from one scope.
pub struct Purse {
    ledger: Ledger,
    log: QuestionLog,
    scope: String,
    /// What tells one version of the data from another.
    data: String,
}

impl Purse {
    /// Opens the ledger of a home, once the curator that asked in SQL has closed it.
    pub fn open(home: &Home, scope: &str, data: &str) -> Result<Self, TraceError> {
        Ok(Self {
            ledger: home.ledger()?,
            log: QuestionLog::of(&home.place()),
            scope: scope.to_owned(),
            data: data.to_owned(),
        })
    }

    /// Pays for a mechanism, and calls `release` with the receipt unless its answer is recorded.
    pub fn buy(
        &self,
        mechanism: &NamedMechanism,
        loss: &Loss,
        release: impl FnOnce(&Receipt, &mut SystemBits) -> Result<Vec<u8>, TraceError>,
    ) -> Result<Vec<u8>, TraceError> {
        let unknown = || TraceError::OtherVersion { what: mechanism.words() };
        let price = Price::of_loss(Currency::Zcdp, loss).ok_or_else(unknown)?;
        let words = mechanism.words();
        let question = Question::new(format!("{words}\n{loss:?}\n{}", self.data).as_bytes());
        let request = Digest::of("pointillist named mechanism", &[words.as_bytes()]);
        let charge = Charge {
            request_id: None,
            analyst: OWNER.to_owned(),
            scope: self.scope.clone(),
            price,
            question,
            request,
        };
        match self.ledger.charge(charge)? {
            Charged::Repeat(repeated) => Ok(repeated.answer),
            Charged::Fresh(receipt) => {
                self.log.keep(request, &words);
                let released = with_system_bits(|bits| release(&receipt, bits))??;
                self.ledger.record(receipt, &released)?;
                Ok(released)
            }
        }
    }
}

/// Numbers as the bytes of a recorded answer.
pub fn encoded(released: &[i128]) -> Vec<u8> {
    released.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// The numbers of a recorded answer.
pub fn decoded(bytes: &[u8]) -> Option<Vec<i128>> {
    let (whole, rest) = bytes.as_chunks::<16>();
    rest.is_empty().then(|| whole.iter().map(|bytes| i128::from_be_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use pointillist_catalog::Catalog;
    use pointillist_curator::Clock;
    use pointillist_privacy::{Delta, Rho};

    use super::*;

    fn named(name: &str) -> NamedMechanism {
        NamedMechanism { name: name.to_owned(), parameters: "k = 1".to_owned() }
    }

    /// Specification: nothing reads before the debit is there; the same mechanism is answered again without reading; what passes the
    /// budget is refused without reading; and the ledger that holds it all is whole.
    #[test]
    fn a_mechanism_is_paid_for_before_it_reads_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::parse("[scope.hosts]\nbudget = { rho = 0.1, delta = 1e-6 }\n").unwrap();
        let home = Home::new(folder.path().to_owned(), catalog);
        drop(home.curator(Clock::Immediate).unwrap());
        let purse = Purse::open(&home, "hosts", "version 1").unwrap();
        let spent = || home.reader().unwrap().unwrap().balance("hosts").unwrap().spent;
        let before = spent();
        let reads = Cell::new(0);
        let loss = Loss::approximate_zcdp(Rho::parse("0.06").unwrap(), Delta::parse("1e-7").unwrap());
        let buy = |name: &str| {
            purse.buy(&named(name), &loss, |receipt, _| {
                reads.set(reads.get() + 1);
                assert_ne!(spent(), before, "the debit is on disk");
                assert_eq!(receipt.scope(), "hosts");
                Ok(encoded(&[-7, 1 << 100]))
            })
        };
        assert_eq!(decoded(&buy("cdf").unwrap()).unwrap(), [-7, 1 << 100]);
        assert_eq!(decoded(&buy("cdf").unwrap()).unwrap(), [-7, 1 << 100]);
        assert_eq!(reads.get(), 1);
        let refused = buy("another").unwrap_err();
        assert!(matches!(refused, TraceError::Charge(_)), "{refused}");
        assert_eq!(reads.get(), 1, "what is refused reads nothing");
        drop(purse);
        assert!(home.ledger().unwrap().verify().is_ok());
        let history = home.history(false).unwrap();
        assert!(history.iter().any(|entry| entry.sql.as_deref() == Some("cdf (k = 1)")));
    }
}
