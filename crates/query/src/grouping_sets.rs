//! GROUPING SETS, ROLLUP and CUBE as what they stand for: one SELECT for each set of keys, all of them together.
//!
//! **Guarantee.** A person's rows enter every set, so every set is a release of its own and their losses add up: the price
//! is split evenly over the sets, which are released once even if they are named twice. Keys that a set does not have are
//! NULL, and `GROUPING(key)` is one there: it is public. The empty set is one group, whatever the data.
//! Each set is bounded on its own: children need not add up to their parents.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, GroupByWithModifier, Ident,
    OrderByKind, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, TableFactor,
    Value as Literal, VisitMut, VisitorMut,
};

use crate::aggregate::is_aggregate;
use crate::answer::column_name;
use crate::names;
use crate::refusal::Refusal;

/// The most sets of one SELECT.
const SETS_MAX: usize = 64;

/// Queries inside each other that are looked into: deeper ones are refused later.
const DEPTH_MAX: usize = 64;

/// Whether a query has a GROUP BY of several sets, in FROM and WITH too; those of subqueries in expressions are not found.
pub(crate) fn is_there(query: &Query) -> bool {
    is_in_query(query, DEPTH_MAX)
}

/// The query with every GROUP BY of several sets written out; `None` if there is none. It is copied, which takes a stack as
/// deep as its expressions.
pub(crate) fn written_out(query: &Query) -> Result<Option<Query>, Refusal> {
    if !is_there(query) {
        return Ok(None);
    }
    let mut written = query.clone();
    in_query(&mut written)?;
    Ok(Some(written))
}

fn queries_of(query: &Query) -> impl Iterator<Item = &Query> {
    query.with.iter().flat_map(|with| with.cte_tables.iter().map(|cte| cte.query.as_ref()))
}

fn is_in_query(query: &Query, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    queries_of(query).any(|query| is_in_query(query, depth)) || is_in_body(&query.body, depth)
}

fn is_in_body(body: &SetExpr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match body {
        SetExpr::SetOperation { left, right, .. } => is_in_body(left, depth) || is_in_body(right, depth),
        SetExpr::Query(query) => is_in_query(query, depth),
        SetExpr::Select(select) => {
            has_sets(select) || derived(select).into_iter().any(|query| is_in_query(query, depth))
        }
        _ => false,
    }
}

/// The subqueries of a FROM clause.
fn derived(select: &Select) -> Vec<&Query> {
    let factors = select
        .from
        .iter()
        .flat_map(|item| [&item.relation].into_iter().chain(item.joins.iter().map(|join| &join.relation)));
    factors
        .filter_map(|factor| match factor {
            TableFactor::Derived { subquery, .. } => Some(subquery.as_ref()),
            _ => None,
        })
        .collect()
}

fn in_query(query: &mut Query) -> Result<(), Refusal> {
    if let Some(with) = &mut query.with {
        with.cte_tables.iter_mut().try_for_each(|cte| in_query(&mut cte.query))?;
    }
    let items = match query.body.as_ref() {
        SetExpr::Select(select) if has_sets(select) => Some(select.projection.clone()),
        _ => None,
    };
    in_body(&mut query.body)?;
    if let (Some(items), Some(order_by)) = (items, &mut query.order_by)
        && let OrderByKind::Expressions(list) = &mut order_by.kind
        && matches!(query.body.as_ref(), SetExpr::SetOperation { .. })
    {
        list.iter_mut().try_for_each(|order| by_place(&mut order.expr, &items))?;
    }
    Ok(())
}

