//! One SELECT at work: rows, groups, windows, the list.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::compare::{Key, compare, key, sorted};
use super::decimal;
use super::plan::{
    Aggregate, AggregateKind, Arithmetic, Distinct, Expr, SelectPlan, Way, Window, WindowKind,
};
use super::run::{Env, Row, RowRef, Run, Tuple, sorting};
use crate::{Base, PgError, PgValue};

/// A row before the list is computed: of the FROM, or a group of them with its aggregates.
struct Source {
    tuple: Tuple,
    aggregates: Vec<PgValue>,
    windows: Vec<PgValue>,
}

/// Two values in the order that a clause wants.
pub(super) fn directed(left: &PgValue, right: &PgValue, way: Way) -> Ordering {
    match (left, right) {
        (PgValue::Null, PgValue::Null) => Ordering::Equal,
        (PgValue::Null, _) if way.nulls_first => Ordering::Less,
        (PgValue::Null, _) => Ordering::Greater,
        (_, PgValue::Null) if way.nulls_first => Ordering::Greater,
        (_, PgValue::Null) => Ordering::Less,
        (left, right) if way.descending => sorted(right, left),
        (left, right) => sorted(left, right),
    }
}

impl Run<'_, '_> {
    pub(super) fn select(&self, select: &SelectPlan, outer: Option<&Env<'_>>) -> Result<Vec<Row>, PgError> {
        let tuples = self.from(&select.from, select.slots, outer)?;
        let mut sources: Vec<Source> = if select.grouped {
            self.grouped(select, tuples, outer)?
        } else {
            let plain = |tuple| Source { tuple, aggregates: Vec::new(), windows: Vec::new() };
            tuples.into_iter().map(plain).collect()
        };
        for window in &select.windows {
            self.window(window, &mut sources, outer)?;
        }
        let mut rows = Vec::with_capacity(sources.len());
        for source in &sources {
            let env = Env {
                parent: outer,
                tuple: &source.tuple,
                aggregates: &source.aggregates,
                windows: &source.windows,
                sets: &[],
            };
            self.listed(select, &env, &mut rows)?;
        }
        if let Distinct::Columns(width) = select.distinct {
            let mut seen = HashSet::new();
            self.spend(rows.len() as u64)?;
            rows.retain(|row: &Row| seen.insert(row[..width].iter().map(key).collect::<Vec<_>>()));
        }
        Ok(rows)
    }

    /// The rows of the list for one row: one, or as many as the longest of its functions gives.
    fn listed(&self, select: &SelectPlan, env: &Env<'_>, rows: &mut Vec<Row>) -> Result<(), PgError> {
        if select.sets.is_empty() {
            rows.push(self.row(&select.list, env)?);
            return Ok(());
        }
        let sets = select.sets.iter().map(|set| self.set_values(set, env)).collect::<Result<Vec<_>, _>>()?;
        let length = sets.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..length {
            let now: Vec<PgValue> =
                sets.iter().map(|set| set.get(at).cloned().unwrap_or(PgValue::Null)).collect();
            rows.push(self.row(&select.list, &Env { sets: &now, ..*env })?);
        }
        Ok(())
    }

    fn grouped(
        &self,
        select: &SelectPlan,
        tuples: Vec<Tuple>,
        outer: Option<&Env<'_>>,
    ) -> Result<Vec<Source>, PgError> {
        let mut groups: Vec<Vec<Tuple>> = Vec::new();
        if select.keys.is_empty() {
            groups.push(tuples);
        } else {
            let mut places: HashMap<Vec<Key>, usize> = HashMap::new();
            for tuple in tuples {
                let env = Env::new(outer, &tuple);
                let name = self.key_of(&select.keys, &env)?;
                let place = *places.entry(name).or_insert(groups.len());
                if place == groups.len() {
                    groups.push(Vec::new());
                }
                groups[place].push(tuple);
            }
        }
        let mut found = Vec::new();
        for mut group in groups {
            let aggregates =
                select.aggregates.iter().map(|aggregate| self.aggregate(aggregate, &group, outer));
            let aggregates = aggregates.collect::<Result<Vec<_>, _>>()?;
            let nothing = || vec![RowRef::Missing; select.slots];
            let tuple = if group.is_empty() { nothing() } else { group.swap_remove(0) };
            let env = Env { aggregates: &aggregates, ..Env::new(outer, &tuple) };
            let kept = match &select.having {
                Some(having) => self.holds(having, &env)?,
                None => true,
            };
            if kept {
                found.push(Source { tuple, aggregates, windows: Vec::new() });
            }
        }
        Ok(found)
    }

