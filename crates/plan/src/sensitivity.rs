//! How far one person can move what is added up.
//!
//! **Guarantee.** Let a person touch at most g groups after bounding. In each of them a measure moves, when the
//! person joins or leaves, by an integer between the two [`Measure::person_bounds`], zero among them. With Δ the
//! larger magnitude of the two, the vector over k groups moves by at most L1 = min(g, k)·Δ and L2² = min(g, k)·Δ².
//! **Neighbours.** Add or remove everything one privacy unit contributed.
//! **Source.** Proof, per group, with m = `rows_max`, c the person's counted rows there, and every row's
//! integer in `[lo, hi]`, which the grid and its form ensure whatever the row holds. Rows: min(c, m) is in
//! `[0, m]`. People, and people who are cut: zero or one. Total, clamped: the total is put into `[m·min(lo, 0), m·max(hi, 0)]` by
//! definition. Total, thinned: F times the same interval, F = 2^refinement, in units that are F times finer
//! (`mechanisms/src/aggregate/thinning.rs`). Product: a row's integer is a product of one in `[−K, K]` and one in
//! `[−L, L]`, so it lies in `[−K·L, K·L]`, and is thinned like a total. Distinct: one person more brings up to m values
//! more in all, and never fewer (`engine/src/bound/bring.rs`). Quantile: the person's rows weigh between 0 and m·2^b
//! together, of which the choice of a grid point makes its own use (`mechanisms/src/order_statistic/weighted_quantile.rs`); no
//! noise is added to it. A person without rows adds zero. Over groups: a vector of at most min(g, k)
//! entries of magnitude at most Δ.
//! **Exactness.** Integers and rationals; a person's bounds stay below 2^80, so that 2^47 people fit 128 bits.

use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::Grid;
use pointillist_mechanisms::order_statistic::weighted_quantile::weight_bits;
use pointillist_numbers::Rational;
use pointillist_privacy::{ParameterError, SensitivityL1, SensitivityL2};

use crate::{Aggregation, Excess, Form, Measure, Quantity};

impl Form {
    /// The least and the greatest integer of an index on a grid.
    pub fn extremes(&self, grid: &Grid) -> (i128, i128) {
        let last = i128::from(grid.last_index());
        match self {
            Self::Linear { offset, factor } => {
                let (offset, factor) = (i128::from(*offset), i128::from(*factor));
                (offset, offset + factor * last)
            }
            // The square nearest to the middle is 0 or 1, by whether the middle is a point.
            Self::CentredSquare => (2 * (last % 2) - last * last, last * last),
        }
    }
}

impl Excess {
    /// By how many bits the total's units are finer than a row's.
    pub fn refinement(&self) -> u32 {
        match self {
            Self::Clamp => 0,
            Self::Thin { refinement } => *refinement,
        }
    }
}

impl Measure {
    /// The least and the most that one person adds to one group; zero lies between.
    pub fn person_bounds(&self, bound: &ContributionBound) -> (i128, i128) {
        let rows = i128::from(bound.rows_max());
        match &self.quantity {
            Quantity::Rows => (0, rows),
            Quantity::People | Quantity::PeopleCut => (0, 1),
            Quantity::Total { units, excess, .. } => {
                let (low, high) = units.form.extremes(&units.grid);
                let rows = rows << excess.refinement();
                (rows * low.min(0), rows * high.max(0))
            }
            Quantity::Product { left, right, refinement } => {
                let most = i128::from(left.1.last_index()) * i128::from(right.1.last_index());
                let rows = rows << refinement;
                (-rows * most, rows * most)
            }
            Quantity::Distinct { .. } => (0, rows),
            Quantity::Quantile { .. } => (0, rows << weight_bits(bound.rows_max())),
        }
    }

    /// What one unit of the measure is worth in values; for squares and products, in squares and products of values. A
    /// released quantile is a grid index, whose unit is a step.
    pub fn unit(&self) -> Rational {
        match &self.quantity {
            Quantity::Rows | Quantity::People | Quantity::PeopleCut | Quantity::Distinct { .. } => {
                Rational::one()
            }
            Quantity::Quantile { grid, .. } => grid.step().clone(),
            Quantity::Product { left, right, refinement } => {
                // Products of half steps.
                let product = left.1.step() * right.1.step() * Rational::ratio(1, 4);
                product * Rational::ratio(1, 1u128 << refinement)
            }
            Quantity::Total { units, excess, .. } => {
                let step = units.grid.step();
                let unit = match units.form {
                    Form::Linear { factor, .. } => step / &Rational::from(factor),
                    // Squares of half steps, counted twice.
                    Form::CentredSquare => step.squared() * Rational::ratio(1, 8),
                };
                unit * Rational::ratio(1, 1u128 << excess.refinement())
            }
        }
    }
}

impl Aggregation {
    /// How far the vector of a measure over all groups moves with one person, in L1 and L2.
    pub fn sensitivities(&self, measure: &Measure) -> Result<(SensitivityL1, SensitivityL2), ParameterError> {
        let (low, high) = measure.person_bounds(&self.bound);
        let each = Rational::from(high.max(-low));
        let groups = Rational::from(self.groups_moved());
        Ok((SensitivityL1::new(&each * &groups)?, SensitivityL2::from_squared(each.squared() * groups)?))
    }

    /// How many groups one person can touch.
    pub fn groups_moved(&self) -> u64 {
        match &self.domain {
            Some(domain) => self.bound.groups_max().min(domain.len() as u64),
            None => self.bound.groups_max(),
        }
    }
}

#[cfg(test)]
mod tests;
