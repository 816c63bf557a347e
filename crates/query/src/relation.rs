//! Where rows come from: one private table, perhaps behind subqueries that only project and filter.
//!
//! **Guarantee.** A [`Source`] is the rows of one table, each seen through expressions of that row alone, some left
//! out by a condition on that row alone. So it keeps neighbours neighbours: what belongs to one person in the table
//! belongs to them here, and nothing else moves. Everything that makes rows depend on each other (joins, unions,
//! windows, DISTINCT, LIMIT, aggregates) is refused by name.

use std::collections::BTreeMap;

use pointillist_catalog::{Catalog, Protection, Table, Unit};
use pointillist_plan::{Scalar, type_of_column, visit};
use sqlparser::ast::{
    Cte, Distinct, Expr, GroupByExpr, LimitClause, ObjectName, Query, Select, SelectFlavor, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, TableAlias, TableFactor, TableWithJoins,
    WildcardAdditionalOptions,
};

use crate::aggregate::Person;
use crate::coercion::Typed;
use crate::expression::Lowering;
use crate::names::{self, Meaning, Visible};
use crate::refusal::{Refusal, did_you_mean, shown};
use crate::size::Nodes;

/// Subqueries inside subqueries, at most.
const DEPTH_MAX: usize = 32;

/// Rows of one table, seen through expressions.
#[derive(Clone)]
pub(crate) struct Source<'c> {
    pub(crate) table: &'c Table,
    pub(crate) scope: String,
    pub(crate) person: Person,
    pub(crate) visible: Vec<Visible>,
    pub(crate) filter: Option<Scalar>,
}

/// What names of tables mean: the catalog, and the WITH clauses around.
pub(crate) struct Tables<'c, 'q> {
    pub(crate) catalog: &'c Catalog,
    pub(crate) nodes: &'q Nodes,
}

/// Named subqueries in sight.
pub(crate) type Named<'q> = BTreeMap<String, &'q Cte>;

/// The parts of a SELECT that are answered; all others have been checked to be absent.
pub(crate) struct Plain<'q> {
    pub(crate) distinct: bool,
    pub(crate) projection: &'q [SelectItem],
    pub(crate) from: &'q [TableWithJoins],
    pub(crate) selection: Option<&'q Expr>,
    pub(crate) group_by: &'q [Expr],
    pub(crate) having: Option<&'q Expr>,
}

