//! Who pays for what, when questions and requests come again.

use pointillist_errors::Explained;
use pointillist_ledger::{Charge, ChargeError, Digest, LedgerError, Question};

use crate::fixture::*;

#[test]
fn the_same_question_by_the_same_analyst_is_free() {
    let home = Home::new();
    let ledger = home.granted(10);
    answer(&ledger, ask("ada", "how many", None), "42");
    let records = ledger.history().unwrap().len();
    for _ in 0..3 {
        assert_eq!(repeat(ledger.charge(ask("ada", "how many", None))), (b"42".to_vec(), 0));
    }
    assert_eq!(spent(&ledger), 1);
    assert_eq!(ledger.history().unwrap().len(), records, "a free repetition without an id leaves no record");
    drop(ledger);
    assert_eq!(repeat(home.open().charge(ask("ada", "how many", None))), (b"42".to_vec(), 0));
}

#[test]
fn another_analyst_pays_from_their_share_only() {
    let home = Home::new();
    let ledger = home.granted(1);
    ledger.grant_share("bo", SCOPE, budget(1)).unwrap();
    answer(&ledger, ask("ada", "how many", None), "42");
    assert_eq!(spent(&ledger), 1, "the scope is exhausted");
    assert_eq!(repeat(ledger.charge(ask("bo", "how many", None))), (b"42".to_vec(), 1));
    assert_eq!(repeat(ledger.charge(ask("bo", "how many", None))), (b"42".to_vec(), 0), "paid once");
    assert_eq!(spent(&ledger), 1);
    let share = |ledger: &pointillist_ledger::Ledger| ledger.share(SCOPE, "bo").unwrap().unwrap().spent;
    assert_eq!(share(&ledger), units(TENTH));
    drop(ledger);
    let ledger = home.open();
    assert_eq!(share(&ledger), units(TENTH));
    assert_eq!(repeat(ledger.charge(ask("bo", "how many", None))), (b"42".to_vec(), 0));
}

#[test]
fn another_analyst_without_enough_share_is_refused() {
    let home = Home::new();
    let ledger = home.granted(10);
    ledger.grant_share("bo", SCOPE, budget(1)).unwrap();
    answer(&ledger, ask("bo", "how tall", None), "170");
    answer(&ledger, ask("ada", "how many", None), "42");
    let refusal = ledger.charge(ask("bo", "how many", None)).unwrap_err();
    assert!(refusal.to_string().contains("but the share of `bo` in `people` has ρ = 0"), "{refusal}");
}

#[test]
fn a_share_stands_inside_the_scope() {
    let home = Home::new();
    let ledger = home.granted(3);
    for analyst in ["ada", "bo"] {
        ledger.grant_share(analyst, SCOPE, budget(2)).unwrap();
    }
    for (count, analyst) in ["ada", "ada", "bo"].into_iter().enumerate() {
        answer(&ledger, ask(analyst, &count.to_string(), None), "42");
    }
    let own_share_is_spent = ledger.charge(ask("ada", "new", None)).unwrap_err();
    assert!(own_share_is_spent.to_string().contains("share of `ada`"), "{own_share_is_spent}");
    let scope_is_spent = ledger.charge(ask("bo", "new", None)).unwrap_err();
    assert!(matches!(scope_is_spent, ChargeError::ScopeExhausted { .. }), "a share is no right to the scope");
    assert!(!scope_is_spent.to_string().contains(" left"), "{scope_is_spent}");
    let own = ledger.how_many_more(SCOPE, "bo", &tenth()).unwrap();
    assert_eq!(own, Some(1), "what others left of the scope is not told in advance");
    ledger.grant_scope(SCOPE, budget(10)).unwrap();
    assert_eq!(ledger.how_many_more(SCOPE, "bo", &tenth()).unwrap(), Some(1));
    assert_eq!(
        ledger.how_many_more(SCOPE, "cy", &tenth()).unwrap(),
        Some(7),
        "no share, no limit of their own"
    );
}

/// Specification: a share that does not hold a question is named, with the same words whether or not the scope would
/// hold it and whether or not somebody else has asked.
#[test]
fn a_share_that_is_spent_says_nothing_about_others() {
    let refusal = |scope_tenths, others: &[&str]| {
        let home = Home::new();
        let ledger = home.granted(scope_tenths);
        ledger.grant_share("bo", SCOPE, budget(1)).unwrap();
        answer(&ledger, ask("bo", "own", None), "42");
        others.iter().for_each(|other| answer(&ledger, ask("ada", other, None), "43"));
        ledger.charge(ask("bo", "new", None)).unwrap_err().to_string()
    };
    let alone = refusal(10, &[]);
    assert!(alone.contains("the share of `bo` in `people` has ρ = 0 and δ = 0 left"), "{alone}");
    assert_eq!(alone, refusal(10, &["new"]), "somebody else has asked it");
    assert_eq!(alone, refusal(2, &["old"]), "the scope is spent as well");
}

