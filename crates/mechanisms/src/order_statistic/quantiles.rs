//! Several quantiles of a bounded column at once: the middle one first, then each half on its own.
//!
//! **Guarantee.** ε-differential privacy or ρ-zCDP for the relation it was built for. The middle quantile is
//! released by the exponential mechanism of `quantile.rs`; rows below the released point v go left, all
//! others right, and each half answers for its own quantiles, ⌈log₂(k + 1)⌉ levels for k quantiles. Every row
//! is in exactly one subproblem of a level. Answers never fall: left ones lie at or below v, right ones at or
//! above.
//! **Neighbours.** Add or remove one person, or replace one: the relation it was built for decides the exponents.
//! **Source.** Kaplan, Schnapp, Stemmer (2022), arXiv:2110.05429, for add/remove. A level, given all earlier
//! answers, is a product of independent choices; the range of its log-ratio is the sum of theirs. A person
//! who joins or leaves with m rows, m_j of them in subproblem j, moves choice j by a range of at most e·m_j/m
//! when its exponent is e·|A|/(m·s), s the swing for add/remove: e in all, so a level has bounded range e and
//! costs e of ε and e²/8 of ρ for any fixed offsets (below), hence also averaged over them. Replacing a person removes m rows and adds m, perhaps in two subproblems at once: 2e a
//! level. So for replace-one neighbours the exponents are halved; nothing else changes.
//! **Error.** With probability at least 1 − β no answer's rank is off by more than
//! [`Quantiles::error_bound`], up to rows that share a cell: a rank between two bounds that are off by at
//! most d is off by at most d, plus its own choice.
//! **Exactness.** As in `quantile.rs`. Before the first choice every row gets a uniform offset inside its
//! grid cell, and choices are made on that finer grid: a point mass is then split in the right proportion
//! instead of falling to one side. The offset depends on nothing but fresh random bits, so rows stay in one
//! subproblem each; answers are reported on the grid itself.
//! **Not covered.** More than 2^16 equal rows share cells of the finer grid, and more where the grid has
//! above 2^46 points.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Guarantee, Loss, Neighbours, Rho, Spend};

use crate::aggregate::grid::Grid;
use crate::number::additive_noise::logarithm_upper;
use crate::order_statistic::ranked_choice::{Part, choose, runs};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "quantiles",
    releases: "several quantiles of a bounded column, in rising order, grid points",
    guarantee: "ε-DP or ρ-zCDP; each of ⌈log₂(k+1)⌉ levels has an equal share",
    error: "ranks off by about (2/ε)·log²(k)·ln(k·points/β) with probability at most β",
    source: "Kaplan, Schnapp, Stemmer 2022, arXiv:2110.05429; replace-one derived in the file",
};

/// The offset inside a cell has up to this many bits.
const OFFSET_BITS_MAX: u32 = 16;

/// Noisy quantiles, released together.
#[derive(Clone, Debug)]
pub struct Quantiles {
    grid: Grid,
    /// The quantiles over their common denominator, rising.
    targets: Vec<i128>,
    under: i128,
    rows_max: u64,
    offset_bits: u32,
    levels: u64,
    /// The bounded range of one level.
    level: Epsilon,
    neighbours: Neighbours,
    loss: Loss,
}

impl Quantiles {
    /// These quantiles, in rising order and each once, of a column on this grid with at most
    /// `max_contributions` rows a person.
    pub fn new(
        grid: &Grid,
        quantiles: &[Rational],
        max_contributions: u64,
        neighbours: Neighbours,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        if quantiles.is_empty() {
            return Err(MechanismError::NoCandidates);
        }
        if max_contributions == 0 {
            let what = "a person without rows moves no quantile";
            return Err(MechanismError::invalid(what, "allow at least one row a person"));
        }
        if !quantiles.is_sorted_by(|a, b| a < b) {
            let what = "quantiles are not in rising order";
            return Err(MechanismError::invalid(what, "write each quantile once, such as 0.25, 0.5, 0.75"));
        }
        let (targets, under) = over_common_denominator(quantiles)?;
        let levels = u64::from(quantiles.len().ilog2()) + 1;
        let shares = spend.split(&vec![1; usize::try_from(levels).expect("at most 64 levels")])?;
        let level = shares[0].bounded_range()?;
        // Averaging over the random offsets keeps ε and ρ, which are convex, but not the bounded range itself.
        let pure = Loss::pure(level.clone());
        let each = match Rho::from_bounded_range(&level) {
            Ok(rho) => pure.and(Guarantee::ZeroConcentrated { rho }),
            Err(_) => pure,
        };
        let loss = (1..levels).try_fold(each.clone(), |sum, _| sum.then(&each));
        let loss = loss.ok_or_else(|| {
            MechanismError::invalid("the price is beyond the range we count", "write a smaller price")
        })?;
        let points = grid.last_index().unsigned_abs() + 1;
        let offset_bits = OFFSET_BITS_MAX.min(62u32.saturating_sub(points.next_power_of_two().ilog2()));
        let (grid, rows_max) = (grid.clone(), max_contributions);
        Ok(Self { grid, targets, under, rows_max, offset_bits, levels, level, neighbours, loss })
    }

