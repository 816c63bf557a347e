use pointillist_ledger::{Charge, Charged, Digest, Question};
use pointillist_privacy::{Delta, Price, Rho};

use super::*;
use crate::Home;

const CATALOG: &str = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n";

fn home(folder: &tempfile::TempDir, approvers: &str) -> Home {
    let catalog = match approvers {
        "" => CATALOG.to_owned(),
        approvers => format!("{CATALOG}[releases]\napprovers = {approvers}\n"),
    };
    let home = Home::new(folder.path().to_owned(), Catalog::parse(&catalog).unwrap());
    home.accept_budgets().unwrap();
    home
}

fn price() -> Price {
    Price::zcdp(&Rho::parse("0.25").unwrap(), &Delta::zero())
}

fn plan(text: &str) -> Digest {
    Question::new(text.as_bytes()).id()
}

fn prepared(home: &Home, who: &str) -> Result<Recorded, ApprovalRefusal> {
    let (name, plan, who) = ("visits".to_owned(), plan("visits"), who.to_owned());
    prepare(&home.catalog, &home.ledger().unwrap(), Preparation { name, plan, price: price(), who })
}

fn approved(home: &Home, text: &str, who: &str) -> Result<Recorded, ApprovalRefusal> {
    approve(&home.catalog, &home.ledger().unwrap(), Approval { plan: plan(text), who: who.to_owned() })
}

fn required(home: &Home, text: &str) -> Result<Option<Approved>, ApprovalRefusal> {
    require_approval(&home.catalog, home.reader().unwrap().unwrap().prepared(&plan(text)))
}

/// Pays for a plan as a release does: its digest is the request. The numbers never come.
fn pay(home: &Home, text: &str) {
    let charge = Charge {
        request_id: None,
        analyst: "owner".into(),
        scope: "people".into(),
        price: price(),
        question: Question::new(text.as_bytes()),
        request: Question::new(text.as_bytes()).id(),
    };
    let Charged::Fresh(_) = home.ledger().unwrap().charge(charge).unwrap() else { panic!("asked before") };
}

fn said(refusal: impl std::fmt::Debug + Explained) -> String {
    refusal.explanation().text()
}

/// Specification: prepared by one, approved by another, paid once; each step before the last says what is missing.
#[test]
fn a_release_is_prepared_approved_and_paid_once() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(&folder, "[\"bo\", \"cy\"]");
    let missing = said(required(&home, "visits").unwrap_err());
    assert!(missing.ends_with("prepare it, and let somebody else approve it: bo or cy"), "{missing}");
    prepared(&home, "bo").unwrap();
    let missing = said(required(&home, "visits").unwrap_err());
    assert_eq!(
        missing,
        "`bo` has prepared this release, and nobody has approved it yet\nhint: let it be approved by cy"
    );
    for alone in ["bo", "Bo"] {
        let refused = said(approved(&home, "visits", alone).unwrap_err());
        assert!(refused.contains("cannot approve it as well"), "{refused}");
    }
    let refused = said(approved(&home, "visits", "dan").unwrap_err());
    assert!(refused.starts_with("`dan` is none of those who approve releases"), "{refused}");
    approved(&home, "visits", "cy").unwrap();
    let behind = required(&home, "visits").unwrap().unwrap();
    assert_eq!(behind, Approved { prepared_by: "bo".into(), approved_by: "cy".into() });
    pay(&home, "visits");
    let used = required(&home, "visits").unwrap_err();
    assert!(matches!(used, ApprovalRefusal::Used { .. }) && used.kind() == Kind::Refused, "{used}");
    assert!(said(used).contains("every payment needs an approval of its own"));
    prepared(&home, "bo").unwrap();
    assert!(matches!(required(&home, "visits"), Err(ApprovalRefusal::NotApproved { .. })));
    approved(&home, "visits", "cy").unwrap();
    required(&home, "visits").unwrap().unwrap();
}

#[test]
fn another_plan_needs_another_approval() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(&folder, "[\"bo\"]");
    prepared(&home, "ana").unwrap();
    approved(&home, "visits", "bo").unwrap();
    assert!(matches!(required(&home, "visits, dearer"), Err(ApprovalRefusal::NotPrepared { .. })));
    let refused = approved(&home, "visits, dearer", "bo").unwrap_err();
    assert!(matches!(refused, ApprovalRefusal::Ledger(ApprovalError::NotPrepared)), "{refused}");
}

/// Specification: an approval counts while the catalog names its approver.
#[test]
fn approvers_who_left_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let before = home(&folder, "[\"bo\", \"cy\"]");
    prepared(&before, "ana").unwrap();
    approved(&before, "visits", "bo").unwrap();
    let after = home(&folder, "[\"cy\"]");
    let refused = said(required(&after, "visits").unwrap_err());
    assert_eq!(refused, "`bo` is none of those who approve releases\nhint: let it be approved by cy");
    prepared(&after, "ana").unwrap();
    approved(&after, "visits", "cy").unwrap();
    required(&after, "visits").unwrap().unwrap();
}

#[test]
fn nobody_prepares_what_nobody_else_can_approve() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(&folder, "[\"bo\"]");
    let refused = prepared(&home, "BO").unwrap_err();
    assert!(matches!(refused, ApprovalRefusal::NobodyElse { .. }), "{refused}");
    for name in ["", "a b", "9"] {
        assert!(matches!(prepared(&home, name), Err(ApprovalRefusal::NoName { .. })), "{name}");
        assert!(matches!(approved(&home, "visits", name), Err(ApprovalRefusal::NoName { .. })), "{name}");
    }
}

#[test]
fn without_approvers_nothing_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(&folder, "");
    assert_eq!(required(&home, "visits").unwrap(), None);
    for refused in [prepared(&home, "ana").unwrap_err(), approved(&home, "visits", "bo").unwrap_err()] {
        assert!(
            matches!(refused, ApprovalRefusal::NotNeeded) && refused.kind() == Kind::Request,
            "{refused}"
        );
    }
}
