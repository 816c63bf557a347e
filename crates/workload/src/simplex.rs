//! The nearest point with a given sum and no negative entry, and the nearest whole one to that.

/// The point of {x ≥ 0, Σ x = sum} at least distance from `values`: max(0, y − λ) for one λ, which sorting finds.
pub(crate) fn project(values: &[f64], sum: f64) -> Vec<f64> {
    if sum <= 0.0 {
        return vec![0.0; values.len()];
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    // λ is (Σ of the largest − sum)/their number, for as many as stay above it.
    let mut total = 0.0;
    let mut lambda = 0.0;
    for (index, value) in sorted.iter().enumerate() {
        total += value;
        let next = (total - sum) / (index + 1) as f64;
        if *value <= next {
            break;
        }
        lambda = next;
    }
    values.iter().map(|value| (value - lambda).max(0.0)).collect()
}

/// Whole numbers that add up to `sum`, from numbers ≥ 0 that do up to floating point: all rounded down, and those with the
/// largest fractions up, the earlier of equal ones first.
pub(crate) fn round(values: &[f64], sum: i128) -> Vec<i128> {
    let mut whole: Vec<i128> = values.iter().map(|value| value.floor() as i128).collect();
    let missing = sum - whole.iter().sum::<i128>();
    let mut order: Vec<usize> = (0..values.len()).collect();
    let fraction = |index: &usize| values[*index] - values[*index].floor();
    order.sort_by(|one, other| fraction(other).total_cmp(&fraction(one)));
    // Floating point can leave the sum off by more than the number of cells only for astronomical sums.
    let (each, rest) = (missing.div_euclid(values.len() as i128), missing.rem_euclid(values.len() as i128));
    whole.iter_mut().for_each(|value| *value += each);
    order.iter().take(rest as usize).for_each(|index| whole[*index] += 1);
    take_back_negatives(&mut whole);
    whole
}

/// Moves what is below zero to the largest entries: it happens to zeros only, by a rounding of floats.
fn take_back_negatives(whole: &mut [i128]) {
    while let Some(below) = whole.iter().position(|value| *value < 0) {
        let largest = (0..whole.len()).max_by_key(|index| whole[*index]).expect("there is an entry");
        if whole[largest] <= 0 {
            return;
        }
        let moved = whole[largest].min(-whole[below]);
        whole[largest] -= moved;
        whole[below] += moved;
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    fn distance(one: &[f64], other: &[f64]) -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum()
    }

    /// Specification: the projection is on the simplex, and no point of a fine grid of it is nearer.
    #[test]
    fn no_point_of_the_simplex_is_nearer() {
        let mut words = seeded(21);
        for _ in 0..200 {
            let values: Vec<f64> = (0..3).map(|_| (words() >> 40) as f64 / 1e6 - 8.0).collect();
            let sum = (words() >> 60) as f64;
            let nearest = project(&values, sum);
            assert!((nearest.iter().sum::<f64>() - sum).abs() < 1e-9 && nearest.iter().all(|x| *x >= 0.0));
            for first in 0..=40 {
                for second in 0..=40 - first {
                    let point =
                        [first, second, 40 - first - second].map(|share| f64::from(share) / 40.0 * sum);
                    assert!(distance(&values, &nearest) <= distance(&values, &point) + 1e-9);
                }
            }
        }
    }

    /// Specification: projecting never moves away from a point of the simplex, so a table of people comes nearer to the truth.
    #[test]
    fn projecting_comes_nearer_to_every_table_of_people() {
        let mut words = seeded(22);
        for _ in 0..500 {
            let truth: Vec<f64> = (0..6).map(|_| ((words() >> 61) * (words() & 1)) as f64).collect();
            let noisy: Vec<f64> = truth.iter().map(|x| x + (words() >> 54) as f64 / 100.0 - 5.0).collect();
            let nearest = project(&noisy, truth.iter().sum());
            assert!(distance(&nearest, &truth) <= distance(&noisy, &truth) + 1e-9);
        }
    }

    #[test]
    fn rounding_keeps_the_sum_and_moves_nothing_by_one() {
        let mut words = seeded(23);
        for _ in 0..500 {
            let values: Vec<f64> = (0..5).map(|_| (words() >> 50) as f64 / 77.0).collect();
            let sum = values.iter().sum::<f64>().round();
            let projected = project(&values, sum);
            let whole = round(&projected, sum as i128);
            assert_eq!(whole.iter().sum::<i128>(), sum as i128);
            assert!(
                whole.iter().zip(&projected).all(|(whole, x)| *whole >= 0 && (*whole as f64 - x).abs() < 1.0)
            );
        }
        assert_eq!(round(&[0.5, 0.5, 0.0], 1), [1, 0, 0]);
        assert_eq!(project(&[3.0, -2.0], 0.0), [0.0, 0.0]);
    }
}