    /// What one release of all quantiles costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// How many times the data are halved.
    pub fn levels(&self) -> u64 {
        self.levels
    }

    /// The indexes of the released grid points, one for each quantile and never falling, from the grid
    /// indexes of the rows, at most `max_contributions` a person.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: impl IntoIterator<Item = i64>,
        bits: &mut B,
    ) -> Vec<i64> {
        let mut place = |row: i64| {
            let offset = i64::try_from(bits.take(self.offset_bits)).expect("an offset has at most 16 bits");
            (self.grid.clamped(row) << self.offset_bits) | offset
        };
        let mut sorted: Vec<i64> = rows.into_iter().map(&mut place).collect();
        sorted.sort_unstable();
        let last = ((self.grid.last_index() + 1) << self.offset_bits) - 1;
        let mut answers = Vec::with_capacity(self.targets.len());
        let whole =
            Subproblem { targets: &self.targets, rows: &sorted, points: (0, last), between: (0, self.under) };
        self.solve(whole, &mut answers, bits);
        answers.into_iter().map(|point| point >> self.offset_bits).collect()
    }

    /// With probability at least 1 − β no released point has a rank, #{x < v}, further than this from q·n, if
    /// no two rows share a cell of the finer grid.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        let cells = (self.grid.last_index() + 1) << self.offset_bits;
        let choices = Rational::from(cells) * Rational::from(self.targets.len());
        let logarithm = logarithm_upper(&(choices / beta.value().clone()));
        // A swing is at most two; the least imbalance is at most one, and one more row may lie at the point
        // itself.
        let each =
            Rational::from(2 * i128::from(self.rows_max)) / self.exponent() * logarithm + Rational::from(2);
        each * Rational::from(self.levels)
    }

    /// What stands in the exponents of one level.
    fn exponent(&self) -> Rational {
        match self.neighbours {
            Neighbours::AddRemove => self.level.value().clone(),
            Neighbours::ReplaceOne => self.level.value() * &Rational::ratio(1, 2),
        }
    }

    /// How fast weights fall with the integer imbalance of a part.
    fn decay(&self, part: &Part) -> Rational {
        let swing = part.swing(Neighbours::AddRemove) * Rational::from(self.rows_max);
        self.exponent() / (swing * Rational::from(part.under))
    }

    fn solve<B: SecureBits + ?Sized>(&self, problem: Subproblem<'_>, answers: &mut Vec<i64>, bits: &mut B) {
        if problem.targets.is_empty() {
            return;
        }
        let part = problem.middle();
        let (first, last) = problem.points;
        let point = choose(&runs(problem.rows, first, last, &part), &self.decay(&part), bits);
        let [left, right] = problem.halves(point);
        self.solve(left, answers, bits);
        answers.push(point);
        self.solve(right, answers, bits);
    }
}

/// The quantiles strictly between two released ones, with the rows and the points between those.
struct Subproblem<'a> {
    targets: &'a [i128],
    rows: &'a [i64],
    points: (i64, i64),
    between: (i128, i128),
}

impl<'a> Subproblem<'a> {
    /// The middle quantile, as a part of the rows here.
    fn middle(&self) -> Part {
        let (low, high) = self.between;
        Part { over: self.targets[self.targets.len() / 2] - low, under: high - low }
    }

    /// What is left to do on either side of the released middle. Each row goes to exactly one side.
    fn halves(&self, point: i64) -> [Subproblem<'a>; 2] {
        let middle = self.targets.len() / 2;
        let target = self.targets[middle];
        let (below, above) = self.rows.split_at(self.rows.partition_point(|row| *row < point));
        let left = Subproblem {
            targets: &self.targets[..middle],
            rows: below,
            points: (self.points.0, point),
            between: (self.between.0, target),
        };
        let right = Subproblem {
            targets: &self.targets[middle + 1..],
            rows: above,
            points: (point, self.points.1),
            between: (target, self.between.1),
        };
        [left, right]
    }
}

/// Numerators over the least common denominator, which must stay small.
fn over_common_denominator(quantiles: &[Rational]) -> Result<(Vec<i128>, i128), MechanismError> {
    let parts = quantiles.iter().map(Part::new).collect::<Result<Vec<Part>, MechanismError>>()?;
    let mut under = 1i128;
    for part in &parts {
        under *= part.under / greatest_common_divisor(under, part.under);
        // Checked at every step, so that the product of two never overflows.
        Part::new(&(Rational::one() / Rational::from(under)))?;
    }
    Ok((parts.iter().map(|part| part.over * (under / part.under)).collect(), under))
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests;
