//! The threat model's vectors: how many equal pure releases each filter admits.

use super::{AdvancedFilter, BasicFilter, BudgetFilter, Filter, PureFilter};
use crate::{Amount, Budget, Currency, Delta, Epsilon, EpsilonDelta, Loss, Price, Rho};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn delta(text: &str) -> Delta {
    Delta::parse(text).unwrap()
}

/// How many charges are admitted one by one, which must be what `how_many_more` said beforehand.
fn admitted<F: Filter>(mut filter: F, cost: &F::Cost) -> u64 {
    let foreseen = filter.how_many_more(cost);
    let mut count = 0;
    while filter.try_charge(cost).is_ok() {
        count += 1;
        assert_eq!(filter.how_many_more(cost), foreseen - count);
    }
    assert!(!filter.admits(cost));
    assert_eq!(count, foreseen);
    count
}

/// The superseded filter of Rogers, Roth, Ullman, Vadhan (2016), in floats: an oracle only. Newer filters
/// admit more; none of the vectors should change by accident.
fn admitted_by_the_first_advanced_filter(epsilon: f64, budget: f64, delta: f64) -> u64 {
    let horizon = budget * budget / (28.04 * (1.0 / delta).ln());
    let fits = |count: f64| {
        let squares = count * epsilon * epsilon;
        let drift = count * epsilon * (epsilon.exp() - 1.0) / 2.0;
        let spread =
            2.0 * (squares + horizon) * (1.0 + 0.5 * (squares / horizon).ln_1p()) * (2.0 / delta).ln();
        drift + spread.sqrt() <= budget
    };
    (1..).take_while(|count| fits(f64::from(*count))).count() as u64
}

#[test]
fn filters_admit_exactly_the_vectors() {
    let cases = [(("0.1", "1"), [10, 1, 3]), (("0.01", "1"), [100, 147, 349]), (("0.05", "2"), [40, 23, 54])];
    for ((each, budget), [basic, first, advanced]) in cases {
        let slack = delta("1e-6");
        let cost = EpsilonDelta::pure(epsilon(each));
        assert_eq!(admitted(BasicFilter::new(epsilon(budget), Delta::zero()), &cost), basic);
        let floats = [each, budget].map(|text| text.parse::<f64>().unwrap());
        assert_eq!(admitted_by_the_first_advanced_filter(floats[0], floats[1], 1e-6), first);
        let filter = AdvancedFilter::new(epsilon(budget), &slack, &Delta::zero()).unwrap();
        assert_eq!(admitted(filter, &cost), advanced);
        let filter = PureFilter::new(epsilon(budget), slack).unwrap();
        assert_eq!(admitted(filter, &epsilon(each)), basic.max(advanced));
    }
}

/// ρ for (1, 1e-6) is 0.0243559: 487 releases of ε = 0.01, 4 of ε = 0.1.
#[test]
fn the_zcdp_filter_admits_exactly_the_vectors() {
    for (each, count) in [("0.01", 487), ("0.1", 4)] {
        let filter = BudgetFilter::within(&epsilon("1"), &delta("1e-6"), &Delta::zero()).unwrap();
        let cost = Price::of_loss(Currency::Zcdp, &Loss::pure(epsilon(each))).unwrap();
        assert_eq!(admitted(filter, &cost), count);
    }
}

/// ε = 1e-6 ten million times, ε = 50 once, and a δ of 1e-15: counted without a pause or a panic.
#[test]
fn extreme_charges_are_counted() {
    let (tiny, large) = (epsilon("1e-6"), epsilon("50"));
    let basic = BasicFilter::new(epsilon("10"), Delta::zero());
    assert_eq!(basic.how_many_more(&EpsilonDelta::pure(tiny.clone())), 10_000_000);
    assert_eq!(basic.how_many_more(&EpsilonDelta::pure(large.clone())), 0);
    let pure = PureFilter::new(epsilon("50"), delta("1e-15")).unwrap();
    assert_eq!(pure.how_many_more(&large), 1);
    assert!(pure.how_many_more(&tiny) > 10_000_000_000_000);
    let zcdp = BudgetFilter::within(&epsilon("1"), &delta("1e-15"), &delta("1e-15")).unwrap();
    let cost = Price::of_loss(Currency::Zcdp, &Loss::approximate(tiny, delta("1e-20"))).unwrap();
    assert!(zcdp.how_many_more(&cost) > 10_000, "a δ of 1e-20 costs one unit of 5.4e-20");
}

/// Whatever is left can be spent in one release, and then nothing is.
#[test]
fn what_remains_is_admitted() {
    let cost = EpsilonDelta { epsilon: epsilon("0.07"), delta: delta("3e-8") };
    let mut basic = BasicFilter::new(epsilon("1"), delta("1e-6"));
    let mut advanced = AdvancedFilter::new(epsilon("1"), &delta("1e-6"), &delta("1e-6")).unwrap();
    basic.try_charge(&cost).unwrap();
    advanced.try_charge(&cost).unwrap();
    let (Some(epsilon_left), delta) = basic.remaining() else {
        panic!("something is left");
    };
    basic.try_charge(&EpsilonDelta { epsilon: epsilon_left, delta }).unwrap();
    assert_eq!(basic.remaining(), (None, Delta::zero()));
    let (Some(epsilon_left), delta) = advanced.remaining() else {
        panic!("something is left");
    };
    advanced.try_charge(&EpsilonDelta { epsilon: epsilon_left, delta }).unwrap();
    assert!(!advanced.admits(&EpsilonDelta::pure(epsilon("1e-10"))));

    let mut pure = PureFilter::new(epsilon("1"), Delta::parse("1e-6").unwrap()).unwrap();
    pure.try_charge(&epsilon("0.95")).unwrap();
    pure.try_charge(&pure.remaining().unwrap()).unwrap();
    let mut zcdp = BudgetFilter::new(Budget::zcdp(&Rho::parse("0.3").unwrap(), &Delta::zero()));
    zcdp.try_charge(&Price::of_loss(Currency::Zcdp, &Loss::pure(epsilon("0.07"))).unwrap()).unwrap();
    let left = Price::from_units(Currency::Zcdp, zcdp.remaining()).expect("something is left");
    zcdp.try_charge(&left).unwrap();
    assert_eq!(zcdp.remaining(), Amount::ZERO);
}
