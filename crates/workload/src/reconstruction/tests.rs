use pointillist_privacy::{Rho, Spend};
use pointillist_testkit::seeded;

use super::*;
use crate::{Attribute, Moved};

/// A price at which noise is nothing.
fn exact() -> Spend {
    Spend::Concentrated(Rho::parse("1000000").unwrap())
}

fn cubes() -> Vec<Cube> {
    let categories = |cells| Attribute::categories(cells).unwrap();
    let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap();
    vec![
        Cube::new(vec![categories(3), categories(2), categories(4)]),
        Cube::new(vec![Attribute::tree(11, 2).unwrap(), categories(3)]),
        Cube::new(vec![Attribute::tree(9, 4).unwrap()]),
        Cube::new(vec![places, categories(1), Attribute::tree(5, 3).unwrap()]),
    ]
}

fn measure(cube: &Cube, what: What, table: &[i128], spend: &Spend, seed: u64) -> (Measurement, Vec<i128>) {
    let sums = cube.sum_to(&cube.finest(), table, what.depths()).unwrap();
    let measurement = Measurement::new(cube, what, Moved::one_row(cube), spend).unwrap();
    let noisy = measurement.release(&sums, &mut seeded(seed)).unwrap();
    (measurement, noisy)
}

fn all_residuals(cube: &Cube, table: &[i128], spend: &Spend, seed: u64) -> Reconstruction {
    let residuals = cube.residuals_of(&cube.finest()).into_iter().enumerate();
    let measured: Vec<_> = residuals
        .map(|(i, depths)| measure(cube, What::Residual(depths), table, spend, seed * 1000 + i as u64))
        .collect();
    Reconstruction::new(cube, &measured).unwrap()
}

fn every_table(cube: &Cube) -> Vec<Depths> {
    let mut all = vec![Vec::new()];
    for attribute in cube.attributes() {
        all = all
            .iter()
            .flat_map(|start: &Depths| {
                (0..=attribute.deepest())
                    .map(|depth| start.iter().copied().chain([depth]).collect::<Depths>())
            })
            .collect();
    }
    all
}

fn some_table(cube: &Cube) -> Vec<i128> {
    let mut words = seeded(3);
    (0..cube.cells(&cube.finest()).unwrap()).map(|_| i128::from(words() >> 54)).collect()
}

#[test]
fn without_noise_every_table_is_exact() {
    for cube in cubes() {
        let table = some_table(&cube);
        let reconstruction = all_residuals(&cube, &table, &exact(), 1);
        for depths in every_table(&cube) {
            let truth = cube.sum_to(&cube.finest(), &table, &depths).unwrap();
            for (estimate, truth) in reconstruction.table(&depths).unwrap().iter().zip(&truth) {
                assert!((estimate.value - *truth as f64).abs() < 1e-6, "{depths:?}");
            }
            let flat =
                Reconstruction::new(&cube, &[measure(&cube, What::Flat(cube.finest()), &table, &exact(), 2)]);
            for (value, truth) in flat.unwrap().values(&depths).unwrap().iter().zip(&truth) {
                assert!((value - *truth as f64).abs() < 1e-6, "{depths:?} from the finest table");
            }
        }
    }
}

/// Specification: with noise, every table equals the sums of every finer one.
#[test]
fn tables_agree_wherever_they_overlap() {
    let spend = Spend::Concentrated(Rho::parse("0.001").unwrap());
    for cube in cubes() {
        let reconstruction = all_residuals(&cube, &some_table(&cube), &spend, 7);
        let finest = reconstruction.values(&cube.finest()).unwrap();
        let size = finest.iter().map(|value| value.abs()).fold(1.0, f64::max);
        for depths in every_table(&cube) {
            let sums = cube.sum_to(&cube.finest(), &finest, &depths).unwrap();
            for (direct, sum) in reconstruction.values(&depths).unwrap().iter().zip(sums) {
                assert!((direct - sum).abs() < 1e-9 * size, "{depths:?}");
            }
        }
    }
}

