//! A question, as the rest of the system sees it: what is read, how people are bounded, what is released at
//! which price, and what happens to the released numbers.
//!
//! **Guarantee.** A [`PrivatePlan`] is a function of the SQL, the catalog and the price options alone. Between
//! two sets of rows that differ in one person, the groups of its [`Aggregation`] move, in at most
//! `bound.groups_max()` groups, by at most [`Measure::person_bounds`] each; [`Release`] holds the noise for
//! exactly that, and `cost` what all noises and the choice of keys lose together. Everything in [`Answer`]
//! is computed from released numbers.

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::additive_noise::{AdditiveNoise, Price};
use pointillist_mechanisms::contribution_bound::ContributionBound;
use pointillist_mechanisms::earned_keys::EarnedKeys;
use pointillist_mechanisms::grid::Grid;
use pointillist_privacy::{Delta, Epsilon, Rho};

use crate::scalar::{Scalar, Type};

/// A question that can be answered privately.
#[derive(Clone, Debug)]
pub struct PrivatePlan {
    /// The population whose budget pays.
    pub scope: String,
    /// What the engine computes.
    pub aggregation: Aggregation,
    /// How each measure of the aggregation is released, in the same order.
    pub releases: Vec<Release>,
    /// How keys are earned, where they are not public.
    pub selection: Option<EarnedKeys>,
    /// What the whole answer costs.
    pub cost: Cost,
    /// What is computed from the released numbers.
    pub answer: Answer,
    /// Whether the price was found for an error: numbers with a larger one are then no answer, however dear they were.
    pub by_error: bool,
    /// What the asker should know, in words; nothing in them comes from data.
    pub notes: Vec<String>,
}

/// What is lost, in the currency of the scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// Approximate zCDP.
    Zcdp {
        /// Σρ.
        rho: Rho,
        /// δ, for keys that are earned.
        delta: Delta,
    },
    /// Pure ε.
    Pure {
        /// Σε.
        epsilon: Epsilon,
    },
}

/// Rows to groups of integers: the only part of a plan that meets data.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregation {
    /// Where rows come from. [`Scalar::Column`] counts its columns.
    pub relation: Relation,
    /// Rows for which this is not true are left out.
    pub filter: Option<Scalar>,
    /// Whose row it is.
    pub owner: Owner,
    /// How much of one person is used.
    pub bound: ContributionBound,
    /// The keys; none makes one group.
    pub keys: Vec<Scalar>,
    /// The groups that appear, whatever the data: in this order, others left out. `None`: the groups that
    /// occur, of which only earned ones may be shown.
    pub domain: Option<Vec<Vec<Option<Value>>>>,
    /// What is added up in every group.
    pub measures: Vec<Measure>,
}

/// Rows that people own. Joins, per-person subqueries and unions will be further kinds.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The rows of one table.
    Table {
        /// Its name in the catalog.
        name: String,
        /// The columns that are read.
        columns: Vec<ScanColumn>,
    },
}

/// A column that is read from a file, by name, as a type.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanColumn {
    /// The name in the file.
    pub name: String,
    /// What it is read as. Bounds do not change a value: they are for what is added up ([`Units`]).
    pub kind: ColumnType,
}

/// How the owner of a row is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Every row is another person.
    EachRow,
    /// A column of the file, read as it is; rows where it is NULL are left out.
    Column(String),
}

/// An integer that is added up over people, for each group.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Rows count only where this is true (`FILTER`, or the argument not being NULL).
    pub counted: Option<Scalar>,
    /// What is added up.
    pub quantity: Quantity,
}

/// What a person adds to a group. `m` is the bound's `rows_max`, `c` the person's counted rows there.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// min(c, m).
    Rows,
    /// One, if c > 0.
    People,
    /// The values of the counted rows, as integers, added up and bounded. Rows whose value is NULL do not count.
    Total {
        /// The value: an integer or a number.
        value: Scalar,
        /// How a value becomes an integer.
        units: Units,
        /// What becomes of a person with many rows.
        excess: Excess,
    },
}

/// A value as an integer: first the index i of the nearest grid point, then a polynomial of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// The public grid; a value outside goes to the nearest end.
    pub grid: Grid,
    /// From index to integer.
    pub form: Form,
}

/// From a grid index to the integer that is summed: never beyond ±2^62.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// offset + factor·i, factor positive.
    Linear {
        /// The integer of index zero.
        offset: i64,
        /// How much one index adds.
        factor: i64,
    },
    /// 2c² − K² with c = 2i − K, K the last index: squares around the middle, centred; K < 2^31.
    CentredSquare,
}

/// What becomes of a person's total in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// Clamped to what m rows can add up to, zero included: least bias for a sum.
    Clamp,
    /// Every row weighs min(1, m/c): the person counts as at most m rows of their own mean, as averages want it. In units
    /// of 2^-refinement, rounded to nearest (`mechanisms/src/thinning.rs`).
    Thin {
        /// By how many bits the units are finer than a row's.
        refinement: u32,
    },
}

/// How one measure is released.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its part of the price.
    pub price: Price,
    /// The noise of every group.
    pub noise: AdditiveNoise,
}

/// What is computed from released numbers.
#[derive(Clone, Debug)]
pub struct Answer {
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

/// Which released measures make an aggregate; the numbers are positions in [`Aggregation::measures`].
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
    /// What it is.
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
#[derive(Clone, Debug)]
pub struct Order {
    /// What is compared, over keys and aggregates.
    pub by: Scalar,
    /// Largest first.
    pub descending: bool,
    /// NULL before everything else.
    pub nulls_first: bool,
}
