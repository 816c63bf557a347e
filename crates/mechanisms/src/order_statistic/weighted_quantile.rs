//! A quantile, a least or a greatest value of people with many rows, in many groups.
//!
//! **Guarantee.** A person's rows in a group weigh `⌊2^b·min(1, m/c)⌋` each, c their number: together at most m·2^b
//! ([`row_weight`]). For every group on its own a grid point r is released with probability proportional to
//! exp(−e·d(r)/(m·2^b·s)). W is the weight of the rows that a condition describes, t the wanted rank, and d(r) how far t
//! is from the ranks that the rows at r have: d(r) = max(W(x < r) − t, t − W(x ≤ r), 0), with
//! - for the quantile q: t = q·W(all), s = 2·max(q, 1 − q), and s = 1 for q = 0 and q = 1;
//! - for about the t-th smallest: t public, in units of 2^b, s = 2; about the t-th largest is its mirror.
//!
//! Each choice has bounded range e. With at most g groups a person and e = ε/g it is ε-differentially private; with
//! g·e²/8 = ρ it is ρ-zCDP.
//! **Neighbours.** Add or remove everything one privacy unit contributed.
//! **Source.** McSherry and Talwar (2007); bounded range: Durfee and Rogers (2019), arXiv:1905.04273. Proof. The
//! log-ratio of two neighbours in a group is e·(d' − d)/(m·2^b·s) plus a constant, so it is enough that the changes of d at
//! any two points differ by at most m·2^b·s. A person adds V ≤ m·2^b in all, and between 0 and V to each of W(x < r) and
//! W(x ≤ r). So W(x < r) − t changes by between −q·V and (1 − q)·V, and t − W(x ≤ r) by between −(1 − q)·V and q·V; a
//! maximum of numbers changes by no more than the largest change of one of them, in either direction: d by between
//! −max(q, 1 − q)·V and max(q, 1 − q)·V, and any two changes differ by at most twice that. For q = 0, d = W(x < r) changes
//! by between 0 and V: s = 1; q = 1 is its mirror. For the t-th smallest the changes are between 0 and V, and between −V and
//! 0: d changes by between −V and V. Groups are independent choices, and outside of g of them neighbours agree: ranges add
//! up for pure privacy, and Rényi divergences for zCDP, e²/8 each.
//! **Values that many share.** A point that holds the wanted rank has d = 0 however much lies on either side of it: the
//! median of 60 zeros and 40 other values is zero. Counting only what lies below and above (`quantile.rs`), the points
//! after zero would have the better score.
//! **Why not q = 0 for a minimum.** Every point below the data would have the best score: the answer would be uniform
//! between the declared bound and the data. With t = ⌈(2m/e)·ln(points/β)⌉, β = 5 %, all those points together weigh at
//! most β. The minimum itself cannot be released: the minimum of one person is that person.
//! **Error.** Some point has d = 0, where there are as many rows as the rank. So with probability at least 1 − β, d/2^b is at
//! most (m·s/e)·ln(points/β) rows.
//! **Several quantiles** are several choices, each with its own share. Halving the data between them (`quantiles.rs`) would
//! have smaller errors from about five quantiles on: 66 instead of 138 rows for nine (ρ = 0.001, 4096 points); but there
//! rows need places inside their grid point, or a value that many share would fall to one side.
//! **Exactness.** Weights are integers; points are chosen as in `ranked_choice.rs`, of which only those runs are made that
//! a draw can reach.
//!
//! ```
//! use pointillist_mechanisms::order_statistic::weighted_quantile::{row_weight, weight_bits};
//! use pointillist_mechanisms::{Rank, WeightedQuantile};
//! use pointillist_noise::with_system_bits;
//! use pointillist_numbers::Rational;
//! use pointillist_privacy::{Epsilon, Spend};
//!
//! // Ages from 0 to 120; a person counts as at most two rows, in one group.
//! let spend = Spend::Pure(Epsilon::parse("1")?);
//! let median = WeightedQuantile::new(120, &Rank::Part(Rational::ratio(1, 2)), 2, 1, &spend)?;
//! let weight = row_weight(1, 2, weight_bits(2));
//! let rows: Vec<(u32, u64)> = (20..=80).map(|age| (age, 20 * weight)).collect();
//! let age = with_system_bits(|bits| median.release(&rows, bits))?;
//! assert!((40..=60).contains(&age));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;

use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Neighbours, ParameterError, Spend};

use crate::number::additive_noise::logarithm_upper;
use crate::order_statistic::ranked_choice::{Near, Part, Run, choose_near};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "weighted quantile",
    releases: "a quantile, or about the t-th smallest or largest value, of people with many rows, in every group",
    guarantee: "ε-DP with e = ε/g, or ρ-zCDP with g·e²/8 = ρ, for g groups a person (bounded range e each)",
    error: "rank off by (m·s/e)·ln(points/β) rows with probability at most β; s = 2·max(q, 1−q), extremes 2",
    source: "McSherry and Talwar 2007; Durfee and Rogers 2019; proof in the file",
};