/// Solves the normal equations of measured rows `(coefficients over the finest cells, variance, value)`; the inverse too.
fn least_squares(rows: &[(Vec<f64>, f64, f64)]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let cells = rows[0].0.len();
    let mut matrix = vec![vec![0.0; 2 * cells + 1]; cells];
    for (coefficients, variance, value) in rows {
        for one in 0..cells {
            for other in 0..cells {
                matrix[one][other] += coefficients[one] * coefficients[other] / variance;
            }
            matrix[one][2 * cells] += coefficients[one] * value / variance;
        }
    }
    (0..cells).for_each(|cell| matrix[cell][cells + cell] = 1.0);
    for pivot in 0..cells {
        let best = (pivot..cells)
            .max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()))
            .unwrap();
        matrix.swap(pivot, best);
        let scale = matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|entry| *entry /= scale);
        let row = matrix[pivot].clone();
        for other in (0..cells).filter(|other| *other != pivot) {
            let factor = matrix[other][pivot];
            matrix[other].iter_mut().zip(&row).for_each(|(entry, own)| *entry -= factor * own);
        }
    }
    (
        matrix.iter().map(|row| row[2 * cells]).collect(),
        matrix.iter().map(|row| row[cells..2 * cells].to_vec()).collect(),
    )
}

/// The rows of a measurement as linear questions about the finest cells, found by asking about each cell alone.
fn questions(cube: &Cube, measurement: &Measurement, noisy: &[i128]) -> Vec<(Vec<f64>, f64, f64)> {
    let finest = cube.finest();
    let cells = cube.cells(&finest).unwrap();
    let scales = crate::residual::row_scales(cube, measurement.what()).unwrap();
    let mut rows: Vec<_> = (0..noisy.len())
        .map(|row| {
            (vec![0.0; cells], measurement.variance() * (scales[row] as f64).powi(2), noisy[row] as f64)
        })
        .collect();
    for cell in 0..cells {
        let mut person = vec![0i128; cells];
        person[cell] = 1;
        let table = cube.sum_to(&finest, &person, measurement.what().depths()).unwrap();
        let answers = match measurement.what() {
            What::Residual(depths) => crate::residual::integer_rows(cube, depths, &table),
            What::Flat(_) => table,
        };
        answers.iter().zip(&mut rows).for_each(|(answer, row)| row.0[cell] = *answer as f64);
    }
    rows
}

