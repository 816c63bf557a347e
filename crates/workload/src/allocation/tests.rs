use super::*;
use crate::Attribute;

fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

fn epsilon(text: &str) -> Spend {
    Spend::Pure(Epsilon::parse(text).unwrap())
}

fn cubes() -> Vec<Cube> {
    let categories = |cells| Attribute::categories(cells).unwrap();
    let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap();
    vec![
        Cube::new(vec![categories(3), categories(4)]),
        Cube::new(vec![Attribute::tree(16, 4).unwrap(), categories(2)]),
        Cube::new(vec![places, categories(5)]),
    ]
}

fn wanted(depths: &[usize], goal: Goal) -> Wanted {
    Wanted { depths: depths.to_vec(), goal, ranges: false }
}

fn price_of(spend: &Spend) -> Rational {
    match spend {
        Spend::Pure(epsilon) => epsilon.value().clone(),
        Spend::Concentrated(rho) => rho.value().clone(),
    }
}

fn total(parts: &[(What, Spend)]) -> Rational {
    parts.iter().fold(Rational::zero(), |sum, (_, spend)| sum + price_of(spend))
}

/// For each part, the variance that its price buys, with continuous noise.
fn bought(cube: &Cube, moved: &Moved, parts: &[(What, Spend)]) -> Vec<f64> {
    let variance = |(what, spend): &(What, Spend)| {
        let norms = Norms::new(cube, what, moved).unwrap();
        match spend {
            Spend::Pure(epsilon) => 2.0 * (&norms.l1 / epsilon.value()).to_f64_nearest().powi(2),
            Spend::Concentrated(rho) => (&norms.l2_squared / rho.value()).to_f64_nearest() / 2.0,
        }
    };
    parts.iter().map(variance).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[test]
fn prices_add_up_to_the_budget_exactly() {
    for cube in cubes() {
        let tables = [wanted(&[1, 1], Goal::Weight(1.0)), wanted(&[1, 0], Goal::Weight(3.0))];
        for spend in [rho("1/3"), epsilon("1/7"), rho("1e-9")] {
            let budget = Budget::Given(spend.clone());
            let parts = allocate(&cube, &tables, &Moved::one_row(&cube), &budget).unwrap();
            assert_eq!(total(&parts), price_of(&spend));
        }
    }
}

/// Specification: moving some of the price from any residual to any other makes the weighted variance no smaller.
#[test]
fn no_other_split_has_less_error() {
    for cube in cubes() {
        let moved = Moved { groups: 2, ..Moved::one_row(&cube) };
        let tables = [wanted(&cube.finest(), Goal::Weight(1.0)), wanted(&[1, 0], Goal::Weight(3.0))];
        for spend in [rho("0.1"), epsilon("0.5")] {
            let power = if matches!(spend, Spend::Pure(_)) { 2.0 } else { 1.0 };
            let parts = allocate(&cube, &tables, &moved, &Budget::Given(spend)).unwrap();
            let residuals: Vec<Depths> = parts.iter().map(|(what, _)| what.depths().to_vec()).collect();
            let mut weights = vec![0.0; residuals.len()];
            for (table, weight) in tables.iter().zip([1.0, 3.0]) {
                let means = mean_influences(&cube, table, &residuals);
                weights.iter_mut().zip(means).for_each(|(sum, mean)| *sum += weight * mean);
            }
            let variances = bought(&cube, &moved, &parts);
            let least = dot(&weights, &variances);
            let prices: Vec<f64> = parts.iter().map(|(_, spend)| price_of(spend).to_f64_nearest()).collect();
            for from in 0..parts.len() {
                for to in (0..parts.len()).filter(|to| *to != from) {
                    let step = 0.01 * prices[from].min(prices[to]);
                    let mut other = variances.clone();
                    other[from] *= (prices[from] / (prices[from] - step)).powf(power);
                    other[to] *= (prices[to] / (prices[to] + step)).powf(power);
                    assert!(dot(&weights, &other) >= least * (1.0 - 1e-9), "{from} to {to}");
                }
            }
        }
    }
}

/// Specification: the least price meets every wanted error in every cell, and no residual can be bought for less without
/// another one for more: prices moved between any two, and scaled to meet the errors again, add up to no less.
#[test]
fn the_least_price_meets_the_errors_and_nothing_less_does() {
    for cube in cubes() {
        let moved = Moved::one_row(&cube);
        let tables = [
            wanted(&cube.finest(), Goal::Error(10.0)),
            wanted(&[1, 0], Goal::Error(4.0)),
            wanted(&[0, 1], Goal::Error(6.0)),
        ];
        for budget in [Budget::LeastRho, Budget::LeastEpsilon] {
            let parts = allocate(&cube, &tables, &moved, &budget).unwrap();
            let residuals: Vec<Depths> = parts.iter().map(|(what, _)| what.depths().to_vec()).collect();
            let limits: Vec<(Vec<f64>, f64)> = tables
                .iter()
                .zip([100.0, 16.0, 36.0])
                .flat_map(|(table, limit)| {
                    cell_influences(&cube, &table.depths, &residuals)
                        .into_iter()
                        .map(move |cell| (cell, limit))
                })
                .collect();
            let used = |variances: &[f64]| {
                limits.iter().map(|(cell, limit)| dot(cell, variances) / limit).fold(0.0, f64::max)
            };
            let variances = bought(&cube, &moved, &parts);
            assert!(used(&variances) <= 1.0, "{}", used(&variances));
            let power = if budget.is_pure() { 2.0 } else { 1.0 };
            let prices: Vec<f64> = parts.iter().map(|(_, spend)| price_of(spend).to_f64_nearest()).collect();
            let least: f64 = prices.iter().sum();
            for from in 0..parts.len() {
                for to in (0..parts.len()).filter(|to| *to != from) {
                    let step = 0.01 * prices[from].min(prices[to]);
                    let mut other = variances.clone();
                    other[from] *= (prices[from] / (prices[from] - step)).powf(power);
                    other[to] *= (prices[to] / (prices[to] + step)).powf(power);
                    assert!(least * used(&other).powf(1.0 / power) >= least * (1.0 - 1e-5), "{from} to {to}");
                }
            }
        }
    }
}

/// Specification: with weights and wanted errors together, the errors are met, the price is the given one, and what the errors
/// leave goes to the weights: without them they would be better off, and tighter errors make them worse off.
#[test]
fn weights_get_what_wanted_errors_leave() {
    for cube in cubes() {
        let moved = Moved::one_row(&cube);
        for spend in [rho("0.05"), epsilon("0.5")] {
            let budget = Budget::Given(spend.clone());
            let answers = |errors: Option<f64>| {
                let mut tables = vec![wanted(&cube.finest(), Goal::Weight(1.0))];
                tables.extend(errors.map(|error| wanted(&[0, 1], Goal::Error(error))));
                let parts = allocate(&cube, &tables, &moved, &budget).unwrap();
                assert_eq!(total(&parts), price_of(&spend));
                let residuals: Vec<Depths> = parts.iter().map(|(what, _)| what.depths().to_vec()).collect();
                let variances = bought(&cube, &moved, &parts);
                let cells = cell_influences(&cube, &[0, 1], &residuals);
                let worst = cells.iter().map(|cell| dot(cell, &variances)).fold(0.0, f64::max);
                (dot(&mean_influences(&cube, &tables[0], &residuals), &variances), worst.sqrt())
            };
            let (free, error) = answers(None);
            let (loose, _) = answers(Some(error * 1.01));
            assert!(
                (loose / free - 1.0).abs() < 1e-6,
                "an error that is met anyway changes nothing: {loose} {free}"
            );
            let (tight, met) = answers(Some(error * 0.8));
            assert!(met <= error * 0.8 && met > error * 0.799, "{met} of {error}");
            assert!(tight > free * 1.0001, "{tight} {free}");
        }
    }
}

#[test]
fn errors_beyond_the_budget_are_refused_with_their_price() {
    let cube = &cubes()[0];
    let tables = [wanted(&[1, 1], Goal::Error(0.1))];
    let refused = allocate(cube, &tables, &Moved::one_row(cube), &Budget::Given(rho("0.1"))).unwrap_err();
    assert_eq!(refused.to_string(), "the wanted errors cost ρ = 50.000050, and there is ρ = 0.1");
    for goal in [Goal::Error(0.0), Goal::Error(f64::NAN), Goal::Weight(-1.0), Goal::Weight(f64::INFINITY)] {
        let tables = [wanted(&[1, 1], goal)];
        let refused = allocate(cube, &tables, &Moved::one_row(cube), &Budget::Given(rho("0.1")));
        assert_eq!(refused, Err(WorkloadError::Goal));
    }
    let weighted = [wanted(&[1, 1], Goal::Weight(1.0))];
    assert_eq!(allocate(cube, &weighted, &Moved::one_row(cube), &Budget::LeastRho), Err(WorkloadError::Goal));
}

/// Specification: a single table in ρ is no dearer by residuals than by itself, and a pair of one-way tables is cheaper.
#[test]
fn a_table_by_residuals_costs_what_it_costs_flat() {
    let cube = &cubes()[0];
    let moved = Moved::one_row(cube);
    let table = [wanted(&[1, 1], Goal::Weight(1.0))];
    let parts = allocate(cube, &table, &moved, &Budget::Given(rho("0.5"))).unwrap();
    let residuals: Vec<Depths> = parts.iter().map(|(what, _)| what.depths().to_vec()).collect();
    let variance = dot(&mean_influences(cube, &table[0], &residuals), &bought(cube, &moved, &parts));
    assert!((variance - 1.0).abs() < 1e-6, "flat noise has variance one at ρ = 1/2: {variance}");
}
