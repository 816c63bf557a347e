//! What analysts see of each other: nothing, until the population's budget is spent.

use pointillist_curator::{AskError, Reply};
use pointillist_errors::Explained;
use pointillist_ledger::ChargeError;

use crate::clinic::{CATALOG, Clinic, visits};
use crate::twins::shape;

/// What one analyst sees of an outcome but for noise. A hash covers everybody's records and a random name, and tells
/// nothing; whether there is one must not tell either.
fn seen(outcome: &Result<Reply, AskError>) -> String {
    let receipt = outcome.as_ref().map(|reply| (reply.receipt.seq, reply.receipt.hash.len()));
    format!("{} {:?}", shape(outcome), receipt.ok())
}

/// Ana's questions: fresh ones, repeated ones, refused ones, one beyond her share.
fn session() -> Vec<String> {
    let priced = |rho: &str, rest: &str| {
        format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = {rho}) {rest} FROM visits")
    };
    vec![
        priced("1", "count(*)"),
        priced("2", "count(*)"),
        priced("1", "count(*)"),
        priced("3", "sum(cost)"),
        priced("30", "count(*)"),
        priced("2", "mode(age)"),
        priced("5", "avg(cost)"),
        priced("3", "sum(cost)"),
        "SELECT count(*) FROM nowhere".to_owned(),
        priced("9.5", "count(*)"),
        priced("4", "count(*)"),
    ]
}

/// Specification: whatever Ben has asked, the same as Ana or other things, Ana sees the same to the last byte: prices,
/// what is left, how many more fit, receipts, refusals. Her share and Ben's past fit into the budget together.
#[test]
fn an_analyst_sees_nothing_of_what_others_asked_or_left() {
    let ana = |past: &[String]| -> Vec<String> {
        let clinic = Clinic::new(&visits(300));
        for sql in past {
            clinic.ask_as("ben", sql).unwrap();
        }
        session().iter().map(|sql| seen(&clinic.ask_as("ana", sql))).collect()
    };
    let priced =
        |rho: &str| format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = {rho}) count(*) FROM visits");
    let alone = ana(&[]);
    let same_questions: Vec<String> = [0, 3, 6].map(|index| session()[index].clone()).to_vec();
    assert_eq!(alone, ana(&same_questions), "Ben has asked the same");
    assert_eq!(alone, ana(&[priced("0.5"), priced("0.25"), priced("0.75")]), "Ben has asked other things");
    assert_eq!(alone, ana(&[priced("19")]), "Ben has spent nearly all of his share");
    let answered = alone.iter().filter(|seen| seen.contains("InFull") || seen.contains("Nothing")).count();
    assert_eq!(answered, 7, "{alone:#?}");
    assert!(alone[9].contains("the share of `ana`"), "{}", alone[9]);
}

/// Specification: when the population's budget is spent, the refusal says that and not how far; what still fits into
/// the asker's share is theirs to know all along.
#[test]
fn a_population_that_is_spent_is_refused_without_numbers_of_others() {
    let clinic = Clinic::with_catalog(&CATALOG.replace("rho = 50", "rho = 21.5"), &visits(300));
    // Three questions about three things: what was bought is free at a smaller price.
    let priced = |rho: &str, age: u32| {
        let price = format!("WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = {rho})");
        format!("SELECT {price} count(*) FROM visits WHERE age > {age}")
    };
    clinic.ask_as("ben", &priced("19", 10)).unwrap();
    let first = clinic.ask_as("ana", &priced("2", 20)).unwrap();
    assert_eq!((first.more, first.left.remaining.unwrap().loss().to_string()), (9, "18".to_owned()));
    let refused = clinic.ask_as("ana", &priced("1", 30)).unwrap_err();
    assert!(matches!(refused, AskError::NotCharged(ChargeError::ScopeExhausted { .. })), "{refused}");
    assert_eq!(refused.kind().sqlstate(), "53400");
    let text = refused.explanation().text();
    assert!(!text.contains("0.5") && !text.contains("ben") && text.contains("hint:"), "{text}");
    // The owner, who has no share, is told.
    let told = clinic.ask(&priced("1", 30)).unwrap_err().to_string();
    assert!(told.contains("0.5") && told.contains("left"), "{told}");
}

/// Specification: numbers of records count everybody's; only the owner sees them.
#[test]
fn only_the_owner_sees_the_numbers_of_records() {
    let clinic = Clinic::new(&visits(30));
    let sql = &session()[0];
    assert_eq!(clinic.ask_as("ana", sql).unwrap().receipt.seq, None);
    assert!(clinic.ask(sql).unwrap().receipt.seq.is_some());
}
