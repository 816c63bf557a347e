//! Rows that a FROM clause names, and what is known of them.
//!
//! **Guarantee.** A [`Source`] is a [`Relation`] seen through expressions of one row, some rows left out by a condition on
//! one row. A relation of people's rows is local whatever it is built of (`plan/src/relation.rs`); the care here is that
//! what was written means the same. Facts (ranges, nullability, public keys, how many rows a person has) choose grids,
//! domains and the bounds that a question has unless it says otherwise: bounding and clamping always run, so that a wrong
//! fact costs accuracy and never privacy.

use std::num::NonZeroU64;

use pointillist_catalog::{Column, Value};
use pointillist_plan::{Comparison, Relation, Scalar, visit};
use sqlparser::ast::Expr;

use crate::aggregate::Person;
use crate::coercion::Typed;
use crate::facts;
use crate::names::{self, Meaning, Visible};
use crate::refusal::{Refusal, shown};
use crate::size::{self, Nodes};

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
    /// Whether that rests on what the owner declared of a table.
    pub(crate) as_declared: bool,
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
    /// Whether it is the untouched privacy unit.
    pub(crate) unit: IsUnit,
    /// The table and column that it links to, as the privacy unit of its own table.
    pub(crate) link: Option<(String, String)>,
    /// The table and column that it is, where others link to it.
    pub(crate) key: Option<(String, String)>,
    /// The table that it comes from.
    pub(crate) table: Option<String>,
    /// Whether it numbers the rows of a person, from one.
    pub(crate) row_number: bool,
}

/// Whether a column is the untouched privacy unit of its row's owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IsUnit {
    #[default]
    No,
    /// NULL where a join had no row for its side.
    OrNull,
    Yes,
}

impl Source {
    /// Whose rows they are, if people's.
    pub(crate) fn people(&self) -> Option<&People> {
        match &self.whose {
            Whose::People(people) => Some(people),
            Whose::Public => None,
        }
    }

    /// Who is counted.
    pub(crate) fn person(&self) -> Person {
        let Some(name) = self.people().and_then(|people| people.unit.clone()) else {
            return Person::EachRow;
        };
        let columns = |wanted: IsUnit| {
            let columns = self.roles.iter().enumerate().filter(move |(_, role)| role.unit == wanted);
            columns.map(|(column, _)| column).collect()
        };
        Person::Column { name, units: columns(IsUnit::Yes), or_null: columns(IsUnit::OrNull) }
    }

    /// Whether a name is the untouched privacy unit, or may be NULL in its place.
    pub(crate) fn is_unit(&self, meaning: &Meaning) -> IsUnit {
        match meaning {
            Meaning::Owner(None) => IsUnit::Yes,
            Meaning::Owner(Some(_)) => IsUnit::OrNull,
            Meaning::Value(Typed { scalar: Scalar::Column(column), .. }) => {
                self.roles.get(*column).map_or(IsUnit::No, |role| role.unit)
            }
            Meaning::Value(_) | Meaning::Link(_) => IsUnit::No,
        }
    }

    /// Whether an expression is the name of the untouched privacy unit.
    pub(crate) fn names_the_unit(&self, expr: &Expr) -> bool {
        names::named(expr)
            .and_then(|name| names::find(&self.visible, &name).ok())
            .is_some_and(|found| self.is_unit(&found.meaning) == IsUnit::Yes)
    }

    /// Leaves rows out.
    pub(crate) fn keep(&mut self, condition: Scalar) {
        if let Whose::People(people) = &mut self.whose {
            let parts = match &condition {
                Scalar::All(all) => all.as_slice(),
                one => std::slice::from_ref(one),
            };
            for part in parts {
                if let Some(rows) = numbered(part, &self.roles) {
                    people.rows_max = Some(people.rows_max.map_or(rows, |known| known.min(rows)));
                }
            }
        }
        self.filter = visit::both(self.filter.take(), Some(condition));
    }

    /// The relation, without the rows that are left out.
    pub(crate) fn filtered(&self) -> Relation {
        match &self.filter {
            None => self.relation.clone(),
            filter => Relation::Map {
                input: Box::new(self.relation.clone()),
                filter: filter.clone(),
                columns: (0..self.columns.len()).map(Scalar::Column).collect(),
            },
        }
    }

