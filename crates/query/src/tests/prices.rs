//! Prices: exact splits, sums that are wholes, errors that hold.

use pointillist_mechanisms::additive_noise::Price;
use pointillist_numbers::Rational;
use pointillist_plan::{Cost, PrivatePlan};
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::{Delta, Epsilon, Rho};

use super::fixture::{catalog, options, plan, rational};

fn priced(sql: &str, pairs: &[(&str, &str)]) -> PrivatePlan {
    crate::plan(&catalog(), sql, &options(pairs)).unwrap_or_else(|refusal| panic!("{sql}: {refusal}"))
}

fn parts(plan: &PrivatePlan) -> Vec<Rational> {
    let selection =
        plan.selection.iter().map(|selection| selection.loss().approximate_rho().unwrap().0.value().clone());
    let releases = plan.releases.iter().map(|release| match &release.price {
        Price::Pure(epsilon) => epsilon.value().clone(),
        Price::Concentrated(rho) => rho.value().clone(),
    });
    selection.chain(releases).collect()
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
            let Cost::Zcdp { rho: cost, delta } = &plan.cost else { panic!("a zCDP scope") };
            assert_eq!(*cost.value(), rational(rho), "{sql} at {rho}");
            assert_eq!(delta.is_zero(), plan.selection.is_none());
            assert!(parts(&plan).windows(2).all(|pair| pair[0] == pair[1]), "equal shares");
        }
    }
    let plan = priced("SELECT COUNT(*), SUM(age), AVG(cost) FROM marks", &[("epsilon", "0.1")]);
    assert_eq!(sum(&parts(&plan)), rational("0.1"));
    assert_eq!(plan.cost, Cost::Pure { epsilon: Epsilon::parse("0.1").unwrap() });
}

#[test]
fn an_epsilon_buys_the_largest_rho_that_fits() {
    let plan = priced(QUESTIONS[0], &[("epsilon", "1")]);
    let Cost::Zcdp { rho, .. } = &plan.cost else { panic!("a zCDP scope") };
    let delta = Delta::parse("1e-9").unwrap();
    let one = Epsilon::parse("1").unwrap();
    assert!(zcdp_epsilon_upper(rho, &delta).unwrap().epsilon <= one);
    let more = Rho::new(rho.value() * &rational("1.000001")).unwrap();
    assert!(zcdp_epsilon_upper(&more, &delta).unwrap().epsilon > one);
}

#[test]
fn laplace_noise_in_a_zcdp_scope_is_charged_part_by_part() {
    let sql = "SELECT COUNT(*), SUM(age) FROM visits";
    let plan = priced(sql, &[("epsilon", "1"), ("noise", "laplace")]);
    assert_eq!(sum(&parts(&plan)), rational("1"));
    // Two parts of ½: 2·(½)²/2.
    let Cost::Zcdp { rho, .. } = &plan.cost else { panic!("a zCDP scope") };
    assert_eq!(*rho.value(), rational("0.25"));
    let plan = priced(sql, &[("rho", "0.25"), ("noise", "laplace")]);
    let Cost::Zcdp { rho, .. } = &plan.cost else { panic!("a zCDP scope") };
    assert!(*rho.value() <= rational("0.25") && *rho.value() > rational("0.249999999"));
    assert!(plan.releases.iter().all(|release| matches!(release.price, Price::Pure(_))));
    let plan =
        priced("SELECT ward, COUNT(*) FROM visits GROUP BY ward", &[("epsilon", "1"), ("noise", "laplace")]);
    let Cost::Zcdp { rho, .. } = &plan.cost else { panic!("a zCDP scope") };
    assert_eq!(*rho.value(), rational("0.25"));
}

#[test]
fn without_a_price_a_hundredth_is_taken_and_said() {
    let plan = plan(QUESTIONS[0]);
    assert_eq!(plan.cost, Cost::Zcdp { rho: Rho::parse("0.005").unwrap(), delta: Delta::zero() });
    assert!(plan.notes.iter().any(|note| note.contains("1 %")));
}

#[test]
fn earned_keys_take_a_hundredth_of_delta_unless_told() {
    let sql = QUESTIONS[3];
    let Cost::Zcdp { delta, .. } = priced(sql, &[]).cost else { panic!("a zCDP scope") };
    assert_eq!(delta, Delta::parse("1e-11").unwrap());
    let Cost::Zcdp { delta, .. } = priced(sql, &[("delta", "3e-10")]).cost else { panic!("a zCDP scope") };
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
        let price = match &found.cost {
            Cost::Zcdp { rho, .. } => rho.value().clone(),
            Cost::Pure { epsilon } => epsilon.value().clone(),
        };
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
        &Rational::from(plan.releases[*measure].noise.error_bound(&beta)) * unit
    });
    errors.max().unwrap()
}
