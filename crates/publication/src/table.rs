//! A published table: keys, numbers and how wrong each may be. Everything in it was released or is public.

use pointillist_catalog::Value;
use pointillist_plan::Type;

use crate::ReleaseFacts;

/// Everything that a release publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// What is protected, how, and what it cost.
    pub facts: ReleaseFacts,
    /// The tables, in the order of the plan.
    pub tables: Vec<PublishedTable>,
    /// Whether the numbers were paid for before, so that nothing was paid now.
    pub is_repeat: bool,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedTable {
    /// Its name, which is also that of its files: a letter, then letters, digits and underscores, all small.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// More about it, where the plan says more.
    pub description: Option<String>,
    /// The statement that asks for it.
    pub sql: String,
    /// The keys, from the left.
    pub keys: Vec<KeyColumn>,
    /// The numbers, after the keys.
    pub measures: Vec<MeasureColumn>,
    /// The rows, in the order of the keys' public lists.
    pub rows: Vec<Row>,
    /// How it was measured, in a sentence: what a reader should know of where its numbers come from.
    pub method: String,
    /// The ways to measure that were compared; empty where there was one.
    pub strategies: Vec<StrategyLine>,
    /// What to know when reading it: what bounding and clamping change, what is marked and why.
    pub notes: Vec<String>,
}

/// A column of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyColumn {
    /// The name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
    /// What the codebook says of it.
    pub description: Option<String>,
    /// Whether its values have an order that ranges can be asked in.
    pub is_ordered: bool,
}

/// A column of numbers. In files it is six: `n`, `n_low`, `n_high`, `n_estimate`, `n_error_95` and `n_noisy`.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureColumn {
    /// The name.
    pub name: String,
    /// The type of its values: integer or number.
    pub kind: Type,
    /// Whether it counts rows or people, so that it is never below zero.
    pub is_count: bool,
    /// What the codebook says of it.
    pub description: Option<String>,
}

/// A row: its keys (NULL where the key is NULL), and a cell for every measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The keys.
    pub keys: Vec<Option<Value>>,
    /// The numbers.
    pub cells: Vec<Cell>,
}

/// A number that is published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// What is shown: not negative where it counts something, and equal wherever tables overlap. None: undefined.
    pub value: Option<Figure>,
    /// The unbiased estimate that it was made of: signed, and what sums and ratios should be computed from.
    pub estimate: Option<f64>,
    /// Between these two the number without noise lies with 95 %: the estimate's interval, cut at zero for counts.
    pub interval: Option<(f64, f64)>,
    /// The noise of the estimate stays within this with 95 %.
    pub error_95: Option<f64>,
    /// Whether the noise, which is public, is too large for the number to be of use.
    pub is_noisy: bool,
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// A whole one.
    Whole(i128),
    /// Any other.
    Real(f64),
}

/// One way to measure a table, and how well it would do.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyLine {
    /// Its name: `flat`, `hierarchical (4)`, `wavelet`, `residual`.
    pub name: String,
    /// The root of the mean variance of what the table is asked for, at the price that it gets.
    pub expected_error: f64,
    /// Whether it was chosen.
    pub is_chosen: bool,
}
