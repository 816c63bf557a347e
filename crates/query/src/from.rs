//! Where rows come from: the tables and subqueries of a FROM clause.

use pointillist_catalog::{Catalog, Protection, Table, Unit};
use pointillist_plan::{Owner, Relation, Scalar, Scan, ScanColumn, type_of_column};
use sqlparser::ast::{ObjectName, TableAlias, TableFactor, TableWithJoins};

use crate::coercion::Typed;
use crate::names::{self, Meaning, Visible};
use crate::plain::{Named, clause};
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::size::Nodes;
use crate::source::{Limits, People, Role, Source, Whose};

/// Subqueries inside subqueries, at most.
pub(crate) const DEPTH_MAX: usize = 32;

/// What names of tables mean: the catalog, and the WITH clauses around.
pub(crate) struct Tables<'c, 'q> {
    pub(crate) catalog: &'c Catalog,
    pub(crate) nodes: &'q Nodes,
}

impl Tables<'_, '_> {
    /// The rows that a FROM clause names.
    pub(crate) fn from<'q>(
        &self,
        from: &'q [TableWithJoins],
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source, Refusal> {
        if depth > DEPTH_MAX {
            return Err(Refusal::syntax("subqueries are nested too deeply", "use fewer levels"));
        }
        let only = match from {
            [] => {
                return Err(Refusal::not_provable(
                    "a SELECT without FROM asks nothing about data",
                    "name a table with FROM",
                ));
            }
            [only] => only,
            _ => return Err(joins()),
        };
        if !only.joins.is_empty() {
            return Err(joins());
        }
        match &only.relation {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                self.table(name, alias.as_ref(), named, depth)
            }
            TableFactor::Derived { lateral: false, subquery, alias, sample: None } => {
                let source = self.rows(subquery, named, depth + 1)?;
                renamed(source, alias.as_ref(), None)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.from(std::slice::from_ref(table_with_joins.as_ref()), named, depth + 1)
            }
            other => Err(factor(other)),
        }
    }

    fn table<'q>(
        &self,
        name: &ObjectName,
        alias: Option<&TableAlias>,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source, Refusal> {
        let parts = names::parts(name)
            .ok_or_else(|| Refusal::not_provable("a function is no table", "name a table"))?;
        let table_name = match parts.as_slice() {
            [name] => name,
            [schema, name] if schema == "public" => name,
            _ => return Err(self.unknown(&names::dotted(&parts))),
        };
        if let (1, Some(cte)) = (parts.len(), named.get(table_name)) {
            // A WITH clause sees those before it, never itself.
            let mut before = named.clone();
            before.remove(table_name);
            let source = self.rows(&cte.query, &before, depth + 1)?;
            let source = renamed(source, Some(&cte.alias), None)?;
            return renamed(source, alias, None);
        }
        let table = self.catalog.tables.get(table_name).ok_or_else(|| self.unknown(table_name))?;
        renamed(self.declared(table)?, alias, Some(table_name))
    }

    /// The rows of a declared table.
    fn declared(&self, table: &Table) -> Result<Source, Refusal> {
        let value = |(position, column): (usize, &pointillist_catalog::Column)| Visible {
            qualifier: None,
            name: column.name.clone(),
            meaning: Meaning::Value(Typed::new(Scalar::Column(position), type_of_column(&column.kind))),
        };
        let mut visible: Vec<Visible> = table.columns.iter().enumerate().map(value).collect();
        let role = |_| Role { unit: false, table: Some(table.name.clone()) };
        let mut roles: Vec<Role> = table.columns.iter().map(role).collect();
        let (owner, whose) = match &table.protection {
            Protection::Public => (Owner::Nobody, Whose::Public),
            Protection::Private { scope, unit, max_groups, max_contributions } => {
                let (owner, name) = self.owner(table, unit)?;
                if let Some(name) = &name {
                    match table.columns.iter().position(|column| column.name == *name) {
                        Some(position) => roles[position].unit = true,
                        None => visible.push(Visible {
                            qualifier: None,
                            name: name.clone(),
                            meaning: Meaning::Owner,
                        }),
                    }
                }
                let limits = Limits {
                    table: table.name.clone(),
                    max_groups: *max_groups,
                    max_contributions: *max_contributions,
                };
                let people = People {
                    scope: scope.clone(),
                    unit: name,
                    limits: vec![limits],
                    unique: None,
                    rows_max: None,
                };
                (owner, Whose::People(people))
            }
        };
        let scanned = |column: &pointillist_catalog::Column| ScanColumn {
            name: column.name_in_file().to_owned(),
            kind: column.kind.clone(),
        };
        let columns = table.columns.iter().map(scanned).collect();
        let relation = Relation::Table(Scan { table: table.name.clone(), columns, owner });
        Ok(Source { relation, columns: table.columns.clone(), roles, visible, filter: None, whose })
    }

    /// How the owners of a table's rows are known, and what their unit is called.
    fn owner(&self, table: &Table, unit: &Unit) -> Result<(Owner, Option<String>), Refusal> {
        match unit {
            Unit::Row => Ok((Owner::EachRow, None)),
            Unit::Column(name) => {
                Ok((Owner::Column(table.name_in_file(name).to_owned()), Some(name.clone())))
            }
            Unit::Linked { table: other, .. } => Err(Refusal::not_provable(
                format!(
                    "whose rows `{}` holds is known through `{}` only, and links are not followed yet",
                    shown(&table.name),
                    shown(other)
                ),
                "ask about a table that holds the privacy unit itself, or ask the owner to add that column",
            )),
        }
    }

    fn unknown(&self, name: &str) -> Refusal {
        if self.catalog.graphs.contains_key(name) {
            return Refusal::table(
                format!("`{}` is a graph, not a table", shown(name)),
                format!("ask for one of its statistics: SELECT * FROM graph_edges('{}')", shown(name)),
            );
        }
        let known = self.catalog.tables.keys().map(String::as_str);
        let other_case = self.catalog.tables.keys().find(|table| table.to_lowercase() == name.to_lowercase());
        let hint = match other_case {
            Some(table) if table != name => format!("write it in quotes: \"{}\"", shown(table)),
            _ => did_you_mean(name, known.clone(), || {
                let names: Vec<String> = known.take(20).map(shown).collect();
                format!("the tables are {}", names.join(", "))
            }),
        };
        Refusal::table(format!("there is no table `{}`", shown(name)), hint)
    }
}