#[test]
fn what_was_spent_without_a_share_counts_once_there_is_one() {
    let home = Home::new();
    let ledger = home.granted(10);
    for count in 0..2 {
        answer(&ledger, ask("ada", &count.to_string(), None), "42");
    }
    ledger.grant_share("ada", SCOPE, budget(2)).unwrap();
    assert!(matches!(ledger.charge(ask("ada", "new", None)), Err(ChargeError::Exhausted { .. })));
}

#[test]
fn the_same_request_gets_the_same_bytes() {
    let home = Home::new();
    let ledger = home.granted(10);
    answer(&ledger, ask("ada", "how many", Some("r1")), "42");
    assert_eq!(repeat(ledger.charge(ask("ada", "how many", Some("r1")))), (b"42".to_vec(), 0));
    drop(ledger);
    let ledger = home.open();
    assert_eq!(repeat(ledger.charge(ask("ada", "how many", Some("r1")))), (b"42".to_vec(), 0));
    assert_eq!(spent(&ledger), 1);
}

#[test]
fn one_request_id_has_one_request() {
    let home = Home::new();
    let ledger = home.granted(10);
    answer(&ledger, ask("ada", "how many", Some("r1")), "42");
    let conflict = ChargeError::Conflict { request_id: "r1".into() };
    assert_eq!(ledger.charge(ask("ada", "how tall", Some("r1"))).unwrap_err(), conflict);
    let other_body = Charge { request: Digest([0; 32]), ..ask("ada", "how many", Some("r1")) };
    assert_eq!(ledger.charge(other_body).unwrap_err(), conflict);
    let other_data = Charge { question: Question::new(b"version 2"), ..ask("ada", "how many", Some("r1")) };
    assert_eq!(ledger.charge(other_data).unwrap_err(), conflict);
    assert_eq!(spent(&ledger), 1, "a conflict costs nothing");
    answer(&ledger, ask("bo", "how old", Some("r1")), "33");
    assert_eq!(spent(&ledger), 2, "the ids of others are others'");
}

/// A free repetition under a new id uses that id up: otherwise the id could have two answers.
#[test]
fn a_repetition_uses_its_request_id_up() {
    let home = Home::new();
    let ledger = home.granted(10);
    answer(&ledger, ask("ada", "how many", None), "42");
    assert_eq!(repeat(ledger.charge(ask("ada", "how many", Some("r1")))), (b"42".to_vec(), 0));
    for ledger in [ledger, home_again(&home)] {
        let conflict = ChargeError::Conflict { request_id: "r1".into() };
        assert_eq!(ledger.charge(ask("ada", "how tall", Some("r1"))).unwrap_err(), conflict);
        assert_eq!(repeat(ledger.charge(ask("ada", "how many", Some("r1")))), (b"42".to_vec(), 0));
    }
}

/// Opens the same ledger in a copy of its folder, as the first one is still open.
fn home_again(home: &Home) -> pointillist_ledger::Ledger {
    let copy = home.folder.path().join("copy");
    copy_folder(&home.records(), &copy);
    std::fs::copy(home.anchor(), copy.join("anchor")).unwrap();
    let place = pointillist_ledger::Place::new(&copy, copy.join("anchor"));
    pointillist_ledger::Ledger::open(&place, Default::default()).unwrap()
}

#[test]
fn a_request_is_in_flight_until_its_receipt_is_gone() {
    let home = Home::new();
    let ledger = home.granted(10);
    let receipt = fresh(ledger.charge(ask("ada", "how many", Some("r1"))));
    let again = || ledger.charge(ask("ada", "how many", Some("r1"))).map(|_| ()).unwrap_err();
    assert_eq!(again(), ChargeError::InFlight { request_id: "r1".into() });
    drop(receipt);
    assert_eq!(again(), ChargeError::Spent { request_id: "r1".into() });
    let text = again().explanation().text();
    assert!(text.contains("was charged, but its answer was lost\nhint: ask again with a new id"), "{text}");
}

#[test]
fn a_lost_answer_is_charged_again() {
    let home = Home::new();
    let ledger = home.granted(10);
    drop(fresh(ledger.charge(ask("ada", "how many", Some("r1")))));
    drop(ledger);
    let ledger = home.open();
    let spent_id = ChargeError::Spent { request_id: "r1".into() };
    assert_eq!(ledger.charge(ask("ada", "how many", Some("r1"))).unwrap_err(), spent_id);
    answer(&ledger, ask("ada", "how many", Some("r2")), "42");
    assert_eq!(spent(&ledger), 2);
    assert_eq!(ledger.balance(SCOPE).unwrap().unwrap().unreleased, units(TENTH));
    assert_eq!(ledger.charge(ask("ada", "how many", Some("r1"))).unwrap_err(), spent_id, "still");
}

