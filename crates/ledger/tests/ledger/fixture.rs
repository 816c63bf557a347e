//! A ledger in a temporary folder, and short words for what tests do with it.

use std::fs;
use std::path::Path;

use pointillist_ledger::{
    Charge, ChargeError, Charged, Digest, Epoch, Ledger, Options, Place, Question, Receipt,
};
use pointillist_privacy::{Amount, Budget, Currency, Price};
use tempfile::TempDir;

pub const SCOPE: &str = "people";
/// One tenth of ρ.
pub const TENTH: u128 = 10u128.pow(23);

pub struct Home {
    pub folder: TempDir,
}

impl Home {
    /// In memory where the system offers that: these tests kill processes and break calls, not machines.
    pub fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { folder: folder.unwrap() }
    }

    pub fn place(&self) -> Place {
        Place::new(self.records(), self.anchor())
    }

    pub fn records(&self) -> std::path::PathBuf {
        self.folder.path().join("records")
    }

    pub fn anchor(&self) -> std::path::PathBuf {
        self.folder.path().join("anchor")
    }

    pub fn open(&self) -> Ledger {
        Ledger::open(&self.place(), Options::default()).unwrap()
    }

    /// A ledger whose budget is so many tenths.
    pub fn granted(&self, tenths: u128) -> Ledger {
        let ledger = self.open();
        ledger.grant_scope(SCOPE, budget(tenths)).unwrap();
        ledger
    }
}

pub fn units(loss_units: u128) -> Amount {
    Amount { loss_units, delta_units: 0 }
}

pub fn budget(tenths: u128) -> Budget {
    Budget { currency: Currency::Zcdp, amount: units(tenths * TENTH) }
}

pub fn tenth() -> Price {
    Price::from_units(Currency::Zcdp, units(TENTH)).unwrap()
}

/// A question at the price of a tenth; the request is the question.
pub fn ask(analyst: &str, question: &str, request_id: Option<&str>) -> Charge {
    Charge {
        request_id: request_id.map(Into::into),
        analyst: analyst.into(),
        scope: SCOPE.into(),
        price: tenth(),
        question: Question::new(question.as_bytes()),
        request: Digest::of("request", &[question.as_bytes()]),
    }
}

/// The receipt of a charge that must be a fresh one.
pub fn fresh(charged: Result<Charged, ChargeError>) -> Receipt {
    match charged.unwrap() {
        Charged::Fresh(receipt) => receipt,
        Charged::Repeat(repeated) => panic!("answered before: {repeated:?}"),
    }
}

/// The answer and the share's cost of a charge that must be a repetition.
pub fn repeat(charged: Result<Charged, ChargeError>) -> (Vec<u8>, u128) {
    match charged.unwrap() {
        Charged::Repeat(repeated) => (repeated.answer, repeated.share_cost.loss_units / TENTH),
        Charged::Fresh(receipt) => panic!("charged again: {receipt:?}"),
    }
}

/// Asks, and answers with these bytes.
pub fn answer(ledger: &Ledger, charge: Charge, answer: &str) {
    ledger.record(fresh(ledger.charge(charge)), answer.as_bytes()).unwrap();
}

/// What the scope has spent, in tenths.
pub fn spent(ledger: &Ledger) -> u128 {
    let units = ledger.balance(SCOPE).unwrap().map_or(0, |balance| balance.spent.loss_units);
    assert_eq!(units % TENTH, 0);
    units / TENTH
}

/// The same clock and the same names of writers in every run.
pub fn repeatable(epoch: u8) -> Options {
    Options::default().with_clock(|| 1_700_000_000).with_epoch(Epoch([epoch; 16]))
}

pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}
