//! How much each item of the catalogue is liked beyond the mean, and about how often it was rated.
//!
//! **Guarantee.** The sums S_i = Σ w·x_i and γD·Σ w of all items move by at most Δ with Δ² = k·D²(1 + γ²) where the unit is a person,
//! and Δ² = D²(1 + γ²) where it is a rating. Here x = clip(r − mean, ±D), a person with c ratings has weight w = min(1, √(k/c)), and
//! w = 1 where the unit is a rating.
//! **Neighbours.** Add or remove one [`Unit`]; the mean was released before, and is the same for both.
//! **Proof.** A person has one rating of an item, so the square of what they add is Σ w²(x² + γ²D²) ≤ w²·c·D²(1 + γ²) ≤ k·D²(1 + γ²): for
//! c ≤ k because w = 1, for c > k because w² = k/c. It is that much for c ≥ k ratings at ±D. One rating adds to one item. Weights are cut
//! down to 2^-30 and products to whole steps towards zero, which only shortens what a person adds.
//! **Exactness.** Integers in steps of the grid.
//! **Why this weight.** Keeping k of somebody's c ratings has the same bound; the weight √(k/c) uses all c of them, and an item's count is
//! √(kc) times a share instead of k times that.

use pointillist_numbers::Rational;

use super::{Rating, Ratings, Settings, Unit};

/// Bits behind the point of a weight.
const WEIGHT_BITS: u32 = 30;

/// ⌊2^30·min(1, √(k/c))⌋.
fn weight(cap: u32, count: usize) -> i64 {
    if count <= cap as usize {
        return 1 << WEIGHT_BITS;
    }
    ((u128::from(cap) << (2 * WEIGHT_BITS)) / count as u128).isqrt() as i64
}

/// What one person adds to the sum and the count of each item that they rated, in the order of their ratings.
pub(super) fn contributions<'r>(
    ratings: &'r [Rating],
    mean: i64,
    settings: &Settings,
) -> impl Iterator<Item = (u32, [i64; 2])> + 'r {
    let (half_range, count_step) = settings.item_steps();
    let weight = match settings.unit {
        Unit::Person => weight(settings.cap, ratings.len()),
        Unit::Rating => 1 << WEIGHT_BITS,
    };
    let weighted = move |steps: i64| steps * weight / (1 << WEIGHT_BITS);
    ratings.iter().map(move |rating| {
        let liked = (rating.points.steps() - mean).clamp(-half_range, half_range);
        (rating.item, [weighted(liked), weighted(count_step)])
    })
}

/// The exact sums, all sums before all counts. Never for release.
pub(super) fn sums(ratings: &Ratings, items: usize, mean: i64, settings: &Settings) -> Vec<i64> {
    let mut sums = vec![0i64; 2 * items];
    for own in ratings.iter() {
        for (item, [liked, counted]) in contributions(own, mean, settings) {
            let item = item as usize;
            sums[item] = sums[item].wrapping_add(liked);
            sums[items + item] = sums[items + item].wrapping_add(counted);
        }
    }
    sums
}

/// The square of how far one unit moves the sums.
pub(super) fn sensitivity_l2_squared(settings: &Settings) -> Rational {
    let (half_range, count_step) = settings.item_steps();
    let one = Rational::from(half_range).squared() + Rational::from(count_step).squared();
    match settings.unit {
        Unit::Person => one * Rational::from(settings.cap),
        Unit::Rating => one,
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::super::Points;
    use super::super::grid::MIDDLE;
    use super::*;

    fn square(moved: impl Iterator<Item = (u32, [i64; 2])>) -> Rational {
        moved
            .flat_map(|(_, by)| by)
            .map(|by| Rational::from(by).squared())
            .fold(Rational::zero(), |a, b| a + b)
    }

    /// Specification: no person moves the sums by more than the bound, whatever they rate; people at ±D come within a thousandth of it from
    /// k ratings on. One rating more moves one item, by no more than its bound. A weight of ∜(k/c) in place of the root, planted, is found.
    #[test]
    fn the_bound_holds_for_everybody_and_is_reached() {
        let mut words = seeded(2);
        for (half_range, cap, count_weight) in
            [(2.5, 1, 0.5), (2.5, 1, 0.8), (3.0, 3, 0.5), (4.0, 8, 0.01), (0.5, 2, 3.0)]
        {
            let settings = Settings { half_range, cap, count_weight, ..Settings::sparse(Unit::Person, 1.0) };
            let bound = sensitivity_l2_squared(&settings);
            let single = Settings { unit: Unit::Rating, ..settings.clone() };
            for count in 1..=80usize {
                for kind in 0..3 {
                    let own: Vec<Rating> = (0..count)
                        .map(|item| {
                            let points = match kind {
                                0 => 10.0,
                                1 => 10.0 * (item % 2) as f64,
                                _ => (words() % 11) as f64,
                            };
                            Rating { item: item as u32, points: Points::from_f64(points) }
                        })
                        .collect();
                    let moved = square(contributions(&own, MIDDLE, &settings));
                    assert!(moved <= bound, "{settings:?} {count} {kind}");
                    if kind < 2 && count >= cap as usize {
                        assert!(moved > &bound * &Rational::ratio(999, 1000), "{settings:?} {count} {moved}");
                    }
                    let last = contributions(&own, MIDDLE, &single).skip(count - 1);
                    assert!(square(last) <= sensitivity_l2_squared(&single));
                    let (all, fewer) = (
                        contributions(&own, MIDDLE, &single),
                        contributions(&own[..count - 1], MIDDLE, &single),
                    );
                    assert!(all.zip(fewer).all(|(a, b)| a == b), "a rating moves its own item alone");
                }
            }
            let count = 64 * cap as usize;
            let planted = (f64::from(cap) / count as f64).powf(0.25).powi(2) * count as f64;
            let (range, step) = settings.item_steps();
            let moved = planted * ((range as f64).powi(2) + (step as f64).powi(2));
            assert!(moved > bound.to_f64_upper() * 2.0, "the planted weight is found");
        }
    }

    #[test]
    fn weights_are_never_rounded_up() {
        for cap in [1, 2, 3, 8] {
            for count in 1..5000usize {
                let weight = weight(cap, count) as u128;
                let one = 1u128 << WEIGHT_BITS;
                assert!(weight * weight * count as u128 <= u128::from(cap) * one * one || weight == one);
                assert!(weight <= one && (weight < one || count <= cap as usize), "{cap} {count}");
                let more = weight + 1;
                assert!(
                    weight == one || more * more * count as u128 > u128::from(cap) * one * one,
                    "{cap} {count}"
                );
            }
        }
    }
}
