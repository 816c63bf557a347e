//! A plan at work.
//!
//! **Guarantee.** Whatever the statement, work and memory are bounded: every value that is computed takes a step of
//! [`STEPS_MAX`], every row that is kept takes of [`MEMORY_MAX`] what it holds, and a value is at most
//! [`VALUE_MAX`] bytes. What goes beyond is refused with 54001, by the text and the declared catalog alone.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use regex::Regex;

use super::cast::cast_value;
use super::compare::{Key, key, sorted};
use super::plan::{Body, Cast, CteBody, Distinct, Expr, QueryPlan, SetOp, SortKey, Subquery};
use crate::functions::Context;
use crate::{PgError, PgValue};

/// Steps of one statement.
pub(super) const STEPS_MAX: u64 = 1_500_000;
/// After so many steps it is looked at whether somebody still waits.
const STEPS_BETWEEN_LOOKS: u64 = 4_096;
/// Bytes of the rows that one statement keeps, roughly.
const MEMORY_MAX: u64 = 64 << 20;
/// Bytes of one value.
pub(crate) const VALUE_MAX: usize = 1 << 18;
/// How often a recursive query runs.
const ROUNDS_MAX: usize = 10_000;
/// Different regular expressions in one statement.
const PATTERNS_MAX: usize = 64;
/// Steps that making a regular expression takes.
const PATTERN_STEPS: u64 = 10_000;

pub(super) type Row = Rc<Vec<PgValue>>;
pub(super) type Rows = Rc<Vec<Row>>;
/// The rows of a table by the value of one column.
pub(super) type Index = Rc<HashMap<Key, Vec<usize>>>;

/// A row of one table in FROM.
#[derive(Clone)]
pub(super) enum RowRef {
    /// None: all columns are NULL.
    Missing,
    /// A row of a system table.
    Shared(std::sync::Arc<[Vec<PgValue>]>, usize),
    /// A row that was computed.
    Owned(Row),
}

impl RowRef {
    pub fn get(&self, index: usize) -> &PgValue {
        let value = match self {
            Self::Missing => None,
            Self::Shared(rows, at) => rows.get(*at).and_then(|row| row.get(index)),
            Self::Owned(row) => row.get(index),
        };
        value.unwrap_or(&PgValue::Null)
    }
}

/// A row of a FROM: one row of each of its tables.
pub(super) type Tuple = Vec<RowRef>;

/// What names mean while a row is looked at.
#[derive(Clone, Copy)]
pub(super) struct Env<'e> {
    pub parent: Option<&'e Env<'e>>,
    pub tuple: &'e [RowRef],
    pub aggregates: &'e [PgValue],
    pub windows: &'e [PgValue],
    pub sets: &'e [PgValue],
}

impl<'e> Env<'e> {
    pub fn new(parent: Option<&'e Env<'e>>, tuple: &'e [RowRef]) -> Self {
        Self { parent, tuple, aggregates: &[], windows: &[], sets: &[] }
    }
}

pub(super) struct Run<'r, 's> {
    pub context: RefCell<Context<'r, 's>>,
    pub parameters: &'r [PgValue],
    steps: Cell<u64>,
    memory: Cell<u64>,
    is_stopped: &'r dyn Fn() -> bool,
    /// Rows of queries that are kept: of WITH, and of those that are the same whoever asks.
    places: RefCell<Vec<Option<Rows>>>,
    /// The first columns of kept rows.
    members: RefCell<HashMap<usize, Rc<HashSet<Key>>>>,
    patterns: RefCell<HashMap<(String, bool), Rc<Regex>>>,
    pub indexes: RefCell<HashMap<(usize, usize), Index>>,
}

impl<'r, 's> Run<'r, 's> {
    pub fn new(
        context: Context<'r, 's>,
        parameters: &'r [PgValue],
        places: usize,
        is_stopped: &'r dyn Fn() -> bool,
    ) -> Self {
        Self {
            context: RefCell::new(context),
            parameters,
            steps: Cell::new(STEPS_MAX),
            memory: Cell::new(MEMORY_MAX),
            is_stopped,
            places: RefCell::new(vec![None; places]),
            members: RefCell::default(),
            patterns: RefCell::default(),
            indexes: RefCell::default(),
        }
    }

    /// Takes steps.
    pub fn spend(&self, steps: u64) -> Result<(), PgError> {
        let before = self.steps.get();
        let left = before.checked_sub(steps).ok_or_else(too_much)?;
        self.steps.set(left);
        if before / STEPS_BETWEEN_LOOKS != left / STEPS_BETWEEN_LOOKS && (self.is_stopped)() {
            return Err(PgError::new("57014", "canceling statement: nobody waits for it"));
        }
        Ok(())
    }

    /// Takes memory for values that are kept.
    pub fn keep(&self, values: &[PgValue]) -> Result<(), PgError> {
        let bytes: u64 = 64 + values.iter().map(weight).sum::<u64>();
        self.keep_bytes(bytes)
    }

