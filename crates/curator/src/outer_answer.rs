//! An answer that is computed from released parts.
//!
//! **Guarantee.** What goes in are released numbers and public tables, so this is post-processing: free, and as private as
//! the parts are. Whether it can be computed is tried before anything is paid.
//! **Bars.** A released number that is only handed on keeps its bar; if noisy numbers picked the rows that are shown, the bar
//! is one of all groups of its part at once. Whatever is computed has the bar that the noise, drawn again, shows
//! (`outer_answer/replay.rs`).

mod replay;
#[cfg(test)]
mod tests;
mod trace;

use arrow::array::ArrayRef;
use pointillist_catalog::Value;
use pointillist_engine::{Table, evaluate_relation};
use pointillist_plan::{Outer, OuterColumn, PrivatePlan, Relation, Role, Scalar, StatementPlan, Type};

use self::replay::{name, replayed, widening};
use self::trace::{Handed, Provenance, Traced, unpicked};
use crate::answer::{Answer, Column, Row, disclosure, people_cut, released_columns};
use crate::arrays::{array, value};
use crate::confidence_interval::intervals;
use crate::confidence_interval::shape_interval::{Bars, Ends};
use crate::estimate::beta;
use crate::release::Released;

/// Rows of public tables.
pub(crate) type Leaves<'a> = dyn Fn(&Relation) -> Option<Table> + 'a;

/// The answer of an outer relation; `None` where it cannot be computed.
pub(crate) fn outer_answer(
    statement: &StatementPlan,
    outer: &Outer,
    parts: &[(PrivatePlan, Released)],
    public: &Leaves<'_>,
) -> Option<Answer> {
    let plans: Vec<PrivatePlan> = parts.iter().map(|(plan, _)| plan.clone()).collect();
    let traced = Traced::of(&outer.relation, &plans)?;
    let table = rows(&traced, parts, public)?;
    let types = traced.relation.types();
    let shown = traced.columns.len();
    let at_once = |part: usize| if traced.is_picked { parts[part].1.keys.len() } else { 1 };
    let handed = HandedBars::new(&traced, parts, &at_once);
    let is_number = |column: usize| matches!(types[column], Type::Integer | Type::Number);
    let computed: Vec<usize> =
        (0..shown).filter(|column| is_number(*column) && traced.columns[*column].is_computed).collect();
    let mut notes = notes(statement, parts);
    let bars = match computed.is_empty() || table.rows() == 0 {
        true => None,
        false => {
            let replay = Traced::of(&unpicked(&outer.relation, &plans), &plans)?;
            let bars = replayed(&replay, &computed, parts, public);
            if bars.is_none() {
                let names: Vec<&str> =
                    computed.iter().map(|column| outer.columns[*column].name.as_str()).collect();
                notes
                    .push(format!("{}: how far the noise reaches was not worked out here", names.join(", ")));
            }
            bars
        }
    };
    let wider =
        if traced.is_picked { bars.as_ref().map_or(1.0, |bars| widening(parts, bars.len())) } else { 1.0 };
    let row = |row: usize| {
        let values: Vec<_> =
            (0..shown).map(|column| value(types[column], &table.columns()[column], row)).collect();
        let places: Vec<Option<usize>> =
            (shown..types.len()).map(|hidden| place(&table.columns()[hidden], types[hidden], row)).collect();
        let found = bars.as_ref().and_then(|bars| bars.get(&name(&table, &types, shown, row)));
        let interval = |column: usize| -> Option<Ends> {
            let shown_value = number(values[column].as_ref()?)?;
            let provenance = &traced.columns[column];
            if let Some(ends) = handed.of(provenance, &places) {
                return ends;
            }
            let at = computed.iter().position(|computed| *computed == column)?;
            let ends = (*found?.get(at)?)?;
            Some(around(shown_value, ends, wider, provenance.range))
        };
        let intervals = (0..shown).map(interval).collect();
        Row { values, intervals }
    };
    let columns = outer
        .columns
        .iter()
        .zip(&traced.columns)
        .map(|(column, provenance)| shown_column(column, provenance, parts, &at_once));
    Some(Answer { columns: columns.collect(), rows: (0..table.rows()).map(row).collect(), notes })
}

/// Whether the rows of an outer relation can be computed from these numbers.
pub(crate) fn is_computable(outer: &Outer, parts: &[(PrivatePlan, Released)], public: &Leaves<'_>) -> bool {
    let plans: Vec<PrivatePlan> = parts.iter().map(|(plan, _)| plan.clone()).collect();
    Traced::of(&outer.relation, &plans).is_some_and(|traced| rows(&traced, parts, public).is_some())
}