/// Two people who ask at the same time both pay; each keeps what they got, and a third gets the first answer.
#[test]
fn a_question_in_flight_is_not_an_answer() {
    let home = Home::new();
    let ledger = home.granted(10);
    let [ada, bo] = ["ada", "bo"].map(|analyst| fresh(ledger.charge(ask(analyst, "how many", None))));
    ledger.record(bo, b"41").unwrap();
    ledger.record(ada, b"43").unwrap();
    assert_eq!(spent(&ledger), 2);
    assert_eq!(repeat(ledger.charge(ask("ada", "how many", None))), (b"43".to_vec(), 0));
    assert_eq!(repeat(ledger.charge(ask("bo", "how many", None))), (b"41".to_vec(), 0));
    assert_eq!(repeat(ledger.charge(ask("cy", "how many", None))), (b"41".to_vec(), 1));
}

#[test]
fn an_unknown_scope_is_refused() {
    let home = Home::new();
    let ledger = home.granted(10);
    let charge = Charge { scope: "cats".into(), ..ask("ada", "how many", None) };
    assert_eq!(ledger.charge(charge).unwrap_err(), ChargeError::NoBudget { scope: "cats".into() });
    assert!(ledger.grant_share("ada", "cats", budget(1)).is_err());
    assert_eq!(ledger.balance("cats").unwrap(), None);
}

#[test]
fn refusals_leave_no_record() {
    let home = Home::new();
    let ledger = home.granted(1);
    answer(&ledger, ask("ada", "how many", Some("r1")), "42");
    let before = (ledger.head().unwrap(), ledger.public_bytes().unwrap());
    for charge in [
        ask("ada", "too much", None),
        ask("ada", "conflict", Some("r1")),
        Charge { scope: "cats".into(), ..ask("ada", "no scope", None) },
    ] {
        assert!(ledger.charge(charge).is_err());
    }
    assert_eq!((ledger.head().unwrap(), ledger.public_bytes().unwrap()), before);
}

#[test]
fn a_receipt_of_another_ledger_is_refused() {
    let (here, there) = (Home::new(), Home::new());
    let (here, there) = (here.granted(10), there.granted(10));
    let receipt = fresh(there.charge(ask("ada", "how many", None)));
    assert_eq!(here.record(receipt, b"42"), Err(LedgerError::ForeignReceipt));
    assert_eq!((spent(&here), spent(&there)), (0, 1));
}

#[test]
fn an_answer_can_be_long_or_empty() {
    let home = Home::new();
    let ledger = home.granted(10);
    let long = vec![7; 300_000];
    ledger.record(fresh(ledger.charge(ask("ada", "long", None))), &long).unwrap();
    ledger.record(fresh(ledger.charge(ask("ada", "empty", None))), b"").unwrap();
    assert_eq!(repeat(ledger.charge(ask("ada", "long", None))).0, long);
    assert_eq!(repeat(ledger.charge(ask("ada", "empty", None))).0, b"");
}

/// Specification: an analyst sees the answers of a topic that they have paid for, in the order of their release, and
/// nobody else's; asked for by the name found there, each is free.
#[test]
fn answers_of_a_topic_are_found_by_those_who_paid() {
    let home = Home::new();
    let ledger = home.granted(10);
    let on_topic = |release: &[u8]| Question::on_topic(b"visits by region", release);
    let buy = |analyst: &str, release: &[u8], bytes: &str| {
        let charge = Charge { question: on_topic(release), ..ask(analyst, "unused", None) };
        answer(&ledger, charge, bytes);
    };
    buy("ada", b"count at 2", "42");
    buy("bo", b"count at 1", "41");
    buy("ada", b"sum at 1", "43");
    answer(&ledger, ask("ada", "something else", None), "44");
    let found = |ledger: &pointillist_ledger::Ledger, analyst: &str| {
        ledger.held(SCOPE, analyst, &on_topic(b"count at 0.5")).unwrap()
    };
    let bytes = |held: &[pointillist_ledger::HeldAnswer]| {
        held.iter().map(|held| String::from_utf8(held.answer.clone()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&found(&ledger, "ada")), ["42", "43"]);
    assert_eq!(bytes(&found(&ledger, "bo")), ["41"]);
    assert_eq!(bytes(&found(&ledger, "cy")), Vec::<String>::new());
    assert!(ledger.held("cats", "ada", &on_topic(b"count at 2")).unwrap().is_empty());
    drop(ledger);
    let ledger = home.open();
    let held = found(&ledger, "ada");
    assert_eq!(held[0].question, on_topic(b"count at 2"));
    let again = Charge { question: held[1].question.clone(), ..ask("ada", "unused", None) };
    assert_eq!(repeat(ledger.charge(again)), (b"43".to_vec(), 0));
    assert_eq!(spent(&ledger), 4);
}
