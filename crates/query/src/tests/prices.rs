//! Prices: exact splits, sums that are wholes, errors that hold.

use pointillist_numbers::Rational;
use pointillist_plan::PrivatePlan;
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::{Currency, Delta, Epsilon, Loss, Price, Rho, Spend};

use super::fixture::{catalog, options, plan, rational};

fn priced(sql: &str, pairs: &[(&str, &str)]) -> PrivatePlan {
    crate::plan(&catalog(), sql, &options(pairs)).unwrap_or_else(|refusal| panic!("{sql}: {refusal}"))
}

fn parts(plan: &PrivatePlan) -> Vec<Rational> {
    let selection =
        plan.selection.iter().map(|selection| selection.loss().approximate_rho().unwrap().0.value().clone());
    let releases = plan.releases.iter().map(|release| match &release.spend {
        Spend::Pure(epsilon) => epsilon.value().clone(),
        Spend::Concentrated(rho) => rho.value().clone(),
    });
    selection.chain(releases).collect()
}

/// What is lost in a zCDP scope, exactly.
fn zcdp(plan: &PrivatePlan) -> (Rho, Delta) {
    assert_eq!(plan.price.currency(), Currency::Zcdp);
    plan.loss.approximate_rho().expect("what is priced in ρ loses ρ")
}

fn sum(values: &[Rational]) -> Rational {
    values.iter().fold(Rational::zero(), |sum, value| &sum + value)
}

const QUESTIONS: [&str; 5] = [
    "SELECT COUNT(*) FROM visits",
    "SELECT region, COUNT(*), SUM(cost) FROM visits GROUP BY region",
    "SELECT AVG(cost), STDDEV(age), COUNT(DISTINCT patient_id) FROM visits",
    "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward",
    "SELECT DISTINCT ward FROM visits",
];

#[test]
fn parts_add_up_to_the_whole_exactly() {
    for sql in QUESTIONS {
        for rho in ["0.1", "1/3", "0.0123456789", "7e-9"] {
            let plan = priced(sql, &[("rho", rho)]);
            assert_eq!(sum(&parts(&plan)), rational(rho), "{sql} at {rho}");
            let (lost, delta) = zcdp(&plan);
            assert_eq!(*lost.value(), rational(rho), "{sql} at {rho}");
            assert_eq!(delta.is_zero(), plan.selection.is_none());
            // What the ledger takes is rounded up, once, by less than a unit.
            assert_eq!(plan.price, Price::zcdp(&lost, &delta));
            assert!(plan.price.amount().loss() >= rational(rho), "{sql} at {rho}");
            assert!(parts(&plan).windows(2).all(|pair| pair[0] == pair[1]), "equal shares");
        }
    }
    let plan = priced("SELECT COUNT(*), SUM(age), AVG(cost) FROM marks", &[("epsilon", "0.1")]);
    assert_eq!(sum(&parts(&plan)), rational("0.1"));
    let tenth = Epsilon::parse("0.1").unwrap();
    assert_eq!((plan.price, plan.loss), (Price::pure(&tenth), Loss::pure(tenth)));
}

#[test]
fn an_epsilon_buys_the_largest_rho_that_fits() {
    let plan = priced(QUESTIONS[0], &[("epsilon", "1")]);
    let (rho, _) = zcdp(&plan);
    let delta = Delta::parse("1e-9").unwrap();
    let one = Epsilon::parse("1").unwrap();
    assert!(zcdp_epsilon_upper(&rho, &delta).unwrap().epsilon <= one);
    let more = Rho::new(rho.value() * &rational("1.000001")).unwrap();
    assert!(zcdp_epsilon_upper(&more, &delta).unwrap().epsilon > one);
}

#[test]
fn laplace_noise_in_a_zcdp_scope_is_charged_part_by_part() {
    let sql = "SELECT COUNT(*), SUM(age) FROM visits";
    let plan = priced(sql, &[("epsilon", "1"), ("noise", "laplace")]);
    assert_eq!(sum(&parts(&plan)), rational("1"));
    // Two parts of ½: 2·(½)²/2.
    let (rho, _) = zcdp(&plan);
    assert_eq!(*rho.value(), rational("0.25"));
    let plan = priced(sql, &[("rho", "0.25"), ("noise", "laplace")]);
    let (rho, _) = zcdp(&plan);
    assert!(*rho.value() <= rational("0.25") && *rho.value() > rational("0.249999999"));
    assert!(plan.releases.iter().all(|release| matches!(release.spend, Spend::Pure(_))));
    let plan =
        priced("SELECT ward, COUNT(*) FROM visits GROUP BY ward", &[("epsilon", "1"), ("noise", "laplace")]);
    let (rho, _) = zcdp(&plan);
    assert_eq!(*rho.value(), rational("0.25"));
}

