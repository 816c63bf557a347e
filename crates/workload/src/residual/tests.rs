use super::*;
use crate::Attribute;

fn cubes() -> Vec<Cube> {
    let categories = |cells| Attribute::categories(cells).unwrap();
    let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap();
    vec![
        Cube::new(vec![categories(3)]),
        Cube::new(vec![Attribute::tree(5, 2).unwrap()]),
        Cube::new(vec![categories(2), categories(3)]),
        Cube::new(vec![places.clone()]),
        Cube::new(vec![places, categories(2)]),
        // Families of two and of three: the larger one decides.
        Cube::new(vec![Attribute::levels(vec![vec![0, 0], vec![0, 0, 1, 1, 1]]).unwrap()]),
        Cube::new(vec![Attribute::tree(3, 2).unwrap(), categories(2)]),
    ]
}

/// Every way in which one person moves the cells of a table: up to `groups` cells, each by −each, …, each.
fn every_move(cells: usize, groups: u64, each: i128) -> Vec<Vec<i128>> {
    let mut moves = vec![vec![0; cells]];
    for _ in 0..groups {
        let mut more = Vec::new();
        for start in &moves {
            for cell in (0..cells).filter(|cell| start[*cell] == 0) {
                for by in (-each..=each).filter(|by| *by != 0) {
                    let mut next = start.clone();
                    next[cell] = by;
                    more.push(next);
                }
            }
        }
        moves.extend(more);
    }
    moves
}

fn moved_norms(cube: &Cube, what: &What, bounded_at: &[usize], by: &[i128]) -> (Rational, Rational) {
    let table = cube.sum_to(bounded_at, by, what.depths()).unwrap();
    let rows = match what {
        What::Residual(depths) => integer_rows(cube, depths, &table),
        What::Flat(_) => table,
    };
    let scales = row_scales(cube, what).unwrap();
    assert_eq!(rows.len(), scales.len());
    let shares: Vec<Rational> =
        rows.iter().zip(&scales).map(|(row, scale)| Rational::ratio(*row, *scale)).collect();
    let zero = Rational::zero;
    (
        shares.iter().fold(zero(), |sum, share| sum + share.abs()),
        shares.iter().fold(zero(), |sum, share| sum + share.squared()),
    )
}

/// Specification: on small cubes, no move of any person passes the norms, for residuals and tables of every depth; and one
/// row a person reaches them, so that nobody pays for noise that nobody needs.
#[test]
fn no_person_moves_a_measurement_by_more_than_its_norms() {
    for cube in cubes() {
        let bounded_at = cube.finest();
        let cells = cube.cells(&bounded_at).unwrap();
        for (groups, each) in [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)] {
            let moved = Moved { bounded_at: bounded_at.clone(), groups, each };
            let moves = every_move(cells, groups, each);
            for depths in cube.residuals_of(&bounded_at) {
                for what in [What::Residual(depths.clone()), What::Flat(depths.clone())] {
                    let norms = Norms::new(&cube, &what, &moved).unwrap();
                    let mut most = (Rational::zero(), Rational::zero());
                    for by in &moves {
                        let (l1, l2_squared) = moved_norms(&cube, &what, &bounded_at, by);
                        most = (most.0.max(l1), most.1.max(l2_squared));
                    }
                    assert!(most.0 <= norms.l1 && most.1 <= norms.l2_squared, "{what:?} {groups} {each}");
                    if groups == 1 {
                        assert_eq!(most, (norms.l1, norms.l2_squared), "{what:?}");
                    }
                }
            }
        }
    }
}

