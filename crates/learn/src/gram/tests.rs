use pointillist_testkit::seeded;

use super::*;
use crate::MemoryRows;

fn rho(text: &str) -> Rho {
    Rho::parse(text).unwrap()
}

/// Numbers from −1 to 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut words = seeded(seed);
    (0..count).map(|_| words() as f64 / u64::MAX as f64 * 2.0 - 1.0).collect()
}

fn sums_of(shape: &GramShape, rows: &[Vec<f64>], y: &[f64]) -> Vec<i128> {
    let x = rows.iter().flatten().copied().collect();
    shape.sums(&Unchecked(MemoryRows::new(x, y.to_vec(), shape.dimension, 1e300, 1))).unwrap()
}

/// Rows that were never shortened: they break their promise.
struct Unchecked(MemoryRows);

impl Rows for Unchecked {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }
    fn norm_bound(&self) -> f64 {
        1.0
    }
    fn rows_per_person(&self) -> u32 {
        1
    }
    fn for_each_block(&self, each: &mut dyn FnMut(&Block<'_>)) -> Result<(), RowsError> {
        self.0.for_each_block(each)
    }
}

/// Specification: the sums are those of integer rows, exactly, beyond one matrix product too.
#[test]
fn sums_are_exact_beyond_one_product() {
    let shape = GramShape::new(3, 1.0, 1, Target::Within(0.7)).unwrap();
    let (n, columns) = (2 * EXACT_ROWS + 77, 4);
    let data = numbers(n * 3, 1);
    let y = numbers(n, 2);
    let rows = MemoryRows::new(data, y, 3, 1.0, 1);
    let mut expected = vec![0i128; columns * (columns + 1) / 2];
    rows.for_each_block(&mut |block| {
        for at in 0..block.len() {
            let mut row = block.row(at).to_vec();
            row.push(block.y[at] * 0.7);
            let mut q = vec![0.0; columns];
            shape.grid.quantise(&row, &mut q);
            for i in 0..columns {
                for j in 0..=i {
                    expected[triangle(i, j)] += q[i] as i128 * q[j] as i128;
                }
            }
        }
    })
    .unwrap();
    assert_eq!(shape.sums(&rows).unwrap(), expected);
}

/// Specification: whatever rows a person has, also rows that are far too long, the matrix moves by at most kM² in
/// Frobenius norm; equal rows on the bound reach nearly all of it. Power: a sensitivity of R² for several rows, or
/// without the target, is below what is seen here.
#[test]
fn a_person_moves_the_matrix_by_no_more_than_the_bound() {
    for (rows_per_person, target) in
        [(1u32, Target::Absent), (1, Target::Within(1.0)), (3, Target::Within(0.5)), (4, Target::Absent)]
    {
        let shape = GramShape::new(3, 1.0, rows_per_person, target).unwrap();
        let bound = i128::try_from(shape.frobenius_max().floor()).unwrap();
        let others: Vec<Vec<f64>> = numbers(30, 5).chunks(3).map(<[f64]>::to_vec).collect();
        let others_y = numbers(10, 6);
        let before = sums_of(&shape, &others, &others_y);
        let mut largest = 0.0f64;
        let unit = [1.0, 0.0, 0.0];
        let hostile = [
            unit.to_vec(),
            vec![0.6, -0.8, 0.0],
            vec![1e9, -1e9, 1e300],
            vec![f64::INFINITY, f64::NAN, -1.0],
            vec![0.577_350_269_2; 3],
        ];
        for (at, first) in hostile.iter().enumerate() {
            for y in [1.0, -1.0, 1e18, f64::NAN] {
                let (mut rows, mut targets) = (others.clone(), others_y.clone());
                for copy in 0..rows_per_person as usize {
                    rows.push(if at == 1 && copy > 0 { hostile[0].clone() } else { first.clone() });
                    targets.push(y);
                }
                let after = sums_of(&shape, &rows, &targets);
                let mut square = 0i128;
                for i in 0..shape.columns() {
                    for j in 0..=i {
                        let moved = after[triangle(i, j)] - before[triangle(i, j)];
                        square += if i == j { moved * moved } else { 2 * moved * moved };
                    }
                }
                assert!(square <= bound * bound, "{square} {bound}");
                largest = largest.max((square as f64).sqrt() / bound as f64);
            }
        }
        assert!(largest > 0.9999, "{largest}");
    }
}

