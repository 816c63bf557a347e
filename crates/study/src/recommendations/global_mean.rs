//! The mean of all ratings, and about how many there are.
//!
//! **Guarantee.** The two sums T = Σ w·Σ(r − 5) and N = Σ w·c·5, in points, move by at most [`sensitivity_l2_squared`] in the square of their L2
//! norm, where a person with c ratings r has weight w = min(1, [`MEAN_CAP`]/c); where the unit is a rating, w = 1.
//! **Neighbours.** Add or remove one [`Unit`].
//! **Proof.** A person moves N by w·c·5 ≤ 5·cap, and T by no more, as |r − 5| ≤ 5. So the square is at most 2·(5·cap)², and it is that for
//! c ≥ cap ratings of 10. One rating moves each by at most 5. What a person adds is cut to whole steps towards zero, which only
//! shortens it; a single rating has weight one, and nothing to cut.
//! **Exactness.** Integers in steps of the grid.

use pointillist_numbers::Rational;

use super::grid::MIDDLE;
use super::settings::MEAN_CAP;
use super::{Rating, Ratings, Unit};

/// What one person adds to the two sums.
pub(super) fn contribution(ratings: &[Rating], unit: Unit) -> [i64; 2] {
    let count = ratings.len() as i64;
    let total: i64 = ratings.iter().map(|rating| rating.points.steps() - MIDDLE).sum();
    let cap = i64::from(MEAN_CAP);
    match unit {
        // Division of integers goes towards zero.
        Unit::Person if count > cap => [total * cap / count, MIDDLE * cap],
        _ => [total, MIDDLE * count],
    }
}

/// The exact sums. Never for release.
pub(super) fn sums(ratings: &Ratings, unit: Unit) -> [i64; 2] {
    ratings
        .iter()
        .map(|own| contribution(own, unit))
        .fold([0, 0], |sums, own| [sums[0].wrapping_add(own[0]), sums[1].wrapping_add(own[1])])
}

/// The square of how far one unit moves the sums.
pub(super) fn sensitivity_l2_squared(unit: Unit) -> Rational {
    let most = match unit {
        Unit::Person => MIDDLE * i64::from(MEAN_CAP),
        Unit::Rating => MIDDLE,
    };
    Rational::from(2) * Rational::from(most).squared()
}

/// The mean from released sums, in steps.
pub(super) fn mean_of(released: [i64; 2]) -> i64 {
    let [total, count] = released.map(|sum| sum as f64 / MIDDLE as f64);
    let share = (total / count.max(1.0)).clamp(-1.0, 1.0);
    MIDDLE + (share * MIDDLE as f64).round() as i64
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::super::Points;
    use super::*;

    fn person(points: &[f64]) -> Vec<Rating> {
        let rating =
            |(item, points): (usize, &f64)| Rating { item: item as u32, points: Points::from_f64(*points) };
        points.iter().enumerate().map(rating).collect()
    }

    fn square(moved: [i64; 2]) -> Rational {
        moved.into_iter().map(|by| Rational::from(by).squared()).fold(Rational::zero(), |a, b| a + b)
    }

    /// Specification: no person and no rating moves the sums by more than the bound, and the worst of them by exactly that.
    /// A weight of cap/√c instead of cap/c, planted, is found.
    #[test]
    fn the_bound_holds_for_everybody_and_is_reached() {
        let bound = sensitivity_l2_squared(Unit::Person);
        let mut words = seeded(1);
        for count in 1..=60usize {
            for kind in 0..4 {
                let points: Vec<f64> = (0..count)
                    .map(|at| match kind {
                        0 => 10.0,
                        1 => 0.0,
                        2 => {
                            if at % 2 == 0 {
                                0.0
                            } else {
                                10.0
                            }
                        }
                        _ => (words() % 11) as f64,
                    })
                    .collect();
                let own = person(&points);
                let moved = square(contribution(&own, Unit::Person));
                assert!(moved <= bound, "{count} {kind}");
                assert_eq!(moved == bound, kind < 2 && count >= MEAN_CAP as usize, "{count} {kind}");
                let mut less = own.clone();
                less.pop();
                let [a, b] = [&own, &less].map(|own| contribution(own, Unit::Rating));
                let moved = square([a[0] - b[0], a[1] - b[1]]);
                assert!(moved <= sensitivity_l2_squared(Unit::Rating), "{count} {kind}");
                if kind == 0 {
                    assert_eq!(moved, sensitivity_l2_squared(Unit::Rating));
                }
            }
        }
        let planted = |own: &[Rating]| {
            let weight = f64::from(MEAN_CAP) / (own.len() as f64).sqrt();
            own.iter().fold([0, 0], |sums, rating| {
                let add = |sum: i64, steps: i64| sum + (weight * steps as f64) as i64;
                [add(sums[0], rating.points.steps() - MIDDLE), add(sums[1], MIDDLE)]
            })
        };
        assert!(square(planted(&person(&[10.0; 30]))) > bound, "the planted weight is found");
    }

    #[test]
    fn the_mean_follows_from_the_sums_whatever_the_noise() {
        assert_eq!(mean_of([0, 0]), MIDDLE);
        assert_eq!(mean_of([MIDDLE * 20, MIDDLE * 100]), MIDDLE + MIDDLE / 5);
        assert_eq!(mean_of([i64::MAX, -5]), 2 * MIDDLE);
        assert_eq!(mean_of([i64::MIN, i64::MIN]), 0);
    }
}