/// The same rows under another name, and perhaps with other names for their columns.
fn renamed(mut source: Source, alias: Option<&TableAlias>, name: Option<&str>) -> Result<Source, Refusal> {
    let (qualifier, columns) = match alias {
        Some(TableAlias { explicit: _, name, columns, at: None }) => {
            (Some(names::folded(name)), columns.as_slice())
        }
        Some(_) => return Err(clause("AT behind a table's alias")),
        None => (name.map(str::to_owned), [].as_slice()),
    };
    if columns.len() > source.visible.len() {
        return Err(Refusal::column("an alias names more columns than there are", "name fewer columns"));
    }
    for visible in &mut source.visible {
        if qualifier.is_some() {
            visible.qualifier.clone_from(&qualifier);
        }
    }
    for (visible, column) in source.visible.iter_mut().zip(columns) {
        if column.data_type.is_some() {
            return Err(clause("a type behind a column's alias"));
        }
        visible.name = names::folded(&column.name);
    }
    Ok(source)
}

fn joins() -> Refusal {
    Refusal::not_provable(
        "joins are not answered yet: one person's rows could be multiplied",
        "ask about one table; the owner can offer a joined one in the catalog",
    )
}

fn factor(factor: &TableFactor) -> Refusal {
    let (what, hint) = match factor {
        TableFactor::Table { args: Some(_), .. }
        | TableFactor::TableFunction { .. }
        | TableFactor::Function { .. } => ("a function in FROM", "name a table of the catalog"),
        TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } => {
            ("TABLESAMPLE", "leave it out; the noise does not get smaller by it")
        }
        TableFactor::Derived { lateral: true, .. } => ("LATERAL", "use a plain subquery"),
        TableFactor::UNNEST { .. } => ("UNNEST", "ask the owner for a table with one row each"),
        TableFactor::NestedJoin { .. } => return joins(),
        TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => {
            ("PIVOT", "use FILTER (WHERE …) on each aggregate")
        }
        _ => ("this kind of table", "name a table of the catalog"),
    };
    Refusal::not_provable(format!("{what} is not answered"), hint)
}
