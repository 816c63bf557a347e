//! Conditions with subqueries: [NOT] IN, [NOT] EXISTS, = ANY, and numbers of a subquery beside a row.
//!
//! **Theorem.** Where the untouched unit of the row equals that of the subquery's rows, as a condition of its own, the
//! subquery sees the rows of one person, and whether it has one, none or which number is a function of that person's rows:
//! a semi, anti or left join of one person's rows. Of public tables every subquery is a function of the row. Without
//! either, a condition would be an oracle about everybody.

use pointillist_catalog::Value;
use pointillist_errors::{Explained, Kind};
use pointillist_plan::{
    Comparison, ExactAggregate, ExactFunction, Function, Join, JoinKind, Relation, Scalar, visit,
};
use sqlparser::ast::{BinaryOperator, Expr, Query, SelectItem, SetExpr, UnaryOperator};

use crate::aggregate::AGGREGATES;
use crate::bounds;
use crate::coercion::{Typed, unify};
use crate::conjuncts::{conjuncts, inside};
use crate::exact::is_exact_call;
use crate::expression::{Lowering, OUTER};
use crate::from::Tables;
use crate::join::two_scopes;
use crate::names::{self, Meaning, Visible};
use crate::person_group::Groups;
use crate::plain::{Named, Plain, plain_select};
use crate::refusal::{Refusal, shown};
use crate::same_person::{Compared, On, Sides, equality, shifted};
use crate::size;
use crate::source::{Role, Source};
use crate::subquery::{Known, is_aggregate, item_of};

/// A condition with a subquery.
struct Member<'q> {
    /// What is compared with the subquery's column; `None` for EXISTS.
    value: Option<&'q Expr>,
    query: &'q Query,
    negated: bool,
}

/// A subquery beside the rows of a source.
struct Inner<'q> {
    source: Source,
    on: On,
    /// Its SELECT, unless that has groups of its own.
    select: Option<Plain<'q>>,
}

fn member(expr: &Expr) -> Option<Member<'_>> {
    match expr {
        Expr::Nested(inner) => member(inner),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => {
            member(expr).map(|found| Member { negated: !found.negated, ..found })
        }
        Expr::Exists { subquery, negated } => {
            Some(Member { value: None, query: subquery, negated: *negated })
        }
        Expr::InSubquery { expr, subquery, negated } => {
            Some(Member { value: Some(expr), query: subquery, negated: *negated })
        }
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => match right.as_ref() {
            Expr::Subquery(query) => Some(Member { value: Some(left), query, negated: false }),
            _ => None,
        },
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => match right.as_ref() {
            Expr::Subquery(query) => Some(Member { value: Some(left), query, negated: true }),
            _ => None,
        },
        _ => None,
    }
}

/// The parts of a condition that make it true when they are: through AND, OR and brackets.
fn alternatives(expr: &Expr) -> Vec<&Expr> {
    let (mut found, mut waiting) = (Vec::new(), vec![expr]);
    while let Some(next) = waiting.pop() {
        match next {
            Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, right } => {
                waiting.push(right);
                waiting.push(left);
            }
            Expr::Nested(inner) => waiting.push(inner),
            other => found.push(other),
        }
    }
    found
}

/// Whether an expression is a subquery that may become a column.
fn is_subquery(expr: &Expr) -> bool {
    match expr {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => true,
        Expr::AnyOp { right, .. } | Expr::AllOp { right, .. } => matches!(right.as_ref(), Expr::Subquery(_)),
        _ => false,
    }
}

