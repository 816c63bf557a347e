//! Releases of whole tables: prepared by one person, approved by another, paid for once, published.

use pointillist_ledger::record::{Approval, Preparation, Publication, Record};
use pointillist_ledger::{ApprovalError, Digest, Ledger, LedgerReader, NameError, PublishError};

use crate::fixture::*;

/// The digest of a plan is the request of its payment.
fn plan(name: &str) -> Digest {
    ask("ada", name, None).request
}

pub fn prepare(ledger: &Ledger, name: &str, who: &str) {
    let preparation =
        Preparation { name: name.into(), plan: plan(name), price: tenth(), who: who.to_owned() };
    ledger.prepare(preparation).unwrap();
}

pub fn approve(ledger: &Ledger, name: &str, who: &str) -> Result<(), ApprovalError> {
    ledger.approve(Approval { plan: plan(name), who: who.into() }).map(|_| ())
}

pub fn publication(reserve_seq: u64, name: &str, statement: &str) -> Publication {
    Publication {
        reserve_seq,
        name: name.into(),
        plan: plan(name),
        statement: Digest::of("statement", &[statement.as_bytes()]),
        not_before: None,
    }
}

/// Pays for a plan, records its numbers and publishes a statement; the number of the payment.
pub fn release(ledger: &Ledger, name: &str) -> u64 {
    let receipt = fresh(ledger.charge(ask("ada", name, None)));
    let seq = receipt.seq();
    ledger.record(receipt, b"42").unwrap();
    ledger.publish(publication(seq, name, name)).unwrap();
    seq
}

/// Specification: an approval is another person's, of a plan that was prepared; it is remembered by every reader.
#[test]
fn two_people_agree_before_anything_is_paid() {
    let home = Home::new();
    let ledger = home.granted(9);
    assert_eq!(approve(&ledger, "visits", "bo"), Err(ApprovalError::NotPrepared));
    prepare(&ledger, "visits", "ada");
    for who in ["ada", "Ada"] {
        assert_eq!(approve(&ledger, "visits", who), Err(ApprovalError::SamePerson { who: who.into() }));
    }
    assert_eq!(approve(&ledger, "visits, changed", "bo"), Err(ApprovalError::NotPrepared));
    assert!(!ledger.prepared(&plan("visits")).unwrap().unwrap().is_approved());
    approve(&ledger, "visits", "bo").unwrap();
    assert_eq!(approve(&ledger, "visits", "cy"), Err(ApprovalError::Approved { approver: "bo".into() }));
    drop(ledger);
    let ledger = home.open();
    let prepared = ledger.prepared(&plan("visits")).unwrap().unwrap();
    assert!(prepared.is_approved());
    assert_eq!((prepared.preparation.who.as_str(), prepared.preparation.price), ("ada", tenth()));
    assert_eq!(LedgerReader::read(&home.place()).unwrap().prepared(&plan("visits")), Some(&prepared));
    assert_eq!(ledger.prepared(&plan("others")).unwrap(), None);
    assert_eq!(spent(&ledger), 0, "none of this costs anything");
}

/// Specification: the payment uses the approval up, whether or not the numbers ever come; a second one needs its own.
#[test]
fn an_approval_pays_once() {
    let home = Home::new();
    let ledger = home.granted(9);
    prepare(&ledger, "visits", "ada");
    approve(&ledger, "visits", "bo").unwrap();
    let receipt = fresh(ledger.charge(ask("ada", "visits", None)));
    let paid = receipt.seq();
    drop(receipt);
    let prepared = ledger.prepared(&plan("visits")).unwrap().unwrap();
    assert_eq!((prepared.is_approved(), prepared.used_by), (false, Some(paid)));
    assert_eq!(approve(&ledger, "visits", "cy"), Err(ApprovalError::Used { seq: paid }));
    prepare(&ledger, "visits", "ada");
    assert!(!ledger.prepared(&plan("visits")).unwrap().unwrap().is_approved(), "prepared anew");
    approve(&ledger, "visits", "bo").unwrap();
    release(&ledger, "visits");
    assert!(!ledger.prepared(&plan("visits")).unwrap().unwrap().is_approved());
}

/// Specification: whoever prepares a plan again makes the approval of what was there before void.
#[test]
fn preparing_again_needs_another_approval() {
    let home = Home::new();
    let ledger = home.granted(9);
    prepare(&ledger, "visits", "ada");
    approve(&ledger, "visits", "bo").unwrap();
    prepare(&ledger, "visits", "bo");
    assert!(!ledger.prepared(&plan("visits")).unwrap().unwrap().is_approved());
    assert_eq!(
        approve(&ledger, "visits", "bo"),
        Err(ApprovalError::SamePerson { who: "bo".into() }),
        "who prepares last does not approve"
    );
}

