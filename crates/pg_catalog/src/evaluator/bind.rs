//! From a parsed statement to a plan: names become places, types are settled, parameters get theirs.
//!
//! **Guarantee.** Binding is bounded by the size of the statement, and its recursion by [`DEPTH_MAX`]. It runs nothing but
//! casts of constants.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use sqlparser::ast;

use super::View;
use super::plan::{Body, Cast, CteBody, CtePlan, Expr, QueryPlan, SetOp, Slots, SortKey, Subquery, Type};
use super::scope::{CteEntry, Ctes, Looks, Scope, shown};
use super::types::{TEXT, UNKNOWN, common};
use crate::{PgError, PgType};

/// Expressions and queries inside each other.
const DEPTH_MAX: usize = 120;
/// Parameters of one statement.
const PARAMETERS_MAX: usize = 2_000;
/// Tables in one FROM.
pub(super) const SLOTS_MAX: usize = Slots::BITS as usize;

pub(super) struct Binder<'b> {
    pub view: View<'b>,
    /// The types of parameters, as far as they are known.
    pub parameters: RefCell<Vec<Option<PgType>>>,
    depth: Cell<usize>,
    next: Cell<usize>,
    /// What was looked at.
    looks: RefCell<Looks>,
}

impl<'b> Binder<'b> {
    pub fn new(view: View<'b>, declared: &[Option<PgType>]) -> Self {
        Self {
            view,
            parameters: RefCell::new(declared.to_vec()),
            depth: Cell::new(0),
            next: Cell::new(0),
            looks: RefCell::default(),
        }
    }

    /// The plan of a whole statement.
    pub fn statement(&self, query: &ast::Query) -> Result<QueryPlan, PgError> {
        let mut plan = self.query(query, None, &Ctes::new(None))?;
        settle(&mut plan.columns);
        Ok(plan)
    }

    /// How many places for rows the plan has.
    pub fn places(&self) -> usize {
        self.next.get()
    }

    pub fn place(&self) -> usize {
        let place = self.next.get();
        self.next.set(place + 1);
        place
    }

    /// Runs `bind` one step deeper.
    pub fn deeper<T>(&self, bind: impl FnOnce() -> Result<T, PgError>) -> Result<T, PgError> {
        let depth = self.depth.get();
        if depth >= DEPTH_MAX {
            return Err(PgError::new("54001", "the statement is nested too deeply"));
        }
        self.depth.set(depth + 1);
        let bound = bind();
        self.depth.set(depth);
        bound
    }

    /// Says that a SELECT of this depth is looked at.
    pub fn touch(&self, depth: usize) {
        let mut looks = self.looks.borrow_mut();
        looks.depth = looks.depth.min(depth);
    }

    /// Says that a query of WITH is looked at.
    pub fn touch_cte(&self, cte: &CteEntry) {
        self.looks.borrow_mut().add(&cte.looks_at);
    }

    /// The type of a parameter, making room for it.
    pub fn parameter(&self, number: usize) -> Result<Option<PgType>, PgError> {
        if number == 0 || number > PARAMETERS_MAX {
            return Err(PgError::new("42P02", format!("there is no parameter ${number}")));
        }
        let mut parameters = self.parameters.borrow_mut();
        if parameters.len() < number {
            parameters.resize(number, None);
        }
        Ok(parameters[number - 1])
    }

    /// A query inside another; it sees the names of `scope`.
    pub fn subquery(&self, query: &ast::Query, scope: &Scope<'_>) -> Result<Subquery, PgError> {
        self.nested(query, Some(scope), scope.ctes)
    }

