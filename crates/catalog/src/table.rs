//! One table: where its rows are, whom they belong to, what analysts may name.

use std::num::NonZeroU64;

use crate::{Column, Periods};

/// A declared table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name in SQL.
    pub name: String,
    /// A file, a folder or a glob, relative to the catalog's folder.
    pub source: String,
    /// The version of the data, a word of the owner's. The same question about the same version has the same
    /// answer; it is declared, never read off the file, because when data changes is itself data.
    pub version: String,
    /// Whose rows these are.
    pub protection: Protection,
    /// About how many rows there are (in each period, where there are periods), in the owner's own words: a public number, which turns a wanted error into a price and
    /// nothing else.
    pub size: Option<NonZeroU64>,
    /// How its rows are cut into periods, each with a budget of its own (`period.rs`); public tables are not.
    pub periods: Option<Periods>,
    /// The declared columns, in the owner's order.
    pub columns: Vec<Column>,
}

impl Table {
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The column that has this name in the file.
    pub fn column_in_file(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name_in_file() == name)
    }

    /// The name that a column has in the file; what is not declared is named as it is there.
    pub fn name_in_file<'n>(&'n self, name: &'n str) -> &'n str {
        self.column(name).map_or(name, Column::name_in_file)
    }
}

/// Whether rows belong to people.
#[derive(Clone, Debug, PartialEq)]
pub enum Protection {
    /// Anyone may read every row.
    Public,
    /// Rows belong to people of one population.
    Private {
        /// The population that owns the budget.
        scope: String,
        /// Who owns a row.
        unit: Unit,
        /// Groups that one person may touch in one answer, if the owner said.
        max_groups: Option<NonZeroU64>,
        /// Rows that one person may add to one group, if the owner said.
        max_contributions: Option<NonZeroU64>,
    },
}

/// How a row's owner is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Every row is another person (event level, if a person can have several rows).
    Row,
    /// A column names the owner. Rows where it is NULL have no owner and are never read.
    Column(String),
    /// A column links to a row of another table, which names the owner.
    Linked {
        /// The linking column of this table.
        column: String,
        /// The other table.
        table: String,
        /// The column of the other table that the link equals.
        key: String,
    },
}
