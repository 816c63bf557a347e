//! Rows that a FROM clause names, and what is known of them.
//!
//! **Guarantee.** A [`Source`] is a [`Relation`] seen through expressions of one row, some rows left out by a condition on
//! one row. A relation of people's rows is local whatever it is built of (`plan/src/relation.rs`); the care here is that
//! what was written means the same. Facts (ranges, nullability, public keys, how many rows a person has) choose grids,
//! domains and the bounds that a question has unless it says otherwise: bounding and clamping always run, so that a wrong
//! fact costs accuracy and never privacy.

use std::num::NonZeroU64;

use pointillist_catalog::Column;
use pointillist_plan::{Relation, Scalar};

use crate::aggregate::Person;
use crate::names::Visible;

/// Rows, the names that they are seen by, and what is known of them.
#[derive(Clone)]
pub(crate) struct Source {
    /// All columns of all tables: those that nobody uses are left out at the end (`prune.rs`).
    pub(crate) relation: Relation,
    /// What is known of each column of the relation.
    pub(crate) columns: Vec<Column>,
    /// What else a column is, one for each.
    pub(crate) roles: Vec<Role>,
    /// The names, over columns of the relation.
    pub(crate) visible: Vec<Visible>,
    /// Which rows are left, over columns of the relation.
    pub(crate) filter: Option<Scalar>,
    /// Whose rows they are.
    pub(crate) whose: Whose,
}

/// Whose rows a source has. A subquery is of one kind, which decides what may be done with it.
#[derive(Clone)]
pub(crate) enum Whose {
    /// People's: they may only leave in an aggregate with noise.
    People(People),
    /// Everybody's.
    Public,
}

/// Whose rows, and how many.
#[derive(Clone)]
pub(crate) struct People {
    /// The population whose budget pays.
    pub(crate) scope: String,
    /// The name of the privacy unit; `None` where every row is another person.
    pub(crate) unit: Option<String>,
    /// What the owner declared of each table that is read.
    pub(crate) limits: Vec<Limits>,
    /// The columns of which a person has every combination once at most: none of them, if a person has one row.
    pub(crate) unique: Option<Vec<usize>>,
    /// How many rows a person has at most, where that is known.
    pub(crate) rows_max: Option<u64>,
}

/// How much of a person is used, as declared for a table.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) table: String,
    pub(crate) max_groups: Option<NonZeroU64>,
    pub(crate) max_contributions: Option<NonZeroU64>,
}

/// What a column is beside its value.
#[derive(Clone, Default)]
pub(crate) struct Role {
    /// The untouched privacy unit.
    pub(crate) unit: bool,
    /// The table that it comes from.
    pub(crate) table: Option<String>,
}

impl Source {
    /// Who is counted.
    pub(crate) fn person(&self) -> Person {
        let People { unit: Some(name), .. } = (match &self.whose {
            Whose::People(people) => people,
            Whose::Public => return Person::EachRow,
        }) else {
            return Person::EachRow;
        };
        let units = self.roles.iter().enumerate().filter(|(_, role)| role.unit);
        Person::Column { name: name.clone(), units: units.map(|(column, _)| column).collect() }
    }
}
