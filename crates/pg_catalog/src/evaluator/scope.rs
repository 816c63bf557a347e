//! Which names a part of a statement can see.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::plan::{Aggregate, Expr, Kind, Slots, Type, Window};
use crate::{Base, PgError, PgType};

/// A table of a FROM.
#[derive(Clone)]
pub(super) struct Slot {
    /// What its columns are qualified with.
    pub alias: String,
    /// The schema, for tables without an alias.
    pub schema: Option<&'static str>,
    pub columns: Arc<[(String, Type)]>,
}

/// What an expression stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// Neither aggregates nor functions that give rows.
    Rows,
    /// Aggregates too.
    Having,
    /// Everything.
    List,
    /// Inside an aggregate.
    Aggregate,
}

/// The names of one SELECT, and of those around it.
pub(super) struct Scope<'s> {
    pub parent: Option<&'s Scope<'s>>,
    pub ctes: &'s Ctes<'s>,
    pub depth: usize,
    pub slots: RefCell<Vec<Slot>>,
    /// The first table that is seen: a condition of a JOIN sees its own tables only.
    pub first: Cell<usize>,
    /// Columns of USING: each is the first table's that has it.
    pub merged: RefCell<Vec<Merged>>,
    /// The tables that were looked at.
    pub used: Cell<Slots>,
    pub clause: Cell<Clause>,
    pub aggregates: RefCell<Vec<Aggregate>>,
    pub windows: RefCell<Vec<Window>>,
    pub sets: RefCell<Vec<Expr>>,
}

/// A column that USING makes of two.
#[derive(Clone)]
pub(super) struct Merged {
    pub name: String,
    pub slots: Slots,
    pub expr: Expr,
}

/// A query of WITH.
#[derive(Clone)]
pub(super) struct CteEntry {
    pub name: String,
    pub id: usize,
    pub columns: Arc<[(String, Type)]>,
    /// What it looks at: whoever looks at it looks at that too.
    pub looks_at: Looks,
}

/// What a query looks at outside itself.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    /// The outermost SELECT whose rows it sees.
    pub depth: usize,
    /// The recursive queries that it stands in and sees.
    pub working: BTreeSet<usize>,
}

impl Default for Looks {
    fn default() -> Self {
        Self { depth: usize::MAX, working: BTreeSet::new() }
    }
}

impl Looks {
    pub fn add(&mut self, other: &Looks) {
        self.depth = self.depth.min(other.depth);
        self.working.extend(&other.working);
    }
}

/// The queries of WITH that are seen.
pub(super) struct Ctes<'s> {
    pub parent: Option<&'s Ctes<'s>>,
    pub entries: RefCell<Vec<CteEntry>>,
}

impl<'s> Ctes<'s> {
    pub fn new(parent: Option<&'s Ctes<'s>>) -> Self {
        Self { parent, entries: RefCell::default() }
    }

    pub fn find(&self, name: &str) -> Option<CteEntry> {
        let here = self.entries.borrow().iter().rev().find(|entry| entry.name == name).cloned();
        here.or_else(|| self.parent.and_then(|parent| parent.find(name)))
    }
}

impl<'s> Scope<'s> {
    pub fn new(parent: Option<&'s Scope<'s>>, ctes: &'s Ctes<'s>) -> Self {
        Self {
            parent,
            ctes,
            depth: parent.map_or(0, |parent| parent.depth + 1),
            slots: RefCell::default(),
            first: Cell::new(0),
            merged: RefCell::default(),
            used: Cell::new(0),
            clause: Cell::new(Clause::Rows),
            aggregates: RefCell::default(),
            windows: RefCell::default(),
            sets: RefCell::default(),
        }
    }

    /// What `bind` gives, and the tables of this SELECT that it looks at.
    pub fn tracked<T>(&self, bind: impl FnOnce() -> Result<T, PgError>) -> Result<(T, Slots), PgError> {
        let before = self.used.replace(0);
        let bound = bind()?;
        let used = self.used.get();
        self.used.set(before | used);
        Ok((bound, used))
    }

    /// What `bind` gives when it stands in this clause.
    pub fn within<T>(&self, clause: Clause, bind: impl FnOnce() -> Result<T, PgError>) -> Result<T, PgError> {
        let before = self.clause.replace(clause);
        let bound = bind();
        self.clause.set(before);
        bound
    }