/// Specification: a publication that was paid for otherwise uses the approval of its plan too.
#[test]
fn a_publication_uses_the_approval_of_its_plan() {
    let home = Home::new();
    let ledger = home.granted(9);
    let receipt = fresh(ledger.charge(ask("ada", "another request", None)));
    let paid = receipt.seq();
    ledger.record(receipt, b"42").unwrap();
    prepare(&ledger, "visits", "ada");
    approve(&ledger, "visits", "bo").unwrap();
    let recorded = ledger.publish(publication(paid, "visits", "one")).unwrap();
    let prepared = ledger.prepared(&plan("visits")).unwrap().unwrap();
    assert_eq!(prepared.used_by, Some(recorded.seq));
}

/// Specification: statements are published about answers that exist, each once, and every reader can list them.
#[test]
fn what_is_published_was_recorded_first() {
    let home = Home::new();
    let ledger = home.granted(9);
    let receipt = fresh(ledger.charge(ask("ada", "visits", None)));
    let paid = receipt.seq();
    for reserve_seq in [paid, 1, 99] {
        let refused = ledger.publish(publication(reserve_seq, "visits", "one"));
        assert_eq!(refused, Err(PublishError::NotReleased { reserve_seq }));
    }
    ledger.record(receipt, b"42").unwrap();
    let first = ledger.publish(publication(paid, "visits", "one")).unwrap();
    let again = ledger.publish(publication(paid, "visits", "one"));
    assert_eq!(again, Err(PublishError::Published { seq: first.seq }));
    let later = Publication {
        not_before: Some("2026-12-01".into()),
        ..publication(paid, "visits", "the same numbers, told again")
    };
    ledger.publish(later.clone()).unwrap();
    let reader = LedgerReader::read(&home.place()).unwrap();
    let listed: Vec<_> = reader.published().iter().map(|one| one.publication.clone()).collect();
    assert_eq!(listed, [publication(paid, "visits", "one"), later]);
    assert_eq!(reader.published(), ledger.published().unwrap());
    assert_eq!(spent(&ledger), 1, "one payment");
}

/// Specification: a publication follows its answer at once and has no time either, and what depends on noise is no part
/// of what twin runs share.
#[test]
fn a_publication_does_not_tell_how_long_its_answer_took() {
    let run = |statement: &str| {
        let home = Home::new();
        let ledger = Ledger::open(&home.place(), repeatable(1)).unwrap();
        ledger.grant_scope(SCOPE, budget(9)).unwrap();
        prepare(&ledger, "visits", "ada");
        approve(&ledger, "visits", "bo").unwrap();
        let receipt = fresh(ledger.charge(ask("ada", "visits", None)));
        let paid = receipt.seq();
        ledger.record(receipt, statement.as_bytes()).unwrap();
        ledger.publish(publication(paid, "visits", statement)).unwrap();
        for (entry, _) in ledger.history().unwrap() {
            let is_timeless = matches!(entry.record, Record::Release(_) | Record::Publication(_));
            assert_eq!(entry.at.is_none(), is_timeless, "{}", entry.record.kind());
        }
        ledger.public_bytes().unwrap()
    };
    assert_eq!(run("42"), run("1234567"));
}

#[test]
fn names_that_cannot_be_kept_prepare_and_publish_nothing() {
    let home = Home::new();
    let ledger = home.granted(9);
    let records = ledger.head().unwrap().seq;
    let long = "x".repeat(201);
    for name in ["", "a\nb", &long] {
        let who = name.to_owned();
        let preparation =
            Preparation { name: "visits".into(), plan: plan("visits"), price: tenth(), who: who.clone() };
        let unnamed = Preparation { name: who.clone(), who: "ada".into(), ..preparation.clone() };
        for preparation in [preparation, unnamed] {
            let refused = ledger.prepare(preparation);
            assert!(matches!(refused, Err(ApprovalError::Name(NameError { .. }))), "{refused:?}");
        }
        assert!(matches!(approve(&ledger, "visits", name), Err(ApprovalError::Name(_))));
        assert!(matches!(ledger.publish(publication(1, name, "one")), Err(PublishError::Name(_))));
        let day = Publication { not_before: Some(who), ..publication(1, "visits", "one") };
        assert!(matches!(ledger.publish(day), Err(PublishError::Name(_))));
    }
    assert_eq!(ledger.head().unwrap().seq, records);
}
