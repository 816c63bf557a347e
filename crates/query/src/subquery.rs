//! A subquery in FROM or WITH, as rows: of people, or public.
//!
//! In SQL's order: FROM and WHERE, GROUP BY with HAVING (`person_group.rs`), windows (`window.rs`), the columns, QUALIFY,
//! DISTINCT. Of people's rows each of them works within one person, and is refused where what was written would not.

use pointillist_plan::{Scalar, visit};
use sqlparser::ast::{
    Expr, Query, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, WildcardAdditionalOptions,
};

use crate::aggregate::AGGREGATES;
use crate::coercion::Typed;
use crate::conjuncts::conjuncts;
use crate::expression::Lowering;
use crate::from::{DEPTH_MAX, Tables};
use crate::names::{self, Meaning, Reach, Visible};
use crate::person_group::Groups;
use crate::plain::{Named, Plain, clause, not_select, plain_select};
use crate::refusal::{Refusal, shown};
use crate::source::Source;

/// Columns from here on are windows, until their place is known.
pub(crate) const WINDOWS: usize = 1 << 42;

/// Expressions that have become columns.
pub(crate) type Known<'q> = Vec<(&'q Expr, Typed)>;

/// What the expressions of a SELECT are over, once its groups and windows are columns.
pub(crate) struct Place {
    pub(crate) groups: Option<Groups>,
    /// Where windows begin.
    pub(crate) width: usize,
}

impl Place {
    /// An expression over rows, aggregates and windows, as one over the columns that there are.
    pub(crate) fn of(&self, scalar: &Scalar) -> Result<Scalar, Refusal> {
        visit::replaced(scalar, &mut |part| match (part, &self.groups) {
            (Scalar::Column(column), _) if (WINDOWS..WINDOWS << 1).contains(column) => {
                Some(Ok(Scalar::Column(self.width + (column - WINDOWS))))
            }
            (part, Some(groups)) => groups.column(part),
            _ => None,
        })
    }
}

