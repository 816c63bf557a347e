//! What the asker sees: a table with error bars, computed from released numbers alone.
//!
//! **Guarantee.** [`Answer::new`] takes the plan and [`Released`] numbers; neither knows the data. HAVING,
//! ORDER BY, LIMIT and arithmetic happen here, on noisy numbers, and cost nothing. Groups that compare equal
//! are ordered by their keys, so that no order of rows or of hash buckets shows.

mod arrow_stream;
mod csv;
mod digits;
mod plot;
mod text_table;

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray};
use pointillist_catalog::Value;
use pointillist_engine::evaluate;
use pointillist_mechanisms::number::additive_noise::NoiseLaw;
use pointillist_numbers::Rational;
use pointillist_plan::{
    AnswerColumn, Formula, Law, Measure, PairStatistic, PrivatePlan, Quantity, Role, Type, text,
};
use pointillist_privacy::FailureProbability;

pub use digits::Digits;

use crate::arrays::{array, value};
use crate::confidence_interval::shape_interval::Bars;
use crate::confidence_interval::{has_interval, intervals};
use crate::estimate::{beta, estimate};
use crate::release::Released;

/// Digits of a scale in a text.
pub(crate) const SCALE_DIGITS: usize = 6;

/// A table of released values.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The columns, as the question names them.
    pub columns: Vec<Column>,
    /// The rows, in the question's order.
    pub rows: Vec<Row>,
    /// What to know when reading it: from the plan, and from the released numbers.
    pub notes: Vec<String>,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
    /// Whether it is a key, an aggregate of the question, or computed from several.
    pub role: Role,
    /// How it was released, if it is an aggregate.
    pub release: Option<Disclosure>,
    /// Whether its numbers may have intervals: a matter of the question, so that the shape of what is written does not
    /// depend on rows.
    pub has_interval: bool,
}

/// How an aggregate was released: public numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Disclosure {
    /// What made it private.
    pub mechanism: Mechanism,
    /// The scale of the noise in the aggregate's own unit, rounded up; of its total, for means, deviations and sums that
    /// share it with a mean. `None` for graphs, whose mechanisms have more than one.
    pub scale: Option<Rational>,
    /// The noise stays within this with 95 %, in all groups at once where noisy numbers picked those shown; means and deviations have an interval in every row instead.
    pub error_95: Option<f64>,
    /// The rank of a quantile is off by at most this many rows with 95 %, up to those that share its value.
    pub rank_error_95: Option<f64>,
    /// The step of the grid that rows' values are rounded to; one, for counts. `None` where there is no grid.
    pub grid: Option<Rational>,
}

/// What makes an aggregate private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Noise that is added to sums over rows.
    Noise(NoiseLaw),
    /// A choice of a grid point.
    Choice,
    /// A mechanism for graphs, by its name.
    Graph(&'static str),
    /// A way to train a model, by its name.
    Model(&'static str),
}

impl Mechanism {
    /// The name, for machines to read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noise(law) => law.name(),
            Self::Choice => Law::Choice.name(),
            Self::Graph(name) | Self::Model(name) => name,
        }
    }
}

/// A row of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The values, column by column.
    pub values: Vec<Option<Value>>,
    /// Between which numbers the aggregate of the bounded rows lies with 95 %, where that is known.
    pub intervals: Vec<Option<(f64, f64)>>,
}

impl Answer {
    /// The answer to a plan from its released numbers.
    pub(crate) fn new(plan: &PrivatePlan, released: &Released) -> Self {
        let groups = released.keys.len();
        let at_once = plan.answer.bars_at_once(&plan.aggregation, groups);
        let bars = Bars::new(plan);
        let inputs = released_columns(plan, released);
        let types = plan.answer_types();
        let shown = shown_groups(plan, released, &inputs);
        let mut columns = Vec::with_capacity(plan.answer.columns.len());
        let mut rows = vec![Row { values: Vec::new(), intervals: Vec::new() }; shown.len()];
        for column in &plan.answer.columns {
            let values = evaluate(&column.value, &inputs, groups);
            let has_interval = match column.role {
                Role::Key(_) => false,
                Role::Aggregate(_) => true,
                Role::Derived => has_interval(plan, &column.value, &types),
            };
            let intervals = has_interval
                .then(|| intervals(&bars, plan, released, &column.value, &types, &beta(at_once)))
                .flatten();
            for (row, group) in rows.iter_mut().zip(&shown) {
                let value = value(column.kind, &values, *group);
                let interval = intervals.as_ref().and_then(|intervals| intervals[*group]);
                row.intervals.push(interval.filter(|_| value.is_some()));
                row.values.push(value);
            }
            columns.push(Column {
                name: column.name.clone(),
                kind: column.kind,
                role: column.role,
                release: match column.role {
                    Role::Aggregate(aggregate) => Some(disclosure(plan, aggregate, at_once)),
                    _ => None,
                },
                has_interval,
            });
        }
        let mut notes = plan.notes.clone();
        notes.extend(noise_alone(plan, &rows));
        notes.extend(people_cut(plan, released, &shown));
        Self { columns, rows, notes }
    }

