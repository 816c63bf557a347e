//! Records that hold together by their hashes and still cannot be: whoever wrote them, they are refused.

use super::*;
use crate::record::{Approval, Preparation, Publication};

const EPOCH: Epoch = Epoch([1; 16]);

fn amount(loss_units: u128) -> Amount {
    Amount { loss_units, delta_units: 0 }
}

fn asked(analyst: &str, question: u8, request_id: Option<&str>) -> Asked {
    Asked {
        request_id: request_id.map(Into::into),
        analyst: analyst.into(),
        scope: "people".into(),
        question: Digest([question; 32]),
        request: Digest([question; 32]),
    }
}

fn grant(analyst: Option<&str>, loss_units: u128) -> Record {
    let account = Account { scope: "people".into(), analyst: analyst.map(Into::into) };
    Record::Grant { account, budget: Budget { currency: Currency::Zcdp, amount: amount(loss_units) } }
}

fn reserve(asked: Asked, cost: u128) -> Record {
    Record::Reserve(Reserve { asked, cost: amount(cost) })
}

fn release(reserve_seq: u64, request_id: Option<&str>) -> Record {
    let request_id = request_id.map(Into::into);
    Record::Release(Release { reserve_seq, request_id, answer_hash: Digest([0; 32]), sealed: vec![] })
}

fn repeated(asked: Asked, release_seq: u64, cost: u128) -> Record {
    Record::Repeat(Repeat { asked, release_seq, share_cost: amount(cost) })
}

/// Enters an epoch and the records; says what is wrong with the last. All before it must be fine.
fn problem(records: Vec<Record>) -> Option<&'static str> {
    let mut book = Book::default();
    let count = records.len();
    for (index, record) in [Record::Epoch].into_iter().chain(records).enumerate() {
        let entry = Entry { seq: index as u64 + 1, epoch: EPOCH, at: None, record };
        match book.enter(&entry) {
            Ok(()) => {}
            Err(problem) if index == count => return Some(problem),
            Err(problem) => panic!("record {}: {problem}", entry.seq),
        }
    }
    None
}

#[test]
fn a_sound_history_is_entered() {
    let history = vec![
        grant(None, 10),
        grant(Some("bo"), 6),
        reserve(asked("ada", 1, Some("r1")), 4),
        release(4, Some("r1")),
        repeated(asked("bo", 1, None), 5, 4),
        reserve(asked("ada", 2, None), 6),
    ];
    assert_eq!(problem(history), None);
}

#[test]
fn spending_past_a_budget_or_a_share_is_refused() {
    let too_much = "it spends more than was granted, or uses a request id twice";
    let first =
        || vec![grant(None, 10), grant(Some("bo"), 6), reserve(asked("ada", 1, None), 4), release(4, None)];
    for forged in [reserve(asked("ada", 2, None), 7), reserve(asked("bo", 2, None), 7)] {
        assert_eq!(problem([first(), vec![forged]].concat()), Some(too_much));
    }
    let lowered = vec![grant(Some("bo"), 3), repeated(asked("bo", 1, None), 5, 4)];
    assert_eq!(problem([first(), lowered].concat()), Some(too_much));
    assert_eq!(problem(vec![grant(None, 10), reserve(asked("ada", 1, None), 0)]), Some("it costs nothing"));
    let nothing_granted = "it spends from a scope without a budget";
    assert_eq!(problem(vec![reserve(asked("ada", 1, None), 1)]), Some(nothing_granted));
}

#[test]
fn an_answer_belongs_to_one_payment() {
    let paid = || vec![grant(None, 10), reserve(asked("ada", 1, Some("r1")), 4)];
    let unpaid = Some("it answers no open reservation");
    assert_eq!(problem(vec![grant(None, 10), release(2, None)]), unpaid);
    let twice = vec![release(3, Some("r1")), release(3, Some("r1"))];
    assert_eq!(problem([paid(), twice].concat()), unpaid);
    let other = Some("it answers another request than the one reserved");
    assert_eq!(problem([paid(), vec![release(3, Some("r2"))]].concat()), other);
}