fn in_body(body: &mut SetExpr) -> Result<(), Refusal> {
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            in_body(left)?;
            return in_body(right);
        }
        SetExpr::Query(query) => return in_query(query),
        SetExpr::Select(select) => {
            for item in &mut select.from {
                let factors = [&mut item.relation]
                    .into_iter()
                    .chain(item.joins.iter_mut().map(|join| &mut join.relation));
                for factor in factors {
                    if let TableFactor::Derived { subquery, .. } = factor {
                        in_query(subquery)?;
                    }
                }
            }
            if !has_sets(select) {
                return Ok(());
            }
        }
        _ => return Ok(()),
    }
    let SetExpr::Select(select) = &*body else { return Ok(()) };
    let mut selects = each(select)?.into_iter();
    let first = selects.next().ok_or_else(nothing)?;
    *body = selects.fold(SetExpr::Select(Box::new(first)), |left, right| SetExpr::SetOperation {
        op: SetOperator::Union,
        set_quantifier: SetQuantifier::All,
        left: Box::new(left),
        right: Box::new(SetExpr::Select(Box::new(right))),
    });
    Ok(())
}

fn has_sets(select: &Select) -> bool {
    let one = |expr: &Expr| {
        matches!(expr, Expr::GroupingSets(_) | Expr::Rollup(_) | Expr::Cube(_))
            || matches!(expr, Expr::Tuple(keys) if keys.is_empty())
    };
    match &select.group_by {
        GroupByExpr::Expressions(keys, modifiers) => !modifiers.is_empty() || keys.iter().any(one),
        GroupByExpr::All(_) => false,
    }
}

/// The SELECT of every set.
fn each(select: &Select) -> Result<Vec<Select>, Refusal> {
    let GroupByExpr::Expressions(keys, modifiers) = &select.group_by else { return Err(nothing()) };
    let sets = sets(keys, modifiers, &select.projection)?;
    let mut all: Vec<Expr> = Vec::new();
    for key in sets.iter().flatten() {
        if !all.iter().any(|known| same(known, key)) {
            all.push(key.clone());
        }
    }
    if sets.len() > 1 && (has_windows(select) || select.distinct.is_some()) {
        return Err(Refusal::not_provable(
            "DISTINCT and windows beside several grouping sets are not answered",
            "put the grouping sets into a subquery, and what is computed from them around it",
        ));
    }
    sets.iter().map(|set| of_set(select, set, &all)).collect()
}

/// The sets of keys that a GROUP BY names: every combination of its parts, each once.
fn sets(
    keys: &[Expr],
    modifiers: &[GroupByWithModifier],
    items: &[SelectItem],
) -> Result<Vec<Vec<Expr>>, Refusal> {
    let resolved = |keys: &[Expr]| keys.iter().map(|key| named(key, items)).collect::<Vec<Expr>>();
    let groups = |groups: &[Vec<Expr>]| groups.iter().map(|group| resolved(group)).collect::<Vec<_>>();
    let mut parts: Vec<Vec<Vec<Expr>>> = Vec::new();
    for key in keys {
        parts.push(match key {
            Expr::Rollup(list) => rollup(&groups(list))?,
            Expr::Cube(list) => cube(&groups(list))?,
            Expr::GroupingSets(list) => groups(list),
            Expr::Tuple(list) => vec![resolved(list)],
            other => vec![vec![named(other, items)]],
        });
    }
    for modifier in modifiers {
        let single: Vec<Vec<Expr>> = keys.iter().map(|key| vec![named(key, items)]).collect();
        parts = match modifier {
            GroupByWithModifier::Rollup => vec![rollup(&single)?],
            GroupByWithModifier::Cube => vec![cube(&single)?],
            GroupByWithModifier::GroupingSets(Expr::GroupingSets(list)) => vec![groups(list)],
            GroupByWithModifier::Totals | GroupByWithModifier::GroupingSets(_) => {
                return Err(Refusal::not_provable(
                    "WITH TOTALS is not answered",
                    "write GROUP BY ROLLUP (…)",
                ));
            }
        };
    }
    let mut all: Vec<Vec<Expr>> = vec![Vec::new()];
    for part in parts {
        if all.len().saturating_mul(part.len()) > SETS_MAX {
            return Err(too_many());
        }
        all = all.iter().flat_map(|set| part.iter().map(|more| [set.as_slice(), more].concat())).collect();
    }
    let mut found: Vec<Vec<Expr>> = Vec::new();
    for set in all {
        let mut keys: Vec<Expr> = Vec::new();
        for key in set {
            if !keys.iter().any(|known| same(known, &key)) {
                keys.push(key);
            }
        }
        let equal = |other: &Vec<Expr>| {
            other.len() == keys.len() && keys.iter().all(|key| other.iter().any(|known| same(known, key)))
        };
        if !found.iter().any(equal) {
            found.push(keys);
        }
    }
    Ok(found)
}

