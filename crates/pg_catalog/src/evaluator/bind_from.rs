//! FROM: tables, joins, functions and queries, and where each condition is checked.

use sqlparser::ast;

use super::bind::{Binder, SLOTS_MAX, ident, not_answered, parts, renamed};
use super::plan::{Comparison, Conjunct, Expr, Factor, Group, Kind, Shape, Slots, Source, Test, Type};
use super::scope::{Merged, Scope, Slot, bit, shown};
use super::types::{BOOL, INT8};
use crate::PgError;
use crate::functions::Returns;

#[derive(Clone, Copy, PartialEq, Eq)]
enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
}

impl Group {
    /// Puts a condition as deep as it may go: to one table where it speaks of one, never to the side of an outer join whose
    /// rows may be missing.
    pub(super) fn place(&mut self, conjunct: Conjunct) {
        let alone = |factor: &&mut Factor| conjunct.slots != 0 && conjunct.slots & !factor.slots == 0;
        match self.factors.iter_mut().find(alone) {
            None => self.conjuncts.push(conjunct),
            Some(Factor { source: Source::Outer { full: false, left, .. }, .. })
                if conjunct.slots & !left.slots() == 0 =>
            {
                left.place(conjunct);
            }
            Some(factor) => factor.filters.push(conjunct.expr),
        }
    }

    fn append(&mut self, other: Group) {
        self.factors.extend(other.factors);
        self.conjuncts.extend(other.conjuncts);
    }
}