impl<'c> Tables<'c, '_> {
    /// The rows that a FROM clause names.
    pub(crate) fn from<'q>(
        &self,
        from: &'q [TableWithJoins],
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source<'c>, Refusal> {
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
    ) -> Result<Source<'c>, Refusal> {
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

    fn declared(&self, table: &'c Table) -> Result<Source<'c>, Refusal> {
        let (scope, unit) = match &table.protection {
            Protection::Private { scope, unit, .. } => (scope, unit),
            Protection::Public => {
                return Err(Refusal::not_provable(
                    format!(
                        "`{}` is public: there is nothing to protect, and nothing to answer here",
                        shown(&table.name)
                    ),
                    "read its file directly",
                ));
            }
        };
        let column = |(position, column): (usize, &pointillist_catalog::Column)| Visible {
            qualifier: None,
            name: column.name.clone(),
            meaning: Meaning::Value(Typed::new(Scalar::Column(position), type_of_column(&column.kind))),
        };
        let mut visible: Vec<Visible> = table.columns.iter().enumerate().map(column).collect();
        let person = match unit {
            Unit::Row => Person::EachRow,
            Unit::Column(name) => {
                let position = table.columns.iter().position(|column| column.name == *name);
                if position.is_none() {
                    visible.push(Visible { qualifier: None, name: name.clone(), meaning: Meaning::Owner });
                }
                Person::Column { name: name.clone(), position }
            }
            Unit::Linked { table: other, .. } => {
                return Err(Refusal::not_provable(
                    format!(
                        "whose rows `{}` holds is known through `{}` only, and links are not followed yet",
                        shown(&table.name),
                        shown(other)
                    ),
                    "ask about a table that holds the privacy unit itself, or ask the owner to add that column",
                ));
            }
        };
        Ok(Source { table, scope: scope.clone(), person, visible, filter: None })
    }

    /// A subquery that only projects and filters.
    fn rows<'q>(&self, query: &'q Query, named: &Named<'q>, depth: usize) -> Result<Source<'c>, Refusal> {
        let (select, named) = self.plain_query(query, named, depth)?;
        if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
            return Err(Refusal::not_provable(
                "ORDER BY, LIMIT and OFFSET below an aggregate let rows push each other out",
                "move them to the outermost SELECT, or use WHERE",
            ));
        }
        if select.distinct || !select.group_by.is_empty() || select.having.is_some() {
            return Err(Refusal::not_provable(
                "DISTINCT, GROUP BY and HAVING below the outermost SELECT are not answered",
                "use a subquery that only projects and filters, and aggregate outside",
            ));
        }
        let mut source = self.from(select.from, &named, depth)?;
        let lowering =
            Lowering { visible: &source.visible, aliases: &[], aggregates: None, nodes: self.nodes };
        let filter = select.selection.map(|condition| lowering.condition(condition, "WHERE")).transpose()?;
        let mut visible = Vec::new();
        for item in select.projection {
            self.project(item, &source, &lowering, &mut visible)?;
        }
        source.filter = visit::both(source.filter, filter);
        source.visible = visible;
        Ok(source)
    }

    fn project(
        &self,
        item: &SelectItem,
        source: &Source<'_>,
        lowering: &Lowering<'_>,
        visible: &mut Vec<Visible>,
    ) -> Result<(), Refusal> {
        let (expr, alias) = match item {
            SelectItem::Wildcard(options) => {
                plain_wildcard(options)?;
                return self.project_all(source, None, visible);
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                plain_wildcard(options)?;
                let parts = names::parts(name).unwrap_or_default();
                return self.project_all(source, parts.last().map(String::as_str), visible);
            }
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(names::folded(alias))),
            _ => {
                return Err(Refusal::not_provable(
                    "this item of a SELECT is not answered",
                    "write an expression and AS name",
                ));
            }
        };
        let name = alias.unwrap_or_else(|| crate::answer::column_name(expr));
        // The unit may be handed on, under any name; it stays what it is.
        let idents = match expr {
            Expr::Identifier(ident) => vec![names::folded(ident)],
            Expr::CompoundIdentifier(idents) => idents.iter().map(names::folded).collect(),
            _ => Vec::new(),
        };
        let owner = !idents.is_empty()
            && names::find(lowering.visible, &idents)
                .is_ok_and(|found| matches!(found.meaning, Meaning::Owner));
        let meaning = if owner { Meaning::Owner } else { Meaning::Value(lowering.expression(expr)?) };
        visible.push(Visible { qualifier: None, name, meaning });
        Ok(())
    }

    fn project_all(
        &self,
        source: &Source<'_>,
        qualifier: Option<&str>,
        visible: &mut Vec<Visible>,
    ) -> Result<(), Refusal> {
        let mut found = false;
        for column in &source.visible {
            if qualifier.is_none_or(|wanted| column.qualifier.as_deref() == Some(wanted)) {
                found = true;
                if let Meaning::Value(typed) = &column.meaning {
                    self.nodes.take(visit::count(&typed.scalar))?;
                }
                visible.push(Visible { qualifier: None, ..column.clone() });
            }
        }
        match (found, qualifier) {
            (false, Some(wanted)) => {
                Err(Refusal::table(format!("there is no table `{}` here", shown(wanted)), "write *"))
            }
            _ => Ok(()),
        }
    }

    /// The one SELECT of a query and the WITH names it sees; everything else of a query is refused.
    pub(crate) fn plain_query<'q>(
        &self,
        query: &'q Query,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(Plain<'q>, Named<'q>), Refusal> {
        let Query {
            with,
            body,
            order_by: _,
            limit_clause,
            fetch: _,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty() || for_clause.is_some() {
            return Err(clause("FOR"));
        }
        if settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
            return Err(clause("SETTINGS, FORMAT or a pipe"));
        }
        if let Some(LimitClause::LimitOffset { limit_by, .. }) = limit_clause
            && !limit_by.is_empty()
        {
            return Err(clause("LIMIT BY"));
        }
        let mut named = named.clone();
        if let Some(with) = with {
            if with.recursive {
                return Err(Refusal::not_provable("WITH RECURSIVE is not answered", "use a plain WITH"));
            }
            for cte in &with.cte_tables {
                if cte.from.is_some() {
                    return Err(clause("FROM behind WITH"));
                }
                if !matches!(cte.query.body.as_ref(), SetExpr::Select(_) | SetExpr::Query(_)) {
                    return Err(clause("WITH of anything but a SELECT"));
                }
                let name = names::folded(&cte.alias.name);
                if named.insert(name.clone(), cte).is_some() {
                    return Err(Refusal::syntax(
                        format!("WITH names `{}` twice, or hides another one of that name", shown(&name)),
                        "choose different names",
                    ));
                }
            }
        }
        match body.as_ref() {
            SetExpr::Select(select) => Ok((plain_select(select)?, named)),
            SetExpr::Query(inner) if depth < DEPTH_MAX => {
                if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
                    return Err(clause("ORDER BY or LIMIT behind brackets"));
                }
                if inner.order_by.is_some() || inner.limit_clause.is_some() || inner.fetch.is_some() {
                    return Err(clause("ORDER BY or LIMIT inside brackets"));
                }
                self.plain_query(inner, &named, depth + 1)
            }
            SetExpr::SetOperation { op, .. } => Err(Refusal::not_provable(
                format!("{op} is not answered"),
                "ask one statement for each part and combine the released answers",
            )),
            SetExpr::Values(_) => {
                Err(Refusal::not_provable("VALUES is not answered", "name a table with FROM"))
            }
            SetExpr::Table(_) => {
                Err(Refusal::not_private("TABLE shows single rows", "use SELECT with COUNT, SUM or AVG"))
            }
            _ => Err(Refusal::not_provable("only SELECT is answered", "ask with SELECT …")),
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