impl Tables<'_, '_> {
    /// Leaves out the rows for which one of these conditions is not true.
    pub(crate) fn filter<'q>(
        &self,
        source: &mut Source,
        wheres: &[&'q Expr],
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(), Refusal> {
        for condition in wheres {
            match member(condition) {
                Some(member) => self.member_of(source, &member, named, depth)?,
                None => {
                    let mut known: Known<'q> = Vec::new();
                    let all = inside(condition, is_subquery);
                    for part in alternatives(condition) {
                        // Where only truth counts, unknown is as good as false; elsewhere the same words count, too.
                        if all.iter().filter(|other| **other == part).count() != 1 {
                            continue;
                        }
                        if let Some(member) = member(part).filter(|member| !member.negated) {
                            known.push((part, self.marker(source, &member, true, named, depth)?));
                        }
                    }
                    self.more_subqueries(source, &[condition], &mut known, named, depth)?;
                    let lowering = Lowering { known: &known, ..Lowering::rows(&source.visible, self.nodes) };
                    let condition = lowering.condition(condition, "WHERE")?;
                    source.keep(condition);
                }
            }
        }
        Ok(())
    }

    /// The subqueries inside expressions of a row, as columns beside it.
    pub(crate) fn subqueries<'q>(
        &self,
        source: &mut Source,
        exprs: &[&'q Expr],
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Known<'q>, Refusal> {
        let mut known: Known<'q> = Vec::new();
        self.more_subqueries(source, exprs, &mut known, named, depth)?;
        Ok(known)
    }

    fn more_subqueries<'q>(
        &self,
        source: &mut Source,
        exprs: &[&'q Expr],
        known: &mut Known<'q>,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(), Refusal> {
        for expr in exprs.iter().flat_map(|expr| inside(expr, is_subquery)) {
            if known.iter().any(|(other, _)| *other == expr) {
                continue;
            }
            let typed = match expr {
                Expr::Subquery(query) => self.number(source, query, named, depth)?,
                other => match member(other) {
                    Some(member) => self.marker(source, &member, false, named, depth)?,
                    None => return Err(crate::functions::refused(other)),
                },
            };
            known.push((expr, typed));
        }
        Ok(())
    }

    /// A semi or anti join.
    fn member_of<'q>(
        &self,
        source: &mut Source,
        member: &Member<'q>,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(), Refusal> {
        let mut inner = self.inner(source, member.query, false, named, depth)?;
        let compared = match member.value {
            Some(value) => self.compare(source, &mut inner, value)?,
            None => None,
        };
        check_people(source, &inner, "a subquery of a condition")?;
        let Inner { source: right, mut on, .. } = inner;
        let kind = match (member.negated, compared) {
            (false, compared) => {
                on.keys.extend(compared);
                JoinKind::Semi
            }
            (true, None) => JoinKind::Anti,
            (true, Some((one, other))) => {
                let sure =
                    bounds::never_null(&one, &source.columns) && bounds::never_null(&other, &right.columns);
                match (sure, on.keys.is_empty() && on.condition.is_none()) {
                    (true, _) => {
                        on.keys.push((one, other));
                        JoinKind::Anti
                    }
                    (false, true) => {
                        on.keys.push((one, other));
                        JoinKind::NotIn
                    }
                    (false, false) => {
                        return Err(Refusal::not_provable(
                            "NOT IN with a NULL on either side, in a subquery that looks at other columns of the row",
                            "write NOT EXISTS (SELECT 1 FROM … WHERE b.x = a.x AND …)",
                        ));
                    }
                }
            }
        };
        self.nodes.take(on.keys.len() + 1)?;
        let left = std::mem::replace(&mut source.relation, Relation::Union(Vec::new()));
        let join = Join { left, right: right.filtered(), kind, keys: on.keys, condition: on.condition };
        source.relation = Relation::Join(Box::new(join));
        size::check_relation(&source.relation)
    }

    /// Whether there is such a row, as a truth value beside each row; false for unknown only where that is allowed.
    fn marker<'q>(
        &self,
        source: &mut Source,
        member: &Member<'q>,
        or_unknown: bool,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Typed, Refusal> {
        let mut inner = self.inner(source, member.query, false, named, depth)?;
        if let Some(value) = member.value
            && let Some((one, other)) = self.compare(source, &mut inner, value)?
        {
            let sure = bounds::never_null(&one, &source.columns)
                && bounds::never_null(&other, &inner.source.columns);
            if !sure && !or_unknown {
                return Err(Refusal::not_provable(
                    "IN (SELECT …) with values that may be NULL is answered as a condition of WHERE of its own",
                    "write EXISTS (SELECT 1 FROM … WHERE b.x = a.x AND …) in its place",
                ));
            }
            inner.on.keys.push((one, other));
        }
        check_people(source, &inner, "a subquery of a condition")?;
        let rows = ExactAggregate {
            function: ExactFunction::Count,
            value: Scalar::Constant(Value::Boolean(true)),
            counted: None,
            distinct: false,
        };
        let first = self.beside(source, inner, vec![(rows, "exists".to_owned())])?;
        let none = || Box::new(Scalar::Constant(Value::Integer(0)));
        let count = Scalar::Call(Function::Coalesce, vec![Scalar::Column(first), *none()]);
        let some = Scalar::Compare(Comparison::Greater, Box::new(count), none());
        Ok(Typed::boolean(crate::expression::negate(some, member.negated)))
    }