#[test]
fn a_repetition_names_the_answer_and_its_price() {
    let answered = || vec![grant(None, 10), reserve(asked("ada", 1, None), 4), release(3, None)];
    let wrong = Some("it repeats another answer, or at another price, than the one recorded");
    let forged = [
        repeated(asked("bo", 1, None), 4, 3),
        repeated(asked("bo", 1, None), 4, 0),
        repeated(asked("ada", 1, None), 4, 4),
        repeated(asked("bo", 1, None), 3, 4),
        repeated(asked("bo", 2, None), 4, 4),
    ];
    for forged in forged {
        assert_eq!(problem([answered(), vec![forged]].concat()), wrong);
    }
    let paid_again = vec![reserve(asked("bo", 1, None), 4)];
    assert_eq!(problem([answered(), paid_again].concat()), Some("it pays for an answer that exists"));
}

#[test]
fn a_record_of_another_writer_is_refused() {
    let mut book = Book::default();
    let entry = |seq, epoch, record| Entry { seq, epoch: Epoch([epoch; 16]), at: None, record };
    assert!(book.enter(&entry(1, 1, grant(None, 1))).is_err(), "before anybody has started");
    book.enter(&entry(1, 1, Record::Epoch)).unwrap();
    book.enter(&entry(2, 2, Record::Epoch)).unwrap();
    assert!(book.enter(&entry(3, 1, grant(None, 1))).is_err(), "a writer whose time is over");
    assert!(book.enter(&entry(3, 1, Record::Epoch)).is_err(), "who comes back under the same name");
}

#[test]
fn a_burn_raises_and_never_lowers() {
    let line = |units| {
        let account = Account { scope: "people".into(), analyst: None };
        Spent { account, currency: Currency::Zcdp, amount: amount(units) }
    };
    let burn = |units| Record::Burn { anchor_seq: 9, anchor_head: Digest([0; 32]), spent: vec![line(units)] };
    let history = |record| vec![grant(None, 10), burn(7), burn(3), record];
    assert_eq!(problem(history(reserve(asked("ada", 1, None), 3))), None);
    assert!(problem(history(reserve(asked("ada", 1, None), 4))).is_some());
    let overdrawn = vec![grant(None, 10), burn(12), reserve(asked("ada", 1, None), 1)];
    assert!(problem(overdrawn).is_some());
}

/// Specification: whoever forges an approval or a publication, one that nobody could have made is refused.
#[test]
fn approvals_and_publications_follow_from_what_was_before() {
    let plan = Digest([1; 32]);
    let price = Price::from_units(Currency::Zcdp, amount(4)).unwrap();
    let prepared =
        |who: &str| Record::Preparation(Preparation { name: "v".into(), plan, price, who: who.into() });
    let approved = |who: &str| Record::Approval(Approval { plan, who: who.into() });
    let published = |reserve_seq, statement| {
        let statement = Digest([statement; 32]);
        Record::Publication(Publication { reserve_seq, name: "v".into(), plan, statement, not_before: None })
    };
    let paid = || vec![grant(None, 10), reserve(asked("ada", 1, None), 4)];
    assert_eq!(problem(vec![approved("bo")]), Some("it approves a plan that nobody has prepared"));
    let alone = Some("it approves a plan that the same person has prepared");
    assert_eq!(problem(vec![prepared("bo"), approved("BO")]), alone);
    let twice = Some("it approves a plan a second time");
    assert_eq!(problem(vec![prepared("ada"), approved("bo"), approved("cy")]), twice);
    let used = vec![prepared("ada"), grant(None, 10), reserve(asked("ada", 1, None), 4), approved("bo")];
    assert_eq!(problem(used), twice, "the question of that payment is the plan");
    let unpublished = Some("it publishes an answer that is not recorded");
    assert_eq!(problem([paid(), vec![published(3, 2)]].concat()), unpublished);
    let released = |more: Vec<Record>| problem([paid(), vec![release(3, None)], more].concat());
    assert_eq!(released(vec![published(3, 2), published(3, 9)]), None);
    assert_eq!(released(vec![published(4, 2)]), unpublished);
    let again = Some("it publishes a statement that was published before");
    assert_eq!(released(vec![published(3, 2), published(3, 2)]), again);
}