    /// How many digits the numbers of a column, by position, are worth.
    pub fn digits(&self, column: usize) -> Digits {
        Digits::of(self, column)
    }

    /// Whether a column, by position, has intervals, in an empty answer too.
    pub fn has_intervals(&self, column: usize) -> bool {
        self.columns[column].has_interval
    }

    /// What made the first of its aggregates private.
    pub fn mechanism(&self) -> Option<Mechanism> {
        self.columns.iter().find_map(|column| column.release.as_ref()).map(|release| release.mechanism)
    }

    /// The values of a column, by position, as an Arrow array.
    pub fn array(&self, column: usize) -> ArrayRef {
        array(self.columns[column].kind, self.rows.iter().map(|row| row.values[column].as_ref()))
    }
}

/// Keys, then aggregates: the columns that the answer's expressions count.
pub(crate) fn released_columns(plan: &PrivatePlan, released: &Released) -> Vec<ArrayRef> {
    let bars = Bars::new(plan);
    let aggregates = 0..plan.answer.aggregates.len();
    let estimates: Vec<Vec<Option<Value>>> =
        aggregates.map(|aggregate| estimate(plan, &bars, released, aggregate)).collect();
    let types = plan.answer_types();
    let (keys, aggregates) = types.split_at(plan.aggregation.keys.len());
    let keys = keys
        .iter()
        .enumerate()
        .map(|(position, kind)| array(*kind, released.keys.iter().map(|keys| keys[position].as_ref())));
    let aggregates = aggregates.iter().zip(&estimates);
    let aggregates = aggregates.map(|(kind, estimate)| array(*kind, estimate.iter().map(Option::as_ref)));
    keys.chain(aggregates).collect()
}

/// The groups that HAVING keeps, ordered and cut.
fn shown_groups(plan: &PrivatePlan, released: &Released, inputs: &[ArrayRef]) -> Vec<usize> {
    let groups = released.keys.len();
    let mut shown: Vec<usize> = (0..groups).collect();
    if let Some(having) = &plan.answer.having {
        let kept = evaluate(having, inputs, groups);
        let kept = kept.as_boolean_opt();
        shown.retain(|group| kept.is_some_and(|kept| kept.is_valid(*group) && kept.value(*group)));
    }
    if !plan.answer.order.is_empty() {
        let arrays: Vec<ArrayRef> =
            plan.answer.order.iter().map(|order| evaluate(&order.by, inputs, groups)).collect();
        let rank = |criterion: usize, group: usize| {
            value(plan.answer.order[criterion].kind, &arrays[criterion], group)
        };
        shown.sort_by(|a, b| {
            let criteria = plan.answer.order.iter().enumerate().map(|(criterion, order)| {
                match (rank(criterion, *a), rank(criterion, *b)) {
                    (None, None) => Ordering::Equal,
                    (None, Some(_)) if order.nulls_first => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (Some(_), None) if order.nulls_first => Ordering::Greater,
                    (Some(_), None) => Ordering::Less,
                    (Some(a), Some(b)) if order.descending => b.cmp(&a),
                    (Some(a), Some(b)) => a.cmp(&b),
                }
            });
            // Groups come in an order that is public (declared) or sorted by key: their position breaks ties.
            criteria.fold(Ordering::Equal, Ordering::then).then(a.cmp(b))
        });
    }
    let skip = usize::try_from(plan.answer.skip).unwrap_or(usize::MAX);
    let fetch = plan.answer.fetch.map_or(usize::MAX, |fetch| usize::try_from(fetch).unwrap_or(usize::MAX));
    shown.into_iter().skip(skip).take(fetch).collect()
}

