//! Rows to groups of integers: what an engine computes, and all that it is told.

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::Grid;
use pointillist_mechanisms::Rank;

use crate::{Ownership, Relation, Scalar, Type, visit};

/// Rows to groups of integers: the only part of a plan that meets data.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregation {
    /// Where rows come from. [`Scalar::Column`] counts its columns.
    pub relation: Relation,
    /// Rows for which this is not true are left out.
    pub filter: Option<Scalar>,
    /// How much of one person is used.
    pub bound: ContributionBound,
    /// The keys; none makes one group.
    pub keys: Vec<KeyColumn>,
    /// The groups that appear, whatever the data: in this order, others left out. `None`: the groups that
    /// occur, of which only earned ones may be shown.
    pub domain: Option<Vec<Vec<Option<Value>>>>,
    /// What is added up in every group.
    pub measures: Vec<Measure>,
}

/// What rows are grouped by, and its type.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyColumn {
    /// The key of a row.
    pub value: Scalar,
    /// Its type.
    pub kind: Type,
}

/// A column that is read from a file, by name, as a type.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanColumn {
    /// The name in the file.
    pub name: String,
    /// What it is read as. Bounds do not change a value: they are for what is added up ([`Units`]).
    pub kind: ColumnType,
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
    /// One, if c > m: how many people have more rows than count.
    PeopleCut,
    /// The values of the counted rows, as integers, added up and bounded. Rows whose value is NULL do not count.
    Total {
        /// The value: an integer or a number.
        value: Scalar,
        /// How a value becomes an integer.
        units: Units,
        /// What becomes of a person with many rows.
        excess: Excess,
    },
    /// The product of two values, each in half steps from the middle of its grid, with the weight min(1, m/c) for every
    /// row, in units of 2^-refinement. Rows in which one of the two is NULL do not count.
    Product {
        /// The first value and its grid.
        left: (Scalar, Grid),
        /// The second.
        right: (Scalar, Grid),
        /// By how many bits the units are finer than a row's.
        refinement: u32,
    },
    /// The values that the person is the first to bring, at most m of them. People come in an order that is a keyed hash of
    /// each alone, and bring the values of their counted rows that nobody before them has brought (`engine/src/bound/bring.rs`).
    /// NULL is no value.
    Distinct {
        /// The value, of any type.
        value: Scalar,
    },
    /// Where the counted rows' values lie on a grid, with the weight min(1, m/c) for every row: not a number, but what one
    /// grid point is chosen from (`mechanisms/src/order_statistic/weighted_quantile.rs`). Rows whose value is NULL do not
    /// count.
    Quantile {
        /// The value: an integer, a number, a day or a moment.
        value: Scalar,
        /// The public grid, of at most 2^20 points; a value outside goes to the nearest end.
        grid: Grid,
        /// Which of the rows is wanted.
        rank: Rank,
    },
}

impl Quantity {
    /// The values that it is about.
    pub fn values(&self) -> Vec<&Scalar> {
        match self {
            Self::Rows | Self::People | Self::PeopleCut => Vec::new(),
            Self::Total { value, .. } | Self::Distinct { value } | Self::Quantile { value, .. } => {
                vec![value]
            }
            Self::Product { left, right, .. } => vec![&left.0, &right.0],
        }
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> Vec<&mut Scalar> {
        match self {
            Self::Rows | Self::People | Self::PeopleCut => Vec::new(),
            Self::Total { value, .. } | Self::Distinct { value } | Self::Quantile { value, .. } => {
                vec![value]
            }
            Self::Product { left, right, .. } => vec![&mut left.0, &mut right.0],
        }
    }

    /// The grids that values are placed on, each with its value.
    pub fn grids(&self) -> Vec<(&Scalar, &Grid)> {
        match self {
            Self::Rows | Self::People | Self::PeopleCut | Self::Distinct { .. } => Vec::new(),
            Self::Total { value, units, .. } => vec![(value, &units.grid)],
            Self::Quantile { value, grid, .. } => vec![(value, grid)],
            Self::Product { left, right, .. } => vec![(&left.0, &left.1), (&right.0, &right.1)],
        }
    }
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
    /// of 2^-refinement, rounded to nearest (`mechanisms/src/aggregate/thinning.rs`).
    Thin {
        /// By how many bits the units are finer than a row's.
        refinement: u32,
    },
}

impl Aggregation {
    /// Whose rows are added up.
    pub fn ownership(&self) -> Ownership {
        self.relation.ownership()
    }

    /// Everything that is computed from a row.
    pub fn expressions(&self) -> impl Iterator<Item = &Scalar> {
        let keys = self.keys.iter().map(|key| &key.value);
        let measures =
            self.measures.iter().flat_map(|measure| measure.counted.iter().chain(measure.quantity.values()));
        self.filter.iter().chain(keys).chain(measures)
    }

    /// The constants that are named in what is computed from a row, each once and in order.
    pub fn constants(&self) -> Vec<Value> {
        let mut constants: Vec<Value> = self.expressions().flat_map(visit::constants).collect();
        constants.sort();
        constants.dedup();
        constants
    }

    /// Everything that is computed from a row, to be changed.
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Scalar> {
        let keys = self.keys.iter_mut().map(|key| &mut key.value);
        let measures = self
            .measures
            .iter_mut()
            .flat_map(|measure| measure.counted.iter_mut().chain(measure.quantity.values_mut()));
        self.filter.iter_mut().chain(keys).chain(measures)
    }
}
