//! The proof of payment. Whoever reads protected rows asks to see it; whoever records an answer hands it in.
//!
//! A receipt comes from [`Ledger::charge`](crate::Ledger::charge) only, and pays for one answer only:
//!
//! ```compile_fail,E0451
//! // Nobody makes one: the fields are private, and there is no constructor.
//! fn forge(other: pointillist_ledger::Receipt) -> pointillist_ledger::Receipt {
//!     pointillist_ledger::Receipt { seq: 1, ..other }
//! }
//! ```
//!
//! ```compile_fail,E0599
//! // Nobody copies one.
//! fn copy(receipt: &pointillist_ledger::Receipt) -> pointillist_ledger::Receipt {
//!     use std::clone::Clone;
//!     pointillist_ledger::Receipt::clone(receipt)
//! }
//! ```
//!
//! ```compile_fail,E0277
//! // Nobody conjures one up.
//! let receipt = <pointillist_ledger::Receipt as Default>::default();
//! ```
//!
//! ```compile_fail,E0382
//! // Nobody uses one twice.
//! fn twice(ledger: &pointillist_ledger::Ledger, receipt: pointillist_ledger::Receipt) {
//!     let _ = ledger.record(receipt, b"42");
//!     let _ = ledger.record(receipt, b"43");
//! }
//! ```

use std::sync::Arc;

use pointillist_privacy::Price;

use crate::record::{Asked, Epoch};
use crate::{Digest, Question};

/// A durable payment for one answer. Borrow it to read data; hand it to [`Ledger::record`](crate::Ledger::record)
/// with the answer. Dropped without that, the payment stays spent and buys nothing.
#[derive(Debug)]
#[must_use = "a receipt that is dropped is budget that is lost"]
pub struct Receipt {
    pub(crate) seq: u64,
    pub(crate) hash: Digest,
    pub(crate) epoch: Epoch,
    pub(crate) asked: Asked,
    pub(crate) price: Price,
    pub(crate) question: Question,
    /// As long as this is held somewhere, the request is being answered.
    pub(crate) _open: Arc<()>,
}

impl Receipt {
    /// The number of the reservation.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The head of the chain with the reservation included.
    pub fn hash(&self) -> Digest {
        self.hash
    }

    /// The population that paid.
    pub fn scope(&self) -> &str {
        &self.asked.scope
    }

    /// Who asked.
    pub fn analyst(&self) -> &str {
        &self.asked.analyst
    }

    /// What was paid.
    pub fn price(&self) -> Price {
        self.price
    }

    /// What was asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Whether this is the payment for that question, by that population, at that price, no more and no less.
    pub fn pays_for(&self, question: &Question, scope: &str, price: &Price) -> bool {
        self.question == *question && self.asked.scope == scope && self.price == *price
    }
}