    pub fn keep_bytes(&self, bytes: u64) -> Result<(), PgError> {
        self.memory.set(self.memory.get().checked_sub(bytes).ok_or_else(too_much)?);
        Ok(())
    }

    /// The rows of a query.
    pub fn query(&self, plan: &QueryPlan, outer: Option<&Env<'_>>) -> Result<Vec<Row>, PgError> {
        for cte in &plan.ctes {
            let kept = self.places.borrow().get(cte.id).is_some_and(Option::is_some);
            if cte.constant && kept {
                continue;
            }
            let rows = match &cte.plan {
                CteBody::Once(plan) => self.query(plan, outer)?,
                CteBody::Recursive { first, again, all, casts } => {
                    self.recursive(cte.id, (first, again), *all, casts, outer)?
                }
            };
            self.put(cte.id, Rc::new(rows));
        }
        let mut rows = self.body(&plan.body, outer)?;
        self.sort(&mut rows, &plan.order)?;
        if let Body::Select(select) = &plan.body
            && let Distinct::On(columns) = &select.distinct
        {
            let mut seen = HashSet::new();
            rows.retain(|row| {
                seen.insert(columns.iter().map(|column| key(&row[*column])).collect::<Vec<_>>())
            });
        }
        self.cut(plan, &mut rows, outer)?;
        let width = plan.columns.len();
        if rows.first().is_some_and(|row| row.len() > width) {
            for row in &mut rows {
                Rc::make_mut(row).truncate(width);
            }
        }
        Ok(rows)
    }

    fn body(&self, body: &Body, outer: Option<&Env<'_>>) -> Result<Vec<Row>, PgError> {
        match body {
            Body::Select(select) => self.select(select, outer),
            Body::Query(plan) => self.query(plan, outer),
            Body::Values(rows) => {
                let env = Env::new(outer, &[]);
                rows.iter().map(|row| self.row(row, &env)).collect()
            }
            Body::Set { op, all, sides } => {
                let [(left, left_casts), (right, right_casts)] = sides.as_ref();
                let left = self.brought(self.query(left, outer)?, left_casts)?;
                let right = self.brought(self.query(right, outer)?, right_casts)?;
                self.spend((left.len() + right.len()) as u64)?;
                Ok(united(*op, *all, left, right))
            }
        }
    }

    /// A row of values.
    pub fn row(&self, list: &[Expr], env: &Env<'_>) -> Result<Row, PgError> {
        let row = list.iter().map(|item| Ok(self.eval(item, env)?.into_owned()));
        let row = row.collect::<Result<Vec<_>, PgError>>()?;
        self.keep(&row)?;
        Ok(Rc::new(row))
    }

    /// Rows with their columns cast to those of a UNION.
    fn brought(&self, mut rows: Vec<Row>, casts: &[Cast]) -> Result<Vec<Row>, PgError> {
        if casts.iter().all(Option::is_none) {
            return Ok(rows);
        }
        for row in &mut rows {
            self.spend(casts.len() as u64)?;
            let row = Rc::make_mut(row);
            for (value, cast) in row.iter_mut().zip(casts) {
                if let Some((from, to)) = cast {
                    let context = self.context.borrow();
                    let taken = std::mem::replace(value, PgValue::Null);
                    *value = cast_value(context.system, context.session, taken, *from, *to)?;
                }
            }
        }
        Ok(rows)
    }

    fn recursive(
        &self,
        id: usize,
        (first, again): (&QueryPlan, &QueryPlan),
        all: bool,
        casts: &[Cast],
        outer: Option<&Env<'_>>,
    ) -> Result<Vec<Row>, PgError> {
        let mut seen = HashSet::new();
        let mut fresh = |rows: &mut Vec<Row>| {
            if !all {
                rows.retain(|row| seen.insert(row.iter().map(key).collect::<Vec<_>>()));
            }
        };
        let mut last = self.query(first, outer)?;
        fresh(&mut last);
        let mut found = last.clone();
        for _ in 0..ROUNDS_MAX {
            if last.is_empty() {
                return Ok(found);
            }
            self.put(id, Rc::new(last));
            last = self.brought(self.query(again, outer)?, casts)?;
            self.spend(last.len() as u64 + 1)?;
            fresh(&mut last);
            found.extend(last.iter().cloned());
        }
        Err(too_much())
    }

