//! Rows to groups of integers: what an engine computes, and all that it is told.

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::Grid;

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
        let measures = self.measures.iter().flat_map(|measure| {
            let value = match &measure.quantity {
                Quantity::Total { value, .. } => Some(value),
                Quantity::Rows | Quantity::People => None,
            };
            measure.counted.iter().chain(value)
        });
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
        let measures = self.measures.iter_mut().flat_map(|measure| {
            let value = match &mut measure.quantity {
                Quantity::Total { value, .. } => Some(value),
                Quantity::Rows | Quantity::People => None,
            };
            measure.counted.iter_mut().chain(value)
        });
        self.filter.iter_mut().chain(keys).chain(measures)
    }
}
