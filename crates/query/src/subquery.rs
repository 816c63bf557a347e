//! A subquery in FROM or WITH, as rows: of people, or public.
//!
//! In SQL's order: FROM and WHERE, GROUP BY with HAVING (`person_group.rs`), windows (`window.rs`), the columns, QUALIFY,
//! DISTINCT. Of people's rows each of them works within one person, and is refused where what was written would not.

use pointillist_plan::{Order, Relation, Scalar, visit};
use sqlparser::ast::{
    Expr, Function as Call, NamedWindowExpr, OrderBy, OrderByKind, Query, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, WildcardAdditionalOptions, WindowType,
};

use crate::aggregate::AGGREGATES;
use crate::coercion::Typed;
use crate::conjuncts::{conjuncts, inside};
use crate::expression::{Lowering, OUTER};
use crate::from::{DEPTH_MAX, Tables};
use crate::names::{self, Meaning, Reach, Visible};
use crate::person_group::Groups;
use crate::plain::{Named, Plain, clause, not_select, plain_select};
use crate::refusal::{Refusal, shown};
use crate::released::Releases;
use crate::source::Source;
use crate::window::is_window;

/// Columns from here on are windows, until their place is known.
pub(crate) const WINDOWS: usize = 1 << 42;

/// Columns from here on are numbers of subqueries beside released groups, until their place is known.
const BESIDE: usize = 1 << 43;

/// Expressions that have become columns.
pub(crate) type Known<'q> = Vec<(&'q Expr, Typed)>;

/// What the expressions of a SELECT are over, once its groups and windows are columns.
pub(crate) struct Place {
    pub(crate) groups: Option<Groups>,
    /// Where windows begin.
    pub(crate) width: usize,
    /// Where numbers of subqueries beside released groups begin.
    beside: usize,
}

impl Place {
    /// An expression over rows, aggregates and windows, as one over the columns that there are.
    pub(crate) fn of(&self, scalar: &Scalar) -> Result<Scalar, Refusal> {
        visit::replaced(scalar, &mut |part| match (part, &self.groups) {
            (Scalar::Column(column), _) if (WINDOWS..WINDOWS << 1).contains(column) => {
                Some(Ok(Scalar::Column(self.width + (column - WINDOWS))))
            }
            (Scalar::Column(column), _) if (BESIDE..OUTER).contains(column) => {
                Some(Ok(Scalar::Column(self.beside + (column - BESIDE))))
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
        let (mut source, by) = self.body(&query.body, query.order_by.as_ref(), &named, depth)?;
        if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
            if source.people().is_some() && self.releases.is_some_and(Releases::is_probe) {
                // What shows no row may cut them in any way.
                return Ok(source);
            }
            if source.people().is_some() {
                return Err(Refusal::not_provable(
                    "ORDER BY, LIMIT and OFFSET below an aggregate let rows push each other out",
                    "move them to the outermost SELECT, or use WHERE; for some rows of each person number them with \
                     ROW_NUMBER() OVER (PARTITION BY the privacy unit ORDER BY …) in a subquery and compare that",
                ));
            }
            let (skip, fetch) = crate::answer::limits(query)?;
            let input = Box::new(source.filtered());
            source.relation = Relation::Order { input, by, skip, fetch };
            source.filter = None;
        }
        Ok(source)
    }

    /// The rows of a SELECT, or of several put together; and what orders them, over the columns of the relation.
    pub(crate) fn body<'q>(
        &self,
        body: &'q SetExpr,
        order_by: Option<&'q OrderBy>,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(Source, Vec<Order>), Refusal> {
        if depth > DEPTH_MAX {
            return Err(Refusal::syntax("subqueries are nested too deeply", "use fewer levels"));
        }
        let source = match body {
            SetExpr::Select(select) => return self.select(&plain_select(select)?, order_by, named, depth),
            SetExpr::Query(inner) => self.rows(inner, named, depth + 1)?,
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let left = self.body(left, None, named, depth + 1)?.0;
                let right = self.body(right, None, named, depth + 1)?.0;
                self.set_operation(left, *op, *set_quantifier, right)?
            }
            other => return Err(not_select(other)),
        };
        let by = match source.people() {
            Some(_) => Vec::new(),
            None => {
                let lowering = Lowering::rows(&source.visible, self.nodes);
                self.ordered(order_by, &values(&source.visible), &|expr| lowering.expression(expr))?
            }
        };
        Ok((source, by))
    }

