//! Sums are exact, at both ends of their range.

use pointillist_errors::Explained;
use pointillist_ledger::{Charge, ChargeError, GrantError, Ledger, Question};
use pointillist_privacy::{Amount, Budget, Currency, Delta, Epsilon, Price, Rho};

use crate::fixture::*;

#[test]
fn a_tenth_fits_ten_times_into_one() {
    let home = Home::new();
    let ledger = home.open();
    ledger.grant_scope(SCOPE, Budget::zcdp(&Rho::parse("1").unwrap(), &Delta::zero())).unwrap();
    let price = Price::zcdp(&Rho::parse("0.1").unwrap(), &Delta::zero());
    for count in 0..10 {
        assert_eq!(ledger.how_many_more(SCOPE, "ada", &price).unwrap(), Some(10 - count));
        let _receipt = fresh(ledger.charge(Charge { price, ..ask("ada", &count.to_string(), None) }));
    }
    let refusal = ledger.charge(Charge { price, ..ask("ada", "one more", None) }).unwrap_err();
    assert_eq!(
        refusal.explanation().text(),
        "this question costs ρ = 0.1 and δ = 0, but the budget of `people` has ρ = 0 and δ = 0 left\n\
         hint: accept more noise and ask for at most what is left, or ask the owner for a raise"
    );
    let balance = ledger.balance(SCOPE).unwrap().unwrap();
    assert_eq!(
        (balance.spent.loss().to_string(), balance.remaining.unwrap()),
        ("1".to_owned(), Amount::ZERO)
    );
}

/// Many threads, so that the disk is written a few hundred times and not a hundred thousand.
#[test]
fn a_hundred_thousand_charges_of_one_unit_are_a_hundred_thousand_units() {
    let home = Home::new();
    let ledger = home.open();
    ledger.grant_scope(SCOPE, Budget { currency: Currency::Zcdp, amount: units(100_000) }).unwrap();
    let price = Price::from_units(Currency::Zcdp, units(1)).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..250 {
            let (ledger, charge) =
                (&ledger, move |count| Charge { price, ..ask("ada", &format!("{thread} {count}"), None) });
            threads.spawn(move || (0..400).for_each(|count| drop(fresh(ledger.charge(charge(count))))));
        }
    });
    assert_eq!(ledger.balance(SCOPE).unwrap().unwrap().spent, units(100_000));
    assert!(matches!(
        ledger.charge(Charge { price, ..ask("ada", "?", None) }),
        Err(ChargeError::Exhausted { .. })
    ));
    drop(ledger);
    assert_eq!(home.open().balance(SCOPE).unwrap().unwrap().spent, units(100_000));
}

#[test]
fn a_sum_that_would_overflow_is_refused() {
    let home = Home::new();
    let ledger = home.open();
    let all = Amount { loss_units: u128::MAX, delta_units: u128::MAX };
    ledger.grant_scope(SCOPE, Budget { currency: Currency::Zcdp, amount: all }).unwrap();
    let charge = |loss_units, question| Charge {
        price: Price::from_units(Currency::Zcdp, units(loss_units)).unwrap(),
        ..ask("ada", question, None)
    };
    let _receipt = fresh(ledger.charge(charge(u128::MAX - 1, "almost all")));
    assert!(matches!(ledger.charge(charge(2, "too much")), Err(ChargeError::Exhausted { .. })));
    let _receipt = fresh(ledger.charge(charge(1, "the last unit")));
    assert!(matches!(ledger.charge(charge(u128::MAX, "again")), Err(ChargeError::Exhausted { .. })));
    drop(ledger);
    assert_eq!(home.open().balance(SCOPE).unwrap().unwrap().spent, units(u128::MAX));
}

#[test]
fn both_sums_bind() {
    let home = Home::new();
    let ledger = home.open();
    ledger
        .grant_scope(SCOPE, Budget::zcdp(&Rho::parse("1").unwrap(), &Delta::parse("1e-6").unwrap()))
        .unwrap();
    let charge = |rho: &str, delta: &str| Charge {
        price: Price::zcdp(&Rho::parse(rho).unwrap(), &Delta::parse(delta).unwrap()),
        ..ask("ada", &format!("{rho} {delta}"), None)
    };
    assert!(ledger.charge(charge("0.1", "2e-6")).is_err());
    let _receipt = fresh(ledger.charge(charge("0.1", "1e-6")));
    assert!(ledger.charge(charge("0.1", "1e-24")).is_err());
    let _receipt = fresh(ledger.charge(charge("0.9", "0")));
}

