//! What the ledger finds on disk.

use std::fs;

use pointillist_ledger::record::{Account, Dataset, Entry, Epoch, Record};
use pointillist_ledger::{AnchorFile, Witness};
use pointillist_privacy::{Amount, Budget, Currency};

use super::driver::{Target, fuzz};

fn entry(record: Record) -> Vec<u8> {
    Entry { seq: 7, epoch: Epoch([3; 16]), at: Some(1_700_000_000), record }.encode()
}

/// Specification: bytes are a record in one way only: what reads as one is written as the same bytes.
#[test]
fn ledger_record() {
    let account = Account { scope: "people".into(), analyst: Some("ana".into()) };
    let budget = Budget { currency: Currency::Zcdp, amount: Amount { loss_units: 5, delta_units: 1 } };
    let dataset = Dataset { name: "table t".into(), scope: None, source: "t.csv".into(), unit: "id".into() };
    let seeds =
        vec![entry(Record::Epoch), entry(Record::Grant { account, budget }), entry(Record::Dataset(dataset))];
    let read = |bytes: &[u8]| {
        if let Some(entry) = Entry::decode(bytes) {
            assert_eq!(entry.encode(), bytes, "two encodings of one record");
        }
    };
    fuzz(&Target {
        name: "ledger-record",
        seeds,
        words: &["\0\0\0\0\0\0\0\u{1}", "\u{3}", "\u{4}", "\u{5}", "\u{6}"],
        inputs: 20_000,
        read: &read,
    });
}

/// Specification: an anchor file is read, is none, or is refused; what is read is what was written.
#[test]
fn anchor() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("anchor");
    let anchor = pointillist_ledger::Anchor {
        seq: 9,
        head: pointillist_ledger::Digest([7; 32]),
        epoch: Epoch([1; 16]),
        spent: vec![],
        home: None,
    };
    AnchorFile::new(&path).write(&anchor).expect("the folder is writable");
    let written = fs::read(&path).expect("the anchor was written");
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the folder is writable");
        if let Ok(Some(found)) = AnchorFile::new(&path).read() {
            assert_eq!(found, anchor, "another anchor with a right checksum");
        }
    };
    fuzz(&Target {
        name: "anchor",
        seeds: vec![written.clone()],
        words: &["seq 8\n", "spent\tzcdp\t1\t0\tpeople\n", "checksum "],
        inputs: 2_000,
        read: &read,
    });
}