/// Specification: values and variances of every table are those of the normal equations, for residuals of any families, and for
/// any mixture of tables and residuals in balanced cubes.
#[test]
fn estimates_are_those_of_least_squares() {
    let categories = |cells| Attribute::categories(cells).unwrap();
    let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap();
    let spend = |text: &str| Spend::Concentrated(Rho::parse(text).unwrap());
    let residual = |depths: &[usize], price| (What::Residual(depths.to_vec()), spend(price));
    let flat = |depths: &[usize], price| (What::Flat(depths.to_vec()), spend(price));
    let all = |cube: &Cube| -> Vec<(What, Spend)> {
        let residuals = cube.residuals_of(&cube.finest()).into_iter().enumerate();
        residuals.map(|(index, depths)| residual(&depths, ["0.01", "0.03", "0.002"][index % 3])).collect()
    };
    let uneven = Cube::new(vec![places, categories(2)]);
    let ragged = Cube::new(vec![Attribute::tree(7, 2).unwrap()]);
    let pair = Cube::new(vec![categories(3), categories(4)]);
    let tree = Cube::new(vec![Attribute::tree(8, 2).unwrap()]);
    let cases = [
        (uneven.clone(), all(&uneven)),
        (ragged.clone(), all(&ragged)),
        (pair.clone(), vec![flat(&[1, 1], "0.01"), flat(&[1, 0], "0.02"), flat(&[0, 1], "0.004")]),
        (pair.clone(), vec![flat(&[1, 1], "0.01"), residual(&[1, 0], "0.02"), residual(&[1, 1], "0.03")]),
        (tree.clone(), (1..=3).map(|depth| flat(&[depth], "0.01")).collect()),
        (
            tree.clone(),
            vec![flat(&[3], "0.01"), flat(&[1], "0.05"), residual(&[2], "0.02"), residual(&[0], "0.01")],
        ),
        (uneven.clone(), vec![flat(&[2, 1], "0.01")]),
    ];
    for (case, (cube, parts)) in cases.into_iter().enumerate() {
        let table = some_table(&cube);
        let list = parts.into_iter().enumerate();
        let measured: Vec<_> =
            list.map(|(i, (what, spend))| measure(&cube, what, &table, &spend, i as u64)).collect();
        let rows: Vec<_> = measured.iter().flat_map(|(m, noisy)| questions(&cube, m, noisy)).collect();
        let (solution, covariance) = least_squares(&rows);
        let reconstruction = Reconstruction::new(&cube, &measured).unwrap();
        for depths in every_table(&cube) {
            let expected = cube.sum_to(&cube.finest(), &solution, &depths).unwrap();
            let estimates = reconstruction.table(&depths).unwrap();
            let ancestors = cube.ancestors(&cube.finest(), &depths);
            for (cell, estimate) in estimates.iter().enumerate() {
                let own: Vec<usize> = (0..ancestors.len()).filter(|fine| ancestors[*fine] == cell).collect();
                let variance: f64 = own.iter().flat_map(|a| own.iter().map(|b| covariance[*a][*b])).sum();
                assert!(
                    (estimate.value - expected[cell]).abs() < 1e-6 * (1.0 + expected[cell].abs()),
                    "{case} {depths:?}"
                );
                assert!(
                    (estimate.variance / variance - 1.0).abs() < 1e-6,
                    "{case} {depths:?}: {} {variance}",
                    estimate.variance
                );
            }
        }
    }
}

/// Specification: the 3×4 table with both margins, equal noise, has cells of variance 0.606.
#[test]
fn a_table_with_both_margins_has_a_known_variance() {
    let cube = Cube::new(vec![Attribute::categories(3).unwrap(), Attribute::categories(4).unwrap()]);
    let spend = Spend::Concentrated(Rho::parse("0.05").unwrap());
    let flats = [vec![1, 1], vec![1, 0], vec![0, 1]].into_iter();
    let measured: Vec<_> =
        flats.map(|depths| measure(&cube, What::Flat(depths), &[0; 12], &spend, 1)).collect();
    let cell = Reconstruction::new(&cube, &measured).unwrap().variances(&[1, 1]).unwrap()[5];
    assert!((cell * 0.1 - 0.606).abs() < 0.0005, "{cell}");
}

/// Specification: a range's value and variance are those of the cells in it: exact when it is a cell or everything.
#[test]
fn ranges_agree_with_tables() {
    let spend = Spend::Concentrated(Rho::parse("0.01").unwrap());
    for cube in cubes() {
        let reconstruction = all_residuals(&cube, &some_table(&cube), &spend, 3);
        let finest = cube.finest();
        let shape = cube.shape(&finest);
        let everything: Vec<Range<usize>> = shape.iter().map(|blocks| 0..*blocks).collect();
        let total = reconstruction.table(&vec![0; shape.len()]).unwrap()[0];
        let all = reconstruction.range(&finest, &everything).unwrap();
        assert!((all.value - total.value).abs() < 1e-6 * (1.0 + total.value.abs()));
        assert!((all.variance / total.variance - 1.0).abs() < 1e-9);
        let last: Vec<Range<usize>> = shape.iter().map(|blocks| blocks - 1..*blocks).collect();
        let cell = reconstruction.range(&finest, &last).unwrap();
        let of_table = *reconstruction.table(&finest).unwrap().last().unwrap();
        assert!((cell.value - of_table.value).abs() < 1e-9 * (1.0 + cell.value.abs()));
        assert!((cell.variance / of_table.variance - 1.0).abs() < 1e-9);
        let beyond: Vec<Range<usize>> = shape.iter().map(|blocks| 0..blocks + 1).collect();
        assert!(reconstruction.range(&finest, &beyond).is_err());
    }
}

