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
    ratings.iter().map(|own| contribution(own, unit)).fold([0, 0], |sums, own| {
        [sums[0].wrapping_add(own[0]), sums[1].wrapping_add(own[1])]
    })
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