    fn sort(&self, rows: &mut [Row], order: &[SortKey]) -> Result<(), PgError> {
        if order.is_empty() {
            return Ok(());
        }
        self.spend(sorting(rows.len()) * order.len() as u64)?;
        rows.sort_by(|left, right| {
            let mut ways = order
                .iter()
                .map(|by| super::run_group::directed(&left[by.column], &right[by.column], by.way));
            ways.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        Ok(())
    }

    /// OFFSET and LIMIT.
    fn cut(&self, plan: &QueryPlan, rows: &mut Vec<Row>, outer: Option<&Env<'_>>) -> Result<(), PgError> {
        let env = Env::new(outer, &[]);
        let number =
            |expr: &Option<Expr>, name: &str, state: &'static str| -> Result<Option<usize>, PgError> {
                let Some(expr) = expr else { return Ok(None) };
                match *self.eval(expr, &env)? {
                    PgValue::Null => Ok(None),
                    PgValue::Int(value) => match usize::try_from(value) {
                        Ok(value) => Ok(Some(value)),
                        Err(_) => Err(PgError::new(state, format!("{name} must not be negative"))),
                    },
                    _ => Err(PgError::new("42804", format!("argument of {name} must be type bigint"))),
                }
            };
        if let Some(offset) = number(&plan.offset, "OFFSET", "2201X")? {
            rows.drain(..offset.min(rows.len()));
        }
        if let Some(limit) = number(&plan.limit, "LIMIT", "2201W")? {
            rows.truncate(limit);
        }
        Ok(())
    }

    /// The rows of a query inside another; those that are the same whoever asks are computed once.
    pub fn subquery(&self, query: &Subquery, env: Option<&Env<'_>>) -> Result<Rows, PgError> {
        if let Some(rows) = query.cache.and_then(|place| self.place(place)) {
            return Ok(rows);
        }
        let rows = Rc::new(self.query(&query.plan, env)?);
        if let Some(place) = query.cache {
            self.put(place, Rc::clone(&rows));
        }
        Ok(rows)
    }

    /// Whether a kept query has rows whose first column may be equal to the value; `None` where it is not kept.
    pub fn may_have(&self, query: &Subquery, value: &PgValue, rows: &Rows) -> Option<bool> {
        let place = query.cache?;
        let mut members = self.members.borrow_mut();
        let members =
            members.entry(place).or_insert_with(|| Rc::new(rows.iter().map(|row| key(&row[0])).collect()));
        Some(members.contains(&key(value)) || members.contains(&Key::Null))
    }

    pub fn place(&self, place: usize) -> Option<Rows> {
        self.places.borrow().get(place).cloned().flatten()
    }

    fn put(&self, place: usize, rows: Rows) {
        if let Some(kept) = self.places.borrow_mut().get_mut(place) {
            *kept = Some(rows);
        }
    }

    /// A regular expression, made once.
    pub fn pattern(&self, pattern: &str, ignore_case: bool) -> Result<Rc<Regex>, PgError> {
        let name = (pattern.to_owned(), ignore_case);
        let mut patterns = self.patterns.borrow_mut();
        if let Some(known) = patterns.get(&name) {
            return Ok(Rc::clone(known));
        }
        if patterns.len() >= PATTERNS_MAX {
            return Err(too_much());
        }
        self.spend(PATTERN_STEPS)?;
        let made = Rc::new(super::pattern::regex(pattern, ignore_case)?);
        patterns.insert(name, Rc::clone(&made));
        Ok(made)
    }
}

/// Bytes that a value takes, roughly.
pub(super) fn weight(value: &PgValue) -> u64 {
    32 + match value {
        PgValue::Text(text) | PgValue::Numeric(text) => text.len() as u64,
        PgValue::Reg { name, .. } => name.len() as u64,
        PgValue::Array { elements, .. } => elements.iter().map(weight).sum(),
        PgValue::Record(fields) => {
            fields.iter().map(|field| 32 + field.0.len() as u64 + weight(&field.1)).sum()
        }
        _ => 0,
    }
}

/// Steps that sorting takes.
pub(super) fn sorting(rows: usize) -> u64 {
    rows as u64 * u64::from(usize::BITS - rows.leading_zeros()).max(1)
}

fn united(op: SetOp, all: bool, left: Vec<Row>, right: Vec<Row>) -> Vec<Row> {
    let row_key = |row: &Row| row.iter().map(key).collect::<Vec<_>>();
    let mut seen = HashSet::new();
    match (op, all) {
        (SetOp::Union, true) => left.into_iter().chain(right).collect(),
        (SetOp::Union, false) => {
            left.into_iter().chain(right).filter(|row| seen.insert(row_key(row))).collect()
        }
        (SetOp::Except | SetOp::Intersect, all) => {
            let mut there: HashMap<Vec<Key>, usize> = HashMap::new();
            for row in &right {
                *there.entry(row_key(row)).or_default() += 1;
            }
            let keeps = |row: &Row| {
                let name = row_key(row);
                let found = match there.get_mut(&name) {
                    Some(0) | None => false,
                    Some(left) if all => {
                        *left -= 1;
                        true
                    }
                    Some(_) => true,
                };
                (found == (op == SetOp::Intersect)) && (all || seen.insert(name))
            };
            left.into_iter().filter(keeps).collect()
        }
    }
}

pub(super) fn too_much() -> PgError {
    PgError::new("54001", "the statement takes more work than system tables are worth")
        .with_hint("ask about fewer tables at once")
}

/// Whether rows are the same where NULL is NULL.
pub(super) fn same(left: &PgValue, right: &PgValue) -> bool {
    sorted(left, right).is_eq() && (*left == PgValue::Null) == (*right == PgValue::Null)
}
