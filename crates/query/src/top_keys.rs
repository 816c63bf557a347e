//! The ten busiest regions, month by month: people's rows whose keys are among those of a released subquery.
//!
//! **Theorem.** Let a question group people's rows by keys K, and keep only rows whose K is among the rows of a subquery S that
//! people's rows are released from: `JOIN S ON k = S.k` where S has at most one row for each k, or `k IN (S)`. A condition that
//! sees nothing but keys keeps or drops whole groups, so that it may as well be applied to the groups that were made of all
//! rows: `Q WHERE k IN S = (Q without the condition) WHERE k IN S`. On the right side S and Q are released, each at its share of
//! the price, and the condition is post-processing of both.
//! **Not this.** Where k is no key of the groups, the condition decides about single rows, and stays refused. Groups outside of
//! S are bought as well: bounds are those of all groups.
//! **Where.** Only in the outermost SELECT, and only for what is refused as it is written (`released.rs`).

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, OrderByKind, Query, Select,
    SelectItem, SetExpr, TableAlias, TableFactor, TableWithJoins, UnaryOperator, VisitMut, VisitorMut,
};

use crate::answer::column_name;
use crate::conjuncts::conjuncts;
use crate::exact::is_exact_call;
use crate::names;
use crate::subquery::item_of;

/// The name of the groups, which nobody writes.
const GROUPS: &str = "released groups";

/// The question with its condition on keys around the groups; `None` where it has no such condition. It is copied, which takes
/// a stack as deep as its expressions.
pub(crate) fn with_released_keys(query: &Query) -> Option<Query> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let GroupByExpr::Expressions(keys, sets) = &select.group_by else { return None };
    if keys.is_empty() || !sets.is_empty() || select.distinct.is_some() || select.from.len() != 1 {
        return None;
    }
    let keys: Vec<Expr> = keys.iter().map(|key| resolved(key, &select.projection)).collect::<Option<_>>()?;
    let mut inner = select.as_ref().clone();
    let mut outer = Outside { keys: &keys, aggregates: Vec::new(), is_alone: false };
    let OnKeys { joins, conditions } = taken(&mut inner, &keys)?;
    let [from] = inner.from.as_slice() else { return None };
    outer.is_alone = from.joins.is_empty();

    let mut around = select.as_ref().clone();
    around.group_by = GroupByExpr::Expressions(Vec::new(), Vec::new());
    for item in &mut around.projection {
        let name = item_of(item).map(|(expr, alias)| alias.unwrap_or_else(|| column_name(expr)))?;
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else {
            return None;
        };
        let mut expr = expr.clone();
        outer.place(&mut expr);
        *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) };
    }
    around.having = None;
    around.selection = select.having.iter().cloned().chain(conditions).fold(None, |all, mut part| {
        outer.place(&mut part);
        Some(both(all, part))
    });
    let joins = joins
        .into_iter()
        .map(|(relation, mut on)| {
            outer.place(&mut on);
            Join { relation, global: false, join_operator: JoinOperator::Inner(JoinConstraint::On(on)) }
        })
        .collect();
    let mut written = query.clone();
    if let Some(order_by) = &mut written.order_by {
        let OrderByKind::Expressions(list) = &mut order_by.kind else { return None };
        // A name or a place of the answer stays one.
        let is_named = |expr: &Expr| {
            let named = names::named(expr).filter(|name| name.len() == 1).and_then(|mut name| name.pop());
            named.is_some_and(|name| around.projection.iter().any(|item| is_called(item, &name)))
        };
        list.iter_mut().filter(|order| !is_named(&order.expr)).for_each(|order| outer.place(&mut order.expr));
    }

    inner.having = None;
    inner.group_by = GroupByExpr::Expressions(keys.clone(), Vec::new());
    let named = |prefix: &str, (place, expr): (usize, &Expr)| SelectItem::ExprWithAlias {
        expr: expr.clone(),
        alias: ident(prefix, place),
    };
    inner.projection = keys.iter().enumerate().map(|key| named("key", key)).collect();
    inner.projection.extend(outer.aggregates.iter().enumerate().map(|call| named("aggregate", call)));
    let mut groups = query.clone();
    (groups.with, groups.order_by, groups.limit_clause, groups.fetch) = (None, None, None, None);
    groups.body = Box::new(SetExpr::Select(Box::new(inner)));
    let alias =
        TableAlias { explicit: true, name: Ident::with_quote('"', GROUPS), columns: Vec::new(), at: None };
    let relation =
        TableFactor::Derived { lateral: false, subquery: Box::new(groups), alias: Some(alias), sample: None };
    around.from = vec![TableWithJoins { relation, joins }];
    written.body = Box::new(SetExpr::Select(Box::new(around)));
    Some(written)
}