/// Specification: bars of 1.96 standard deviations hold in 95 % of releases.
/// False alarm: at most 1e-9 (Hoeffding over independent releases, one cell each, rounding of the noise allowed for by 1 %).
#[test]
fn bars_hold_as_often_as_they_say() {
    let releases = 6000;
    let spend = Spend::Concentrated(Rho::parse("0.005").unwrap());
    let cube = Cube::new(vec![
        Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap(),
        Attribute::categories(2).unwrap(),
    ]);
    let table = some_table(&cube);
    let finest = cube.finest();
    let truth = table.clone();
    let mut held = vec![0usize; truth.len()];
    for release in 0..releases {
        let estimates = all_residuals(&cube, &table, &spend, 10 + release).table(&finest).unwrap();
        for (cell, estimate) in estimates.iter().enumerate() {
            held[cell] +=
                usize::from((estimate.value - truth[cell] as f64).abs() <= 1.96 * estimate.variance.sqrt());
        }
    }
    let radius = pointillist_testkit::hoeffding_radius(releases, 1e-9 / truth.len() as f64) + 0.01;
    for (cell, held) in held.into_iter().enumerate() {
        let share = held as f64 / releases as f64;
        assert!((share - 0.95).abs() <= radius, "cell {cell}: {share} of bars hold, not within {radius}");
    }
}

#[test]
fn what_was_not_measured_is_refused() {
    let cube = Cube::new(vec![Attribute::categories(3).unwrap(), Attribute::categories(4).unwrap()]);
    let measured = [measure(&cube, What::Flat(vec![1, 0]), &[1; 12], &exact(), 1)];
    let reconstruction = Reconstruction::new(&cube, &measured).unwrap();
    assert!(reconstruction.table(&[1, 0]).is_ok() && reconstruction.table(&[0, 0]).is_ok());
    for depths in [vec![0, 1], vec![1, 1]] {
        assert_eq!(reconstruction.table(&depths), Err(WorkloadError::NotMeasured { depths: depths.clone() }));
    }
    let other = Cube::new(vec![Attribute::categories(3).unwrap()]);
    assert!(Reconstruction::new(&other, &measured).is_err(), "measurements of another cube");
    let uneven = Cube::new(vec![Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap()]);
    let two = [vec![1], vec![2]].map(|depths| measure(&uneven, What::Flat(depths), &[1; 4], &exact(), 1));
    assert!(Reconstruction::new(&uneven, &two).is_err(), "tables of uneven families stand alone");
}

/// Specification: a table put together from overlapping ones is known at least as well as from its own measurement alone, and so is
/// all that is summed from it: the total squared error of consistent tables is no larger, in expectation.
#[test]
fn consistent_tables_are_known_better_than_each_alone() {
    let cube = Cube::new(vec![
        Attribute::categories(3).unwrap(),
        Attribute::categories(4).unwrap(),
        Attribute::tree(8, 2).unwrap(),
    ]);
    let spend = Spend::Concentrated(Rho::parse("0.01").unwrap());
    let depths = [vec![1, 1, 0], vec![1, 0, 3], vec![0, 1, 3], vec![0, 0, 2], vec![1, 0, 0]];
    let table = some_table(&cube);
    let measured: Vec<_> =
        depths.iter().map(|depths| measure(&cube, What::Flat(depths.clone()), &table, &spend, 1)).collect();
    let reconstruction = Reconstruction::new(&cube, &measured).unwrap();
    for ((measurement, _), depths) in measured.iter().zip(&depths) {
        for variance in reconstruction.variances(depths).unwrap() {
            assert!(variance < measurement.variance() * (1.0 - 1e-3), "{depths:?}");
        }
    }
}