/// The rows of a traced relation.
fn rows(traced: &Traced, parts: &[(PrivatePlan, Released)], public: &Leaves<'_>) -> Option<Table> {
    let leaf = |relation: &Relation| match relation {
        Relation::Released { part, .. } => {
            let (plan, released) = parts.get(*part)?;
            Table::new(None, placed(plan, released)?, released.keys.len()).ok()
        }
        Relation::Table(_) => public(relation),
        _ => None,
    };
    evaluate_relation(&traced.relation, &leaf).ok()
}

/// A part's keys and aggregates, and the place of each row.
fn placed(plan: &PrivatePlan, released: &Released) -> Option<Vec<ArrayRef>> {
    let mut columns = released_columns(plan, released);
    let places: Vec<_> = (0..released.keys.len())
        .map(|place| i64::try_from(place).ok().map(Value::Integer))
        .collect::<Option<_>>()?;
    columns.push(array(Type::Integer, places.iter().map(Some)));
    Some(columns)
}

/// Bars of released numbers, for the columns that hand them on.
struct HandedBars(Vec<PartBars>);

/// The part, its column, and a bar for each of its groups.
type PartBars = (usize, usize, Option<Vec<Option<Ends>>>);

impl HandedBars {
    fn new(traced: &Traced, parts: &[(PrivatePlan, Released)], at_once: &impl Fn(usize) -> usize) -> Self {
        let mut known: Vec<PartBars> = Vec::new();
        for Handed { part, column, .. } in traced.columns.iter().flat_map(|column| &column.handed) {
            if known.iter().any(|(known, at, _)| known == part && at == column) {
                continue;
            }
            let (plan, released) = &parts[*part];
            let beta = beta(at_once(*part) as u64);
            let value = Scalar::Column(*column);
            let bars = intervals(&Bars::new(plan), plan, released, &value, &plan.answer_types(), &beta);
            known.push((*part, *column, bars));
        }
        Self(known)
    }

    /// The bar of a handed-on number in a row, where the row has one.
    fn of(&self, provenance: &Provenance, places: &[Option<usize>]) -> Option<Option<Ends>> {
        let handed = provenance.handed.iter();
        let (handed, place) = handed.filter_map(|handed| Some((handed, places[handed.place]?))).next()?;
        let mut bars = self.0.iter();
        let (_, _, bars) = bars.find(|(part, column, _)| *part == handed.part && *column == handed.column)?;
        Some(bars.as_ref().and_then(|bars| *bars.get(place)?))
    }
}

fn place(column: &ArrayRef, kind: Type, row: usize) -> Option<usize> {
    match value(kind, column, row)? {
        Value::Integer(place) => usize::try_from(place).ok(),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Number(value) => Some(*value),
        _ => None,
    }
}

/// The bar around a value whose replicates differ from it by these quantiles.
///
/// Of what has ends (ranks, counts of rows) the replicates' own interval: mirrored at the value it would close up at an end,
/// where the value itself is most likely to be wrong. Of all else the hull of that and of its mirror, which are the same for
/// what is linear; a ratio is skew, and then only one of the two reaches far enough.
fn around(value: f64, (low, high): Ends, wider: f64, range: Option<(f64, f64)>) -> Ends {
    let more = (wider - 1.0) * (high - low) / 2.0;
    let (from, to) = (value + low - more, value + high + more);
    match range {
        Some((least, most)) => (from.max(least).min(value), to.min(most).max(value)),
        None => (from.min(value - high - more), to.max(value - low + more)),
    }
}

fn shown_column(
    column: &OuterColumn,
    provenance: &Provenance,
    parts: &[(PrivatePlan, Released)],
    at_once: &impl Fn(usize) -> usize,
) -> Column {
    let OuterColumn { name, kind } = column.clone();
    let (role, release) = match provenance.handed.as_slice() {
        [Handed { part, column, .. }] => {
            let plan = &parts[*part].0;
            match column.checked_sub(plan.aggregation.keys.len()) {
                Some(aggregate) => {
                    let release = disclosure(plan, aggregate, at_once(*part) as u64);
                    (Role::Aggregate(aggregate), Some(release))
                }
                None => (Role::Key(*column), None),
            }
        }
        _ => (Role::Derived, None),
    };
    let is_number = matches!(kind, Type::Integer | Type::Number);
    let hands_noise = |handed: &Handed| handed.column >= parts[handed.part].0.aggregation.keys.len();
    let has_interval = matches!(role, Role::Aggregate(_))
        || (is_number && (provenance.is_computed || provenance.handed.iter().any(hands_noise)));
    Column { name, kind, role, release, has_interval }
}

/// What to know: about the statement, then about every release, each once.
fn notes(statement: &StatementPlan, parts: &[(PrivatePlan, Released)]) -> Vec<String> {
    let mut notes = statement.notes.clone();
    for note in parts.iter().flat_map(|(plan, _)| &plan.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    for (plan, released) in parts {
        let groups: Vec<usize> = (0..released.keys.len()).collect();
        notes.extend(people_cut(plan, released, &groups));
    }
    notes
}