    /// `(SELECT aggregate FROM …)`: one number beside each row.
    fn number<'q>(
        &self,
        source: &mut Source,
        query: &'q Query,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Typed, Refusal> {
        if let Some(number) = self.released_number(source, query, named, depth)? {
            return Ok(number);
        }
        let not_one = || {
            Refusal::not_provable(
                "a subquery in the place of a value must be one aggregate: it could have several rows",
                "write (SELECT MAX(x) FROM … WHERE b.unit = a.unit), or join",
            )
        };
        let mut inner = self.inner(source, query, true, named, depth)?;
        let Some(select) = inner.select.take() else { return Err(not_one()) };
        let [item] = select.projection else { return Err(not_one()) };
        let (expr, _) = item_of(item).ok_or_else(not_one)?;
        let calls = inside(expr, is_exact_call);
        if calls.is_empty() {
            return Err(not_one());
        }
        check_people(source, &inner, "a subquery in the place of a value")?;
        let lowering = Lowering::rows(&inner.source.visible, self.nodes);
        let (mut aggregates, mut known): (Vec<(ExactAggregate, String)>, Known<'_>) =
            (Vec::new(), Vec::new());
        for call in calls {
            let (aggregate, kind) = self.exact(call, &lowering)?;
            let place = aggregates.iter().position(|(other, _)| *other == aggregate).unwrap_or_else(|| {
                aggregates.push((aggregate, crate::answer::column_name(call)));
                aggregates.len() - 1
            });
            known.push((call, Typed::new(Scalar::Column(AGGREGATES + place), kind)));
        }
        let value = Lowering { known: &known, ..lowering }.expression(expr)?;
        let counts: Vec<bool> =
            aggregates.iter().map(|(one, _)| one.function == ExactFunction::Count).collect();
        let first = self.beside(source, inner, aggregates)?;
        let scalar = visit::replaced(&value.scalar, &mut |part| match part {
            Scalar::Column(column) if is_aggregate(*column) => {
                let aggregate = column - AGGREGATES;
                let place = Scalar::Column(first + aggregate);
                // Where there are no rows, there is nothing beside: a count of nothing is zero.
                Some(Ok(match counts.get(aggregate) {
                    Some(true) => {
                        Scalar::Call(Function::Coalesce, vec![place, Scalar::Constant(Value::Integer(0))])
                    }
                    _ => place,
                }))
            }
            Scalar::Column(_) => Some(Err(not_one())),
            _ => None,
        })?;
        Ok(Typed { scalar, kind: value.kind })
    }

    /// Puts aggregates of a subquery beside the rows of a source; gives the column of the first.
    fn beside(
        &self,
        source: &mut Source,
        inner: Inner<'_>,
        aggregates: Vec<(ExactAggregate, String)>,
    ) -> Result<usize, Refusal> {
        let Inner { source: mut right, on, .. } = inner;
        if on.condition.is_some() {
            return Err(Refusal::not_provable(
                "a subquery in this place may look at the row around it with = alone",
                "write conditions as b.x = a.x AND …, or join",
            ));
        }
        let (ours, theirs): (Vec<Scalar>, Vec<Scalar>) = on.keys.into_iter().unzip();
        let mut keys: Vec<(Scalar, String)> = Vec::new();
        let mut pairs = Vec::new();
        for (one, other) in ours.into_iter().zip(theirs) {
            let place = keys.iter().position(|(key, _)| *key == other).unwrap_or_else(|| {
                keys.push((other, "key".to_owned()));
                keys.len() - 1
            });
            pairs.push((one, Scalar::Column(place)));
        }
        let width = source.columns.len();
        let first = width + keys.len();
        self.group(&mut right, keys, aggregates)?;
        let left = std::mem::replace(&mut source.relation, Relation::Union(Vec::new()));
        let join = Join { left, right: right.relation, kind: JoinKind::Left, keys: pairs, condition: None };
        source.relation = Relation::Join(Box::new(join));
        size::check_relation(&source.relation)?;
        for mut column in right.columns {
            column.nullable = true;
            source.columns.push(column);
            source.roles.push(Role::default());
        }
        Ok(first)
    }

