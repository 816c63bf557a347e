use pointillist_testkit::seeded;

use super::*;

const STRATEGIES: [Strategy; 5] =
    [Strategy::Counts, Strategy::Tree(2), Strategy::Tree(3), Strategy::Tree(16), Strategy::SquareRoot];

fn mechanism(strategy: Strategy, cells: usize, moves: i128, rho: &str) -> CdfMechanism {
    CdfMechanism::new(strategy, cells, Moves::By(moves), &Rho::parse(rho).unwrap()).unwrap()
}

fn squared_move(mechanism: &CdfMechanism, change: &[i128]) -> i128 {
    mechanism.measured(change).iter().map(|entry| entry * entry).sum()
}

/// Specification: whatever a unit of weight 4 does to a histogram of five cells, what is measured moves by at most the claimed
/// sensitivity, and by exactly that where all of it falls into the worst cell. (Matrices are linear: a change is all that matters.)
#[test]
fn no_unit_moves_a_measurement_by_more_than_is_claimed_and_some_by_as_much() {
    for strategy in STRATEGIES {
        let mechanism = mechanism(strategy, 5, 4, "0.1");
        let claimed = mechanism.sensitivity_l2().squared().clone();
        let mut largest = 0;
        for code in 0..9_i128.pow(5) {
            let change: Vec<i128> = (0..5).map(|cell| (code / 9_i128.pow(cell)) % 9 - 4).collect();
            if change.iter().map(|part| part.abs()).sum::<i128>() <= 4 {
                largest = largest.max(squared_move(&mechanism, &change));
            }
        }
        assert_eq!(Rational::from(largest), claimed, "{strategy:?}");
    }
}

/// Specification: a row that leaves one cell for another moves a measurement by at most what is claimed, by exactly that for
/// counts; and by more than a row that only appears would.
#[test]
fn a_row_that_changes_its_cell_moves_a_measurement_by_no_more_than_is_claimed() {
    for strategy in STRATEGIES {
        let mechanism =
            CdfMechanism::new(strategy, 6, Moves::OneRowElsewhere, &Rho::parse("0.1").unwrap()).unwrap();
        let claimed = mechanism.sensitivity_l2().squared().clone();
        let moved = (0..36).map(|code| {
            let mut change = vec![0; 6];
            change[code / 6] += 1;
            change[code % 6] -= 1;
            squared_move(&mechanism, &change)
        });
        let largest = Rational::from(moved.max().unwrap());
        assert!(largest <= claimed, "{strategy:?}");
        if strategy == Strategy::Counts {
            assert!(largest == claimed && largest > Rational::from(1));
        }
    }
}

/// Specification: the square root of what a unit weighs is no bound (four rows in one cell move it by four), nor is the norm of a
/// later column of the square root, nor is a tree whose levels are not counted.
#[test]
fn planted_wrong_bounds_are_caught() {
    let one_cell = [4, 0, 0, 0, 0];
    let moved = |strategy| squared_move(&mechanism(strategy, 5, 4, "0.1"), &one_cell);
    assert!(moved(Strategy::Counts) > 4);
    assert!(moved(Strategy::Tree(2)) > 4 * 4);
    let last = squared_move(&mechanism(Strategy::SquareRoot, 5, 4, "0.1"), &[0, 0, 0, 0, 4]);
    assert!(moved(Strategy::SquareRoot) > last);
}

/// Specification: without noise every estimate is the truth.
#[test]
fn every_estimate_of_exact_measurements_is_the_truth() {
    let histogram: Vec<i128> = (0..100).map(|cell| i128::from((cell * 37) % 11 == 0) * (cell + 1)).collect();
    let truth = exact_cdf(&histogram);
    for estimate in Estimate::ALL {
        let mechanism = mechanism(estimate.strategy(), 100, 1, "1000");
        let cdf = mechanism.cdf(&mechanism.measured(&histogram), estimate);
        let (most, mean) = distances(&cdf, &truth);
        // The quantile tree spreads what is within twice its noise, which is nearly nothing here.
        assert!(most < 1e-6 && mean <= most, "{estimate:?}: {most}");
    }
}

/// Specification: least squares is what the normal equations say, by elimination, for trees of three levels.
#[test]
fn two_sweeps_are_least_squares() {
    for (base, levels) in [(2_usize, 3_u32), (3, 2), (3, 3)] {
        let cells = base.pow(levels);
        let tree = Tree::new(base, cells);
        let columns: Vec<Vec<i128>> = (0..cells)
            .map(|cell| tree.nodes(&(0..cells).map(|at| i128::from(at == cell)).collect::<Vec<_>>()))
            .collect();
        let nodes: Vec<f64> = (0..columns[0].len()).map(|node| ((node * 7919) % 31) as f64 - 9.0).collect();
        let dot = |a: &[i128], b: &dyn Fn(usize) -> f64| -> f64 {
            a.iter().enumerate().map(|(at, value)| *value as f64 * b(at)).sum()
        };
        let mut system: Vec<Vec<f64>> = columns
            .iter()
            .map(|row| {
                let products = columns.iter().map(|column| dot(row, &|at| column[at] as f64));
                products.chain([dot(row, &|at| nodes[at])]).collect()
            })
            .collect();
        for pivot in 0..cells {
            let factor = system[pivot][pivot];
            system[pivot].iter_mut().for_each(|value| *value /= factor);
            let row = system[pivot].clone();
            for other in (0..cells).filter(|other| *other != pivot) {
                let factor = system[other][pivot];
                system[other].iter_mut().zip(&row).for_each(|(value, above)| *value -= factor * above);
            }
        }
        for (found, row) in tree.least_squares(&nodes).iter().zip(&system) {
            assert!((found - row[cells]).abs() < 1e-9, "base {base}: {found} and {}", row[cells]);
        }
    }
}

/// Specification: entries are 2^32 times the coefficients of (1 − x)^(−1/2), rounded down, up to one.
#[test]
fn entries_are_those_of_the_square_root() {
    let root = SquareRoot::new(65_536);
    let measured = root.times(&{
        let mut first = vec![0; 65_536];
        first[0] = 1;
        first
    });
    let mut coefficient = 1.0_f64;
    for (place, entry) in measured.iter().enumerate() {
        if place > 0 {
            coefficient *= (2.0 * place as f64 - 1.0) / (2.0 * place as f64);
        }
        let exact = coefficient * 2f64.powi(32);
        assert!((*entry as f64 - exact).abs() <= 1.0 + exact * 1e-11, "{place}: {entry} and {exact}");
    }
    assert!(measured.is_sorted_by(|a, b| a >= b));
}

/// Specification: with n = 1536 cells of one row each moved by one unit, the largest error of the square root is near (Σc²)·σ₀·(a small
/// factor), and far below that of counts. The generator's start is fixed: nothing is left to chance here.
#[test]
fn the_square_root_beats_counts() {
    let histogram = vec![100; 1_536];
    let truth = exact_cdf(&histogram);
    let mut bits = seeded(5);
    let mut error = |estimate: Estimate| -> f64 {
        let mechanism = mechanism(estimate.strategy(), 1_536, 1, "0.000321");
        let errors = (0..12).map(|_| {
            distances(&mechanism.cdf(&mechanism.release(&histogram, &mut bits), estimate), &truth).0
        });
        errors.sum::<f64>() / 12.0
    };
    let (counts, root, monotone) =
        (error(Estimate::Counts), error(Estimate::SquareRoot), error(Estimate::Monotone));
    assert!(root < counts / 2.5 && monotone < counts / 2.5, "{counts} {root} {monotone}");
}
