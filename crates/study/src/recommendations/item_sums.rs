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
