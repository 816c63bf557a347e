//! Brute force: over every small person, no measure moves further than its bounds, and some person moves it that far.

use pointillist_mechanisms::contribution_bound::ContributionBound;
use pointillist_mechanisms::grid::Grid;
use pointillist_numbers::Rational;
use pointillist_plan::{Excess, Form, Measure, Quantity, Scalar, Units};

use super::fixture::plan;

/// What a person with these rows (grid indexes) adds to one group, written from the words of `pointillist_plan`.
fn contribution(quantity: &Quantity, rows: &[i64], rows_max: i128) -> i128 {
    let count = rows.len() as i128;
    match quantity {
        Quantity::Rows => count.min(rows_max),
        Quantity::People => i128::from(count > 0),
        Quantity::Total { units, excess, .. } => {
            let last = i128::from(units.grid.last_index());
            let each = |index: &i64| {
                let index = i128::from(units.grid.clamped(*index));
                match units.form {
                    Form::Linear { offset, factor } => i128::from(offset) + i128::from(factor) * index,
                    Form::CentredSquare => {
                        let centred = 2 * index - last;
                        2 * centred * centred - last * last
                    }
                }
            };
            let total: i128 = rows.iter().map(each).sum();
            match excess {
                Excess::Clamp => {
                    let ends: Vec<i128> = (0..=units.grid.last_index()).map(|index| each(&index)).collect();
                    let (low, high) = (*ends.iter().min().unwrap(), *ends.iter().max().unwrap());
                    total.clamp(rows_max * low.min(0), rows_max * high.max(0))
                }
                Excess::Thin { refinement } if count > rows_max => {
                    let finer = total << refinement;
                    finer.signum() * ((2 * rows_max * finer.abs() + count) / (2 * count))
                }
                Excess::Thin { refinement } => total << refinement,
            }
        }
    }
}

/// Every list of up to four indexes from two below the grid to two above.
fn people(last: i64) -> Vec<Vec<i64>> {
    let mut people = vec![vec![]];
    let mut longest = vec![vec![]];
    for _ in 0..4 {
        longest = longest
            .into_iter()
            .flat_map(|person: Vec<i64>| {
                (-2..=last + 2).map(move |index| [person.clone(), vec![index]].concat())
            })
            .collect();
        people.extend(longest.clone());
    }
    people
}

#[test]
fn every_person_stays_within_the_bounds_and_some_person_reaches_them() {
    for (lower, upper) in [(0, 3), (-2, 3), (2, 4), (-4, -2), (-3, 0), (0, 1)] {
        let grid = Grid::integers(lower, upper).unwrap();
        let last = grid.last_index();
        let forms = [
            Form::Linear { offset: lower, factor: 1 },
            Form::Linear { offset: -last, factor: 2 },
            Form::Linear { offset: 3 * lower, factor: 3 },
            Form::CentredSquare,
        ];
        let totals = forms.into_iter().flat_map(|form| {
            [Excess::Clamp, Excess::Thin { refinement: 0 }, Excess::Thin { refinement: 5 }].map(|excess| {
                Quantity::Total {
                    value: Scalar::Column(0),
                    units: Units { grid: grid.clone(), form },
                    excess,
                }
            })
        });
        for quantity in totals.chain([Quantity::Rows, Quantity::People]) {
            for rows_max in [1, 2, 3] {
                let bound = ContributionBound::new(1, rows_max).unwrap();
                let measure = Measure { counted: None, quantity: quantity.clone() };
                let (low, high) = measure.person_bounds(&bound);
                let all: Vec<i128> =
                    people(last).iter().map(|rows| contribution(&quantity, rows, rows_max.into())).collect();
                let (least, most) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
                assert_eq!(
                    (least, most),
                    (low, high),
                    "{measure:?} with {rows_max} rows on [{lower}, {upper}]"
                );
            }
        }
    }
}

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