impl Binder<'_> {
    pub(super) fn from(&self, tables: &[ast::TableWithJoins], scope: &Scope<'_>) -> Result<Group, PgError> {
        let mut group = Group::default();
        for table in tables {
            group.append(self.joined(table, scope)?);
        }
        Ok(group)
    }

    fn joined(&self, table: &ast::TableWithJoins, scope: &Scope<'_>) -> Result<Group, PgError> {
        self.deeper(|| {
            let start = scope.slots.borrow().len();
            let mut group = self.factor(&table.relation, scope)?;
            for join in &table.joins {
                let middle = scope.slots.borrow().len();
                let right = self.factor(&join.relation, scope)?;
                let (kind, constraint) = join_kind(&join.join_operator)?;
                let before = scope.first.replace(start);
                let on = self.join_condition(constraint, kind, (start, middle), scope);
                scope.first.set(before);
                group = combined(kind, group, right, on?);
            }
            Ok(group)
        })
    }

    fn join_condition(
        &self,
        constraint: Option<&ast::JoinConstraint>,
        kind: JoinKind,
        (start, middle): (usize, usize),
        scope: &Scope<'_>,
    ) -> Result<Vec<Conjunct>, PgError> {
        let names = match constraint {
            None | Some(ast::JoinConstraint::None) if kind == JoinKind::Inner => return Ok(Vec::new()),
            None | Some(ast::JoinConstraint::None) => {
                return Err(PgError::new("42601", "an outer join needs ON or USING"));
            }
            Some(ast::JoinConstraint::On(condition)) => return self.conjuncts(condition, scope),
            Some(ast::JoinConstraint::Using(names)) => {
                let names = names.iter().map(|name| parts(name).map(|parts| parts.concat()));
                names.collect::<Result<Vec<_>, _>>()?
            }
            Some(ast::JoinConstraint::Natural) => common_names(scope, start, middle),
        };
        names.into_iter().map(|name| self.using(&name, kind, (start, middle), scope)).collect()
    }

    /// One column of USING: an equality, and a column that stands for both.
    fn using(
        &self,
        name: &str,
        kind: JoinKind,
        (start, middle): (usize, usize),
        scope: &Scope<'_>,
    ) -> Result<Conjunct, PgError> {
        let end = scope.slots.borrow().len();
        let (left, left_slots) = side(scope, name, start, middle)?;
        let (right, right_slots) = side(scope, name, middle, end)?;
        let kept = match kind {
            JoinKind::Inner | JoinKind::Left => left.clone(),
            JoinKind::Right => right.clone(),
            JoinKind::Full => {
                let ty = left.ty.clone();
                Expr::new(Kind::Coalesce(vec![left.clone(), right.clone()]), ty)
            }
        };
        let slots = left_slots | right_slots;
        scope.merged.borrow_mut().push(Merged { name: name.to_owned(), slots, expr: kept });
        let equality = self.compared(Test::Compare(Comparison::Eq), left, right)?;
        Ok(conjunct(equality, slots))
    }

    /// The conditions that AND puts together, each on its own.
    pub(super) fn conjuncts(
        &self,
        condition: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Vec<Conjunct>, PgError> {
        let mut found = Vec::new();
        for part in super::bind_expr::chain(condition, &ast::BinaryOperator::And) {
            let (expr, slots) = scope.tracked(|| self.expr(part, scope))?;
            found.push(conjunct(self.coerced(expr, BOOL)?, slots));
        }
        Ok(found)
    }

    fn factor(&self, factor: &ast::TableFactor, scope: &Scope<'_>) -> Result<Group, PgError> {
        use ast::TableFactor as T;
        match factor {
            T::NestedJoin { table_with_joins, alias: None } => self.joined(table_with_joins, scope),
            T::Derived { lateral, subquery, alias, sample: None } => {
                self.derived(*lateral, subquery, alias.as_ref(), scope)
            }
            T::Table {
                name, alias, args: None, sample: None, version: None, with_ordinality: false, ..
            } => self.relation(name, alias.as_ref(), scope),
            T::Table { name, alias, args: Some(args), with_ordinality, .. } if args.settings.is_none() => {
                self.table_function(name, &args.args, alias.as_ref(), *with_ordinality, scope)
            }
            T::Function { name, args, alias, with_ordinality, .. } => {
                self.table_function(name, args, alias.as_ref(), *with_ordinality, scope)
            }
            T::UNNEST { alias, array_exprs, with_offset: false, with_ordinality, .. } => {
                let calls = || {
                    let calls = array_exprs.iter().map(|array| {
                        let array = self.expr(array, scope)?;
                        self.resolved("unnest", vec![array])
                    });
                    calls.collect::<Result<Vec<_>, _>>()
                };
                let (calls, needs) = scope.tracked(calls)?;
                self.called("unnest", calls, needs, alias.as_ref(), *with_ordinality, scope)
            }
            _ => Err(not_answered("this kind of table")),
        }
    }

    fn relation(
        &self,
        name: &ast::ObjectName,
        alias: Option<&ast::TableAlias>,
        scope: &Scope<'_>,
    ) -> Result<Group, PgError> {
        let parts = parts(name)?;
        let (schema, table) = match parts.as_slice() {
            [table] => (None, table),
            [schema, table] => (Some(schema.as_str()), table),
            [database, schema, table] if database == self.view.session.database => {
                (Some(schema.as_str()), table)
            }
            _ => return Err(no_relation(&parts.join("."))),
        };
        if let (None, Some(cte)) = (schema, scope.ctes.find(table)) {
            self.touch_cte(&cte);
            let slot = self.slot(alias, table, None, &cte.columns, scope)?;
            return Ok(one(Source::Cte { slot, id: cte.id }, bit(slot), 0));
        }
        let found = self.view.system.relation(self.view.session, schema, table);
        let found = found.ok_or_else(|| no_relation(&parts.join(".")))?;
        let columns: Vec<_> =
            found.columns.iter().map(|column| (column.name.to_owned(), Type::from(column.kind))).collect();
        let slot = self.slot(alias, table, Some(found.schema), &columns, scope)?;
        Ok(one(Source::Relation { slot, rows: found.rows }, bit(slot), 0))
    }

    fn derived(
        &self,
        lateral: bool,
        query: &ast::Query,
        alias: Option<&ast::TableAlias>,
        scope: &Scope<'_>,
    ) -> Result<Group, PgError> {
        let parent = if lateral { Some(scope) } else { scope.parent };
        let (query, needs) = scope.tracked(|| self.nested(query, parent, scope.ctes))?;
        let slot = self.slot(alias, "", None, &query.plan.columns, scope)?;
        Ok(one(Source::Query { slot, query, lateral }, bit(slot), if lateral { needs } else { 0 }))
    }

    fn table_function(
        &self,
        name: &ast::ObjectName,
        arguments: &[ast::FunctionArg],
        alias: Option<&ast::TableAlias>,
        ordinality: bool,
        scope: &Scope<'_>,
    ) -> Result<Group, PgError> {
        let name = super::bind_call::function_name(name)?;
        let bind = || {
            let arguments = super::bind_call::plain_arguments(arguments)?;
            let arguments = arguments.into_iter().map(|argument| self.expr(argument, scope));
            self.resolved(&name, arguments.collect::<Result<Vec<_>, _>>()?)
        };
        let (call, needs) = scope.tracked(bind)?;
        self.called(&name, vec![call], needs, alias, ordinality, scope)
    }

    /// Functions in FROM, side by side.
    fn called(
        &self,
        name: &str,
        calls: Vec<Expr>,
        needs: Slots,
        alias: Option<&ast::TableAlias>,
        ordinality: bool,
        scope: &Scope<'_>,
    ) -> Result<Group, PgError> {
        let shape = shape(calls.first());
        let mut columns: Vec<(String, Type)> = Vec::new();
        for call in &calls {
            match (&call.ty.fields, shape) {
                (Some(fields), Shape::Records) => {
                    columns.extend(fields.iter().map(|(name, kind)| (name.clone(), Type::from(*kind))));
                }
                _ => {
                    let alias = alias.map(|alias| ident(&alias.name)).filter(|_| calls.len() == 1);
                    columns.push((alias.unwrap_or_else(|| name.to_owned()), call.ty.clone()));
                }
            }
        }
        if ordinality {
            columns.push(("ordinality".to_owned(), INT8.into()));
        }
        let slot = self.slot(alias, name, None, &columns, scope)?;
        Ok(one(Source::Call { slot, calls, shape, ordinality }, bit(slot), needs))
    }

    fn slot(
        &self,
        alias: Option<&ast::TableAlias>,
        name: &str,
        schema: Option<&'static str>,
        columns: &[(String, Type)],
        scope: &Scope<'_>,
    ) -> Result<usize, PgError> {
        let names: Vec<String> =
            alias.iter().flat_map(|alias| &alias.columns).map(|column| ident(&column.name)).collect();
        let columns = renamed(columns, &names)?.into();
        let (alias, schema) = match alias {
            Some(alias) => (ident(&alias.name), None),
            None => (name.to_owned(), schema),
        };
        let mut slots = scope.slots.borrow_mut();
        if slots.len() >= SLOTS_MAX {
            return Err(PgError::new("54001", "the statement joins too many tables"));
        }
        let same = |slot: &Slot| !alias.is_empty() && slot.alias == alias && slot.schema == schema;
        if slots.iter().any(same) {
            let message = format!("table name \"{}\" specified more than once", shown(&alias));
            return Err(PgError::new("42712", message));
        }
        slots.push(Slot { alias, schema, columns });
        Ok(slots.len() - 1)
    }
}

