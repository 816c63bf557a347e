//! Brute force: over every small person, no measure moves further than its bounds, and some person moves it that far.

use super::*;
use pointillist_mechanisms::Rank;

use crate::{Scalar, Units};

/// What a person with these rows (grid indexes) adds to one group, written from the words of `aggregation.rs`.
fn contribution(quantity: &Quantity, rows: &[i64], rows_max: i128) -> i128 {
    let count = rows.len() as i128;
    match quantity {
        Quantity::Rows => count.min(rows_max),
        Quantity::People => i128::from(count > 0),
        Quantity::PeopleCut => i128::from(count > rows_max),
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
        Quantity::Distinct { .. } => {
            let different: std::collections::BTreeSet<i64> = rows.iter().copied().collect();
            (different.len() as i128).min(rows_max)
        }
        Quantity::Quantile { .. } => {
            let bits = weight_bits(u64::try_from(rows_max).unwrap());
            count * ((rows_max << bits) / count.max(rows_max))
        }
        Quantity::Product { .. } => unreachable!("products have a test of their own"),
    }
}

/// Brute force: a product of two values stays within its bounds, and reaches both, over every person of up to three rows.
#[test]
fn every_persons_products_stay_within_the_bounds_and_reach_them() {
    let (left, right) = (Grid::integers(-1, 2).unwrap(), Grid::integers(3, 5).unwrap());
    let cells: Vec<i128> = (0..=left.last_index())
        .flat_map(|x| (0..=right.last_index()).map(move |y| (x, y)))
        .map(|(x, y)| i128::from(left.centred(x)) * i128::from(right.centred(y)))
        .collect();
    let mut people: Vec<Vec<i128>> = cells.iter().map(|cell| vec![*cell]).collect();
    for size in 0..2 {
        let longer: Vec<Vec<i128>> = people
            .iter()
            .filter(|person| person.len() == size + 1)
            .flat_map(|person| cells.iter().map(|cell| [person.as_slice(), &[*cell]].concat()))
            .collect();
        people.extend(longer);
    }
    for rows_max in 1..=3i128 {
        for refinement in [0, 5] {
            let quantity = Quantity::Product {
                left: (Scalar::Column(0), left.clone()),
                right: (Scalar::Column(1), right.clone()),
                refinement,
            };
            let bound = ContributionBound::new(1, u64::try_from(rows_max).unwrap()).unwrap();
            let bounds = Measure { counted: None, quantity }.person_bounds(&bound);
            let thinned = |person: &Vec<i128>| {
                let (total, count) = (person.iter().sum::<i128>() << refinement, person.len() as i128);
                let nearest = (2 * rows_max * total.abs() + count) / (2 * count);
                if count > rows_max { total.signum() * nearest } else { total }
            };
            let all: Vec<i128> = people.iter().map(thinned).collect();
            assert_eq!((*all.iter().min().unwrap(), *all.iter().max().unwrap()), bounds, "{rows_max} rows");
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
        let value = Scalar::Column(0);
        let quantile = Quantity::Quantile { value: value.clone(), grid: grid.clone(), rank: Rank::Least };
        let others =
            [Quantity::Rows, Quantity::People, Quantity::PeopleCut, Quantity::Distinct { value }, quantile];
        for quantity in totals.chain(others) {
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