    fn select<'q>(
        &self,
        select: &Plain<'q>,
        order_by: Option<&'q OrderBy>,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(Source, Vec<Order>), Refusal> {
        let mut wheres = select.selection.map(conjuncts).unwrap_or_default();
        let mut source = self.from(select.from, named, depth, &mut wheres)?;
        self.filter(&mut source, &wheres, named, depth)?;
        let items = select.projection.iter().filter_map(|item| item_of(item).map(|(expr, _)| expr));
        let exprs: Vec<&'q Expr> =
            items.chain(select.having).chain(select.qualify).chain(select.group_by).collect();
        let shown = exprs.clone();
        // Aggregates may also stand in windows and in ORDER BY.
        let exprs: Vec<&'q Expr> =
            exprs.iter().copied().chain(window_exprs(select, &exprs)).chain(order_exprs(order_by)).collect();
        let asked = Groups::asked(select, &exprs);
        let distinct = !asked && self.releases_distinct(&source, select);
        let released = distinct || (asked && self.releases_groups(&source, select));
        // Numbers of subqueries stand beside rows, or beside the groups that are released.
        let mut known = match released {
            true => Vec::new(),
            false => self.subqueries(&mut source, &shown, named, depth)?,
        };
        let base = source.clone();
        let mut place = Place { groups: None, width: source.columns.len(), beside: 0 };
        if released {
            let groups = self.released_groups(&mut source, select, &exprs, &mut known, named, depth)?;
            let beside = source.columns.len();
            for (expr, mut typed) in self.subqueries(&mut source, &shown, named, depth)? {
                typed.scalar = visit::with_replaced(&typed.scalar, &mut |part| match part {
                    Scalar::Column(column) if *column >= beside => {
                        Some(Scalar::Column(BESIDE + (column - beside)))
                    }
                    _ => None,
                });
                known.push((expr, typed));
            }
            place = Place { groups: Some(groups), width: source.columns.len(), beside };
        } else if asked {
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
        if select.distinct && !distinct {
            source = self.distinct(source)?;
            let by = match source.people() {
                Some(_) => Vec::new(),
                None => {
                    let lowering = Lowering::rows(&source.visible, self.nodes);
                    self.ordered(order_by, &values(&source.visible), &|expr| lowering.expression(expr))?
                }
            };
            return Ok((source, by));
        }
        if source.people().is_some() {
            return Ok((source, Vec::new()));
        }
        let lower = |expr: &Expr| {
            let typed = Lowering { aliases: &aliases, ..lowering }.expression(expr)?;
            Ok(Typed { scalar: place.of(&typed.scalar)?, kind: typed.kind })
        };
        let by = self.ordered(order_by, &values(&source.visible), &lower)?;
        Ok((source, by))
    }

    fn project(
        &self,
        item: &SelectItem,
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

/// The values that names stand for.
fn values(visible: &[Visible]) -> Vec<(String, Typed)> {
    let value = |one: &Visible| match &one.meaning {
        Meaning::Value(typed) => (one.name.clone(), typed.clone()),
        Meaning::Owner(_) | Meaning::Link(_) => (one.name.clone(), Typed::null()),
    };
    visible.iter().map(value).collect()
}

/// What windows of these expressions, or named ones, are computed over.
fn window_exprs<'q>(select: &Plain<'q>, exprs: &[&'q Expr]) -> Vec<&'q Expr> {
    let calls = exprs.iter().flat_map(|expr| inside(expr, is_window));
    let own = calls.filter_map(|expr| match expr {
        Expr::Function(Call { over: Some(WindowType::WindowSpec(spec)), .. }) => Some(spec),
        _ => None,
    });
    let named = select.windows.iter().filter_map(|window| match &window.1 {
        NamedWindowExpr::WindowSpec(spec) => Some(spec),
        NamedWindowExpr::NamedWindow(_) => None,
    });
    own.chain(named)
        .flat_map(|spec| spec.partition_by.iter().chain(spec.order_by.iter().map(|order| &order.expr)))
        .collect()
}

fn order_exprs(order_by: Option<&OrderBy>) -> Vec<&Expr> {
    match order_by.map(|order_by| &order_by.kind) {
        Some(OrderByKind::Expressions(list)) => list.iter().map(|order| &order.expr).collect(),
        _ => Vec::new(),
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
