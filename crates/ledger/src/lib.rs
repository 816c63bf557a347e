//! Durable budgets: pay first, then compute, and never twice for the same answer.
//!
//! ```text
//!   charge ──► a budget holds?  ──► RESERVE on disk ──► anchor ──► Receipt     the debit, never undone
//!                                                                    │
//!                             read the data, add noise: borrow the receipt
//!                                                                    ▼
//!   record ◄─────────────────── RELEASE on disk ◄── anchor ◄──── the answer    then it may be sent
//! ```
//!
//! **Guarantee.** Σ cost of all answers anybody has seen ≤ spent ≤ granted: with many threads, after a crash at any
//! moment, and after a restored backup, as long as the [anchor](Anchor) was not restored with it. One request id
//! never has two answers, unless the owner has accepted a copy that does not know the first.
//!
//! **Integers.** All sums are whole units of 10⁻²⁴; see [`Amount`](pointillist_privacy::Amount). There is no verb for a
//! refund.
//!
//! Read it in this order: [`Price`](pointillist_privacy::Price) and [`Budget`](pointillist_privacy::Budget) (what is
//! counted), [`Record`] (what is written down), `chain` (how records hold together), `book` (what they add up
//! to), [`Store`] and [`Anchor`] (where they are kept), `replay` (when they are trusted), [`Ledger`] (who may do
//! what, and in which order).
//!
//! ```
//! use pointillist_ledger::{Charge, Charged, Digest, Ledger, Options, Place, Question};
//! use pointillist_privacy::{Budget, Delta, Price, Rho};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let place = Place::new(folder.path().join("ledger"), folder.path().join("anchor"));
//! let ledger = Ledger::open(&place, Options::default())?;
//! ledger.grant_scope("people", Budget::zcdp(&Rho::parse("0.5")?, &Delta::parse("1e-6")?))?;
//!
//! let charge = Charge {
//!     request_id: None,
//!     analyst: "ada".into(),
//!     scope: "people".into(),
//!     price: Price::zcdp(&Rho::parse("0.1")?, &Delta::zero()),
//!     question: Question::new(b"plan, price and data version"),
//!     request: Digest::of("request", &[b"SELECT count(*) FROM people"]),
//! };
//! let Charged::Fresh(receipt) = ledger.charge(charge.clone())? else { panic!("nobody has asked before") };
//! let answer = b"41 people, more or less"; // Computed by whoever was shown the receipt.
//! ledger.record(receipt, answer)?;
//!
//! let Charged::Repeat(again) = ledger.charge(charge)? else { panic!("the same question has one answer") };
//! assert_eq!(again.answer, answer);
//! assert_eq!(ledger.balance("people")?.unwrap().spent.loss().to_string(), "0.1");
//! # Ok(())
//! # }
//! ```

mod anchor;

mod book;
mod chain;
mod digest;
mod encoding;
mod error;
mod ledger;
mod permission;
mod postgres_place;
mod question;
mod reader;
mod receipt;
pub mod record;
mod release_key;
mod replay;
mod seal;
mod store;

pub use anchor::{Anchor, AnchorFile, LedgerHome, PostgresWitness, Witness};
pub use book::{Balance, PreparedPlan, PublishedStatement};
pub use digest::Digest;
pub use error::{
    ApprovalError, ChargeError, FenceError, GrantError, LedgerError, MoveError, NameError, OpenError,
    PublishError,
};
pub use ledger::{
    Charge, Charged, Decision, Destination, HeldAnswer, Ledger, Moved, Options, Place, Premises, Recorded,
    Repeated,
};
pub use postgres_place::PostgresPlace;
pub use question::Question;
pub use reader::LedgerReader;
pub use receipt::Receipt;
pub use record::{
    Account, Approval, Dataset, Departure, Entry, Epoch, Preparation, Publication, Record, Spent, StoreId,
};
pub use replay::Verified;
pub use store::{MemoryAnchor, MemoryStore, PostgresStore, Row, SqliteStore, Store};