fn rollup(groups: &[Vec<Expr>]) -> Result<Vec<Vec<Expr>>, Refusal> {
    // Before they are written out: of n groups those of all sets together are n².
    if groups.len() >= SETS_MAX {
        return Err(too_many());
    }
    Ok((0..=groups.len()).rev().map(|length| groups[..length].concat()).collect())
}

fn cube(groups: &[Vec<Expr>]) -> Result<Vec<Vec<Expr>>, Refusal> {
    if groups.len() >= usize::BITS as usize || 1usize << groups.len() > SETS_MAX {
        return Err(too_many());
    }
    let subset = |chosen: usize| {
        let inside =
            groups.iter().enumerate().filter(|(place, _)| chosen & (1 << (groups.len() - 1 - place)) != 0);
        inside.flat_map(|(_, group)| group.clone()).collect()
    };
    Ok((0..1usize << groups.len()).rev().map(subset).collect())
}

/// A key that is a number or a name of an item, as that item's expression.
fn named(key: &Expr, items: &[SelectItem]) -> Expr {
    let expr_of = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr.clone()),
        _ => None,
    };
    match key {
        Expr::Value(literal) => {
            let Literal::Number(digits, _) = &literal.value else { return key.clone() };
            let place = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            place.and_then(|place| items.get(place)).and_then(expr_of).unwrap_or_else(|| key.clone())
        }
        Expr::Identifier(ident) => {
            // A column of the rows goes before a name of the answer; one that its own expression uses is a column.
            let aliased = items.iter().find_map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias }
                    if names::folded(alias) == names::folded(ident) && !mentions(expr, key) =>
                {
                    Some(expr.clone())
                }
                _ => None,
            });
            aliased.unwrap_or_else(|| key.clone())
        }
        Expr::Nested(inner) => named(inner, items),
        other => other.clone(),
    }
}

fn mentions(expr: &Expr, key: &Expr) -> bool {
    let mut found = false;
    let _ = sqlparser::ast::visit_expressions(expr, |part| {
        found |= same(part, key);
        ControlFlow::<()>::Continue(())
    });
    found
}

/// Whether two expressions are written alike; a name with its table in front is the name alone.
fn same(left: &Expr, right: &Expr) -> bool {
    fn name(expr: &Expr) -> Option<(Option<String>, String)> {
        match expr {
            Expr::Nested(inner) => name(inner),
            Expr::Identifier(ident) => Some((None, names::folded(ident))),
            Expr::CompoundIdentifier(parts) => {
                let last = parts.last()?;
                let before = parts.len().checked_sub(2).and_then(|place| parts.get(place));
                Some((before.map(names::folded), names::folded(last)))
            }
            _ => None,
        }
    }
    match (name(left), name(right)) {
        (Some((of, one)), Some((from, other))) => {
            one == other && (of == from || of.is_none() || from.is_none())
        }
        (None, None) => match (left, right) {
            (Expr::Nested(inner), other) | (other, Expr::Nested(inner)) => same(inner, other),
            _ => left == right,
        },
        _ => false,
    }
}

fn has_windows(select: &Select) -> bool {
    let mut found = false;
    let _ = sqlparser::ast::visit_expressions(&select.projection, |part| {
        found |= matches!(part, Expr::Function(call) if call.over.is_some());
        ControlFlow::<()>::Continue(())
    });
    found
}