/// Bits behind the point of a root.
const PRECISION: usize = 320;
/// A row weighs up to 2^20.
const BITS: u32 = 20;
/// A person weighs up to 2^30, so that 2^34 people fit 64 bits; where rows alone are more, these count.
const PERSON_BITS: u32 = 30;
/// The probability with which the released rank of an extreme may be zero.
const BELOW_ALL: (i128, u128) = (1, 20);
/// Ranks from an end stay below this.
const RANK_MAX: i128 = 1 << 62;

/// Which row of a group is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Rank {
    /// A part of all rows lies below: 1/2 is the median.
    Part(Rational),
    /// About the smallest.
    Least,
    /// About the largest.
    Greatest,
}

/// b, for people of at most so many rows.
pub fn weight_bits(rows_max: u64) -> u32 {
    BITS.min(PERSON_BITS.saturating_sub(64 - rows_max.saturating_sub(1).leading_zeros()))
}

/// What each of a person's `rows` rows weighs, where at most `rows_max` count: all of them at most rows_max·2^bits.
#[inline]
pub fn row_weight(rows: u64, rows_max: u64, bits: u32) -> u64 {
    if rows <= rows_max {
        return 1 << bits;
    }
    u64::try_from((u128::from(rows_max) << bits) / u128::from(rows))
        .expect("a part of 2^bits is at most that")
}

/// A noisy order statistic, for every group.
#[derive(Clone, Debug)]
pub struct WeightedQuantile {
    last: i64,
    target: Target,
    bits: u32,
    /// The bounded range of one group's choice.
    range: Epsilon,
    /// s·m, in rows.
    swing: Rational,
}

#[derive(Clone, Debug)]
enum Target {
    Part(Part),
    /// So many rows from the end; `mirrored` is from above.
    Absolute {
        from_end: i128,
        mirrored: bool,
    },
}

impl WeightedQuantile {
    /// The mechanism for grid indexes from zero to `last_index`, people of at most `rows_max` rows in each of at most
    /// `groups_max` groups, and one payment for all groups.
    pub fn new(
        last_index: i64,
        rank: &Rank,
        rows_max: u64,
        groups_max: u64,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        if rows_max == 0 || groups_max == 0 {
            let what = "a person without rows moves no quantile";
            return Err(MechanismError::invalid(what, "allow at least one row and one group a person"));
        }
        let range = range_lower(spend, groups_max)?;
        let rows = Rational::from(rows_max);
        let (target, swing) = match rank {
            Rank::Part(part) => {
                let part = Part::new(part)?;
                (Target::Part(part), part.swing(Neighbours::AddRemove) * rows)
            }
            Rank::Least | Rank::Greatest => {
                let swing = Rational::from(2) * rows;
                let points = Rational::from(i128::from(last_index) + 1);
                let logarithm = logarithm_upper(&(points / Rational::ratio(BELOW_ALL.0, BELOW_ALL.1)));
                let most = (&swing / range.value() * logarithm).ceil();
                let from_end = i128::try_from(most).unwrap_or(RANK_MAX).clamp(1, RANK_MAX);
                (Target::Absolute { from_end, mirrored: *rank == Rank::Greatest }, swing)
            }
        };
        Ok(Self { last: last_index, target, bits: weight_bits(rows_max), range, swing })
    }

    /// The bounded range of every group's choice.
    pub fn range(&self) -> &Epsilon {
        &self.range
    }

    /// Of an extreme, which one it is about: the t-th smallest or largest.
    pub fn from_end(&self) -> Option<i128> {
        match self.target {
            Target::Part(_) => None,
            Target::Absolute { from_end, .. } => Some(from_end),
        }
    }

    /// So many rows more of imbalance make a point e times less likely.
    pub fn scale(&self) -> Rational {
        &self.swing / self.range.value()
    }

    /// With probability at least 1 − β the wanted rank is at most this many rows from those that the released point has.
    pub fn rank_error(&self, beta: &FailureProbability) -> Rational {
        let points = Rational::from(i128::from(self.last) + 1);
        self.scale() * logarithm_upper(&(points / beta.value().clone()))
    }

    /// The index of the released grid point of a group, from its weights: at most m·2^b a person, indexes rising.
    pub fn release<B: SecureBits + ?Sized>(&self, weights: &[(u32, u64)], bits: &mut B) -> i64 {
        let line = match &self.target {
            Target::Part(part) => Line::new(weights, false, self.last, *part, 0),
            Target::Absolute { from_end, mirrored } => {
                let below = Part { over: 0, under: 1 };
                Line::new(weights, *mirrored, self.last, below, from_end << self.bits)
            }
        };
        let chosen = choose_near(|reach| line.near(reach), &self.decay(), bits);
        if line.mirrored { self.last - chosen } else { chosen }
    }

