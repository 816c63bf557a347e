//! Sensitivities of questions: over several groups, and of sums that would outgrow their integers.

use pointillist_numbers::Rational;

use super::fixture::plan;

/// A person over several groups: the vector moves by exactly the claimed L1 and L2².
#[test]
fn vectors_move_by_exactly_the_claimed_sensitivities() {
    for (sql, groups, each) in [
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho=0.1, max_groups=3, max_contributions=2) region, COUNT(*) FROM visits GROUP BY region",
            3,
            2,
        ),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho=0.1, max_groups=9, max_contributions=2) region, COUNT(*) FROM visits GROUP BY region",
            4,
            2,
        ),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho=0.1, max_groups=9, max_contributions=2) ward, SUM(age) FROM visits GROUP BY ward",
            9,
            240,
        ),
        ("SELECT region, SUM(age - 200) FROM events GROUP BY region", 1, 200),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho=0.1) region, COUNT(DISTINCT patient_id) FROM visits GROUP BY region",
            4,
            1,
        ),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho=0.1) COUNT(*) FROM visits", 1, 20),
    ] {
        let plan = plan(sql);
        let (l1, l2) = plan.aggregation.sensitivities(&plan.aggregation.measures[0]).unwrap();
        assert_eq!(*l1.value(), Rational::from(groups * each), "{sql}");
        assert_eq!(*l2.squared(), Rational::from(groups * each * each), "{sql}");
    }
}

#[test]
fn sums_that_would_outgrow_their_integers_are_refused() {
    use super::fixture::try_plan;
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_contributions = 1000000000) \
               SUM(LEAST(GREATEST(stay, -4000000000000000000), 4000000000000000000)) FROM visits";
    let refusal = try_plan(sql).unwrap_err();
    assert_eq!(refusal.sqlstate(), "22023");
    assert!(refusal.message().contains("2^80"), "{refusal}");
}
