//! Questions that are not answered: which SQLSTATE, and a hint that helps.

use pointillist_errors::Explained;

use super::fixture::{options, try_plan};

#[test]
fn a_refusal_reads_as_message_and_hint() {
    let refusal = try_plan("SELECT MODE(cost) FROM visits").unwrap_err();
    assert_eq!(refusal.explanation().text(), format!("{}\nhint: {}", refusal.message(), refusal.hint()));
    assert!(!refusal.hint().is_empty());
}

#[test]
fn options_from_outside_are_checked_as_well() {
    let both = options(&[("epsilon", "1"), ("rho", "1")]);
    let refusal = crate::plan(&super::fixture::catalog(), "SELECT COUNT(*) FROM visits", &both).unwrap_err();
    assert_eq!(refusal.sqlstate(), "22023");
}