    /// What one unit of the integer imbalance costs in the exponent.
    fn decay(&self) -> Rational {
        let under = match &self.target {
            Target::Part(part) => part.under,
            Target::Absolute { .. } => 1,
        };
        let swing = &self.swing * &Rational::from(1u64 << self.bits);
        self.range.value() / &(swing * Rational::from(under))
    }
}

/// The largest e that a payment buys for every one of so many groups: ε/g, or √(8ρ/g) rounded down.
fn range_lower(spend: &Spend, groups: u64) -> Result<Epsilon, ParameterError> {
    let groups = Rational::from(groups);
    match spend {
        Spend::Pure(epsilon) => Epsilon::new(epsilon.value() / &groups),
        Spend::Concentrated(rho) => {
            let square = rho.value() * &Rational::from(8) / groups;
            Epsilon::new(Enclosure::of(&square, PRECISION).sqrt().lower().round_down_to_bits(128))
        }
    }
}

/// A group's grid points, with the signed distance to the wanted rank t = (over·W + shift)/under, times `under`: positive where more
/// than t lies below r, negative where less lies at or below it.
struct Line<'a> {
    last: i64,
    mirrored: bool,
    part: Part,
    shift: i128,
    /// Points that occur, rising, with their weights.
    weights: &'a [(u32, u64)],
    /// What the points before every [`BLOCK`]-th weigh: a million sums of their own would take longer than the choice.
    blocks: Vec<i128>,
    total: i128,
}

/// Points between two sums.
const BLOCK: usize = 256;

impl<'a> Line<'a> {
    fn new(weights: &'a [(u32, u64)], mirrored: bool, last: i64, part: Part, shift: i128) -> Self {
        debug_assert!(weights.is_sorted_by(|left, right| left.0 < right.0), "indexes rise");
        let mut total = 0i128;
        let mut blocks = Vec::with_capacity(weights.len() / BLOCK + 1);
        for block in weights.chunks(BLOCK) {
            blocks.push(total);
            total += sum(block);
        }
        Self { last, mirrored, part, shift, weights, blocks, total }
    }

    /// The grid point at a position, and its weight; the other way round, if mirrored.
    fn at(&self, at: usize) -> (i64, i128) {
        let place = if self.mirrored { self.weights.len() - 1 - at } else { at };
        let (index, weight) = self.weights[place];
        let index = i64::from(index).min(self.last);
        (if self.mirrored { self.last - index } else { index }, i128::from(weight))
    }

    /// What the points before a position weigh.
    fn below(&self, at: usize) -> i128 {
        let before = |place: usize| match self.blocks.get(place / BLOCK) {
            Some(sums) => sums + sum(&self.weights[place / BLOCK * BLOCK..place]),
            None => self.total,
        };
        if self.mirrored { self.total - before(self.weights.len() - at) } else { before(at) }
    }

    /// The distance between the point at this position and the one before.
    fn gap(&self, at: usize) -> i128 {
        self.part.under * self.below(at) - self.part.over * self.total - self.shift
    }

    /// The distance at the point of this position: none where it holds the rank.
    fn point(&self, at: usize) -> i128 {
        self.held(self.gap(at), self.at(at).1)
    }

    fn held(&self, below: i128, weight: i128) -> i128 {
        if below > 0 { below } else { (below + self.part.under * weight).min(0) }
    }

    /// How many of the first positions satisfy a condition that no later one does.
    fn first_not(&self, holds: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.weights.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn near(&self, reach: i128) -> Near<'static> {
        let turn = self.first_not(|at| self.point(at) < 0);
        let nearest = [turn.checked_sub(1), (turn < self.weights.len()).then_some(turn)];
        // A point that occurs is a run, so the least of all is no larger than the least of these.
        let least = nearest.into_iter().flatten().map(|at| self.point(at).abs()).min();
        let most = least.unwrap_or(0).saturating_add(reach);
        let start = self.first_not(|at| self.point(at) < -most);
        let end = self.first_not(|at| self.gap(at) <= most);
        let first = start.checked_sub(1).map_or(0, |before| self.at(before).0 + 1);
        let mut runs = Vec::with_capacity(2 * (end - start) + 1);
        let mut next = first;
        let mut push = |first: i64, length: i64, imbalance: i128| {
            if length > 0 {
                runs.push(Run { first, length: length.unsigned_abs(), imbalance });
            }
        };
        let mut gap = self.gap(start);
        for at in start..end {
            let (value, weight) = self.at(at);
            push(next, value - next, gap);
            push(value, 1, self.held(gap, weight));
            (next, gap) = (value + 1, gap + self.part.under * weight);
        }
        if end == self.weights.len() {
            push(next, self.last - next + 1, self.gap(end));
            next = self.last + 1;
        }
        let count = |points: i64| u128::from(points.unsigned_abs());
        Near { before: count(first), runs: Cow::Owned(runs), after: count(self.last + 1 - next) }
    }
}

fn sum(weights: &[(u32, u64)]) -> i128 {
    weights.iter().map(|(_, weight)| i128::from(*weight)).sum()
}

#[cfg(test)]
mod tests;