fn shape(call: Option<&Expr>) -> Shape {
    let Some(Expr { kind: Kind::Call { function, .. }, .. }) = call else { return Shape::Scalar };
    match function.returns {
        Returns::Is(_) | Returns::Same => Shape::Scalar,
        Returns::SetOf(_) | Returns::SetOfElement | Returns::SetOfSame => Shape::Elements,
        Returns::SetOfNumbered | Returns::Table(_) => Shape::Records,
    }
}

fn one(source: Source, slots: Slots, needs: Slots) -> Group {
    let factor = Factor { source, slots, needs: needs & !slots, filters: Vec::new() };
    Group { factors: vec![factor], conjuncts: Vec::new() }
}

fn combined(kind: JoinKind, left: Group, right: Group, on: Vec<Conjunct>) -> Group {
    let (left, mut right, full) = match kind {
        JoinKind::Inner => {
            let mut group = left;
            group.append(right);
            on.into_iter().for_each(|conjunct| group.place(conjunct));
            return group;
        }
        JoinKind::Left => (left, right, false),
        JoinKind::Right => (right, left, false),
        JoinKind::Full => (left, right, true),
    };
    let inside = right.slots();
    let (own, on): (Vec<_>, Vec<_>) =
        on.into_iter().partition(|conjunct| !full && conjunct.slots != 0 && conjunct.slots & !inside == 0);
    own.into_iter().for_each(|conjunct| right.place(conjunct));
    let slots = left.slots() | right.slots();
    let needs = left.needs() | right.needs();
    one(Source::Outer { full, left: Box::new(left), right: Box::new(right), on }, slots, needs)
}

