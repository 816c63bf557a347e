//! Where rows come from: the tables and subqueries of a FROM clause.

use std::num::NonZeroU64;

use pointillist_catalog::{Catalog, Column, ColumnType, Protection, Table, Unit};
use pointillist_plan::{Link, Owner, Relation, Scalar, Scan, ScanColumn, type_of_column};
use sqlparser::ast::{
    Expr, JoinConstraint, JoinOperator, ObjectName, TableAlias, TableFactor, TableWithJoins,
};

use crate::coercion::Typed;
use crate::join::Kept;
use crate::names::{self, Meaning, Reach, Visible};
use crate::period;
use crate::plain::{Named, clause};
use crate::public::OnlyPublic;
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::released::Releases;
use crate::size::Nodes;
use crate::source::{IsUnit, Limits, People, Role, Source, Whose};

/// Subqueries inside subqueries, at most.
pub(crate) const DEPTH_MAX: usize = 32;

/// Tables of a FROM clause, at most.
const TABLES_MAX: usize = 48;
/// Links behind links, at most.
const LINKS_MAX: usize = 16;

/// A column by which rows are linked to their owners.
struct LinkColumn {
    column: String,
    /// The table and key that it links to; `None` for a key that others link to.
    to: Option<(String, String)>,
    /// What it is read as, where it is not declared: as what it is compared with.
    kind: ColumnType,
}

/// What names of tables mean: the catalog, and the WITH clauses around.
pub(crate) struct Tables<'c, 'q> {
    pub(crate) catalog: &'c Catalog,
    pub(crate) nodes: &'q Nodes,
    /// How many rows of a person the asker said there are.
    pub(crate) max_contributions: Option<NonZeroU64>,
    /// The period that the asker named.
    pub(crate) period: Option<&'q str>,
    /// Where aggregated subqueries over people's rows become releases; `None` where they are refused.
    pub(crate) releases: Option<&'q Releases<'q>>,
    /// Where a statement is tried as one over public tables alone; `None` where tables of people may be named.
    pub(crate) public: Option<&'q OnlyPublic>,
}