#[test]
fn without_a_price_a_hundredth_is_taken_and_said() {
    let plan = plan(QUESTIONS[0]);
    assert_eq!(plan.price, Price::zcdp(&Rho::parse("0.005").unwrap(), &Delta::zero()));
    assert!(plan.notes.iter().any(|note| note.contains("1 %")));
}

#[test]
fn earned_keys_take_a_hundredth_of_delta_unless_told() {
    let sql = QUESTIONS[3];
    let (_, delta) = zcdp(&priced(sql, &[]));
    assert_eq!(delta, Delta::parse("1e-11").unwrap());
    let (_, delta) = zcdp(&priced(sql, &[("delta", "3e-10")]));
    assert_eq!(delta, Delta::parse("3e-10").unwrap());
}

/// Specification: the price found for an error meets it, and a price 2 % lower does not.
#[test]
fn the_price_of_an_error_is_the_least() {
    for (sql, currency, error, confidence) in [
        (QUESTIONS[0], "rho", "50", "0.95"),
        (QUESTIONS[0], "rho", "1", "0.95"),
        (QUESTIONS[1], "rho", "100000", "0.99"),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "rho", "30", "0.5"),
        ("SELECT SUM(age), COUNT(*) FROM marks", "epsilon", "300", "0.95"),
    ] {
        let found = priced(sql, &[("error", error), ("confidence", confidence)]);
        let price = found.price.amount().loss();
        assert!(worst(&found, confidence) <= rational(error), "{sql}");
        let lower = &price * &rational("0.98");
        let cheaper = priced(sql, &[(currency, &lower.to_string())]);
        assert!(worst(&cheaper, confidence) > rational(error), "{sql} at {price}");
    }
}

fn worst(plan: &PrivatePlan, confidence: &str) -> Rational {
    use pointillist_plan::Formula;
    let beta = pointillist_privacy::FailureProbability::new(Rational::one() - rational(confidence)).unwrap();
    let errors = plan.answer.aggregates.iter().map(|aggregate| {
        let Formula::Sum { measure, unit } = &aggregate.formula else { panic!("a count or a sum") };
        &Rational::from(plan.releases[*measure].noise().error_bound(&beta)) * unit
    });
    errors.max().unwrap()
}

/// Specification: the error of a mean follows from the declared size, shared by the public groups: four times the groups, four
/// times the error at a price, so sixteen times the price for an error.
#[test]
fn a_mean_is_priced_for_the_declared_rows() {
    let rho = |sql: &str, error: &str| {
        let (rho, _) = zcdp(&priced(sql, &[("error", error)]));
        rho.value().to_f64_upper()
    };
    let (whole, grouped) = (
        rho("SELECT AVG(age) FROM visits", "0.5"),
        rho("SELECT region, AVG(age) FROM visits GROUP BY region", "0.5"),
    );
    // A person may be in max_groups groups, four here: four times the variance besides.
    let ratio = grouped / whole;
    assert!((62.0..66.0).contains(&ratio), "{ratio}");
    let share = rho("SELECT AVG(age) FROM visits", "1%");
    let same = rho("SELECT AVG(age) FROM visits", "1.2");
    assert!((share / same - 1.0).abs() < 1e-9, "one per cent of 0..120: {share} and {same}");
    let counted = rho("SELECT COUNT(*) FROM visits", "2%");
    let same = rho("SELECT COUNT(*) FROM visits", "800");
    assert!((counted / same - 1.0).abs() < 1e-9, "two per cent of 40,000: {counted} and {same}");
}

/// Specification: where there is a choice of noise, both prices are said, and the one that is taken is the smaller.
#[test]
fn the_other_noise_is_compared() {
    let plan = priced("SELECT region, COUNT(*) FROM visits GROUP BY region", &[("error", "50")]);
    let note = plan.notes.iter().find(|note| note.contains("Gaussian noise costs")).expect("a comparison");
    let numbers: Vec<f64> = note
        .split("rho = ")
        .skip(1)
        .map(|rest| {
            rest.split(|end: char| end != '.' && end != 'e' && end != '-' && !end.is_ascii_digit()).next()
        })
        .map(|number| number.unwrap().parse().unwrap())
        .collect();
    assert!(numbers.len() == 2 && numbers[0] < numbers[1], "{note}");
}
