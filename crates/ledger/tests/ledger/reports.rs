//! What owners and auditors read.

use pointillist_ledger::{Ledger, LedgerReader, Record};
use pointillist_privacy::Amount;

use crate::fixture::*;

fn a_small_history(home: &Home, noise: &str) -> Ledger {
    let ledger = Ledger::open(&home.place(), repeatable(1)).unwrap();
    ledger.grant_scope(SCOPE, budget(10)).unwrap();
    ledger.grant_share("bo", SCOPE, budget(2)).unwrap();
    answer(&ledger, ask("ada", "how many", Some("r1")), noise);
    repeat(ledger.charge(ask("bo", "how many", None)));
    drop(fresh(ledger.charge(ask("bo", "how tall", None))));
    ledger
}

#[test]
fn balances_are_exact_and_count_what_was_lost() {
    let home = Home::new();
    let ledger = a_small_history(&home, "42");
    let lines: Vec<String> = ledger
        .balances()
        .unwrap()
        .into_iter()
        .map(|(account, balance)| {
            let text = |amount: Option<Amount>| amount.map_or("-".into(), |amount| amount.loss().to_string());
            let who = account.analyst.unwrap_or("everybody".into());
            let [granted, remaining] = [balance.granted, balance.remaining].map(text);
            let [spent, unreleased] = [balance.spent, balance.unreleased].map(Amount::loss);
            format!("{who}: granted {granted}, spent {spent}, unreleased {unreleased}, remaining {remaining}")
        })
        .collect();
    assert_eq!(
        lines,
        [
            "everybody: granted 1, spent 0.2, unreleased 0.1, remaining 0.8",
            "ada: granted -, spent 0.1, unreleased 0, remaining -",
            "bo: granted 0.2, spent 0.2, unreleased 0.1, remaining 0",
        ]
    );
    assert_eq!(ledger.granted(SCOPE).unwrap(), Some(budget(10)));
    assert_eq!(ledger.granted_share(SCOPE, "bo").unwrap(), Some(budget(2)));
    assert_eq!(ledger.granted_share(SCOPE, "ada").unwrap(), None);
}

#[test]
fn history_tells_what_happened_in_order() {
    let home = Home::new();
    let ledger = a_small_history(&home, "42");
    let history = ledger.history().unwrap();
    let kinds: Vec<&str> = history.iter().map(|(entry, _)| entry.record.kind()).collect();
    assert_eq!(kinds, ["epoch", "grant", "grant", "reserve", "release", "repeat", "reserve"]);
    for (entry, _) in &history {
        let is_release = matches!(entry.record, Record::Release(_));
        assert_eq!(
            entry.at,
            (!is_release).then_some(1_700_000_000),
            "a release does not tell how long it took"
        );
    }
    let head = ledger.head().unwrap();
    assert_eq!((history.len() as u64, history.last().unwrap().1), (head.seq, head.hash));
}

#[test]
fn an_auditor_reads_along_while_the_ledger_is_in_use() {
    let home = Home::new();
    let ledger = a_small_history(&home, "42");
    let audit = LedgerReader::read(&home.place()).unwrap();
    assert_eq!(*audit.verified(), ledger.verify().unwrap());
    assert_eq!(audit.history(), ledger.history().unwrap());
    assert_eq!(audit.balances(), ledger.balances().unwrap());
    answer(&ledger, ask("ada", "later", None), "7");
    assert_eq!(LedgerReader::read(&home.place()).unwrap().verified().records, audit.verified().records + 2);
    assert!(
        LedgerReader::read(&Home::new().place()).is_err(),
        "there is nothing to read, and nothing is made"
    );
}

/// Specification: two runs that differ only in the noise of an answer differ only in what depends on it.
#[test]
fn ledgers_of_twin_runs_are_the_same_bytes() {
    let homes = [Home::new(), Home::new()];
    let [one, other] = ["42", "1234567"].map(|noise| noise.to_owned());
    let one = a_small_history(&homes[0], &one);
    let other = a_small_history(&homes[1], &other);
    assert_eq!(one.public_bytes().unwrap(), other.public_bytes().unwrap());
    assert_ne!(one.head().unwrap(), other.head().unwrap(), "the chain covers the answers as well");
    assert_eq!(one.balances().unwrap(), other.balances().unwrap());
}

/// Specification: neither question nor answer is anywhere in the files.
#[test]
fn files_hold_neither_questions_nor_answers() {
    let home = Home::new();
    let ledger = home.granted(10);
    let (question, reply) = ("how many canaries sing", "there are 31337 canaries");
    answer(&ledger, ask("ada", question, None), reply);
    for file in std::fs::read_dir(home.records()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for secret in [question, reply] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
        }
    }
}

#[test]
fn whoever_holds_an_answer_can_find_it_in_the_ledger() {
    let home = Home::new();
    let ledger = home.granted(10);
    let charge = ask("ada", "how many", None);
    let receipt = fresh(ledger.charge(charge.clone()));
    assert_eq!((receipt.scope(), receipt.analyst(), receipt.price()), (SCOPE, "ada", tenth()));
    let (paid_seq, paid_hash) = (receipt.seq(), receipt.hash());
    let recorded = ledger.record(receipt, b"42").unwrap();
    let history = ledger.history().unwrap();
    assert_eq!(history[paid_seq as usize - 1].1, paid_hash);
    let (entry, hash) = &history[recorded.seq as usize - 1];
    let Record::Release(release) = &entry.record else { panic!("{entry:?}") };
    assert_eq!((*hash, release.answer_hash), (recorded.hash, charge.question.answer_hash(b"42")));
}
