//! One SELECT: its list, groups, order.

use sqlparser::ast;

use super::bind::{Binder, ident, not_answered, ordinal, parts, plain, way};
use super::column_name::column_name;
use super::plan::{Body, Distinct, Expr, Group, Kind, QueryPlan, SelectPlan, SortKey, Type};
use super::scope::{Clause, Ctes, Scope, bit, shown};
use super::types::BOOL;
use crate::PgError;

/// Columns of a list, of sorting too.
const COLUMNS_MAX: usize = 1_664;

/// A column of the list.
struct Item<'i> {
    name: String,
    expr: Expr,
    written: Option<&'i ast::Expr>,
}

impl Binder<'_> {
    pub(super) fn select(
        &self,
        select: &ast::Select,
        order: &[ast::OrderByExpr],
        parent: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Result<QueryPlan, PgError> {
        only_what_is_understood(select)?;
        let scope = Scope::new(parent, ctes);
        let mut from = self.from(&select.from, &scope)?;
        if let Some(condition) = &select.selection {
            for conjunct in self.conjuncts(condition, &scope)? {
                from.place(conjunct);
            }
        }
        let items = scope.within(Clause::List, || self.list(&select.projection, &scope))?;
        let keys = self.group_by(&select.group_by, &items, &scope)?;
        let having = select.having.as_ref().map(|having| {
            let having = scope.within(Clause::Having, || self.expr(having, &scope))?;
            self.coerced(having, BOOL)
        });
        let having = having.transpose()?;
        let mut list: Vec<Expr> = items.iter().map(|item| item.expr.clone()).collect();
        let order = scope.within(Clause::List, || self.order_by(order, &items, &mut list, &scope))?;
        let distinct = scope
            .within(Clause::List, || self.distinct(select.distinct.as_ref(), &items, &mut list, &scope))?;
        if list.len() > COLUMNS_MAX {
            return Err(PgError::new(
                "54011",
                format!("target lists can have at most {COLUMNS_MAX} entries"),
            ));
        }
        let grouped = !keys.is_empty() || !scope.aggregates.borrow().is_empty() || having.is_some();
        if grouped {
            let sets = scope.sets.borrow();
            only_of_groups(list.iter().chain(&having).chain(sets.iter()), &keys, &scope)?;
        }
        let columns = items.into_iter().map(|item| (item.name, item.expr.ty)).collect();
        Ok(QueryPlan { order, ..plain(finished(scope, from, keys, having, list, distinct), columns) })
    }

    fn list<'i>(&self, items: &'i [ast::SelectItem], scope: &Scope<'_>) -> Result<Vec<Item<'i>>, PgError> {
        let mut list = Vec::new();
        for item in items {
            match item {
                ast::SelectItem::UnnamedExpr(written) => {
                    let expr = self.expr(written, scope)?;
                    list.push(Item { name: column_name(written), expr, written: Some(written) });
                }
                ast::SelectItem::ExprWithAlias { expr: written, alias } => {
                    let expr = self.expr(written, scope)?;
                    list.push(Item { name: ident(alias), expr, written: Some(written) });
                }
                ast::SelectItem::Wildcard(options) if plain_wildcard(options) => {
                    if scope.slots.borrow().is_empty() {
                        return Err(PgError::new("42601", "SELECT * with no tables specified is not valid"));
                    }
                    list.extend(all_columns(scope));
                }
                ast::SelectItem::QualifiedWildcard(kind, options) if plain_wildcard(options) => {
                    list.extend(self.columns_of(kind, scope)?);
                }
                _ => return Err(not_answered("this kind of column")),
            }
        }
        Ok(list)
    }

    /// `t.*` and `(f(x)).*`.
    fn columns_of<'i>(
        &self,
        kind: &ast::SelectItemQualifiedWildcardKind,
        scope: &Scope<'_>,
    ) -> Result<Vec<Item<'i>>, PgError> {
        let name = match kind {
            ast::SelectItemQualifiedWildcardKind::ObjectName(name) => name,
            ast::SelectItemQualifiedWildcardKind::Expr(expr) => {
                let record = self.expr(expr, scope)?;
                let fields = record.ty.fields.clone().ok_or_else(|| {
                    PgError::new("42809", "column notation .* applied to a type that is not a row")
                })?;
                let items = fields.iter().map(|(name, kind)| {
                    let field = Kind::Field { record: record.clone().boxed(), name: name.clone() };
                    Item { name: name.clone(), expr: Expr::new(field, *kind), written: None }
                });
                return Ok(items.collect());
            }
        };
        let (schema, table) = match parts(name)?.as_slice() {
            [table] => (None, table.clone()),
            [schema, table] | [_, schema, table] => (Some(schema.clone()), table.clone()),
            _ => return Err(not_answered("this name")),
        };
        let slot = scope.table(schema.as_deref(), &table).ok_or_else(|| no_table(&table))?;
        Ok(columns_of_slot(scope, slot))
    }

    fn group_by(
        &self,
        group: &ast::GroupByExpr,
        items: &[Item<'_>],
        scope: &Scope<'_>,
    ) -> Result<Vec<Expr>, PgError> {
        let ast::GroupByExpr::Expressions(list, modifiers) = group else {
            return Err(not_answered("GROUP BY ALL"));
        };
        if !modifiers.is_empty() {
            return Err(not_answered("this GROUP BY"));
        }
        let key = |written: &ast::Expr| {
            if let Some(at) = ordinal(written, items.len())? {
                return Ok(items[at].expr.clone());
            }
            if let ast::Expr::Identifier(name) = written {
                let name = ident(name);
                let output = items.iter().find(|item| item.name == name);
                if let (None, Some(item)) = (scope.name(&name)?, output) {
                    return Ok(item.expr.clone());
                }
            }
            self.expr(written, scope)
        };
        list.iter().map(key).collect()
    }

    /// Which columns rows are sorted by; what is not in the list is added to its end.
    fn order_by(
        &self,
        order: &[ast::OrderByExpr],
        items: &[Item<'_>],
        list: &mut Vec<Expr>,
        scope: &Scope<'_>,
    ) -> Result<Vec<SortKey>, PgError> {
        let mut keys = Vec::new();
        for item in order {
            if item.with_fill.is_some() {
                return Err(not_answered("WITH FILL"));
            }
            keys.push(SortKey { column: self.output(&item.expr, items, list, scope)?, way: way(item) });
        }
        Ok(keys)
    }

    fn output(
        &self,
        written: &ast::Expr,
        items: &[Item<'_>],
        list: &mut Vec<Expr>,
        scope: &Scope<'_>,
    ) -> Result<usize, PgError> {
        if let Some(at) = ordinal(written, items.len())? {
            return Ok(at);
        }
        if let ast::Expr::Identifier(name) = written {
            let name = ident(name);
            if let Some(at) = items.iter().position(|item| item.name == name) {
                return Ok(at);
            }
        }
        if let Some(at) = items.iter().position(|item| item.written == Some(written)) {
            return Ok(at);
        }
        list.push(self.expr(written, scope)?);
        Ok(list.len() - 1)
    }

    fn distinct(
        &self,
        distinct: Option<&ast::Distinct>,
        items: &[Item<'_>],
        list: &mut Vec<Expr>,
        scope: &Scope<'_>,
    ) -> Result<Distinct, PgError> {
        match distinct {
            None | Some(ast::Distinct::All) => Ok(Distinct::No),
            Some(ast::Distinct::Distinct) => Ok(Distinct::Columns(items.len())),
            Some(ast::Distinct::On(written)) => {
                let columns = written.iter().map(|written| self.output(written, items, list, scope));
                Ok(Distinct::On(columns.collect::<Result<_, _>>()?))
            }
        }
    }
}

fn finished(
    scope: Scope<'_>,
    from: Group,
    keys: Vec<Expr>,
    having: Option<Expr>,
    list: Vec<Expr>,
    distinct: Distinct,
) -> Body {
    let aggregates = scope.aggregates.into_inner();
    Body::Select(Box::new(SelectPlan {
        slots: scope.slots.into_inner().len(),
        from,
        grouped: !keys.is_empty() || !aggregates.is_empty() || having.is_some(),
        keys,
        aggregates,
        having,
        windows: scope.windows.into_inner(),
        sets: scope.sets.into_inner(),
        list,
        distinct,
    }))
}

/// Refuses a column that differs within a group. Columns that keys are made of are taken to be the same in a group, and so
/// are all columns of a table whose first column is a key: that is its oid.
fn only_of_groups<'e>(
    list: impl Iterator<Item = &'e Expr>,
    keys: &[Expr],
    scope: &Scope<'_>,
) -> Result<(), PgError> {
    let mut fixed = Vec::new();
    let mut waiting: Vec<&Expr> = keys.iter().collect();
    while let Some(expr) = waiting.pop() {
        if let Kind::Column { up: 0, slot, index } = expr.kind {
            fixed.push((slot, index));
        }
        waiting.extend(expr.children());
    }
    let mut waiting: Vec<&Expr> = list.collect();
    while let Some(expr) = waiting.pop() {
        if let Kind::Column { up: 0, slot, index } = expr.kind
            && !fixed.contains(&(slot, index))
            && !fixed.contains(&(slot, 0))
        {
            let slots = scope.slots.borrow();
            let (table, column) = (&slots[slot].alias, &slots[slot].columns[index].0);
            let message = format!(
                "column \"{}.{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                shown(table),
                shown(column)
            );
            return Err(PgError::new("42803", message));
        }
        waiting.extend(expr.children());
    }
    Ok(())
}

/// `*`: columns of USING once and first, then the others.
fn all_columns<'i>(scope: &Scope<'_>) -> Vec<Item<'i>> {
    let merged = scope.merged.borrow().clone();
    let hidden = |slot: usize, name: &str| {
        merged.iter().any(|merged| merged.slots & bit(slot) != 0 && merged.name == name)
    };
    let mut items: Vec<Item<'i>> = Vec::new();
    for (at, one) in merged.iter().enumerate() {
        let wider =
            |other: &super::scope::Merged| other.name == one.name && other.slots & one.slots == one.slots;
        if !merged[at + 1..].iter().any(wider) {
            items.push(Item { name: one.name.clone(), expr: one.expr.clone(), written: None });
        }
    }
    let slots = scope.slots.borrow().len();
    for slot in 0..slots {
        let columns = columns_of_slot(scope, slot);
        items.extend(columns.into_iter().filter(|item| !hidden(slot, &item.name)));
    }
    items
}

