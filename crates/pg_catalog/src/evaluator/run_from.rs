//! Joins. Tables whose order is free are taken smallest first, then by equalities that lead from one to the next, which are
//! looked up by hash; a condition is checked as soon as its tables are there.

use std::collections::HashMap;
use std::rc::Rc;

use super::compare::{Key, key};
use super::plan::{Comparison, Conjunct, Expr, Factor, Group, Kind, Shape, Slots, Source, Test};
use super::run::{Env, Index, RowRef, Run, Tuple};
use super::scope::bit;
use crate::{PgError, PgValue};

/// Tables with fewer rows are read through.
const INDEX_MIN: usize = 24;

/// Rows of one side of a join, by the values that equalities ask for.
type ByKeys = HashMap<Vec<Key>, Vec<usize>>;

/// What a join starts from: rows that are there already (LATERAL), and whose.
#[derive(Clone, Copy)]
struct Base<'b> {
    tuple: &'b [RowRef],
    given: Slots,
    outer: Option<&'b Env<'b>>,
}

impl Run<'_, '_> {
    /// The rows of a FROM.
    pub(super) fn from(
        &self,
        group: &Group,
        slots: usize,
        outer: Option<&Env<'_>>,
    ) -> Result<Vec<Tuple>, PgError> {
        let tuple = vec![RowRef::Missing; slots];
        self.group(group, Base { tuple: &tuple, given: 0, outer })
    }

    fn group(&self, group: &Group, base: Base<'_>) -> Result<Vec<Tuple>, PgError> {
        let env = Env::new(base.outer, base.tuple);
        let mut open: Vec<&Conjunct> = Vec::new();
        for conjunct in &group.conjuncts {
            if conjunct.slots & !base.given != 0 {
                open.push(conjunct);
            } else if !self.holds(&conjunct.expr, &env)? {
                return Ok(Vec::new());
            }
        }
        let mut waiting: Vec<(&Factor, Option<Vec<Tuple>>)> = Vec::new();
        for factor in &group.factors {
            let rows = if factor.needs & !base.given == 0 { Some(self.factor(factor, base)?) } else { None };
            if rows.as_ref().is_some_and(Vec::is_empty) {
                return Ok(Vec::new());
            }
            waiting.push((factor, rows));
        }
        let mut have = base.given;
        let mut found = vec![base.tuple.to_vec()];
        while !waiting.is_empty() {
            let next = next(&waiting, &open, have).ok_or_else(|| {
                PgError::new("42P10", "a table of this FROM looks at one that is joined after it")
            })?;
            let (factor, rows) = waiting.swap_remove(next);
            let (ready, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|conjunct| conjunct.slots & !(have | factor.slots) == 0);
            open = rest;
            found = match rows {
                Some(rows) => self.join(found, have, rows, factor.slots, &ready, base)?,
                None => self.lateral(found, have, factor, &ready, base)?,
            };
            have |= factor.slots;
        }
        Ok(found)
    }

    /// Rows that are there with rows of one more table.
    fn join(
        &self,
        left: Vec<Tuple>,
        have: Slots,
        right: Vec<Tuple>,
        slots: Slots,
        on: &[&Conjunct],
        base: Base<'_>,
    ) -> Result<Vec<Tuple>, PgError> {
        let pairs = equalities(on, have, slots);
        let table = self.table(&pairs, &right, base)?;
        let mut found = Vec::new();
        for tuple in &left {
            let candidates = self.candidates(&pairs, table.as_ref(), right.len(), tuple, base)?;
            for at in candidates {
                self.spend(1)?;
                let merged = merged(tuple, &right[at], slots);
                if self.all_hold(on, &merged, base)? {
                    self.keep_bytes(24 + 32 * merged.len() as u64)?;
                    found.push(merged);
                }
            }
        }
        Ok(found)
    }

