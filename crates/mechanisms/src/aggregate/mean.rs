//! The mean of a bounded column, without knowing how many rows there are.
//!
//! **Guarantee.** [`Mean`] releases Σ(x − centre) and the number of rows, each with its own noise and its own
//! share of the price; the mean is computed from the two released numbers alone. Neighbours add or remove one
//! person; a person adds at most m·(U − L)/2 to the one and m to the other. The loss is that of the two
//! releases together. [`MeanOfKnownCount`] is for neighbours that replace one of n persons, n public: a noisy
//! sum, sensitivity U − L, divided by n.
//! **Neighbours.** [`Mean`]: add or remove one person. [`MeanOfKnownCount`]: replace one of n persons, n public.
//! **Source.** Basic composition of two noisy numbers (`additive_noise.rs`); everything after is
//! post-processing. A person with k > m rows counts as m rows of their own mean, so their share of the sum is
//! m·total/k in half steps, rounded to nearest, within ±m·(U − L)/2 by `thinning.rs`.
//! **Error.** With N the noisy count and a, b the error bounds of sum and count at β/2, the mean of the
//! bounded rows lies in [`Mean::interval`] with probability at least 1 − β: it is a quotient of numbers in
//! known intervals.
//! **Exactness.** Integers in half steps; the released mean is an exact rational, clamped to the grid's bounds.
//! **Not covered.** On grids of a few steps rounding to half steps is coarse: with m = 1 a yes/no column has the answer
//! that most of a person's rows have. Questions in SQL refine their totals (`thinning.rs`). Dividing by the true count would release it for free (a test shows how); the interval
//! does not cover what clamping and bounding change.
//!
//! ```
//! use pointillist_mechanisms::{Grid, Mean};
//! use pointillist_noise::with_system_bits;
//! use pointillist_privacy::{Epsilon, FailureProbability, Spend};
//!
//! let ages = Grid::integers(0, 120)?;
//! let mean = Mean::new(&ages, 1, &Spend::Pure(Epsilon::parse("1")?))?;
//! let people = (0..1000).map(|person| [30 + person % 40]); // one row each, as grid indexes
//! let released = with_system_bits(|bits| mean.release(people, bits))?;
//! let (low, high) = mean.interval(&released, &FailureProbability::parse("0.05")?);
//! assert!(low <= mean.mean(&released) && mean.mean(&released) <= high);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, Neighbours, Spend};

use crate::aggregate::bounded_sum::{BoundedSum, Origin};
use crate::aggregate::grid::Grid;
use crate::aggregate::thinning::thinned;
use crate::number::additive_noise::AdditiveNoise;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "mean",
    releases: "the mean of a bounded column, with an interval",
    guarantee: "ε-DP or ρ-zCDP; a centred sum and a count share the price (add/remove), or n is public (replace-one)",
    error: "about (U−L)·m·ln(1/β)/(ε·n); an interval is computed from the released numbers",
    source: "basic composition of noisy numbers; Canonne, Kamath, Steinke 2020, Theorem 4",
};

/// A person's half steps must fit the sums: 2^47 persons of 2^80 fit 128 bits.
const PERSON_UNITS_MAX: i128 = 1 << 80;

/// A mean under add/remove neighbours.
#[derive(Clone, Debug)]
pub struct Mean {
    grid: Grid,
    rows_max: u64,
    shares: [Spend; 2],
    sum_noise: AdditiveNoise,
    count_noise: AdditiveNoise,
    loss: Loss,
}

/// The two numbers that were released; everything else follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeanRelease {
    /// The noisy sum of distances from the middle, in half steps of the grid.
    pub centred_sum: i128,
    /// The noisy number of rows.
    pub count: i128,
}

impl Mean {
    /// The mean of a column on this grid with at most `max_contributions` rows a person, the price halved
    /// between sum and count: for a mean at the end of its range both then err equally.
    pub fn new(grid: &Grid, max_contributions: u64, spend: &Spend) -> Result<Self, MechanismError> {
        Self::with_split(grid, max_contributions, spend, [1, 1])
    }