    /// A column of a table of this SELECT.
    pub fn column(&self, up: usize, slot: usize, index: usize) -> Expr {
        self.used.set(self.used.get() | bit(slot));
        let ty = self.slots.borrow()[slot].columns[index].1.clone();
        Expr::new(Kind::Column { up, slot, index }, ty)
    }

    /// A column without its table, in this SELECT alone.
    fn unqualified(&self, up: usize, name: &str) -> Result<Option<Expr>, PgError> {
        let first = self.first.get();
        let merged = self.merged.borrow();
        let hidden = merged.iter().rev().find(|merged| merged.name == name);
        let hidden = hidden.filter(|merged| merged.slots.trailing_zeros() as usize >= first);
        let mut found = Vec::new();
        for (slot, table) in self.slots.borrow().iter().enumerate().skip(first) {
            if hidden.is_some_and(|merged| merged.slots & bit(slot) != 0) {
                continue;
            }
            let same = table.columns.iter().enumerate().filter(|(_, column)| column.0 == name);
            found.extend(same.map(|(index, _)| (slot, index)));
        }
        match (hidden, found.as_slice()) {
            (None, []) => Ok(None),
            (None, [(slot, index)]) => Ok(Some(self.column(up, *slot, *index))),
            (Some(merged), []) => {
                self.used.set(self.used.get() | merged.slots);
                Ok(Some(moved(&merged.expr, up)))
            }
            _ => Err(PgError::new("42702", format!("column reference \"{}\" is ambiguous", shown(name)))),
        }
    }

    /// The table of this name, in this SELECT alone.
    pub fn table(&self, schema: Option<&str>, name: &str) -> Option<usize> {
        let slots = self.slots.borrow();
        let fits = |slot: &Slot| slot.alias == name && (schema.is_none() || slot.schema == schema);
        slots.iter().enumerate().skip(self.first.get()).find(|(_, slot)| fits(slot)).map(|(at, _)| at)
    }

    /// The column or row that a name means, and in which SELECT: this one is 0, the one around it 1.
    pub fn name(&self, name: &str) -> Result<Option<(Expr, usize)>, PgError> {
        for (up, scope) in self.outwards() {
            if let Some(expr) = scope.unqualified(up, name)? {
                return Ok(Some((expr, scope.depth)));
            }
        }
        for (up, scope) in self.outwards() {
            if let Some(slot) = scope.table(None, name) {
                return Ok(Some((scope.whole_row(up, slot), scope.depth)));
            }
        }
        Ok(None)
    }

    /// The column that `table.column` means.
    pub fn qualified(
        &self,
        schema: Option<&str>,
        table: &str,
        name: &str,
    ) -> Result<Option<(Expr, usize)>, PgError> {
        for (up, scope) in self.outwards() {
            let Some(slot) = scope.table(schema, table) else { continue };
            let columns = scope.slots.borrow()[slot].columns.clone();
            let index = columns.iter().position(|column| column.0 == name).ok_or_else(|| {
                PgError::new("42703", format!("column {}.{} does not exist", shown(table), shown(name)))
            })?;
            return Ok(Some((scope.column(up, slot, index), scope.depth)));
        }
        Ok(None)
    }

    fn whole_row(&self, up: usize, slot: usize) -> Expr {
        self.used.set(self.used.get() | bit(slot));
        let columns = self.slots.borrow()[slot].columns.clone();
        let names = columns.iter().map(|column| column.0.clone()).collect();
        let fields = columns.iter().map(|column| (column.0.clone(), column.1.pg)).collect();
        let ty = Type { pg: PgType::of(Base::Record), fields: Some(fields) };
        Expr::new(Kind::WholeRow { up, slot, names }, ty)
    }

    fn outwards(&self) -> impl Iterator<Item = (usize, &Scope<'s>)> {
        std::iter::successors(Some(self), |scope| scope.parent.map(|parent| parent as &Scope<'s>)).enumerate()
    }
}

/// A merged column as seen from further inside.
fn moved(expr: &Expr, up: usize) -> Expr {
    let mut expr = expr.clone();
    match &mut expr.kind {
        Kind::Column { up: place, .. } => *place = up,
        Kind::Coalesce(list) => {
            for item in list {
                *item = moved(item, up);
            }
        }
        _ => {}
    }
    expr
}

pub(super) fn bit(slot: usize) -> Slots {
    1 << slot
}

/// A name for a message: short, and without signs that a terminal would obey.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(63).flat_map(char::escape_debug).collect()
}
