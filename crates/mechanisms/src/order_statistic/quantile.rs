//! One quantile of a bounded column, such as the median: the exponential mechanism over every grid point.
//!
//! **Guarantee.** A grid point r is released with probability proportional to exp(−ε·|A(r)|/(m·s)), where
//! A(r) = (1 − q)·#{x < r} − q·#{x > r}, for at most m rows a person. This has bounded range ε: it is
//! ε-differentially private and ε²/8-zCDP. The swing s is 2·max(q, 1 − q) when a person joins or leaves, 2
//! when one is replaced, and 1 for the least and the greatest value, q = 0 and q = 1.
//! **Neighbours.** Add or remove one person, or replace one: the relation it was built for decides the swing.
//! **Source.** McSherry and Talwar (2007), where s = 2Δ and Δ bounds how |A| moves; bounded range: Durfee and
//! Rogers (2019), arXiv:1905.04273. The log-ratio of two neighbours is ε·(|A'| − |A|)/(m·s) plus a constant,
//! so it is enough that the changes of |A| at any two points differ by at most m·s. One more row below r adds
//! 1 − q to A, one above subtracts q, one at r changes nothing, so Δ = max(q, 1 − q); a row that moves from
//! below to above does both, so Δ = 1. For q = 0, A = #{x < r} is never negative and one row more adds 0 or
//! 1, one row moved upwards subtracts 0 or 1: the changes differ by at most 1; q = 1 is its mirror. For q = ½
//! this is the law of the score −|#{x < r} − #{x > r}|, Δ = 1.
//! **Error.** With probability at least 1 − β, |A| is at most the least there is plus (m·s/ε)·(ln(points) +
//! ln(1/β)).
//! **Exactness.** Grid points with one A form a run, chosen by length·exp(−ε|A|/(m·s)) between certified
//! bounds refined until they decide (`ranked_choice.rs`). Every value that occurs is a candidate of its own:
//! ties, point masses and underflow have no special case.
//! **Not covered.** A point mass that holds the quantile near one of its ends is penalised by what lies
//! beyond it on both sides, as the score says. Time grows with the number of different values.
//!
//! ```
//! use pointillist_mechanisms::{Grid, Quantile};
//! use pointillist_noise::with_system_bits;
//! use pointillist_numbers::Rational;
//! use pointillist_privacy::{Epsilon, Neighbours, Spend};
//!
//! let ages = Grid::integers(0, 120)?;
//! let spend = Spend::Pure(Epsilon::parse("1")?);
//! let median = Quantile::new(&ages, &Rational::ratio(1, 2), 1, Neighbours::AddRemove, &spend)?;
//! let rows = (0..1001).map(|person| 20 + person % 61); // grid indexes; the median is 50
//! let index = with_system_bits(|bits| median.release(rows, bits))?;
//! let value = ages.value_of(index);
//! assert!(value > Rational::from(40) && value < Rational::from(60));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, Neighbours, Spend};

use crate::aggregate::grid::Grid;
use crate::number::additive_noise::logarithm_upper;
use crate::order_statistic::ranked_choice::{Part, choose, runs};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "quantile",
    releases: "one quantile of a bounded column, such as the median, a grid point",
    guarantee: "ε-DP and ε²/8-zCDP (bounded range ε)",
    error: "rank off by (2Δ/ε)·ln(points/β) with probability at most β; Δ = max(q, 1−q), replace-one 1",
    source: "McSherry and Talwar 2007; Durfee and Rogers 2019; proof in the file",
};

/// A noisy quantile.
#[derive(Clone, Debug)]
pub struct Quantile {
    grid: Grid,
    part: Part,
    epsilon: Epsilon,
    /// The largest difference between the changes of |A| at two points, m·s, in ranks.
    swing: Rational,
}

impl Quantile {
    /// The quantile q of a column on this grid, with at most `max_contributions` rows a person.
    pub fn new(
        grid: &Grid,
        q: &Rational,
        max_contributions: u64,
        neighbours: Neighbours,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        let part = Part::new(q)?;
        if max_contributions == 0 {
            let what = "a person without rows moves no quantile";
            return Err(MechanismError::invalid(what, "allow at least one row a person"));
        }
        let swing = part.swing(neighbours) * Rational::from(max_contributions);
        Ok(Self { grid: grid.clone(), part, epsilon: spend.bounded_range()?, swing })
    }

    /// What one release costs.
    pub fn loss(&self) -> Loss {
        Loss::bounded_range(self.epsilon.clone())
    }

    /// The index of the released grid point, from the grid indexes of the rows, at most `max_contributions` a
    /// person.
    pub fn release<B: SecureBits + ?Sized>(&self, rows: impl IntoIterator<Item = i64>, bits: &mut B) -> i64 {
        let mut sorted: Vec<i64> = rows.into_iter().map(|row| self.grid.clamped(row)).collect();
        sorted.sort_unstable();
        choose(&runs(&sorted, 0, self.grid.last_index(), &self.part), &self.decay(), bits)
    }

    /// With probability at least 1 − β the released point's |(1 − q)·#{x < r} − q·#{x > r}| is at most this
    /// above the least of all points, which is below one when no value occurs twice.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        let points = Rational::from(self.grid.last_index()) + Rational::one();
        let exponent = logarithm_upper(&(points / beta.value().clone()));
        &self.swing / self.epsilon.value() * exponent
    }

    /// ε/(m·s·under): what one unit of the integer imbalance costs in the exponent.
    fn decay(&self) -> Rational {
        self.epsilon.value() / &(&self.swing * &Rational::from(self.part.under))
    }
}

#[cfg(test)]
mod tests;