    /// The same with the price split between sum and count in these proportions. Means expected near the
    /// middle of the range gain from a larger share for the sum.
    pub fn with_split(
        grid: &Grid,
        max_contributions: u64,
        spend: &Spend,
        sum_to_count: [u64; 2],
    ) -> Result<Self, MechanismError> {
        let shares: [Spend; 2] = spend.split(&sum_to_count)?.try_into().expect("two weights make two shares");
        let sum_max = sum_per_person(i128::from(grid.last_index()), max_contributions)?;
        let sum_noise = AdditiveNoise::for_number(sum_max, &shares[0])?;
        let count_noise = AdditiveNoise::for_number(i128::from(max_contributions), &shares[1])?;
        let loss = composed(&[&sum_noise, &count_noise])?;
        Ok(Self { grid: grid.clone(), rows_max: max_contributions, shares, sum_noise, count_noise, loss })
    }

    /// What one release costs: both numbers together.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The shares of the price: sum, then count.
    pub fn shares(&self) -> &[Spend; 2] {
        &self.shares
    }

    /// Releases from grid indexes, one list a person.
    pub fn release<P, R, B>(&self, people: P, bits: &mut B) -> MeanRelease
    where
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = i64>,
        B: SecureBits + ?Sized,
    {
        let (sum, count) = self.bounded(people);
        self.release_bounded(sum, count, bits)
    }

    /// Releases a sum in half steps from the middle and a count, both taken after bounding each person.
    pub fn release_bounded<B: SecureBits + ?Sized>(
        &self,
        centred_sum: i128,
        count: i128,
        bits: &mut B,
    ) -> MeanRelease {
        MeanRelease {
            centred_sum: self.sum_noise.release(centred_sum, bits),
            count: self.count_noise.release(count, bits),
        }
    }

    /// The mean: the quotient, clamped to the bounds; the middle of the range when the noisy count is not
    /// positive.
    pub fn mean(&self, released: &MeanRelease) -> Rational {
        let half_steps = match released.count {
            ..=0 => Rational::zero(),
            count => Rational::from(released.centred_sum) / Rational::from(count),
        };
        self.value_of(half_steps)
    }

    /// The mean of the bounded rows lies in this interval with probability at least 1 − β, if there are any
    /// rows.
    pub fn interval(&self, released: &MeanRelease, beta: &FailureProbability) -> (Rational, Rational) {
        self.interval_within(released, self.radii(beta))
    }

    /// With probability at least 1 − β neither sum nor count errs by more than this: the costly part of an
    /// interval, the same for every group of an answer.
    pub fn radii(&self, beta: &FailureProbability) -> [i128; 2] {
        [&self.sum_noise, &self.count_noise].map(|noise| noise.error_bound_of_all(2, beta))
    }

    /// The interval for given radii of sum and count.
    pub fn interval_within(&self, released: &MeanRelease, radii: [i128; 2]) -> (Rational, Rational) {
        let (sum, count) = (around(released.centred_sum, radii[0]), around(released.count, radii[1]));
        match quotient(&sum, &count) {
            Some((low, high)) => (self.value_of(low), self.value_of(high)),
            None => (self.grid.lower().clone(), self.grid.upper()),
        }
    }

    fn bounded<R: IntoIterator<Item = i64>>(&self, people: impl IntoIterator<Item = R>) -> (i128, i128) {
        people.into_iter().fold((0, 0), |(sum, count), rows| {
            let (mut total, mut seen) = (0i128, 0u64);
            for index in rows {
                total += i128::from(self.grid.centred(index));
                seen += 1;
            }
            (
                sum + thinned(total, i128::from(seen), self.rows_max, 0),
                count + i128::from(seen.min(self.rows_max)),
            )
        })
    }

