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
    /// A grid point that was chosen, where the count beside it says that there are rows.
    Quantile {
        /// The choice.
        measure: usize,
        /// The rows that have a value.
        rows: usize,
        /// The grid of the values.
        grid: Grid,
    },
    /// A statistic of two values, from the moments of the rows that have both.
    Pair(Box<PairMoments>),
}

/// The measures of rows that have two values x and y, all over the same rows with the same weights.
#[derive(Clone, Debug)]
pub struct PairMoments {
    /// Which statistic.
    pub statistic: PairStatistic,
    /// The rows.
    pub rows: usize,
    /// The total of x in refined half steps from the middle of its grid.
    pub x: usize,
    /// The total of y.
    pub y: usize,
    /// The centred squares of x, where they are needed.
    pub squares_x: Option<usize>,
    /// The centred squares of y, where they are needed.
    pub squares_y: Option<usize>,
    /// The total of products, where it is needed.
    pub products: Option<usize>,
    /// The grid of x.
    pub grid_x: Grid,
    /// The grid of y.
    pub grid_y: Grid,
}

/// What is computed of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairStatistic {
    /// The covariance over n.
    CovariancePop,
    /// The covariance over n − 1.
    CovarianceSamp,
    /// The correlation.
    Correlation,
    /// The slope of the least-squares line of y over x.
    Slope,
    /// Where that line meets x = 0.
    Intercept,
    /// The square of the correlation.
    Determination,
    /// Σ(x − mean)².
    SumSquaresX,
    /// Σ(y − mean)².
    SumSquaresY,
    /// Σ(x − mean)(y − mean).
    SumProducts,
}

impl PairStatistic {
    /// Whether it needs the squares of x, the squares of y, and the products.
    pub fn needs(self) -> (bool, bool, bool) {
        match self {
            Self::CovariancePop | Self::CovarianceSamp | Self::SumProducts => (false, false, true),
            Self::Correlation | Self::Determination => (true, true, true),
            Self::Slope | Self::Intercept => (true, false, true),
            Self::SumSquaresX => (true, false, false),
            Self::SumSquaresY => (false, true, false),
        }
    }
}

impl Formula {
    /// The measures that it is made of; the one that says most about its noise first.
    pub fn measures(&self) -> Vec<usize> {
        match self {
            Self::Sum { measure, .. } => vec![*measure],
            Self::CentredSum { total, rows, .. } | Self::Mean { total, rows, .. } => vec![*total, *rows],
            Self::Variance { squares, total, rows, .. } => vec![*total, *squares, *rows],
            Self::Quantile { measure, rows, .. } => vec![*measure, *rows],
            Self::Pair(pair) => {
                let main = pair.products.or(pair.squares_x).or(pair.squares_y);
                let others = [pair.squares_x, pair.squares_y].into_iter().flatten();
                let mut all: Vec<usize> = main.into_iter().chain(others).collect();
                all.dedup();
                all.extend([pair.x, pair.y, pair.rows]);
                all
            }
        }
    }
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
