//! Which items are liked together: products of residuals for pairs of chosen items, without the squares.
//!
//! **Guarantee.** Let a person have residuals e with |e| ≤ B at c of the chosen items, and add w·e_i·e_j to every pair i < j. The
//! vector of all pairs moves by at most Δ:
//! * where the unit is a person, w = min(1, κ/√(c(c−1))) for c ≥ 2, and Δ² = κ²·B⁴/2;
//! * where the unit is a rating, w = f(c) = 1/√c, and Δ is the largest of [`rating_movement`] over c.
//!
//! **Neighbours.** Add or remove one [`Unit`]; the mean, the effects of items and which items are chosen were released before.
//! **Proof.** *Person.* Σ_{i<j} (w·e_i·e_j)² ≤ w²·B⁴·c(c−1)/2 ≤ κ²·B⁴/2, with equality for c ≥ 2 residuals at ±B where κ ≤ √(c(c−1)). Squares e_i² are
//! left out: with them and w = 1/c the largest movement is B² and belongs to somebody with a single rating, who says nothing
//! about pairs.
//!
//! *Rating.* Norms here count both orders of a pair; a triangle has 1/√2 of them. Residuals are e = clip(d − a, ±B), where d are cut at ±B, all
//! n ≥ c ratings of the person have one, and a = Σd/(n + λ). Adding the n-th rating moves a by
//! |d_n·(n−1+λ) − Σ_{<n} d|/((n−1+λ)(n+λ)) ≤ B·h(n), h(n) = (2(n−1) + λ)/((n−1+λ)(n+λ)). As h(1) = h(2) = 1/(λ+1) and h falls from there
//! (with t = n−1+λ its derivative has the sign of −2t² + 2λt + λ, which is negative from t = λ+1 on), h(n) ≤ h(c). Cutting moves
//! nothing apart, so each old residual moves by at most η = B·h(c). The old c−1 residuals, as a vector, go from e to e + δ with ‖δ‖ ≤ √(c−1)·η, so their
//! products move by at most
//! |f(c−1) − f(c)|·B²·√((c−1)(c−2)) + f(c)·‖δ‖·(‖e‖ + ‖e+δ‖) ≤ |f(c−1) − f(c)|·B²·√((c−1)(c−2)) + 2·f(c)·(c−1)·B·η
//! (nothing at c = 2: one residual has no pair); the pairs with the new one are other coordinates, and have the square 2(c−1)·f(c)²·B⁴. A rating of
//! an item that is not chosen moves a alone: 2·f(c)·c·B·η with h(c+1).
//!
//! *Whole steps.* Each residual is multiplied by √w, cut down to 2^-24, and cut towards zero to whole steps; products of steps are exact. What a whole
//! person adds only gets shorter by that. But between two versions of one person cutting is no contraction: a moves by up to one step more; and
//! for g = φe + r with |r| ≤ 1, |g| ≤ |φe| the products g·gᵀ differ from φ²·e·eᵀ by at most ‖r‖(‖g‖ + ‖φe‖) ≤ 2cφB. Both are added to the movement, once for each
//! version. (A grid of 2^-12 would make that 4 % of the bound at 500 items; at 2^-16 it is a few parts in a thousand.)
//! **Exactness.** Integers; the bound itself is computed in floats, all terms of one sign, and enlarged by 2^-30 of itself.
//! **Why κ = 1.** Where noise dominates, what is seen of a covariance grows with Σ w·c², and the noise with κ: Σ min(c²/κ, c) people to one never rises with κ. Where there is
//! much to spend, larger κ weigh people more evenly.
//! **Work.** Rows of the triangle in blocks, side by side: every block goes through everybody and stays in the cache.

use pointillist_numbers::Rational;
use rayon::prelude::*;

use super::grid::{GRID_BITS, POINT};
use super::residuals::Centring;
use super::{Ratings, Unit};

/// Bits behind the point of the root of a weight.
const ROOT_BITS: u32 = 24;
/// The most that one person adds to the total weight of pairs.
const WEIGHT_MAX: i64 = 50 * POINT;
/// The entries of a block: half a megabyte.
const BLOCK: usize = 1 << 16;

/// How much one person's products count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairWeights {
    pub unit: Unit,
    /// The κ of the guarantee: a person adds as much as κ people with two ratings.
    pub cap: u32,
}

impl PairWeights {
    /// ⌊2^24·√w⌋ for somebody with residuals at so many chosen items.
    pub fn root(self, count: usize) -> i64 {
        let count = count as u128;
        let fourth_power = match self.unit {
            Unit::Person if count < 2 => return 0,
            Unit::Person => (u128::from(self.cap).pow(2) << (4 * ROOT_BITS)) / (count * (count - 1)),
            Unit::Rating => (1 << (4 * ROOT_BITS)) / count.max(1),
        };
        (fourth_power.isqrt().isqrt() as i64).min(1 << ROOT_BITS)
    }
}

/// What one person adds to pairs: the position of a chosen item and what stands for it, in steps, in the order of positions.
pub(super) type Shares = Vec<(u32, i32)>;

/// One person's residuals at chosen items, multiplied by the root of their weight. `position` says where a chosen item is.
pub(super) fn shares(
    residuals: impl Iterator<Item = (u32, i64)>,
    position: &[Option<u32>],
    weights: PairWeights,
) -> Shares {
    let chosen = residuals.filter_map(|(item, residual)| Some((position[item as usize]?, residual)));
    let mut chosen: Vec<(u32, i64)> = chosen.collect();
    let root = weights.root(chosen.len());
    let weighted = |residual: i64| (residual * root / (1 << ROOT_BITS)) as i32;
    chosen.sort_unstable_by_key(|(position, _)| *position);
    chosen.into_iter().map(|(position, residual)| (position, weighted(residual))).collect()
}