fn columns_of_slot<'i>(scope: &Scope<'_>, slot: usize) -> Vec<Item<'i>> {
    let columns: std::sync::Arc<[(String, Type)]> = scope.slots.borrow()[slot].columns.clone();
    let items = columns.iter().enumerate();
    items
        .map(|(index, (name, _))| Item {
            name: name.clone(),
            expr: scope.column(0, slot, index),
            written: None,
        })
        .collect()
}

fn plain_wildcard(options: &ast::WildcardAdditionalOptions) -> bool {
    let ast::WildcardAdditionalOptions {
        opt_ilike: None,
        opt_exclude: None,
        opt_except: None,
        opt_replace: None,
        opt_rename: None,
        ..
    } = options
    else {
        return false;
    };
    true
}

fn only_what_is_understood(select: &ast::Select) -> Result<(), PgError> {
    let strange = select.top.is_some()
        || select.exclude.is_some()
        || select.into.is_some()
        || !select.lateral_views.is_empty()
        || select.prewhere.is_some()
        || !select.connect_by.is_empty()
        || !select.cluster_by.is_empty()
        || !select.distribute_by.is_empty()
        || !select.sort_by.is_empty()
        || !select.named_window.is_empty()
        || select.qualify.is_some()
        || select.value_table_mode.is_some()
        || select.flavor != ast::SelectFlavor::Standard;
    if strange { Err(not_answered("a clause of this SELECT")) } else { Ok(()) }
}

pub(super) fn no_table(name: &str) -> PgError {
    PgError::new("42P01", format!("missing FROM-clause entry for table \"{}\"", shown(name)))
}