    /// The rows of a subquery, and how they are connected to the rows around; of a number, before they are aggregated.
    fn inner<'q>(
        &self,
        outer: &Source,
        query: &'q Query,
        a_number: bool,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Inner<'q>, Refusal> {
        let plain = match query.body.as_ref() {
            SetExpr::Select(select) => Some(plain_select(select)?),
            _ => None,
        };
        let whole = query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some();
        let select = plain.filter(|select| {
            let items: Vec<&Expr> =
                select.projection.iter().filter_map(|item| Some(item_of(item)?.0)).collect();
            let grouped = !select.group_by.is_empty() || select.having.is_some() || select.distinct;
            let aggregated = !a_number && Groups::asked(select, &items);
            !grouped && !aggregated && select.windows.is_empty() && select.qualify.is_none() && !whole
        });
        let Some(select) = select else {
            let source = self.rows(query, named, depth + 1)?;
            return Ok(Inner { source, on: On::new(), select: None });
        };
        let named = self.names_of(query, named)?;
        let mut wheres = select.selection.map(conjuncts).unwrap_or_default();
        let mut source = self.from(select.from, &named, depth + 1, &mut wheres)?;
        let mut on = On::new();
        let width = outer.columns.len();
        let around: Vec<Visible> = outer.visible.iter().map(|one| shifted(one, OUTER)).collect();
        for condition in wheres {
            if self.connects(outer, &source, condition, &mut on)? {
                continue;
            }
            if member(condition).is_some() {
                self.filter(&mut source, &[condition], &named, depth + 1)?;
                continue;
            }
            let known = self.subqueries(&mut source, &[condition], &named, depth + 1)?;
            let lowering =
                Lowering { known: &known, outer: &around, ..Lowering::rows(&source.visible, self.nodes) };
            let condition = lowering.condition(condition, "WHERE").map_err(|refusal| {
                let apart = outer.people().is_some() && source.people().is_some() && !on.same_person;
                match refusal.kind() {
                    Kind::Privacy if apart => everybody(&source, "a subquery"),
                    _ => refusal,
                }
            })?;
            if visit::columns(&condition).all(|column| column < OUTER) {
                source.keep(condition);
                continue;
            }
            let both = visit::with_replaced(&condition, &mut |part| match part {
                Scalar::Column(column) => {
                    Some(Scalar::Column(column.checked_sub(OUTER).unwrap_or(column + width)))
                }
                _ => None,
            });
            on.add(both, width);
        }
        Ok(Inner { source, on, select: Some(select) })
    }

    /// Takes an equality of units, or of a link and its key, between a subquery and the rows around it.
    fn connects(&self, outer: &Source, inner: &Source, expr: &Expr, on: &mut On) -> Result<bool, Refusal> {
        let Some((left, right, or_null)) = equality(expr) else { return Ok(false) };
        if or_null {
            return Ok(false);
        }
        let width = outer.columns.len();
        let find = |name: &[String]| match names::find(&inner.visible, name) {
            Ok(found) => Some((shifted(found, width), false)),
            Err(_) if names::is_known(&inner.visible, name) => None,
            Err(_) => names::find(&outer.visible, name).ok().map(|found| (found.clone(), true)),
        };
        let (Some(left), Some(right)) = (find(&left), find(&right)) else { return Ok(false) };
        self.equal_names(outer, inner, (&left.0, left.1), (&right.0, right.1), on)
    }

    fn equal_names(
        &self,
        outer: &Source,
        inner: &Source,
        left: (&Visible, bool),
        right: (&Visible, bool),
        on: &mut On,
    ) -> Result<bool, Refusal> {
        let width = outer.columns.len();
        let sides = Sides { first: &outer.roles, second: &inner.roles, offset: width };
        if outer.people().is_none() || inner.people().is_none() {
            return Ok(false);
        }
        match sides.compared(left, right)? {
            None => Ok(false),
            Some(Compared::Units(absent)) => {
                on.same_person = true;
                absent.into_iter().for_each(|condition| on.add(condition, width));
                Ok(true)
            }
            Some(Compared::Link(one, other)) => {
                on.same_person = true;
                on.add(Scalar::Compare(Comparison::Equal, Box::new(one), Box::new(other)), width);
                Ok(true)
            }
        }
    }

    /// What IN compares: the value over the rows around, and the subquery's column; `None` where both are the unit.
    fn compare(
        &self,
        outer: &Source,
        inner: &mut Inner<'_>,
        value: &Expr,
    ) -> Result<Option<(Scalar, Scalar)>, Refusal> {
        let column = match &inner.select {
            None => match inner.source.visible.as_slice() {
                [only] => only.clone(),
                _ => return Err(one_column()),
            },
            Some(select) => {
                let [item] = select.projection else { return Err(one_column()) };
                self.column(item, &inner.source)?
            }
        };
        let width = outer.columns.len();
        if let Some(name) = names::named(value)
            && let Ok(found) = names::find(&outer.visible, &name)
        {
            let theirs = shifted(&column, width);
            let mut on = std::mem::replace(&mut inner.on, On::new());
            let taken = self.equal_names(outer, &inner.source, (found, true), (&theirs, false), &mut on);
            inner.on = on;
            if taken? {
                return Ok(None);
            }
        }
        let Meaning::Value(theirs) = column.meaning else {
            return Err(Refusal::not_private(
                format!("`{}` says whose row it is and is compared with something else", shown(&column.name)),
                "compare it with the privacy unit of the rows around",
            ));
        };
        let ours = Lowering::rows(&outer.visible, self.nodes).expression(value)?;
        let (mut both, _) = unify(vec![ours, theirs], "IN")?;
        match (both.pop(), both.pop()) {
            (Some(other), Some(one)) => Ok(Some((one, other))),
            _ => Err(one_column()),
        }
    }

    /// The one column of a subquery that is compared.
    fn column(&self, item: &SelectItem, source: &Source) -> Result<Visible, Refusal> {
        match item {
            SelectItem::Wildcard(_) => match source.visible.as_slice() {
                [only] => Ok(only.clone()),
                _ => Err(one_column()),
            },
            item => {
                let (expr, _) = item_of(item).ok_or_else(one_column)?;
                if let Some(found) =
                    names::named(expr).and_then(|name| names::find(&source.visible, &name).ok())
                {
                    return Ok(found.clone());
                }
                let typed = Lowering::rows(&source.visible, self.nodes).expression(expr)?;
                Ok(Visible::plain(crate::answer::column_name(expr), Meaning::Value(typed)))
            }
        }
    }
}