/// Specification: a person whose rows are bounded at a fine table may put all of them into one cell of a coarse one.
#[test]
fn a_coarse_table_moves_by_all_groups_at_once() {
    let cube = Cube::new(vec![Attribute::categories(4).unwrap(), Attribute::categories(3).unwrap()]);
    let norms = |what: What, bounded_at: Depths| {
        Norms::new(&cube, &what, &Moved { bounded_at, groups: 5, each: 2 }).unwrap()
    };
    let finest = norms(What::Flat(vec![1, 1]), vec![1, 1]);
    assert_eq!((finest.l1, finest.l2_squared), (Rational::from(10), Rational::from(20)));
    let coarse = norms(What::Flat(vec![1, 0]), vec![1, 1]);
    assert_eq!(coarse.l2_squared, Rational::from(60), "three of the five in one cell at most");
    let total = norms(What::Flat(vec![0, 0]), vec![1, 1]);
    assert_eq!(total.l2_squared, Rational::from(100));
    let own = norms(What::Flat(vec![1, 0]), vec![1, 0]);
    assert_eq!(own.l2_squared, Rational::from(20), "bounded at the table itself");
    let residual = norms(What::Residual(vec![0, 1]), vec![1, 1]);
    assert_eq!(residual.l2_squared, Rational::ratio(200, 3));
}

#[test]
fn a_table_finer_than_the_bounds_is_refused() {
    let cube = Cube::new(vec![Attribute::categories(4).unwrap(), Attribute::categories(3).unwrap()]);
    let moved = |bounded_at: Depths, groups, each| Moved { bounded_at, groups, each };
    let norms = |moved| Norms::new(&cube, &What::Residual(vec![1, 1]), &moved);
    assert!(matches!(norms(moved(vec![1, 0], 1, 1)), Err(WorkloadError::NotBounded { .. })));
    assert!(matches!(norms(moved(vec![1, 2], 1, 1)), Err(WorkloadError::NotBounded { .. })));
    assert!(matches!(norms(moved(vec![1], 1, 1)), Err(WorkloadError::NotBounded { .. })));
    assert!(norms(moved(vec![1, 1], 0, 1)).is_err() && norms(moved(vec![1, 1], 1, 0)).is_err());
    assert!(norms(moved(vec![1, 1], 1, 1)).is_ok());
}

/// Specification: the rows divided by their scales are a projection: doing it twice changes nothing, and every family sums to zero.
#[test]
fn the_rows_of_a_residual_sum_to_zero_in_every_family() {
    for cube in cubes() {
        let finest = cube.finest();
        let table: Vec<i128> =
            (0..cube.cells(&finest).unwrap() as i128).map(|cell| cell * cell - 3).collect();
        for depths in cube.residuals_of(&finest) {
            let sums = cube.sum_to(&finest, &table, &depths).unwrap();
            let rows = integer_rows(&cube, &depths, &sums);
            let scales = row_scales(&cube, &What::Residual(depths.clone())).unwrap();
            let values: Vec<f64> =
                rows.iter().zip(scales).map(|(row, scale)| *row as f64 / scale as f64).collect();
            let mut again = values.clone();
            project(&cube, &depths, &mut again);
            assert!(values.iter().zip(again).all(|(one, other)| (one - other).abs() < 1e-9));
            let mut direct: Vec<f64> = sums.iter().map(|value| *value as f64).collect();
            project(&cube, &depths, &mut direct);
            assert!(values.iter().zip(direct).all(|(one, other)| (one - other).abs() < 1e-9));
        }
    }
}

/// Specification: the largest cells that exist overflow nowhere, and are only clamped beyond what any table of people holds.
#[test]
fn enormous_cells_are_clamped_and_overflow_nothing() {
    let cube = Cube::new(vec![Attribute::categories(2).unwrap(), Attribute::tree(8, 4).unwrap()]);
    let depths = cube.finest();
    for value in [i128::MAX, i128::MIN, 1 << 120, -(1 << 120)] {
        let rows = integer_rows(&cube, &depths, &[value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1]);
        assert!(rows.iter().all(|row| row.unsigned_abs() <= 1 << 126));
    }
    let most = 1i128 << 100;
    let mut table = vec![0; 16];
    table[0] = most;
    assert_eq!(integer_rows(&cube, &depths, &table)[0], most * 3, "(2 − 1)·(4 − 1) of the cell");
}