    /// The same rows, as a relation in which every name is a column and no row is left out later.
    pub(crate) fn materialised(self, nodes: &Nodes) -> Result<Self, Refusal> {
        let plain = |visible: &Visible| match &visible.meaning {
            Meaning::Value(typed) => matches!(typed.scalar, Scalar::Column(_)),
            Meaning::Owner(_) | Meaning::Link(_) => true,
        };
        if self.filter.is_none() && self.visible.iter().all(plain) {
            return Ok(self);
        }
        let mut map = Mapping { scalars: Vec::new(), names: Vec::new() };
        let mut visible = self.visible.clone();
        for one in &mut visible {
            match &mut one.meaning {
                Meaning::Value(typed) | Meaning::Link(typed) => {
                    typed.scalar = map.add(&typed.scalar, &one.name)
                }
                Meaning::Owner(Some(column)) => {
                    if let Scalar::Column(moved) = map.add(&Scalar::Column(*column), &one.name) {
                        *column = moved;
                    }
                }
                Meaning::Owner(None) => {}
            }
        }
        nodes.take(map.scalars.iter().map(visit::count).sum::<usize>() + 1)?;
        let columns = map.scalars.iter().zip(&map.names);
        let columns = columns.map(|(scalar, name)| facts::of(scalar, &self.columns, name)).collect();
        let roles = map.scalars.iter().map(|scalar| self.role(scalar)).collect();
        let mut whose = self.whose;
        if let Whose::People(people) = &mut whose {
            people.unique = people.unique.take().and_then(|unique| {
                unique
                    .into_iter()
                    .map(|column| map.scalars.iter().position(|scalar| *scalar == Scalar::Column(column)))
                    .collect()
            });
        }
        let relation =
            Relation::Map { input: Box::new(self.relation), filter: self.filter, columns: map.scalars };
        size::check_relation(&relation)?;
        Ok(Self { relation, columns, roles, visible, filter: None, whose })
    }

    /// What an expression of a row is: a column stays what it is, anything else is a value of its table.
    pub(crate) fn role(&self, scalar: &Scalar) -> Role {
        match scalar {
            Scalar::Column(column) => self.roles.get(*column).cloned().unwrap_or_default(),
            other => {
                let table = visit::columns(other).find_map(|column| self.roles.get(column)?.table.clone());
                Role { table, ..Role::default() }
            }
        }
    }

    /// How many rows one person has at most: as is known, or as was declared.
    pub(crate) fn rows_of_a_person(&self, asked: Option<NonZeroU64>) -> Option<u64> {
        let people = self.people()?;
        let declared = people.limits.iter().filter_map(|limits| limits.max_contributions).max();
        let known = match &people.unique {
            Some(columns) if columns.is_empty() => Some(1),
            _ => people.rows_max,
        };
        known.into_iter().chain(asked.or(declared).map(NonZeroU64::get)).min()
    }

    /// Whether a column is the same in all rows of a person, as declared: its table has one row a person.
    pub(crate) fn once_a_person(&self, role: &Role) -> bool {
        let limits = self.people().into_iter().flat_map(|people| &people.limits);
        let one = |most: Option<NonZeroU64>| most == Some(NonZeroU64::MIN);
        limits
            .filter(|limits| role.table.as_ref() == Some(&limits.table))
            .any(|limits| one(limits.max_groups) && one(limits.max_contributions))
    }

    /// The tables that are read, for a message.
    pub(crate) fn tables(&self) -> String {
        self.relation.tables().into_iter().map(shown).collect::<Vec<_>>().join("`, `")
    }
}

/// The columns of a map, each once.
struct Mapping {
    scalars: Vec<Scalar>,
    names: Vec<String>,
}

impl Mapping {
    fn add(&mut self, scalar: &Scalar, name: &str) -> Scalar {
        let known = self.scalars.iter().position(|other| other == scalar);
        Scalar::Column(known.unwrap_or_else(|| {
            self.scalars.push(scalar.clone());
            self.names.push(name.to_owned());
            self.scalars.len() - 1
        }))
    }
}

/// How many rows of a person a condition leaves: `row_number <= n` leaves n.
fn numbered(condition: &Scalar, roles: &[Role]) -> Option<u64> {
    let Scalar::Compare(how, left, right) = condition else { return None };
    let (how, column, end) = match (left.as_ref(), right.as_ref()) {
        (Scalar::Column(column), Scalar::Constant(Value::Integer(end))) => (*how, column, *end),
        (Scalar::Constant(Value::Integer(end)), Scalar::Column(column)) => {
            let turned = match how {
                Comparison::Greater => Comparison::Less,
                Comparison::GreaterOrEqual => Comparison::LessOrEqual,
                Comparison::Equal => Comparison::Equal,
                _ => return None,
            };
            (turned, column, *end)
        }
        _ => return None,
    };
    if !roles.get(*column)?.row_number {
        return None;
    }
    match how {
        Comparison::Equal => Some(1),
        Comparison::LessOrEqual => u64::try_from(end).ok(),
        Comparison::Less => u64::try_from(end.saturating_sub(1)).ok(),
        _ => None,
    }
}