/// What a SELECT says about released keys.
struct OnKeys {
    joins: Vec<(TableFactor, Expr)>,
    conditions: Vec<Expr>,
}

/// Takes the joins with released keys and the conditions on them out of a SELECT; `None` where there are none, or where one is
/// about something else than keys.
fn taken(select: &mut Select, keys: &[Expr]) -> Option<OnKeys> {
    let (mut joins, mut conditions) = (Vec::new(), Vec::new());
    let from = select.from.first_mut()?;
    // Names without a table are unique where there is one table beside what is released.
    let is_released = |join: &Join| match &join.relation {
        TableFactor::Derived { subquery, .. } => grouped(subquery).is_some(),
        _ => false,
    };
    let is_alone = from.joins.iter().all(is_released);
    while let Some(last) = from.joins.last() {
        let (JoinOperator::Join(JoinConstraint::On(on)) | JoinOperator::Inner(JoinConstraint::On(on))) =
            &last.join_operator
        else {
            break;
        };
        if last.global || !is_keys_of(&last.relation, on, keys, is_alone) {
            break;
        }
        joins.push((last.relation.clone(), on.clone()));
        from.joins.pop();
    }
    joins.reverse();
    let is_on_keys =
        |expr: &Expr| member(expr).is_some_and(|value| keys.iter().any(|key| same(key, value, is_alone)));
    if let Some(selection) = select.selection.take() {
        for part in conjuncts(&selection) {
            match is_on_keys(part) {
                true => conditions.push(part.clone()),
                false => select.selection = Some(both(select.selection.take(), part.clone())),
            }
        }
    }
    (!joins.is_empty() || !conditions.is_empty()).then_some(OnKeys { joins, conditions })
}

/// What is said to be in a subquery that groups, or not to be in it.
fn member(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => member(inner),
        Expr::InSubquery { expr, subquery, .. } => grouped(subquery).map(|_| expr.as_ref()),
        _ => None,
    }
}

/// The SELECT of a query, if it has groups.
fn grouped(query: &Query) -> Option<&Select> {
    match query.body.as_ref() {
        SetExpr::Select(select) => {
            let has_keys = matches!(&select.group_by, GroupByExpr::Expressions(keys, sets) if !keys.is_empty() && sets.is_empty());
            has_keys.then_some(select)
        }
        SetExpr::Query(inner) => grouped(inner),
        _ => None,
    }
}

/// Whether a subquery has at most one row for what a condition compares with keys, and the condition is nothing else.
fn is_keys_of(relation: &TableFactor, on: &Expr, keys: &[Expr], is_alone: bool) -> bool {
    let TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: None } = relation else {
        return false;
    };
    let Some(select) = grouped(subquery).filter(|_| alias.columns.is_empty()) else { return false };
    let alias = names::folded(&alias.name);
    // The names that the keys of the subquery have outside of it.
    let GroupByExpr::Expressions(own, _) = &select.group_by else { return false };
    let name_of = |key: &Expr| {
        let key = resolved(key, &select.projection)?;
        select.projection.iter().find_map(|item| {
            let (expr, name) = item_of(item)?;
            same(expr, &key, true).then(|| name.unwrap_or_else(|| column_name(expr)))
        })
    };
    let Some(names): Option<Vec<String>> = own.iter().map(name_of).collect() else { return false };
    let all: Vec<String> = select
        .projection
        .iter()
        .filter_map(|item| item_of(item).map(|(expr, name)| name.unwrap_or_else(|| column_name(expr))))
        .collect();
    let inside = |expr: &Expr| match names::named(expr).as_deref() {
        Some([name]) if all.contains(name) => Some(name.clone()),
        Some([table, name]) if *table == alias && all.contains(name) => Some(name.clone()),
        _ => None,
    };
    let mut compared = Vec::new();
    for part in conjuncts(on) {
        let Some((left, right)) = equality(part) else { return false };
        let (name, value) = match (inside(left), inside(right)) {
            (Some(name), None) => (name, right),
            (None, Some(name)) => (name, left),
            _ => return false,
        };
        if !keys.iter().any(|key| same(key, value, is_alone)) {
            return false;
        }
        compared.push(name);
    }
    names.iter().all(|name| compared.contains(name))
}