    fn key_of(&self, keys: &[Expr], env: &Env<'_>) -> Result<Vec<Key>, PgError> {
        keys.iter().map(|expr| Ok(key(&*self.eval(expr, env)?))).collect()
    }

    fn aggregate(
        &self,
        aggregate: &Aggregate,
        group: &[Tuple],
        outer: Option<&Env<'_>>,
    ) -> Result<PgValue, PgError> {
        let mut rows: Vec<(Vec<PgValue>, Vec<PgValue>)> = Vec::new();
        let mut seen = HashSet::new();
        let keeps_nulls = matches!(aggregate.kind, AggregateKind::ArrayAgg | AggregateKind::JsonAgg);
        for tuple in group {
            self.spend(1)?;
            let env = Env::new(outer, tuple);
            if let Some(filter) = &aggregate.filter
                && !self.holds(filter, &env)?
            {
                continue;
            }
            let values = |list: &mut dyn Iterator<Item = &Expr>| {
                list.map(|expr| Ok(self.eval(expr, &env)?.into_owned())).collect::<Result<Vec<_>, PgError>>()
            };
            let arguments = values(&mut aggregate.arguments.iter())?;
            let skipped = !keeps_nulls && arguments.first() == Some(&PgValue::Null);
            if skipped || aggregate.distinct && !seen.insert(arguments.iter().map(key).collect::<Vec<_>>()) {
                continue;
            }
            let order = values(&mut aggregate.order.iter().map(|(expr, _)| expr))?;
            self.keep(&arguments)?;
            rows.push((arguments, order));
        }
        if !aggregate.order.is_empty() {
            self.spend(sorting(rows.len()))?;
            rows.sort_by(|left, right| {
                let pairs = left.1.iter().zip(&right.1).zip(&aggregate.order);
                let mut ways = pairs.map(|((left, right), (_, way))| directed(left, right, *way));
                ways.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            });
        } else if aggregate.distinct {
            rows.sort_by(|left, right| sorted(&left.0[0], &right.0[0]));
        }
        finished(aggregate, rows.into_iter().map(|row| row.0).collect())
    }

    fn window(
        &self,
        window: &Window,
        sources: &mut [Source],
        outer: Option<&Env<'_>>,
    ) -> Result<(), PgError> {
        let mut parts: HashMap<Vec<Key>, Vec<(Vec<PgValue>, usize)>> = HashMap::new();
        for (at, source) in sources.iter().enumerate() {
            let env = Env {
                parent: outer,
                tuple: &source.tuple,
                aggregates: &source.aggregates,
                windows: &source.windows,
                sets: &[],
            };
            let part = self.key_of(&window.partition, &env)?;
            let order = window.order.iter().map(|(expr, _)| Ok(self.eval(expr, &env)?.into_owned()));
            let order = order.collect::<Result<Vec<_>, PgError>>()?;
            parts.entry(part).or_default().push((order, at));
        }
        for part in parts.values_mut() {
            self.spend(sorting(part.len()))?;
            let between = |left: &[PgValue], right: &[PgValue]| {
                let pairs = left.iter().zip(right).zip(&window.order);
                let mut ways = pairs.map(|((left, right), (_, way))| directed(left, right, *way));
                ways.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            };
            part.sort_by(|left, right| between(&left.0, &right.0));
            let (mut rank, mut dense) = (0, 0);
            for place in 0..part.len() {
                if place == 0 || between(&part[place - 1].0, &part[place].0).is_ne() {
                    (rank, dense) = (place + 1, dense + 1);
                }
                let number = match window.kind {
                    WindowKind::RowNumber => place + 1,
                    WindowKind::Rank => rank,
                    WindowKind::DenseRank => dense,
                    WindowKind::Count => part.len(),
                };
                sources[part[place].1].windows.push(PgValue::Int(number as i64));
            }
        }
        Ok(())
    }
}

