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

fn measured(cube: &Cube, what: What, table: &[i128], spend: &Spend, seed: u64) -> (Measurement, Vec<i128>) {
    let sums = cube.sum_to(&cube.finest(), table, what.depths()).unwrap();
    let measurement = Measurement::new(cube, what, Moved::one_row(cube), spend).unwrap();
    let noisy = measurement.release(&sums, &mut seeded(seed)).unwrap();
    (measurement, noisy)
}

fn all_residuals(cube: &Cube, table: &[i128], spend: &Spend, seed: u64) -> Reconstruction {
    let residuals = cube.residuals_of(&cube.finest()).into_iter().enumerate();
    let measured: Vec<_> = residuals
        .map(|(i, depths)| measured(cube, What::Residual(depths), table, spend, seed * 1000 + i as u64))
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
            let flat = Reconstruction::new(
                &cube,
                &[measured(&cube, What::Flat(cube.finest()), &table, &exact(), 2)],
            );
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