#[test]
fn pure_budgets_count_epsilon() {
    let home = Home::new();
    let ledger = home.open();
    ledger.grant_scope(SCOPE, Budget::pure(&Epsilon::parse("1").unwrap())).unwrap();
    let price = Price::pure(&Epsilon::parse("1/3").unwrap());
    for count in 0..2 {
        let _receipt = fresh(ledger.charge(Charge { price, ..ask("ada", &count.to_string(), None) }));
    }
    let refusal = ledger.charge(Charge { price, ..ask("ada", "rounded up three times", None) }).unwrap_err();
    assert!(refusal.to_string().contains("has ε = 0.33333333333333333333333"), "{refusal}");
}

#[test]
fn currencies_do_not_mix() {
    let home = Home::new();
    let ledger = home.granted(10);
    let epsilon = Epsilon::parse("0.1").unwrap();
    let refusal =
        ledger.charge(Charge { price: Price::pure(&epsilon), ..ask("ada", "?", None) }).unwrap_err();
    assert!(refusal.to_string().starts_with("this question is priced in ε, but the budget"), "{refusal}");
    assert_eq!(ledger.how_many_more(SCOPE, "ada", &Price::pure(&epsilon)).unwrap(), None);
    let refused = [
        ledger.grant_scope(SCOPE, Budget::pure(&epsilon)),
        ledger.grant_share("ada", SCOPE, Budget::pure(&epsilon)),
    ];
    for refusal in refused {
        assert!(matches!(refusal, Err(GrantError::WrongCurrency { counted: 'ρ', granted: 'ε', .. })));
    }
}

#[test]
fn a_budget_below_what_was_spent_admits_nothing_more() {
    let home = Home::new();
    let ledger = home.granted(10);
    for count in 0..5 {
        answer(&ledger, ask("ada", &count.to_string(), None), "42");
    }
    ledger.grant_scope(SCOPE, budget(3)).unwrap();
    assert!(matches!(ledger.charge(ask("ada", "new", None)), Err(ChargeError::Exhausted { .. })));
    assert_eq!(ledger.how_many_more(SCOPE, "ada", &tenth()).unwrap(), Some(0));
    let balance = ledger.balance(SCOPE).unwrap().unwrap();
    assert_eq!((balance.spent, balance.remaining), (units(5 * TENTH), Some(Amount::ZERO)));
    drop(ledger);
    let ledger = home.open();
    assert_eq!(repeat(ledger.charge(ask("ada", "3", None))).0, b"42", "what was paid for stays paid for");
    ledger.grant_scope(SCOPE, budget(6)).unwrap();
    let _receipt = fresh(ledger.charge(ask("ada", "new", None)));
    assert_eq!(spent(&ledger), 6);
}

#[test]
fn names_that_cannot_be_kept_are_refused() {
    let home = Home::new();
    let ledger = home.granted(10);
    let long = "x".repeat(201);
    for name in ["", "a\tb", "a\nb", "\u{85}", &long] {
        assert!(matches!(ledger.charge(ask(name, "?", None)), Err(ChargeError::Name(_))));
        assert!(matches!(ledger.charge(ask("ada", "?", Some(name))), Err(ChargeError::Name(_))));
        let charge = Charge { scope: name.into(), ..ask("ada", "?", None) };
        assert!(matches!(ledger.charge(charge), Err(ChargeError::Name(_))));
        assert!(matches!(ledger.grant_scope(name, budget(1)), Err(GrantError::Name(_))));
        assert!(matches!(ledger.grant_share(name, SCOPE, budget(1)), Err(GrantError::Name(_))));
    }
    assert_eq!(spent(&ledger), 0);
}

#[test]
fn a_ledger_is_shared_between_threads_by_reference() {
    fn shared<T: Send + Sync>() {}
    shared::<Ledger>();
    shared::<Question>();
}
