//! What is computed from released numbers: aggregates from measures, columns from aggregates and keys, their order.
//!
//! **Guarantee.** Nothing here meets data: every number that goes in has been released, so what comes out costs nothing.

use pointillist_mechanisms::Grid;

use crate::{Scalar, Type};

/// What is computed from released numbers.
#[derive(Clone, Debug)]
pub struct AnswerPlan {
    /// The aggregates that the question names, each from released measures.
    pub aggregates: Vec<Aggregate>,
    /// Groups for which this is not true are not shown. Columns: the keys, then the aggregates.
    pub having: Option<Scalar>,
    /// The columns of the answer, over keys and aggregates.
    pub columns: Vec<AnswerColumn>,
    /// The order, over keys and aggregates; ties are broken by the keys.
    pub order: Vec<Order>,
    /// How many groups are left out at the beginning.
    pub skip: u64,
    /// How many are shown at most.
    pub fetch: Option<u64>,
}

/// One aggregate of the question.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// As the question writes it, for people to read.
    pub name: String,
    /// Its type: integer or number.
    pub kind: Type,
    /// How it comes from measures.
    pub formula: Formula,
}

/// Which released measures make an aggregate; the numbers are positions in `Aggregation::measures`.
#[derive(Clone, Debug)]
pub enum Formula {
    /// One measure, each unit worth this much (a count: one).
    Sum {
        /// The measure.
        measure: usize,
        /// The worth of one unit.
        unit: pointillist_numbers::Rational,
    },
    /// A sum from a centred total and a count of rows, where nobody can be cut: total + middle·rows.
    CentredSum {
        /// The total in refined half steps from the middle of the grid.
        total: usize,
        /// The rows.
        rows: usize,
        /// The grid of the values.
        grid: Grid,
    },
    /// A centred total over a count of rows.
    Mean {
        /// The total in refined half steps from the middle of the grid.
        total: usize,
        /// The rows.
        rows: usize,
        /// The grid of the values.
        grid: Grid,
    },
    /// From centred squares, a centred total and a count of rows.
    Variance {
        /// Σ(2c² − K²).
        squares: usize,
        /// The total in refined half steps from the middle of the grid.
        total: usize,
        /// The rows.
        rows: usize,
        /// The grid of the values.
        grid: Grid,
        /// Divide by n − 1 instead of n.
        sample: bool,
        /// The square root: a standard deviation.
        root: bool,
    },
}

/// A column of the answer.
#[derive(Clone, Debug)]
pub struct AnswerColumn {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: Type,
    /// What it shows, over keys and aggregates.
    pub value: Scalar,
    /// Whether it is a key, an aggregate or computed from several: what error bars it can have.
    pub role: Role,
}

/// What a column of the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A key, by position.
    Key(usize),
    /// An aggregate, by position.
    Aggregate(usize),
    /// Computed from several, or constant.
    Derived,
}

/// One criterion of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What is compared, over keys and aggregates.
    pub by: Scalar,
    /// Its type.
    pub kind: Type,
    /// Largest first.
    pub descending: bool,
    /// NULL before everything else.
    pub nulls_first: bool,
}
