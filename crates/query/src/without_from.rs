//! `SELECT (SELECT COUNT(*) FROM a) / (SELECT COUNT(*) FROM b)`: numbers of subqueries beside each other, as rows of one.
//!
//! A SELECT without FROM whose values come from subqueries of one aggregate each is the same over those subqueries in
//! FROM: each has one row.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr, TableAlias, TableAliasColumnDef,
    TableFactor, TableWithJoins, VisitMut, VisitorMut,
};

use crate::aggregate::is_aggregate;
use crate::answer::column_name;
use crate::conjuncts::inside;
use crate::names;

/// Whether a query has no FROM and subqueries in the places of values.
pub(crate) fn is_there(query: &Query) -> bool {
    let SetExpr::Select(select) = query.body.as_ref() else { return false };
    let is_subquery = |expr: &Expr| matches!(expr, Expr::Subquery(_));
    let has_subquery = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            !inside(expr, is_subquery).is_empty()
        }
        _ => false,
    };
    select.from.is_empty() && select.projection.iter().any(has_subquery)
}

/// The query with its subqueries in FROM; `None` where it has a FROM, or a subquery that may have no row or several. It is
/// copied, which takes a stack as deep as its expressions.
pub(crate) fn with_from(query: &Query) -> Option<Query> {
    if !is_there(query) {
        return None;
    }
    let mut written = query.clone();
    let SetExpr::Select(select) = written.body.as_mut() else { return None };
    let mut visitor = Subqueries { found: Vec::new() };
    for item in &mut select.projection {
        let name = match item {
            SelectItem::UnnamedExpr(expr) => Some(column_name(expr)),
            _ => None,
        };
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else {
            return None;
        };
        if let ControlFlow::Break(()) = expr.visit(&mut visitor) {
            return None;
        }
        if let Some(name) = name {
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::with_quote('"', name) };
        }
    }
    let factor = |(number, query): (usize, Query)| TableWithJoins {
        relation: TableFactor::Derived {
            lateral: false,
            subquery: Box::new(query),
            alias: Some(TableAlias {
                explicit: true,
                name: ident(number),
                columns: vec![TableAliasColumnDef { name: ident(number), data_type: None }],
                at: None,
            }),
            sample: None,
        },
        joins: Vec::new(),
    };
    select.from = visitor.found.into_iter().enumerate().map(factor).collect();
    (!select.from.is_empty()).then_some(written)
}

/// A name that nobody writes.
fn ident(number: usize) -> Ident {
    Ident::with_quote('"', format!("subquery {number}"))
}

struct Subqueries {
    found: Vec<Query>,
}

impl VisitorMut for Subqueries {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::Subquery(query) = expr else { return ControlFlow::Continue(()) };
        if !is_one_row(query) {
            return ControlFlow::Break(());
        }
        let place = self.found.iter().position(|known| known == query.as_ref()).unwrap_or_else(|| {
            self.found.push(query.as_ref().clone());
            self.found.len() - 1
        });
        *expr = Expr::Identifier(ident(place));
        ControlFlow::Continue(())
    }
}

/// Whether a query is one SELECT of aggregates without groups: it then has one row, whatever there is.
fn is_one_row(query: &Query) -> bool {
    let SetExpr::Select(select) = query.body.as_ref() else { return false };
    let ungrouped = matches!(&select.group_by, GroupByExpr::Expressions(keys, sets) if keys.is_empty() && sets.is_empty());
    let uncut = query.limit_clause.is_none() && query.fetch.is_none() && select.having.is_none();
    ungrouped && uncut && select.projection.len() == 1 && has_aggregate(select)
}

fn has_aggregate(select: &Select) -> bool {
    let mut found = false;
    let _ = sqlparser::ast::visit_expressions(&select.projection, |part| {
        if let Expr::Function(call) = part {
            let name = names::parts(&call.name).and_then(|mut parts| parts.pop());
            found |= call.over.is_none() && name.is_some_and(|name| is_aggregate(&name));
        }
        ControlFlow::<()>::Continue(())
    });
    found
}