    /// A query that sees these names.
    pub fn nested(
        &self,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<Subquery, PgError> {
        let (mut plan, looks) = self.watched(|| self.query(query, parent, ctes))?;
        let constant = is_constant(&looks, parent);
        settle(&mut plan.columns);
        Ok(Subquery { plan: Arc::new(plan), cache: constant.then(|| self.place()) })
    }

    /// What `bind` gives, and what it looks at outside.
    fn watched<T>(&self, bind: impl FnOnce() -> Result<T, PgError>) -> Result<(T, Looks), PgError> {
        let before = self.looks.take();
        let bound = bind()?;
        let looks = self.looks.replace(before);
        self.looks.borrow_mut().add(&looks);
        Ok((bound, looks))
    }

    /// A query: WITH, its body, ORDER BY, LIMIT. Columns that nothing gives a type are `unknown`.
    fn query(
        &self,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
        outer: &Ctes<'_>,
    ) -> Result<QueryPlan, PgError> {
        self.deeper(|| {
            only_what_is_understood(query)?;
            let ctes = Ctes::new(Some(outer));
            let mut plans = Vec::new();
            if let Some(with) = &query.with {
                for cte in &with.cte_tables {
                    plans.push(self.cte(cte, with.recursive, parent, &ctes)?);
                }
            }
            let order = order_of(query)?;
            let mut plan = match query.body.as_ref() {
                ast::SetExpr::Select(select) => self.select(select, order, parent, &ctes)?,
                body => {
                    let mut plan = alone(self.body(body, parent, &ctes)?);
                    plan.order = self.order_by_output(order, &plan.columns)?;
                    plan
                }
            };
            plans.append(&mut plan.ctes);
            plan.ctes = plans;
            self.limit(query, &mut plan, parent, &ctes)?;
            Ok(plan)
        })
    }

    /// The body of a query without ORDER BY.
    fn body(
        &self,
        body: &ast::SetExpr,
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<QueryPlan, PgError> {
        self.deeper(|| match body {
            ast::SetExpr::Select(select) => self.select(select, &[], parent, ctes),
            ast::SetExpr::Query(query) => self.query(query, parent, ctes),
            ast::SetExpr::Values(values) => self.values(values, parent, ctes),
            ast::SetExpr::SetOperation { op, set_quantifier, left, right } => {
                let (op, all) = set_operator(*op, *set_quantifier)?;
                let left = self.body(left, parent, ctes)?;
                let right = self.body(right, parent, ctes)?;
                united(op, all, left, right)
            }
            _ => Err(not_answered("this kind of query")),
        })
    }

    fn values(
        &self,
        values: &ast::Values,
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<QueryPlan, PgError> {
        let scope = Scope::new(parent, ctes);
        let rows = values
            .rows
            .iter()
            .map(|row| row.content.iter().map(|item| self.expr(item, &scope)).collect::<Result<Vec<_>, _>>());
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return Err(PgError::new("42601", "VALUES lists must all be the same length"));
        }
        let mut columns = Vec::with_capacity(width);
        for at in 0..width {
            let all_unknown = rows.iter().all(|row| row[at].ty.pg == UNKNOWN);
            let kind = common(rows.iter().map(|row| row[at].ty.pg), "VALUES")?;
            for row in &mut rows {
                let item = row[at].clone();
                row[at] = if all_unknown { item } else { self.coerced(item, kind)? };
            }
            columns.push((format!("column{}", at + 1), Type::from(if all_unknown { UNKNOWN } else { kind })));
        }
        Ok(plain(Body::Values(rows), columns))
    }

    fn cte(
        &self,
        cte: &ast::Cte,
        recursive: bool,
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<CtePlan, PgError> {
        let name = ident(&cte.alias.name);
        let id = self.place();
        let names: Vec<String> = cte.alias.columns.iter().map(|column| ident(&column.name)).collect();
        let ((plan, columns), looks_at) = self.watched(|| {
            if let (true, Some(sides)) = (recursive, recursive_sides(&cte.query)) {
                self.recursive_cte(id, &name, &names, sides, parent, ctes)
            } else {
                let mut plan = self.query(&cte.query, parent, ctes)?;
                settle(&mut plan.columns);
                let columns = renamed(&plan.columns, &names)?;
                Ok((CteBody::Once(plan), columns))
            }
        })?;
        let constant = is_constant(&looks_at, parent);
        ctes.entries.borrow_mut().push(CteEntry { name, id, columns: columns.into(), looks_at });
        Ok(CtePlan { id, plan, constant })
    }

    /// `first UNION [ALL] again`, where `again` may look at the query itself.
    fn recursive_cte(
        &self,
        id: usize,
        name: &str,
        names: &[String],
        (left, right, all): (&ast::SetExpr, &ast::SetExpr, bool),
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<(CteBody, Vec<(String, Type)>), PgError> {
        let mut first = self.body(left, parent, ctes)?;
        settle(&mut first.columns);
        let columns = renamed(&first.columns, names)?;
        let inside = Ctes::new(Some(ctes));
        let looks_at = Looks { working: BTreeSet::from([id]), ..Looks::default() };
        let itself = CteEntry { name: name.to_owned(), id, columns: columns.clone().into(), looks_at };
        inside.entries.borrow_mut().push(itself);
        let again = self.body(right, parent, &inside)?;
        self.looks.borrow_mut().working.remove(&id);
        if again.columns.len() != columns.len() {
            return Err(unequal(SetOp::Union));
        }
        let pairs = again.columns.iter().zip(&columns);
        let casts = pairs.map(|(from, to)| (from.1.pg != to.1.pg).then_some((from.1.pg, to.1.pg))).collect();
        Ok((CteBody::Recursive { first: Box::new(first), again: Box::new(again), all, casts }, columns))
    }

    fn order_by_output(
        &self,
        order: &[ast::OrderByExpr],
        columns: &[(String, Type)],
    ) -> Result<Vec<SortKey>, PgError> {
        let keys = order.iter().map(|item| {
            let column = match &item.expr {
                ast::Expr::Identifier(name) => {
                    let name = ident(name);
                    columns.iter().position(|column| column.0 == name).ok_or_else(|| no_column(&name))?
                }
                expr => ordinal(expr, columns.len())?.ok_or_else(|| {
                    PgError::new("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
                        .with_hint("sort by names or numbers of columns")
                })?,
            };
            Ok(SortKey { column, way: way(item) })
        });
        keys.collect()
    }

    fn limit(
        &self,
        query: &ast::Query,
        plan: &mut QueryPlan,
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<(), PgError> {
        let scope = Scope::new(parent, ctes);
        let number = |expr: &ast::Expr| -> Result<Expr, PgError> {
            let expr = self.expr(expr, &scope)?;
            self.coerced(expr, super::types::INT8)
        };
        match &query.limit_clause {
            None => {}
            Some(ast::LimitClause::LimitOffset { limit, offset, limit_by }) if limit_by.is_empty() => {
                plan.limit = limit.as_ref().map(number).transpose()?;
                plan.offset = offset.as_ref().map(|offset| number(&offset.value)).transpose()?;
            }
            Some(_) => return Err(not_answered("this LIMIT")),
        }
        match &query.fetch {
            None => {}
            Some(ast::Fetch { with_ties: false, percent: false, quantity }) if plan.limit.is_none() => {
                let one = ast::Expr::value(ast::Value::Number("1".to_owned(), false));
                plan.limit = Some(number(quantity.as_ref().unwrap_or(&one))?);
            }
            Some(_) => return Err(not_answered("this FETCH")),
        }
        Ok(())
    }
}

/// What is not understood is refused by name.
fn only_what_is_understood(query: &ast::Query) -> Result<(), PgError> {
    let ast::Query { locks, for_clause, settings, format_clause, pipe_operators, .. } = query;
    if !locks.is_empty() || for_clause.is_some() {
        return Err(not_answered("FOR"));
    }
    if settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
        return Err(not_answered("a clause behind the query"));
    }
    Ok(())
}

fn order_of(query: &ast::Query) -> Result<&[ast::OrderByExpr], PgError> {
    match &query.order_by {
        None => Ok(&[]),
        Some(ast::OrderBy { kind: ast::OrderByKind::Expressions(list), interpolate: None }) => Ok(list),
        Some(_) => Err(not_answered("this ORDER BY")),
    }
}

/// The sides of a query that can be recursive: a UNION with nothing behind it.
fn recursive_sides(query: &ast::Query) -> Option<(&ast::SetExpr, &ast::SetExpr, bool)> {
    if query.order_by.is_some() || query.limit_clause.is_some() || query.with.is_some() {
        return None;
    }
    match query.body.as_ref() {
        ast::SetExpr::SetOperation { op: ast::SetOperator::Union, set_quantifier, left, right } => {
            Some((left, right, *set_quantifier == ast::SetQuantifier::All))
        }
        _ => None,
    }
}

fn set_operator(op: ast::SetOperator, quantifier: ast::SetQuantifier) -> Result<(SetOp, bool), PgError> {
    let op = match op {
        ast::SetOperator::Union => SetOp::Union,
        ast::SetOperator::Except => SetOp::Except,
        ast::SetOperator::Intersect => SetOp::Intersect,
        ast::SetOperator::Minus => return Err(not_answered("MINUS")),
    };
    match quantifier {
        ast::SetQuantifier::All => Ok((op, true)),
        ast::SetQuantifier::Distinct | ast::SetQuantifier::None => Ok((op, false)),
        _ => Err(not_answered("BY NAME")),
    }
}

/// Two queries put together, with columns of common types.
fn united(op: SetOp, all: bool, left: QueryPlan, right: QueryPlan) -> Result<QueryPlan, PgError> {
    if left.columns.len() != right.columns.len() {
        return Err(unequal(op));
    }
    let mut columns = Vec::new();
    let (mut casts_left, mut casts_right): (Vec<Cast>, Vec<Cast>) = (Vec::new(), Vec::new());
    for ((name, one), (_, other)) in left.columns.iter().zip(&right.columns) {
        let unknown = one.pg == UNKNOWN && other.pg == UNKNOWN;
        let kind = if unknown { UNKNOWN } else { common([one.pg, other.pg], word(op))? };
        let cast = |from: PgType| (from != kind).then_some((from, kind));
        casts_left.push(cast(one.pg));
        casts_right.push(cast(other.pg));
        let same = one == other;
        columns.push((name.clone(), if same { one.clone() } else { kind.into() }));
    }
    let sides = Box::new([(left, casts_left), (right, casts_right)]);
    Ok(plain(Body::Set { op, all, sides }, columns))
}

/// A query whose own ORDER BY and LIMIT are done before those of the brackets around it.
fn alone(inner: QueryPlan) -> QueryPlan {
    if inner.order.is_empty() && inner.limit.is_none() && inner.offset.is_none() && inner.ctes.is_empty() {
        return inner;
    }
    let columns = inner.columns.clone();
    plain(Body::Query(Box::new(inner)), columns)
}

pub(super) fn plain(body: Body, columns: Vec<(String, Type)>) -> QueryPlan {
    QueryPlan { ctes: Vec::new(), body, order: Vec::new(), limit: None, offset: None, columns }
}

/// Whether a query gives the same rows whoever asks.
fn is_constant(looks: &Looks, parent: Option<&Scope<'_>>) -> bool {
    looks.depth >= parent.map_or(0, |parent| parent.depth + 1) && looks.working.is_empty()
}

/// What nothing gives a type is text.
fn settle(columns: &mut [(String, Type)]) {
    for column in columns {
        if column.1.pg == UNKNOWN {
            column.1 = TEXT.into();
        }
    }
}

/// The columns under the names that an alias gives to the first of them.
pub(super) fn renamed(columns: &[(String, Type)], names: &[String]) -> Result<Vec<(String, Type)>, PgError> {
    if names.len() > columns.len() {
        let message =
            format!("table has {} columns available but {} columns specified", columns.len(), names.len());
        return Err(PgError::new("42P10", message));
    }
    let named = columns
        .iter()
        .enumerate()
        .map(|(at, (name, ty))| (names.get(at).unwrap_or(name).clone(), ty.clone()));
    Ok(named.collect())
}

/// The column that a bare number means; `None` where the expression is no number.
pub(super) fn ordinal(expr: &ast::Expr, columns: usize) -> Result<Option<usize>, PgError> {
    let ast::Expr::Value(ast::ValueWithSpan { value: ast::Value::Number(text, _), .. }) = expr else {
        return Ok(None);
    };
    match text.parse::<usize>() {
        Ok(number) if (1..=columns).contains(&number) => Ok(Some(number - 1)),
        _ => Err(PgError::new("42P10", format!("position {} is not in select list", shown(text)))),
    }
}

pub(super) fn way(item: &ast::OrderByExpr) -> super::plan::Way {
    let descending = item.options.asc == Some(false);
    super::plan::Way { descending, nulls_first: item.options.nulls_first.unwrap_or(descending) }
}

/// A name as PostgreSQL folds it.
pub(super) fn ident(ident: &ast::Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    }
}

/// A name with what qualifies it, folded.
pub(super) fn parts(name: &ast::ObjectName) -> Result<Vec<String>, PgError> {
    let parts = name.0.iter().map(|part| part.as_ident().map(ident));
    parts.collect::<Option<Vec<_>>>().ok_or_else(|| not_answered("this name"))
}

pub(super) fn no_column(name: &str) -> PgError {
    PgError::new("42703", format!("column \"{}\" does not exist", shown(name)))
}

pub(super) fn not_answered(what: &str) -> PgError {
    PgError::new("0A000", format!("{what} is not answered about system tables"))
}

fn word(op: SetOp) -> &'static str {
    match op {
        SetOp::Union => "UNION",
        SetOp::Except => "EXCEPT",
        SetOp::Intersect => "INTERSECT",
    }
}

fn unequal(op: SetOp) -> PgError {
    PgError::new("42601", format!("each {} query must have the same number of columns", word(op)))
}