    fn value_of(&self, half_steps: Rational) -> Rational {
        let last = Rational::from(self.grid.last_index());
        self.grid.centred_value(&half_steps.clamp(-last.clone(), last))
    }
}

/// How the price is spent, for plans that people read.
impl fmt::Display for Mean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [sum, count] = &self.shares;
        write!(
            out,
            "mean of centred sum ({sum}, {}) and count ({count}, {})",
            self.sum_noise, self.count_noise
        )
    }
}

/// A mean under replace-one neighbours, for a public number of people with one row each.
#[derive(Clone, Debug)]
pub struct MeanOfKnownCount {
    grid: Grid,
    count: u64,
    sum: BoundedSum,
}

impl MeanOfKnownCount {
    /// The mean of exactly `count` rows on this grid, each of another person.
    pub fn new(grid: &Grid, count: u64, spend: &Spend) -> Result<Self, MechanismError> {
        if count == 0 {
            let what = "the mean of no rows does not exist";
            return Err(MechanismError::invalid(what, "give the public number of rows, at least 1"));
        }
        let sum = BoundedSum::new(grid, Origin::Lower, 1, Neighbours::ReplaceOne, spend)?;
        Ok(Self { grid: grid.clone(), count, sum })
    }

    /// What one release costs.
    pub fn loss(&self) -> Loss {
        self.sum.loss()
    }

    /// The noisy mean, clamped to the bounds. The number of rows is public here, so it may be checked: a
    /// wrong one is refused.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: &[i64],
        bits: &mut B,
    ) -> Result<Rational, MechanismError> {
        if u64::try_from(rows.len()) != Ok(self.count) {
            let what = format!("the mean was prepared for {} rows and not for this number", self.count);
            return Err(MechanismError::invalid(
                what,
                "declare the number of rows, or use the mean for add/remove",
            ));
        }
        let steps = self.sum.release(rows.iter().map(|row| [*row]), bits);
        let mean = self.grid.lower() + &(self.sum.value_of(steps) / Rational::from(self.count));
        Ok(mean.clamp(self.grid.lower().clone(), self.grid.upper()))
    }

    /// The released mean stays within this of the mean of the rows on the grid with probability at least 1 − β.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        self.sum.error_bound(beta) / Rational::from(self.count)
    }
}

/// The most a person adds to a sum of numbers of this magnitude, refused when sums could overflow.
pub(crate) fn sum_per_person(each_max: i128, rows_max: u64) -> Result<i128, MechanismError> {
    let total = each_max.checked_mul(i128::from(rows_max)).filter(|total| *total <= PERSON_UNITS_MAX);
    total.ok_or_else(|| {
        MechanismError::invalid(
            "one person could add more than 2^80 units to a sum",
            "choose a longer step or fewer rows a person",
        )
    })
}

/// The loss of several noisy numbers released together.
pub(crate) fn composed(parts: &[&AdditiveNoise]) -> Result<Loss, MechanismError> {
    let losses = parts.iter().map(|part| Some(part.loss()));
    let total = losses.reduce(|sum, next| sum?.then(&next?)).flatten();
    total.ok_or_else(|| {
        MechanismError::invalid("the price is beyond the range we count", "write a smaller price")
    })
}

pub(crate) fn around(value: i128, radius: i128) -> (i128, i128) {
    (value.saturating_sub(radius), value.saturating_add(radius))
}

/// Where a quotient lies when its parts lie in these intervals and the divisor is at least one.
pub(crate) fn quotient(over: &(i128, i128), under: &(i128, i128)) -> Option<(Rational, Rational)> {
    let (least, most) = (under.0.max(1), under.1);
    if most < least {
        return None;
    }
    let over_divisor = |over: i128, divisor: i128| Rational::from(over) / Rational::from(divisor);
    let low = over_divisor(over.0, if over.0 < 0 { least } else { most });
    let high = over_divisor(over.1, if over.1 > 0 { least } else { most });
    Some((low, high))
}

#[cfg(test)]
mod tests;