/// The value of an aggregate over these arguments.
fn finished(aggregate: &Aggregate, rows: Vec<Vec<PgValue>>) -> Result<PgValue, PgError> {
    use AggregateKind as A;
    let count = rows.len();
    if count == 0 && aggregate.kind != A::Count {
        return Ok(PgValue::Null);
    }
    let mut firsts = rows.iter().filter_map(|row| row.first());
    Ok(match aggregate.kind {
        A::Count => PgValue::Int(count as i64),
        A::Min | A::Max => {
            let wanted = if aggregate.kind == A::Min { Ordering::Less } else { Ordering::Greater };
            let best =
                firsts.reduce(|best, other| if compare(other, best) == Some(wanted) { other } else { best });
            best.cloned().unwrap_or(PgValue::Null)
        }
        A::BoolAnd => PgValue::Bool(firsts.all(|value| *value == PgValue::Bool(true))),
        A::BoolOr => PgValue::Bool(firsts.any(|value| *value == PgValue::Bool(true))),
        A::Sum => sum(aggregate, firsts)?,
        A::Avg => match sum(aggregate, firsts)? {
            PgValue::Float(sum) => PgValue::Float(sum / count as f64),
            sum => decimal::calculate(Arithmetic::Divide, &sum, &PgValue::Int(count as i64))?,
        },
        A::ArrayAgg => {
            let elements = rows.into_iter().filter_map(|row| row.into_iter().next()).collect();
            PgValue::Array { elements, lower: 1 }
        }
        A::StringAgg => string_agg(rows)?,
        A::JsonAgg => {
            let text = |value: &PgValue| match value {
                PgValue::Text(text) => text.clone(),
                _ => "null".to_owned(),
            };
            let list: Vec<String> = firsts.map(text).collect();
            PgValue::Text(format!("[{}]", list.join(", ")))
        }
    })
}

fn sum<'v>(aggregate: &Aggregate, values: impl Iterator<Item = &'v PgValue>) -> Result<PgValue, PgError> {
    let float = matches!(aggregate.returns.base, Base::Float4 | Base::Float8);
    let mut total = if float { PgValue::Float(0.0) } else { PgValue::Int(0) };
    for value in values {
        total = match (&total, value) {
            (PgValue::Float(total), PgValue::Float(value)) => PgValue::Float(total + value),
            (PgValue::Int(total), PgValue::Int(value)) if aggregate.returns.base == Base::Int8 => {
                let total = total.checked_add(*value);
                PgValue::Int(total.ok_or_else(|| PgError::new("22003", "bigint out of range"))?)
            }
            (total, value) => decimal::calculate(Arithmetic::Plus, total, value)?,
        };
    }
    Ok(match (total, aggregate.returns.base) {
        (PgValue::Int(total), Base::Numeric) => PgValue::Numeric(total.to_string()),
        (total, _) => total,
    })
}

fn string_agg(rows: Vec<Vec<PgValue>>) -> Result<PgValue, PgError> {
    let mut text = crate::functions::Bounded::default();
    for (at, row) in rows.iter().enumerate() {
        if let (true, Some(PgValue::Text(between))) = (at > 0, row.get(1)) {
            text.push(between)?;
        }
        if let Some(PgValue::Text(part)) = row.first() {
            text.push(part)?;
        }
    }
    Ok(PgValue::Text(text.into()))
}