    /// The rows of one side of a join by the values that equalities ask for.
    fn table(
        &self,
        pairs: &[(&Expr, &Expr)],
        right: &[Tuple],
        base: Base<'_>,
    ) -> Result<Option<ByKeys>, PgError> {
        if pairs.is_empty() {
            return Ok(None);
        }
        let mut table = ByKeys::new();
        for (at, tuple) in right.iter().enumerate() {
            let env = Env::new(base.outer, tuple);
            if let Some(keys) = self.keys(pairs.iter().map(|pair| pair.1), &env)? {
                table.entry(keys).or_default().push(at);
            }
        }
        Ok(Some(table))
    }

    fn candidates(
        &self,
        pairs: &[(&Expr, &Expr)],
        table: Option<&ByKeys>,
        right: usize,
        tuple: &[RowRef],
        base: Base<'_>,
    ) -> Result<Vec<usize>, PgError> {
        let Some(table) = table else { return Ok((0..right).collect()) };
        let env = Env::new(base.outer, tuple);
        let keys = self.keys(pairs.iter().map(|pair| pair.0), &env)?;
        Ok(keys.and_then(|keys| table.get(&keys).cloned()).unwrap_or_default())
    }

    /// Keys of values; `None` where one is NULL, which is equal to nothing.
    fn keys<'e>(
        &self,
        list: impl Iterator<Item = &'e Expr>,
        env: &Env<'_>,
    ) -> Result<Option<Vec<Key>>, PgError> {
        let mut keys = Vec::new();
        for expr in list {
            match key(&*self.eval(expr, env)?) {
                Key::Null => return Ok(None),
                key => keys.push(key),
            }
        }
        Ok(Some(keys))
    }

    fn lateral(
        &self,
        left: Vec<Tuple>,
        have: Slots,
        factor: &Factor,
        on: &[&Conjunct],
        base: Base<'_>,
    ) -> Result<Vec<Tuple>, PgError> {
        let mut found = Vec::new();
        for tuple in &left {
            for row in self.factor(factor, Base { tuple, given: have, ..base })? {
                self.spend(1)?;
                if self.all_hold(on, &row, base)? {
                    self.keep_bytes(24 + 32 * row.len() as u64)?;
                    found.push(row);
                }
            }
        }
        Ok(found)
    }

    fn all_hold(&self, on: &[&Conjunct], tuple: &[RowRef], base: Base<'_>) -> Result<bool, PgError> {
        let env = Env::new(base.outer, tuple);
        for conjunct in on {
            if !self.holds(&conjunct.expr, &env)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rows of one table that pass its own conditions, put into the rows that are there.
    fn factor(&self, factor: &Factor, base: Base<'_>) -> Result<Vec<Tuple>, PgError> {
        let (slot, rows): (usize, Vec<RowRef>) = match &factor.source {
            Source::Relation { slot, rows } => {
                let places = self.looked_up(*slot, rows, &factor.filters, base)?;
                let places = places.unwrap_or_else(|| (0..rows.len()).collect());
                (*slot, places.into_iter().map(|at| RowRef::Shared(rows.clone(), at)).collect())
            }
            Source::Cte { slot, id } => {
                let rows = self.place(*id).unwrap_or_default();
                (*slot, rows.iter().map(|row| RowRef::Owned(Rc::clone(row))).collect())
            }
            Source::Query { slot, query, lateral } => {
                let inside = Env::new(base.outer, base.tuple);
                let rows = self.subquery(query, if *lateral { Some(&inside) } else { base.outer })?;
                (*slot, rows.iter().map(|row| RowRef::Owned(Rc::clone(row))).collect())
            }
            Source::Call { slot, calls, shape, ordinality } => {
                (*slot, self.called(calls, *shape, *ordinality, base)?)
            }
            Source::Outer { full, left, right, on } => {
                let rows = self.outer_join(*full, left, right, on, base)?;
                return self.filtered(rows, &factor.filters, base);
            }
        };
        let mut tuple = base.tuple.to_vec();
        let mut found = Vec::new();
        for row in rows {
            self.spend(1)?;
            tuple[slot] = row;
            if self.passes(&factor.filters, &tuple, base)? {
                self.keep_bytes(24 + 32 * tuple.len() as u64)?;
                found.push(tuple.clone());
            }
        }
        Ok(found)
    }

    fn filtered(&self, rows: Vec<Tuple>, filters: &[Expr], base: Base<'_>) -> Result<Vec<Tuple>, PgError> {
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            if self.passes(filters, &row, base)? {
                found.push(row);
            }
        }
        Ok(found)
    }

    fn passes(&self, filters: &[Expr], tuple: &[RowRef], base: Base<'_>) -> Result<bool, PgError> {
        let env = Env::new(base.outer, tuple);
        for filter in filters {
            if !self.holds(filter, &env)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rows that an equality of one column with something else leaves, by an index that is made once.
    fn looked_up(
        &self,
        slot: usize,
        rows: &std::sync::Arc<[Vec<PgValue>]>,
        filters: &[Expr],
        base: Base<'_>,
    ) -> Result<Option<Vec<usize>>, PgError> {
        if rows.len() < INDEX_MIN {
            return Ok(None);
        }
        let Some((column, with)) = filters.iter().find_map(|filter| lookup(filter, slot)) else {
            return Ok(None);
        };
        let name = (rows.as_ptr() as usize, column);
        let known = self.indexes.borrow().get(&name).cloned();
        let index: Index = match known {
            Some(index) => index,
            None => {
                self.spend(rows.len() as u64)?;
                let mut index: HashMap<Key, Vec<usize>> = HashMap::new();
                for (at, row) in rows.iter().enumerate() {
                    index.entry(key(&row[column])).or_default().push(at);
                }
                let index = Rc::new(index);
                self.indexes.borrow_mut().insert(name, Rc::clone(&index));
                index
            }
        };
        let env = Env::new(base.outer, base.tuple);
        let wanted = key(&*self.eval(with, &env)?);
        Ok(Some(if wanted == Key::Null {
            Vec::new()
        } else {
            index.get(&wanted).cloned().unwrap_or_default()
        }))
    }

    fn called(
        &self,
        calls: &[Expr],
        shape: Shape,
        ordinality: bool,
        base: Base<'_>,
    ) -> Result<Vec<RowRef>, PgError> {
        let env = Env::new(base.outer, base.tuple);
        let mut columns: Vec<Vec<PgValue>> = Vec::new();
        for call in calls {
            columns.push(match shape {
                Shape::Scalar => vec![self.eval(call, &env)?.into_owned()],
                Shape::Elements | Shape::Records => self.set_values(call, &env)?,
            });
        }
        let length = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut found = Vec::with_capacity(length);
        for at in 0..length {
            self.spend(1)?;
            let mut row = Vec::new();
            for column in &columns {
                let value = column.get(at).cloned().unwrap_or(PgValue::Null);
                match (shape, value) {
                    (Shape::Records, PgValue::Record(fields)) => {
                        row.extend(fields.into_iter().map(|field| field.1));
                    }
                    (_, value) => row.push(value),
                }
            }
            if ordinality {
                row.push(PgValue::Int(at as i64 + 1));
            }
            self.keep(&row)?;
            found.push(RowRef::Owned(Rc::new(row)));
        }
        Ok(found)
    }

    fn outer_join(
        &self,
        full: bool,
        left: &Group,
        right: &Group,
        on: &[Conjunct],
        base: Base<'_>,
    ) -> Result<Vec<Tuple>, PgError> {
        let have = left.slots();
        let slots = right.slots();
        let left_rows = self.group(left, base)?;
        let on: Vec<&Conjunct> = on.iter().collect();
        let lateral = right.needs() & have != 0;
        let right_rows = if lateral { Vec::new() } else { self.group(right, base)? };
        let pairs = equalities(&on, have | base.given, slots);
        let table = self.table(&pairs, &right_rows, base)?;
        let mut matched = vec![false; right_rows.len()];
        let mut found = Vec::new();
        for tuple in left_rows {
            let rows;
            let (candidates, rows) = if lateral {
                rows = self.group(right, Base { tuple: &tuple, given: base.given | have, ..base })?;
                ((0..rows.len()).collect(), &rows)
            } else {
                (self.candidates(&pairs, table.as_ref(), right_rows.len(), &tuple, base)?, &right_rows)
            };
            let before = found.len();
            for at in candidates {
                self.spend(1)?;
                let merged = merged(&tuple, &rows[at], slots);
                if self.all_hold(&on, &merged, base)? {
                    self.keep_bytes(24 + 32 * merged.len() as u64)?;
                    found.push(merged);
                    if let Some(matched) = matched.get_mut(at) {
                        *matched = true;
                    }
                }
            }
            if found.len() == before {
                self.keep_bytes(24)?;
                found.push(tuple);
            }
        }
        if full {
            let alone = right_rows.into_iter().zip(matched).filter(|(_, matched)| !matched);
            found.extend(alone.map(|(row, _)| row));
        }
        Ok(found)
    }
}

/// Which table is joined next: one that an equality leads to, before one that does not; the smallest of them.
fn next(waiting: &[(&Factor, Option<Vec<Tuple>>)], open: &[&Conjunct], have: Slots) -> Option<usize> {
    let cost = |(factor, rows): &(&Factor, Option<Vec<Tuple>>)| {
        let linked = !equalities(open, have, factor.slots).is_empty();
        match rows {
            Some(rows) => (if linked { 0 } else { 2 }, rows.len()),
            None => (1, 0),
        }
    };
    let able = waiting.iter().enumerate().filter(|(_, (factor, _))| factor.needs & !have == 0);
    able.min_by_key(|(_, waiting)| cost(waiting)).map(|(at, _)| at)
}

/// The equalities between what is there and a new table, that side first.
fn equalities<'c>(on: &[&'c Conjunct], have: Slots, new: Slots) -> Vec<(&'c Expr, &'c Expr)> {
    let pairs = on.iter().filter_map(|conjunct| {
        let Kind::Test { left, right, .. } = &conjunct.expr.kind else { return None };
        let (one, other) = conjunct.equality?;
        let leads = |from: Slots, to: Slots| from & !have == 0 && from != 0 && to & !new == 0 && to != 0;
        if leads(one, other) {
            Some((left.as_ref(), right.as_ref()))
        } else if leads(other, one) {
            Some((right.as_ref(), left.as_ref()))
        } else {
            None
        }
    });
    pairs.collect()
}

fn merged(left: &[RowRef], right: &[RowRef], slots: Slots) -> Tuple {
    let pick =
        |(at, row): (usize, &RowRef)| if slots & bit(at) != 0 { right[at].clone() } else { row.clone() };
    left.iter().enumerate().map(pick).collect()
}

/// `column = something else`, of this table.
fn lookup(filter: &Expr, slot: usize) -> Option<(usize, &Expr)> {
    let Kind::Test { test: Test::Compare(Comparison::Eq), left, right } = &filter.kind else { return None };
    let column = |expr: &Expr| match &expr.kind {
        Kind::Column { up: 0, slot: of, index } if *of == slot => Some(*index),
        _ => None,
    };
    let elsewhere = |expr: &Expr| match &expr.kind {
        Kind::Constant(_) | Kind::Parameter(_) => true,
        Kind::Column { up, .. } => *up > 0,
        Kind::Cast { expr, .. } => matches!(expr.kind, Kind::Parameter(_) | Kind::Column { up: 1.., .. }),
        _ => false,
    };
    match (column(left), column(right)) {
        (Some(index), _) if elsewhere(right) => Some((index, right)),
        (_, Some(index)) if elsewhere(left) => Some((index, left)),
        _ => None,
    }
}