fn equality(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::Nested(inner) => equality(inner),
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => Some((left, right)),
        Expr::IsNotDistinctFrom(left, right) => Some((left, right)),
        _ => None,
    }
}

/// A key as an expression of rows: what stands at its place, or under its name, in the list of columns.
fn resolved(key: &Expr, projection: &[SelectItem]) -> Option<Expr> {
    let item = match key {
        Expr::Value(value) => {
            let place: usize = value.value.to_string().parse().ok()?;
            return item_of(projection.get(place.checked_sub(1)?)?).map(|(expr, _)| expr.clone());
        }
        key => {
            let name = names::named(key).filter(|name| name.len() == 1).and_then(|mut name| name.pop());
            name.and_then(|name| {
                projection.iter().filter_map(item_of).find(|(_, alias)| alias.as_ref() == Some(&name))
            })
        }
    };
    // A column goes before a name of the answer, as in PostgreSQL; where both are meant they are the same, or it is refused.
    Some(item.map_or_else(|| key.clone(), |(expr, _)| expr.clone()))
}

/// Whether two expressions are the same. Where rows come from one table, a name means the same with it and without.
fn same(left: &Expr, right: &Expr, is_alone: bool) -> bool {
    match (left, right) {
        (Expr::Nested(inner), other) | (other, Expr::Nested(inner)) => same(inner, other, is_alone),
        (left, right) => match (names::named(left), names::named(right)) {
            (Some(left), Some(right)) if is_alone => left.last() == right.last(),
            (left_name, right_name) => left == right || (left_name.is_some() && left_name == right_name),
        },
    }
}

fn is_called(item: &SelectItem, name: &str) -> bool {
    matches!(item, SelectItem::ExprWithAlias { alias, .. } if names::folded(alias) == name)
}

fn both(all: Option<Expr>, part: Expr) -> Expr {
    match all {
        None => part,
        Some(all) => Expr::BinaryOp { left: Box::new(all), op: BinaryOperator::And, right: Box::new(part) },
    }
}

fn ident(prefix: &str, place: usize) -> Ident {
    Ident::with_quote('"', format!("{prefix} {place}"))
}

/// Expressions of rows and aggregates as columns of the groups.
struct Outside<'k> {
    keys: &'k [Expr],
    aggregates: Vec<Expr>,
    is_alone: bool,
}

impl Outside<'_> {
    fn place(&mut self, expr: &mut Expr) {
        let _ = expr.visit(self);
    }
}

impl VisitorMut for Outside<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _query: &mut Query) -> ControlFlow<()> {
        // A subquery has names of its own; it stands last in its condition, and nothing else is left to do in that.
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let column = |prefix: &str, place: usize| {
            Expr::CompoundIdentifier(vec![Ident::with_quote('"', GROUPS), ident(prefix, place)])
        };
        if let Some(place) = self.keys.iter().position(|key| same(key, expr, self.is_alone)) {
            *expr = column("key", place);
        } else if is_exact_call(expr) {
            let known = self.aggregates.iter().position(|call| call == expr);
            let place = known.unwrap_or_else(|| {
                self.aggregates.push(expr.clone());
                self.aggregates.len() - 1
            });
            *expr = column("aggregate", place);
        }
        ControlFlow::Continue(())
    }
}