/// Specification: off the diagonal the noise has half the variance of the diagonal, and that one is (k(R² +
/// η²))²/(2ρ), also when features are never negative. False alarm: below 1e-9: 6.2 standard deviations of a
/// variance of 900 and of 3 000 normal draws.
#[test]
fn noise_below_the_diagonal_has_half_the_variance() {
    let gram = Gram::new(2, 1.5, 2, Some(0.5), rho("0.02")).unwrap();
    let variance = (2.0f64 * 2.5).powi(2) / 0.04;
    assert!((gram.noise_variance() / variance - 1.0).abs() < 1e-5, "{}", gram.noise_variance());
    let nobody = MemoryRows::new(vec![], vec![], 2, 1.5, 2);
    let mut bits = seeded(77);
    let (mut on, mut off) = (0.0, 0.0);
    let runs = 1000;
    for _ in 0..runs {
        let release = gram.fit(&nobody, &mut bits).unwrap();
        on += release.product(0, 0).powi(2) + release.product(1, 1).powi(2) + release.product(2, 2).powi(2);
        off += release.product(1, 0).powi(2) + release.product(2, 0).powi(2) + release.product(2, 1).powi(2);
    }
    let normal = f64::from(3 * runs);
    let radius = 6.2 * (2.0 / normal).sqrt();
    assert!((on / normal / variance - 1.0).abs() < radius, "{}", on / normal / variance);
    assert!((off / normal / (variance / 2.0) - 1.0).abs() < radius, "{}", off / normal / variance);
}

#[test]
fn what_is_lost_is_what_was_paid() {
    let gram = Gram::new(3, 1.0, 1, None, rho("1/3")).unwrap();
    assert_eq!(gram.loss(), Loss::zcdp(rho("1/3")));
}

#[test]
fn bounds_come_from_nobody_and_rows_that_exceed_them_are_refused() {
    assert!(Gram::new(0, 1.0, 1, None, rho("1")).is_err());
    assert!(Gram::new(3, 0.0, 1, None, rho("1")).is_err());
    assert!(Gram::new(3, 1.0, 0, None, rho("1")).is_err());
    assert!(Gram::new(3, 1.0, 1, Some(f64::NAN), rho("1")).is_err());
    let gram = Gram::new(3, 1.0, 1, None, rho("1")).unwrap();
    for rows in [
        MemoryRows::new(vec![], vec![], 2, 1.0, 1),
        MemoryRows::new(vec![], vec![], 3, 1.1, 1),
        MemoryRows::new(vec![], vec![], 3, 1.0, 2),
    ] {
        assert!(gram.fit(&rows, &mut seeded(1)).is_err());
    }
}

/// Rows (1/2, z/2) with a target of 0.3·z/2 + 0.1.
fn line(n: usize) -> MemoryRows {
    let z = numbers(n, 9);
    let x = z.iter().flat_map(|z| [0.5, z / 2.0]).collect();
    let y = z.iter().map(|z| 0.15 * z + 0.1).collect();
    MemoryRows::new(x, y, 2, 1.0, 1)
}

#[test]
fn with_little_noise_moments_and_lines_are_found() {
    let gram = Gram::new(2, 1.0, 1, Some(0.5), rho("10000")).unwrap();
    let release = gram.fit(&line(4000), &mut seeded(3)).unwrap();
    let constant = Constant { column: 0, value: 0.5 };
    let moments = release.moments(constant);
    assert!((moments.count - 4000.0).abs() < 1.0, "{}", moments.count);
    assert!((moments.mean[0] - 0.5).abs() < 1e-3 && moments.mean[1].abs() < 0.02);
    assert!((moments.variances()[1] - 1.0 / 12.0).abs() < 5e-3, "{:?}", moments.variances());
    let components = release.principal_components(constant, 2);
    assert!(components.directions[0][1].abs() > 0.999 && components.variances[1] < 1e-3);
    assert!((components.project(&[0.5, 0.5])[0].abs() - 0.5).abs() < 0.02);
    for penalty in [Penalty::Automatic, Penalty::Fixed(0.0), Penalty::Fixed(0.001)] {
        let model = release.regression(penalty).unwrap();
        assert!((model.predict(&[0.5, 0.25]) - 0.175).abs() < 1e-3, "{penalty:?} {model:?}");
    }
    let mut row = [0.5, 0.5];
    moments.standardise(&mut row);
    assert!((row[1] - 3f64.sqrt()).abs() < 0.1, "{row:?}");
}

#[test]
fn nobody_a_constant_and_more_features_than_rows_have_models() {
    let constant = Constant { column: 0, value: 0.5 };
    for (rows, d) in [
        (MemoryRows::new(vec![], vec![], 5, 1.0, 1), 5),
        (MemoryRows::new(vec![0.5; 10], vec![1.0, -1.0], 5, 2.0, 1), 5),
        (MemoryRows::new(vec![0.0; 10], vec![0.0, 0.0], 5, 1.0, 1), 5),
    ] {
        for price in ["1e-12", "0.01", "1000000"] {
            let gram = Gram::new(d, 2.0, 1, Some(1.0), rho(price)).unwrap();
            let release = gram.fit(&rows, &mut seeded(4)).unwrap();
            assert!(release.moments(constant).mean.iter().all(|mean| mean.is_finite()));
            assert!(release.moments(constant).count >= 1.0);
            let components = release.principal_components(constant, 9);
            assert_eq!(components.directions.len(), d);
            assert!(components.variances.iter().all(|variance| *variance >= 0.0 && variance.is_finite()));
            for penalty in [Penalty::Automatic, Penalty::Fixed(0.0), Penalty::Fixed(1.0)] {
                let model = release.regression(penalty).unwrap();
                assert!(model.coefficients.iter().all(|c| c.is_finite()), "{price} {penalty:?}");
            }
        }
    }
}