/// What somebody with so many chosen items adds to the total weight of pairs, both orders, in steps.
pub(super) fn pair_weight(count: usize, weights: PairWeights) -> i64 {
    let pairs = (count as i128) * (count as i128 - 1).max(0);
    let weight = (i128::from(weights.root(count)).pow(2) * pairs) >> (2 * ROOT_BITS - GRID_BITS);
    weight.min(WEIGHT_MAX.into()) as i64
}

/// The square of how far one unit moves the total weight of pairs.
pub(super) fn weight_sensitivity_squared() -> Rational {
    Rational::from(WEIGHT_MAX).squared()
}

/// Exact sums over pairs of chosen items, and their total weight. Never for release.
pub(super) struct PairSums {
    /// The pairs 0-1, 0-2, … 1-2, …: in squares of steps.
    pub triangle: Vec<i64>,
    /// In steps.
    pub weight: i64,
}

/// Adds everybody up. `chosen` are items in rising order.
pub(super) fn sums(
    ratings: &Ratings,
    items: usize,
    chosen: &[u32],
    centring: &Centring,
    weights: PairWeights,
) -> PairSums {
    let mut position = vec![None; items];
    chosen.iter().enumerate().for_each(|(at, item)| position[*item as usize] = Some(at as u32));
    let everybody: Vec<Shares> = (0..ratings.people())
        .into_par_iter()
        .map(|person| shares(centring.residuals(ratings.of(person)), &position, weights))
        .filter(|shares| shares.len() > 1)
        .collect();
    let weight = everybody.iter().map(|own| pair_weight(own.len(), weights)).fold(0, i64::wrapping_add);
    PairSums { triangle: products(&everybody, chosen.len()), weight }
}

/// Where the pairs of a row begin in a triangle of this size.
pub(super) fn row_start(row: usize, size: usize) -> usize {
    row * (2 * size - row).saturating_sub(1) / 2
}

/// Sums of products for all pairs, modulo 2^64.
fn products(everybody: &[Shares], size: usize) -> Vec<i64> {
    let mut triangle = vec![0i64; size * size.saturating_sub(1) / 2];
    let mut blocks = Vec::new();
    let (mut rest, mut first) = (triangle.as_mut_slice(), 0);
    while first < size {
        let mut last = first + 1;
        while last < size && row_start(last + 1, size) - row_start(first, size) <= BLOCK {
            last += 1;
        }
        let (block, others) = rest.split_at_mut(row_start(last, size) - row_start(first, size));
        blocks.push((first, last, block));
        (rest, first) = (others, last);
    }
    blocks.into_par_iter().for_each(|(first, last, block)| {
        for own in everybody {
            let from = own.partition_point(|(position, _)| (*position as usize) < first);
            for (at, (row, left)) in own.iter().enumerate().skip(from) {
                let row = *row as usize;
                if row >= last {
                    break;
                }
                // The pair (row, column) is at the row's start plus column − row − 1.
                let start = row_start(row, size) - row_start(first, size);
                let entries = &mut block[start..start + (size - row - 1)];
                for (column, right) in &own[at + 1..] {
                    let entry = &mut entries[*column as usize - row - 1];
                    *entry = entry.wrapping_add(i64::from(*left) * i64::from(*right));
                }
            }
        }
    });
    triangle
}

/// The square of how far one unit moves the triangle, for residuals cut at this many steps, at most `size` chosen items, and averages
/// drawn by λ.
pub(super) fn sensitivity_l2_squared(
    weights: PairWeights,
    bound: i64,
    size: usize,
    drawn_by: u32,
) -> Rational {
    match weights.unit {
        Unit::Person => {
            let most = Rational::from(i64::from(weights.cap)) * Rational::from(bound).squared();
            most.squared() * Rational::ratio(1, 2)
        }
        Unit::Rating => {
            let movements = (1..=size.max(2)).map(|count| rating_movement(weights, bound, count, drawn_by));
            let most = movements.fold(0.0, f64::max) * (1.0 + 2f64.powi(-30));
            let most = Rational::from_f64(most).expect("a bound is finite");
            most.squared() * Rational::ratio(1, 2)
        }
    }
}

/// How far one rating moves the products of somebody who has residuals at `count` chosen items afterwards: in squares of steps, both
/// orders of a pair counted.
pub(super) fn rating_movement(weights: PairWeights, bound: i64, count: usize, drawn_by: u32) -> f64 {
    let (c, b, lambda) = (count as f64, bound as f64, f64::from(drawn_by));
    let root = |count: usize| weights.root(count) as f64 / f64::from(1u32 << ROOT_BITS);
    let h = |n: f64| (2.0 * (n - 1.0) + lambda) / ((n - 1.0 + lambda) * (n + lambda));
    // One step more, for the average is cut to whole steps.
    let eta = |n: f64| b * h(n) + 1.0;
    let rounded = |count: usize| 2.0 * count as f64 * root(count) * b;
    let outside = 2.0 * root(count).powi(2) * c * b * eta(c + 1.0) + 2.0 * rounded(count);
    if count < 2 {
        return outside;
    }
    let weight = root(count).powi(2);
    let old = match count {
        2 => 0.0,
        _ => {
            (root(count - 1).powi(2) - weight).abs() * b * b * ((c - 1.0) * (c - 2.0)).sqrt()
                + 2.0 * weight * (c - 1.0) * b * eta(c)
        }
    };
    let new = 2.0 * (c - 1.0) * (weight * b * b).powi(2);
    let inside = (old.powi(2) + new).sqrt() + rounded(count) + rounded(count - 1);
    inside.max(outside)
}

#[cfg(test)]
mod tests;