/// Which aggregates say nothing in which rows: those whose bar is all that their bounds allow.
fn noise_alone(plan: &PrivatePlan, rows: &[Row]) -> Vec<String> {
    let silent = |(position, column): (usize, &AnswerColumn)| {
        let Role::Aggregate(aggregate) = column.role else { return None };
        let (low, high) = possible(&plan.answer.aggregates[aggregate].formula)?;
        let is_all = |row: &&Row| row.intervals[position].is_some_and(|(from, to)| from <= low && high <= to);
        let count = rows.iter().filter(is_all).count();
        let of = if rows.len() == 1 { String::new() } else { format!(" in {count} of {} rows", rows.len()) };
        (count > 0).then(|| {
            format!("{}: the interval is all that is possible{of}: the answer is noise", column.name)
        })
    };
    plan.answer.columns.iter().enumerate().filter_map(silent).collect()
}

/// How many people had more rows than count, in the shown groups with most of them, where that was asked for.
pub(crate) fn people_cut(plan: &PrivatePlan, released: &Released, shown: &[usize]) -> Vec<String> {
    const GROUPS: usize = 8;
    let cut = |measure: &Measure| measure.quantity == Quantity::PeopleCut;
    let Some(position) = plan.aggregation.measures.iter().position(cut) else { return Vec::new() };
    let beta = FailureProbability::new(beta(shown.len() as u64)).expect("a part of β is a probability");
    let error = plan.releases[position].noise().error_bound(&beta);
    let mut groups: Vec<(i128, usize)> =
        shown.iter().map(|group| (released.measures[position][*group].max(0), *group)).collect();
    groups.sort_by_key(|(people, _)| std::cmp::Reverse(*people));
    let most = plan.aggregation.bound.rows_max();
    let what = format!("more than {most} rows and count with {most}");
    let of_group = |(people, group): &(i128, usize)| match released.keys[*group].as_slice() {
        [] => format!("{people} ± {error} people have {what}"),
        keys => {
            let name = |key: &Option<Value>| key.as_ref().map_or("NULL".to_owned(), text::value);
            let keys: Vec<String> = keys.iter().map(name).collect();
            format!("in {}, {people} ± {error} people have {what}", keys.join(", "))
        }
    };
    let mut notes: Vec<String> = groups.iter().take(GROUPS).map(of_group).collect();
    if groups.len() > GROUPS {
        notes.push(format!("in the other {} groups fewer people are cut", groups.len() - GROUPS));
    }
    notes
}

/// Between which numbers an aggregate lies whatever the rows; counts and sums have no such end.
fn possible(formula: &Formula) -> Option<(f64, f64)> {
    match formula {
        Formula::Mean { grid, .. } => Some((grid.lower().to_f64_upper(), grid.upper().to_f64_lower())),
        Formula::Variance { grid, root, .. } => {
            let half = (&grid.upper() - grid.lower()) * Rational::ratio(1, 2);
            Some((0.0, if *root { half.to_f64_lower() } else { half.squared().to_f64_lower() }))
        }
        Formula::Pair(pair) => match pair.statistic {
            PairStatistic::Correlation => Some((-1.0, 1.0)),
            PairStatistic::Determination => Some((0.0, 1.0)),
            _ => None,
        },
        Formula::Sum { .. } | Formula::CentredSum { .. } | Formula::Quantile { .. } => None,
    }
}

/// What the plan says about an aggregate's noise.
pub(crate) fn disclosure(plan: &PrivatePlan, aggregate: usize, at_once: u64) -> Disclosure {
    let noise = plan.aggregate_noise(aggregate, at_once);
    Disclosure {
        mechanism: match noise.law {
            Law::Noise(law) => Mechanism::Noise(law),
            Law::Choice => Mechanism::Choice,
        },
        scale: Some(noise.scale_upper),
        error_95: noise.error_95.map(|error| error.to_f64_upper()),
        rank_error_95: noise.rank_error_95.map(|rows| rows.to_f64_upper().ceil()),
        grid: Some(noise.step),
    }
}

/// What a column is, in a word.
pub(crate) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Key(_) => "key",
        Role::Aggregate(_) => "aggregate",
        Role::Derived => "derived",
    }
}

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod tests;