/// The SELECT of one set: its keys, NULL for the others, GROUPING() as a number.
fn of_set(select: &Select, set: &[Expr], all: &[Expr]) -> Result<Select, Refusal> {
    let mut one = select.clone();
    one.group_by = GroupByExpr::Expressions(set.to_vec(), Vec::new());
    let mut visitor = OfSet { set, all, inside: 0 };
    for item in &mut one.projection {
        let name = match item {
            SelectItem::UnnamedExpr(expr) => Some(column_name(expr)),
            _ => None,
        };
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { continue };
        if let ControlFlow::Break(refusal) = expr.visit(&mut visitor) {
            return Err(refusal);
        }
        // A key keeps its name where it is NULL.
        if let Some(name) = name {
            let alias = Ident::with_quote('"', name);
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
    }
    if let Some(having) = &mut one.having
        && let ControlFlow::Break(refusal) = having.visit(&mut visitor)
    {
        return Err(refusal);
    }
    Ok(one)
}

struct OfSet<'k> {
    set: &'k [Expr],
    all: &'k [Expr],
    /// How many aggregates and subqueries we are inside of: there keys are columns of rows.
    inside: usize,
}

impl VisitorMut for OfSet<'_> {
    type Break = Refusal;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Refusal> {
        match function_name(expr).as_deref() {
            Some("grouping") if self.inside == 0 => match self.grouping(expr) {
                Ok(number) => *expr = literal(Literal::Number(number.to_string(), false)),
                Err(refusal) => return ControlFlow::Break(refusal),
            },
            Some(name) if is_aggregate(name) => self.inside += 1,
            _ => {
                let missing = |key: &Expr| same(key, expr) && !self.set.iter().any(|own| same(own, key));
                if self.inside == 0 && self.all.iter().any(missing) {
                    *expr = literal(Literal::Null);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Refusal> {
        if function_name(expr).is_some_and(|name| name != "grouping" && is_aggregate(&name)) {
            self.inside -= 1;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Refusal> {
        self.inside += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Refusal> {
        self.inside -= 1;
        ControlFlow::Continue(())
    }
}

impl OfSet<'_> {
    /// One bit for each key, the last the lowest: set where the key is not in the set.
    fn grouping(&self, expr: &Expr) -> Result<u64, Refusal> {
        let keys = || Refusal::not_provable("GROUPING takes keys of this GROUP BY", "write GROUPING(key)");
        let Expr::Function(call) = expr else { return Err(keys()) };
        let FunctionArguments::List(list) = &call.args else { return Err(keys()) };
        if list.args.is_empty() || list.args.len() > 31 {
            return Err(keys());
        }
        list.args.iter().try_fold(0, |bits, argument| {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(key)) = argument else { return Err(keys()) };
            if !self.all.iter().any(|known| same(known, key)) {
                return Err(keys());
            }
            Ok(2 * bits + u64::from(!self.set.iter().any(|own| same(own, key))))
        })
    }
}

fn function_name(expr: &Expr) -> Option<String> {
    let Expr::Function(call) = expr else { return None };
    match names::parts(&call.name)?.as_slice() {
        [name] => Some(name.clone()),
        _ => None,
    }
}

fn literal(value: Literal) -> Expr {
    Expr::Value(value.with_empty_span())
}

/// What ORDER BY names, by its place among the items: behind several SELECTs nothing else has a name.
fn by_place(expr: &mut Expr, items: &[SelectItem]) -> Result<(), Refusal> {
    let is_item = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(own) => same(own, expr),
        SelectItem::ExprWithAlias { expr: own, alias } => {
            same(own, expr)
                || matches!(expr, Expr::Identifier(name) if names::folded(name) == names::folded(alias))
        }
        _ => false,
    };
    if let Some(place) = items.iter().position(is_item) {
        *expr = literal(Literal::Number((place + 1).to_string(), false));
        return Ok(());
    }
    match expr {
        Expr::Identifier(_) | Expr::Value(_) => Ok(()),
        _ => Err(Refusal::not_provable(
            "ORDER BY beside several grouping sets takes columns of the answer",
            "show what is compared as a column, and order by its name",
        )),
    }
}

fn too_many() -> Refusal {
    Refusal::not_provable(
        format!("there are more than {SETS_MAX} grouping sets"),
        "each is a release of its own: ask for those that are read",
    )
}

fn nothing() -> Refusal {
    Refusal::not_provable("GROUP BY without a set of keys", "name the keys")
}