/// The answered parts of a SELECT. Every other field is named, so that a new one cannot slip through.
fn plain_select(select: &Select) -> Result<Plain<'_>, Refusal> {
    let Select {
        select_token: _,
        optimizer_hints,
        distinct,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection,
        exclude,
        into,
        from,
        lateral_views,
        prewhere,
        selection,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor,
    } = select;
    let absent = [
        ("optimizer hints", optimizer_hints.is_empty()),
        ("a modifier of SELECT", select_modifiers.is_none()),
        ("TOP", top.is_none()),
        ("EXCLUDE", exclude.is_none()),
        ("SELECT INTO", into.is_none()),
        ("LATERAL VIEW", lateral_views.is_empty()),
        ("PREWHERE", prewhere.is_none()),
        ("CONNECT BY", connect_by.is_empty()),
        ("CLUSTER BY", cluster_by.is_empty()),
        ("DISTRIBUTE BY", distribute_by.is_empty()),
        ("SORT BY", sort_by.is_empty()),
        ("WINDOW", named_window.is_empty()),
        ("QUALIFY", qualify.is_none()),
        ("SELECT AS", value_table_mode.is_none()),
        ("FROM before SELECT", *flavor == SelectFlavor::Standard),
    ];
    if let Some((what, _)) = absent.iter().find(|(_, absent)| !absent) {
        return Err(clause(what));
    }
    let distinct = match distinct {
        None | Some(Distinct::All) => false,
        Some(Distinct::Distinct) => true,
        Some(Distinct::On(_)) => {
            return Err(Refusal::not_private(
                "DISTINCT ON picks single rows",
                "use GROUP BY and an aggregate",
            ));
        }
    };
    let group_by = match group_by {
        GroupByExpr::Expressions(keys, modifiers) if modifiers.is_empty() => keys.as_slice(),
        GroupByExpr::Expressions(..) => {
            return Err(Refusal::not_provable(
                "GROUPING SETS, CUBE and ROLLUP are not answered",
                "ask one statement for each set of keys",
            ));
        }
        GroupByExpr::All(_) => {
            return Err(Refusal::not_provable("GROUP BY ALL is not answered", "name the keys"));
        }
    };
    Ok(Plain { distinct, projection, from, selection: selection.as_ref(), group_by, having: having.as_ref() })
}

/// The same rows under another name, and perhaps with other names for their columns.
fn renamed<'c>(
    mut source: Source<'c>,
    alias: Option<&TableAlias>,
    name: Option<&str>,
) -> Result<Source<'c>, Refusal> {
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

fn plain_wildcard(options: &WildcardAdditionalOptions) -> Result<(), Refusal> {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike: None,
        opt_exclude: None,
        opt_except: None,
        opt_replace: None,
        opt_rename: None,
        opt_alias: None,
    } = options
    else {
        return Err(clause("* with EXCEPT, REPLACE or RENAME"));
    };
    Ok(())
}

fn joins() -> Refusal {
    Refusal::not_provable(
        "joins are not answered yet: one person's rows could be multiplied",
        "ask about one table; the owner can offer a joined one in the catalog",
    )
}

fn clause(what: &str) -> Refusal {
    Refusal::not_provable(
        format!("{what} is not answered"),
        "use SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT",
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