impl Tables<'_, '_> {
    /// The rows of a subquery.
    pub(crate) fn rows<'q>(
        &self,
        query: &'q Query,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source, Refusal> {
        if depth > DEPTH_MAX {
            return Err(Refusal::syntax("subqueries are nested too deeply", "use fewer levels"));
        }
        let named = self.names_of(query, named)?;
        if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
            return Err(Refusal::not_provable(
                "ORDER BY, LIMIT and OFFSET below an aggregate let rows push each other out",
                "move them to the outermost SELECT, or use WHERE; for some rows of each person number them with \
                 ROW_NUMBER() OVER (PARTITION BY the privacy unit ORDER BY …) in a subquery and compare that",
            ));
        }
        self.body(&query.body, &named, depth)
    }

    /// The rows of a SELECT, or of several put together.
    pub(crate) fn body<'q>(
        &self,
        body: &'q SetExpr,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source, Refusal> {
        if depth > DEPTH_MAX {
            return Err(Refusal::syntax("subqueries are nested too deeply", "use fewer levels"));
        }
        match body {
            SetExpr::Select(select) => self.select(&plain_select(select)?, named, depth),
            SetExpr::Query(inner) => self.rows(inner, named, depth + 1),
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let left = self.body(left, named, depth + 1)?;
                let right = self.body(right, named, depth + 1)?;
                self.set_operation(left, *op, *set_quantifier, right)
            }
            other => Err(not_select(other)),
        }
    }

    fn select<'q>(&self, select: &Plain<'q>, named: &Named<'q>, depth: usize) -> Result<Source, Refusal> {
        let mut wheres = select.selection.map(conjuncts).unwrap_or_default();
        let mut source = self.from(select.from, named, depth, &mut wheres)?;
        self.filter(&mut source, &wheres, named, depth)?;
        let items = select.projection.iter().filter_map(|item| item_of(item).map(|(expr, _)| expr));
        let exprs: Vec<&'q Expr> =
            items.chain(select.having).chain(select.qualify).chain(select.group_by).collect();
        let mut known = self.subqueries(&mut source, &exprs, named, depth)?;
        let base = source.clone();
        let mut place = Place { groups: None, width: source.columns.len() };
        if Groups::asked(select, &exprs) {
            place.groups = Some(self.grouped(&mut source, select, &exprs, &mut known)?);
            place.width = source.columns.len();
        }
        let lowering = Lowering { known: &known, ..Lowering::rows(&base.visible, self.nodes) };
        if let Some(having) = select.having {
            let condition = place.of(&lowering.condition(having, "HAVING")?)?;
            source.keep(condition);
        }
        let windows = self.windows(&mut source, &base, select, &place, &known)?;
        known.extend(windows);
        let lowering = Lowering { known: &known, ..Lowering::rows(&base.visible, self.nodes) };
        let (mut visible, mut aliases) = (Vec::new(), Vec::new());
        for item in select.projection {
            self.project(item, &base, &place, &lowering, (&mut visible, &mut aliases))?;
        }
        if let Some(qualify) = select.qualify {
            let condition = Lowering { aliases: &aliases, ..lowering }.condition(qualify, "QUALIFY")?;
            source.keep(place.of(&condition)?);
        }
        for one in &visible {
            if let Meaning::Value(Typed { scalar: Scalar::Column(column), .. }) = one.meaning
                && (place.groups.is_some() || column >= place.width)
            {
                source.columns[column].name.clone_from(&one.name);
            }
        }
        source.visible = visible;
        match select.distinct {
            true => self.distinct(source),
            false => Ok(source),
        }
    }

    fn project<'q>(
        &self,
        item: &'q SelectItem,
        base: &Source,
        place: &Place,
        lowering: &Lowering<'_>,
        (visible, aliases): (&mut Vec<Visible>, &mut Vec<(String, Typed)>),
    ) -> Result<(), Refusal> {
        let (expr, alias) = match item {
            SelectItem::Wildcard(options) => {
                plain_wildcard(options)?;
                return self.project_all(base, place, None, visible);
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                plain_wildcard(options)?;
                let parts = names::parts(name).unwrap_or_default();
                return self.project_all(base, place, parts.last().map(String::as_str), visible);
            }
            item => item_of(item).ok_or_else(|| {
                Refusal::not_provable(
                    "this item of a SELECT is not answered",
                    "write an expression and AS name",
                )
            })?,
        };
        let name = alias.unwrap_or_else(|| crate::answer::column_name(expr));
        // The unit may be handed on, under any name; it stays what it is. So may a link.
        let found = names::named(expr).and_then(|name| names::find(lowering.visible, &name).ok());
        let meaning = match found.map(|found| &found.meaning) {
            Some(Meaning::Owner(None)) => Meaning::Owner(None),
            Some(hidden @ (Meaning::Owner(_) | Meaning::Link(_))) if place.groups.is_none() => hidden.clone(),
            _ => {
                let typed = lowering.expression(expr)?;
                aliases.push((name.clone(), typed.clone()));
                Meaning::Value(Typed { scalar: place.of(&typed.scalar)?, kind: typed.kind })
            }
        };
        visible.push(Visible::plain(name, meaning));
        Ok(())
    }

    fn project_all(
        &self,
        source: &Source,
        place: &Place,
        qualifier: Option<&str>,
        visible: &mut Vec<Visible>,
    ) -> Result<(), Refusal> {
        let mut found = false;
        for column in &source.visible {
            let wanted = match qualifier {
                Some(wanted) => column.qualifier.as_deref() == Some(wanted),
                None => column.reach != Reach::Qualified,
            };
            if wanted {
                found = true;
                let mut column = column.clone();
                if let Meaning::Value(typed) = &mut column.meaning {
                    self.nodes.take(visit::count(&typed.scalar))?;
                    typed.scalar = place.of(&typed.scalar)?;
                }
                let reach = if column.reach == Reach::Implied { Reach::Implied } else { Reach::Plain };
                visible.push(Visible { qualifier: None, reach, ..column });
            }
        }
        match (found, qualifier) {
            (false, Some(wanted)) => {
                Err(Refusal::table(format!("there is no table `{}` here", shown(wanted)), "write *"))
            }
            _ => Ok(()),
        }
    }
}

/// The expression of an item, and its name if it has one.
pub(crate) fn item_of(item: &SelectItem) -> Option<(&Expr, Option<String>)> {
    match item {
        SelectItem::UnnamedExpr(expr) => Some((expr, None)),
        SelectItem::ExprWithAlias { expr, alias } => Some((expr, Some(names::folded(alias)))),
        _ => None,
    }
}

/// Whether a column stands for an aggregate.
pub(crate) fn is_aggregate(column: usize) -> bool {
    (AGGREGATES..WINDOWS).contains(&column)
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