fn join_kind(operator: &ast::JoinOperator) -> Result<(JoinKind, Option<&ast::JoinConstraint>), PgError> {
    use ast::JoinOperator as O;
    Ok(match operator {
        O::Join(constraint) | O::Inner(constraint) | O::CrossJoin(constraint) => {
            (JoinKind::Inner, Some(constraint))
        }
        O::Left(constraint) | O::LeftOuter(constraint) => (JoinKind::Left, Some(constraint)),
        O::Right(constraint) | O::RightOuter(constraint) => (JoinKind::Right, Some(constraint)),
        O::FullOuter(constraint) => (JoinKind::Full, Some(constraint)),
        _ => return Err(not_answered("this kind of join")),
    })
}

/// A condition, and which tables its sides are about where it is an equality.
fn conjunct(expr: Expr, slots: Slots) -> Conjunct {
    let equality = match &expr.kind {
        Kind::Test { test: Test::Compare(Comparison::Eq), left, right } => {
            own_slots(left).zip(own_slots(right))
        }
        _ => None,
    };
    Conjunct { expr, slots, equality }
}

/// The tables of this SELECT that an expression looks at; `None` where a query inside it may look at others.
fn own_slots(expr: &Expr) -> Option<Slots> {
    match &expr.kind {
        Kind::Constant(_) | Kind::Parameter(_) => Some(0),
        Kind::Column { up: 0, slot, .. } | Kind::WholeRow { up: 0, slot, .. } => Some(bit(*slot)),
        Kind::Column { .. } | Kind::WholeRow { .. } => Some(0),
        Kind::Cast { expr, .. } => own_slots(expr),
        Kind::Subscript { array, index } => Some(own_slots(array)? | own_slots(index)?),
        Kind::Field { record, .. } => own_slots(record),
        Kind::Arithmetic { left, right, .. } => Some(own_slots(left)? | own_slots(right)?),
        Kind::Call { arguments, .. } | Kind::Coalesce(arguments) => {
            arguments.iter().try_fold(0, |all, argument| Some(all | own_slots(argument)?))
        }
        _ => None,
    }
}

/// The column of this name among some tables, for USING.
fn side(scope: &Scope<'_>, name: &str, from: usize, to: usize) -> Result<(Expr, Slots), PgError> {
    let range: Slots = (from..to).fold(0, |all, slot| all | bit(slot));
    let merged = scope.merged.borrow();
    let merged = merged.iter().rev().find(|merged| merged.name == name && merged.slots & !range == 0);
    let hidden = merged.map_or(0, |merged| merged.slots);
    let mut found = Vec::new();
    for slot in (from..to).filter(|slot| hidden & bit(*slot) == 0) {
        let columns = scope.slots.borrow()[slot].columns.clone();
        found.extend(columns.iter().position(|column| column.0 == name).map(|index| (slot, index)));
    }
    match (merged, found.as_slice()) {
        (Some(merged), []) => Ok((merged.expr.clone(), merged.slots)),
        (None, [(slot, index)]) => Ok((scope.column(0, *slot, *index), bit(*slot))),
        (None, []) => {
            let message =
                format!("column \"{}\" specified in USING clause does not exist in both tables", shown(name));
            Err(PgError::new("42703", message))
        }
        _ => {
            let message = format!("common column name \"{}\" appears more than once in a table", shown(name));
            Err(PgError::new("42702", message))
        }
    }
}

fn common_names(scope: &Scope<'_>, start: usize, middle: usize) -> Vec<String> {
    let slots = scope.slots.borrow();
    let right: Vec<_> =
        slots[middle..].iter().flat_map(|slot| slot.columns.iter()).map(|column| &column.0).collect();
    let mut names: Vec<String> = Vec::new();
    for (name, _) in slots[start..middle].iter().flat_map(|slot| slot.columns.iter()) {
        if right.contains(&name) && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn no_relation(name: &str) -> PgError {
    PgError::new("42P01", format!("relation \"{}\" does not exist", shown(name)))
}