/// Refuses a subquery over other people's rows.
fn check_people(outer: &Source, inner: &Inner<'_>, what: &str) -> Result<(), Refusal> {
    let Some(theirs) = inner.source.people() else { return Ok(()) };
    let Some(ours) = outer.people() else {
        return Err(Refusal::not_provable(
            format!("{what} looks at people's rows from a public row, which is nobody's"),
            "ask about people's rows, and compare public ones with them",
        ));
    };
    if ours.scope != theirs.scope {
        return Err(two_scopes(&ours.scope, &theirs.scope));
    }
    if ours.unit.is_none() || theirs.unit.is_none() || !inner.on.same_person {
        return Err(everybody(&inner.source, what));
    }
    Ok(())
}

fn everybody(inner: &Source, what: &str) -> Refusal {
    let unit = inner.people().and_then(|people| people.unit.as_deref()).unwrap_or("unit");
    Refusal::not_provable(
        format!("{what} looks at everybody's rows of `{}`", inner.tables()),
        format!(
            "compare the privacy unit as a condition of its own, … WHERE b.{} = a.unit AND …; or ask the inner question \
             first and write its released answer into the outer one",
            shown(unit)
        ),
    )
}

fn one_column() -> Refusal {
    Refusal::mismatch("IN takes a subquery of one column", "write IN (SELECT x FROM …)")
}