impl Tables<'_, '_> {
    /// The rows that a FROM clause names. Conditions of WHERE that belong to its joins are taken from `wheres`.
    pub(crate) fn from<'q>(
        &self,
        from: &'q [TableWithJoins],
        named: &Named<'q>,
        depth: usize,
        wheres: &mut Vec<&'q Expr>,
    ) -> Result<Source, Refusal> {
        if depth > DEPTH_MAX {
            return Err(Refusal::syntax("subqueries are nested too deeply", "use fewer levels"));
        }
        if from.len() > TABLES_MAX || from.iter().any(|item| item.joins.len() > TABLES_MAX) {
            return Err(Refusal::syntax(
                format!("FROM names more than {TABLES_MAX} tables"),
                "ask several shorter questions",
            ));
        }
        let mut waiting = Vec::with_capacity(from.len());
        for item in from {
            waiting.push(Some(self.item(item, named, depth, wheres)?));
        }
        let Some(mut source) = waiting.first_mut().and_then(Option::take) else {
            return Err(Refusal::not_provable(
                "a SELECT without FROM asks nothing about data",
                "name a table with FROM",
            ));
        };
        // In the order in which WHERE connects them, with the names in the order in which they are written.
        let mut order = vec![(0, source.visible.len())];
        for _ in 1..from.len() {
            let there = |next: &Option<Source>| next.as_ref().is_some();
            let fits = |next: &Option<Source>| {
                next.as_ref().is_some_and(|next| self.connected(&source, next, wheres))
            };
            let place = waiting.iter().position(fits).or_else(|| waiting.iter().position(there));
            let Some((place, next)) = place.and_then(|place| Some((place, waiting[place].take()?))) else {
                break;
            };
            order.push((place, next.visible.len()));
            source = self.joined(source, next, Kept::Neither, &JoinConstraint::None, wheres)?;
        }
        let mut parts = Vec::with_capacity(order.len());
        for (place, length) in order {
            let rest = source.visible.split_off(length.min(source.visible.len()));
            parts.push((place, std::mem::replace(&mut source.visible, rest)));
        }
        parts.sort_by_key(|(place, _)| *place);
        source.visible = parts.into_iter().flat_map(|(_, visible)| visible).collect();
        Ok(source)
    }

    /// One item of a FROM clause, with its joins.
    fn item<'q>(
        &self,
        item: &'q TableWithJoins,
        named: &Named<'q>,
        depth: usize,
        wheres: &mut Vec<&'q Expr>,
    ) -> Result<Source, Refusal> {
        let mut source = self.factor(&item.relation, named, depth)?;
        for (place, join) in item.joins.iter().enumerate() {
            let (kept, constraint) = operator(&join.join_operator)?;
            if join.global {
                return Err(clause("GLOBAL JOIN"));
            }
            let right = self.factor(&join.relation, named, depth)?;
            // WHERE comes after all joins: it is part of one only if no later join keeps rows that this one leaves out.
            let later = &item.joins[place + 1..];
            let kept_later = later
                .iter()
                .any(|join| !matches!(operator(&join.join_operator), Ok((Kept::Neither | Kept::Left, _))));
            source = match kept_later {
                true => self.joined(source, right, kept, constraint, &mut Vec::new())?,
                false => self.joined(source, right, kept, constraint, wheres)?,
            };
        }
        Ok(source)
    }

    fn factor<'q>(
        &self,
        factor: &'q TableFactor,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source, Refusal> {
        match factor {
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
            TableFactor::NestedJoin { table_with_joins, alias } => {
                if depth >= DEPTH_MAX {
                    return Err(Refusal::syntax("subqueries are nested too deeply", "use fewer levels"));
                }
                let source = self.item(table_with_joins, named, depth + 1, &mut Vec::new())?;
                match alias {
                    None => Ok(source),
                    alias => renamed(source, alias.as_ref(), None),
                }
            }
            other => Err(refused(other)),
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
            // A server has one database, whatever it is called.
            [schema, name] | [_, schema, name] if schema == "public" => name,
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
        let table = self.catalog.table(table_name).ok_or_else(|| self.unknown(table_name))?;
        self.public.map_or(Ok(()), |only| only.admit(table))?;
        renamed(self.declared(table)?, alias, Some(table_name))
    }

    /// The rows of a declared table.
    fn declared(&self, table: &Table) -> Result<Source, Refusal> {
        let mut columns = table.columns.clone();
        let mut roles: Vec<Role> =
            vec![Role { table: Some(table.name.clone()), ..Role::default() }; columns.len()];
        let value = |(position, column): (usize, &Column)| {
            let value = Typed::new(Scalar::Column(position), type_of_column(&column.kind));
            Visible::plain(column.name.clone(), Meaning::Value(value))
        };
        let mut visible: Vec<Visible> = columns.iter().enumerate().map(value).collect();
        let (owner, filter, whose) = match &table.protection {
            Protection::Public => (Owner::Nobody, None, Whose::Public),
            Protection::Private { scope, unit, max_groups, max_contributions } => {
                let (scope, filter) = period::of_table(table, scope, self.period, &mut columns)?;
                let (owner, name) = self.owner(table, 0)?;
                if let Some(name) = &name {
                    match columns.iter().position(|column| column.name == *name) {
                        Some(position) if matches!(unit, Unit::Column(_)) => {
                            roles[position].unit = IsUnit::Yes
                        }
                        Some(_) => {}
                        None => {
                            let mut hidden = Visible::plain(name.clone(), Meaning::Owner(None));
                            if !matches!(unit, Unit::Column(_)) {
                                hidden.reach = Reach::Implied;
                            }
                            visible.push(hidden);
                        }
                    }
                }
                for hidden in self.links(table, unit) {
                    let position = match columns.iter().position(|column| column.name == hidden.column) {
                        Some(position) => position,
                        None => {
                            let name = hidden.column.clone();
                            let typed =
                                Typed::new(Scalar::Column(columns.len()), type_of_column(&hidden.kind));
                            visible.push(Visible::plain(name.clone(), Meaning::Link(typed)));
                            roles.push(Role { table: Some(table.name.clone()), ..Role::default() });
                            columns.push(Column {
                                name,
                                stored_as: None,
                                kind: hidden.kind,
                                public_keys: None,
                                nullable: true,
                            });
                            columns.len() - 1
                        }
                    };
                    match hidden.to {
                        Some(to) => roles[position].link = Some(to),
                        None => roles[position].key = Some((table.name.clone(), hidden.column)),
                    }
                }
                let limits = Limits {
                    table: table.name.clone(),
                    max_groups: *max_groups,
                    max_contributions: *max_contributions,
                };
                let people = People {
                    scope,
                    unit: name,
                    limits: vec![limits],
                    unique: None,
                    rows_max: None,
                    as_declared: false,
                };
                (owner, filter, Whose::People(people))
            }
        };
        let scanned = |column: &Column| ScanColumn {
            name: column.name_in_file().to_owned(),
            kind: column.kind.clone(),
        };
        let scan =
            Scan { table: table.name.clone(), columns: columns.iter().map(scanned).collect(), filter, owner };
        Ok(Source { relation: Relation::Table(scan), columns, roles, visible, filter: None, whose })
    }

    /// How the owners of a table's rows are known, and what their unit is called.
    fn owner(&self, table: &Table, depth: usize) -> Result<(Owner, Option<String>), Refusal> {
        let Protection::Private { unit, .. } = &table.protection else { return Ok((Owner::Nobody, None)) };
        match unit {
            Unit::Row => Ok((Owner::EachRow, None)),
            Unit::Column(name) => {
                Ok((Owner::Column(table.name_in_file(name).to_owned()), Some(name.clone())))
            }
            Unit::Linked { column, table: other, key } => {
                let target = self.catalog.tables.get(other).filter(|_| depth < LINKS_MAX);
                let target = target.ok_or_else(|| {
                    Refusal::not_provable(
                        format!("the rows of `{}` are linked to no owner", shown(&table.name)),
                        "ask the owner to correct `references` in the catalog",
                    )
                })?;
                let (owner, name) = self.owner(target, depth + 1)?;
                if !matches!(owner, Owner::Column(_) | Owner::Link(_)) {
                    return Err(Refusal::not_provable(
                        format!(
                            "`{}` is linked to `{}`, whose rows have no owner that a column names",
                            shown(&table.name),
                            shown(other)
                        ),
                        "ask the owner for a link to a table with a privacy unit",
                    ));
                }
                let link = Link {
                    column: table.name_in_file(column).to_owned(),
                    table: other.clone(),
                    key: target.name_in_file(key).to_owned(),
                    owner,
                };
                Ok((Owner::Link(Box::new(link)), name))
            }
        }
    }

    /// The columns by which rows are linked to their owners: the table's own link, and its keys that others link to.
    fn links(&self, table: &Table, unit: &Unit) -> Vec<LinkColumn> {
        let declared = |table: &str, column: &str| {
            let column = self.catalog.tables.get(table).and_then(|table| table.column(column));
            column.map(|column| column.kind.clone())
        };
        let mut found = Vec::new();
        if let Unit::Linked { column, table: other, key } = unit {
            let kind = declared(other, key).unwrap_or(ColumnType::Text);
            found.push(LinkColumn { column: column.clone(), to: Some((other.clone(), key.clone())), kind });
        }
        for other in self.catalog.tables.values() {
            if let Protection::Private { unit: Unit::Linked { column, table: target, key }, .. } =
                &other.protection
                && *target == table.name
                && found.iter().all(|known| known.to.is_some() || known.column != *key)
            {
                let kind = declared(&other.name, column).unwrap_or(ColumnType::Text);
                found.push(LinkColumn { column: key.clone(), to: None, kind });
            }
        }
        found
    }

    fn unknown(&self, name: &str) -> Refusal {
        if self.catalog.graphs.contains_key(name) {
            return Refusal::table(
                format!("`{}` is a graph, not a table", shown(name)),
                format!("ask for one of its statistics: SELECT * FROM graph_edges('{}')", shown(name)),
            );
        }
        let names = || self.catalog.tables.keys().chain(self.catalog.released.keys());
        let known = names().map(String::as_str);
        let other_case = names().find(|table| table.to_lowercase() == name.to_lowercase());
        let hint = match other_case {
            Some(table) if table != name => format!("write it in quotes: \"{}\"", shown(table)),
            _ => did_you_mean(name, known.clone(), || {
                let names: Vec<String> = known.take(20).map(shown).collect();
                format!("the tables are {}", names.join(", "))
            }),
        };
        Refusal::table(format!("there is no table `{}`", shown(name)), hint).about(name)
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
    if alias.is_some() {
        source.visible.retain(|one| one.reach != Reach::Qualified);
    }
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

/// What a join keeps, and its condition; other kinds are refused by name.
fn operator(operator: &JoinOperator) -> Result<(Kept, &JoinConstraint), Refusal> {
    Ok(match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::CrossJoin(constraint) => (Kept::Neither, constraint),
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (Kept::Left, constraint),
        JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (Kept::Right, constraint),
        JoinOperator::FullOuter(constraint) => (Kept::Both, constraint),
        _ => {
            return Err(Refusal::not_provable(
                "this kind of join is not answered",
                "use JOIN, LEFT JOIN, RIGHT JOIN or FULL JOIN; for a semi join WHERE EXISTS (SELECT …)",
            ));
        }
    })
}

fn refused(factor: &TableFactor) -> Refusal {
    let (what, hint) = match factor {
        TableFactor::Table { args: Some(_), .. }
        | TableFactor::TableFunction { .. }
        | TableFactor::Function { .. } => ("a function in FROM", "name a table of the catalog"),
        TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } => {
            ("TABLESAMPLE", "leave it out; the noise does not get smaller by it")
        }
        TableFactor::Derived { lateral: true, .. } => ("LATERAL", "use a plain subquery"),
        TableFactor::UNNEST { .. } => ("UNNEST", "ask the owner for a table with one row each"),
        TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => {
            ("PIVOT", "use FILTER (WHERE …) on each aggregate")
        }
        _ => ("this kind of table", "name a table of the catalog"),
    };
    Refusal::not_provable(format!("{what} is not answered"), hint)
}
