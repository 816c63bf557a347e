//! The aggregation of a plan, over the rows of a relation.
//!
//! **Guarantee.** That of [`bound`](crate::bound), for the rows of the relation: filter, keys and measures look at one
//! row each ([`evaluate`](crate::evaluate)), so they keep neighbours neighbours, and bounding comes after all of
//! them, as the last step before anything is added up.
//! **One path.** Filter, keys and integers are computed for every row of a batch and masked afterwards.
//! **How.** One task reads each partition of the scans. Rows that were never looked at together are bounded as they come;
//! where a relation looks at several rows of a person, they come together first. Then every thread takes people, one partition at a time,
//! until all are bounded. Memory for rows on their way is limited by [`EngineOptions::memory_bytes`]; beyond it
//! people are bounded early, and the scans are read again for those who do not fit.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use pointillist_mechanisms::order_statistic::weighted_quantile::weight_bits;
use pointillist_plan::{Aggregation, Excess, Form, Ownership, Quantity, Scalar, Units};
use tokio::task::JoinSet;

use crate::bound::{
    Bounds, Direct, Finish, HashKey, Input, Interval, Pass, Plan, Rows, Rule, Run, Sums, VALUES_MAX,
    value_hashes,
};
use crate::evaluate::{Integers, evaluate};
use crate::gathering::{Gathered, Gathering, all, for_each_batch_while, partitions};
use crate::groups::Groups;
use crate::relation::{Prepared, Table, truths};
use crate::{Choice, EngineError};

/// How much of the machine an aggregation may use.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Memory for rows on their way and for people's groups, over all threads of one query, in bytes. With less the same
    /// rows are read more often.
    pub memory_bytes: usize,
    /// How many threads bound people.
    pub threads: usize,
}

impl Default for EngineOptions {
    /// One GiB, all processors.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { memory_bytes: 1 << 30, threads }
    }
}

/// Adds up the rows of a relation.
pub(crate) async fn aggregate(
    prepared: Arc<Prepared>,
    aggregation: &Aggregation,
    choice: &Choice,
    options: &EngineOptions,
) -> Result<Groups, EngineError> {
    let own = HashKey::from_system().map_err(EngineError::Entropy)?;
    let hash_key = match choice {
        Choice::Fresh => own,
        Choice::With(key) => own.choosing_with(key),
    };
    aggregate_with(hash_key, prepared, aggregation, options).await
}

/// The same under a given hash key, which tests repeat.
pub(crate) async fn aggregate_with(
    hash_key: HashKey,
    prepared: Arc<Prepared>,
    aggregation: &Aggregation,
    options: &EngineOptions,
) -> Result<Groups, EngineError> {
    let steps = Arc::new(Steps::new(&hash_key, aggregation));
    let plan = Arc::new(plan(hash_key.clone(), aggregation, prepared.owner())?);
    let query = Query { hash_key, prepared, steps, plan, options };
    match query.prepared.ownership() {
        Ownership::Nobody => Err(EngineError::Plan { what: "nobody owns the rows" }),
        Ownership::EachRow => query.each_row().await,
        Ownership::People(_) => {
            let mut sums = Sums::new(&query.plan);
            let mut pass = Some(Arc::new(Pass::first()));
            let gathering =
                Gathering { hash_key: query.hash_key, prepared: Arc::clone(&query.prepared), options };
            while let Some(now) = pass {
                let bounded =
                    || Bounded { steps: Arc::clone(&query.steps), run: Run::new(&query.plan, &now) };
                let runs = gathering.gather(&now, bounded).await?;
                let runs = runs.into_iter().map(|bounded| bounded.run).collect();
                sums = finish(&query.plan, &now, runs, options.threads, sums).await?;
                pass = now.next().map(Arc::new);
            }
            Ok(sums.groups())
        }
    }
}

/// An aggregation on its way.
struct Query<'a> {
    hash_key: HashKey,
    prepared: Arc<Prepared>,
    steps: Arc<Steps>,
    plan: Arc<Plan>,
    options: &'a EngineOptions,
}

impl Query<'_> {
    /// Rows that are people need not come together.
    async fn each_row(&self) -> Result<Groups, EngineError> {
        let partitions = partitions(self.prepared.inputs().iter().flat_map(|input| &input.paths));
        let allowance = self.options.memory_bytes / partitions.max(1);
        let mut parts = Vec::new();
        let mut interval = Some(Arc::new(Interval::first()));
        while let Some(now) = interval {
            let mut tasks = JoinSet::new();
            for partition in 0..partitions {
                let (prepared, steps) = (Arc::clone(&self.prepared), Arc::clone(&self.steps));
                let (mut direct, now) = (Direct::new(&self.plan, &now), Arc::clone(&now));
                tasks.spawn(async move {
                    for path in prepared.inputs().iter().flat_map(|input| &input.paths) {
                        let wanted = || !now.is_given_up();
                        for_each_batch_while(path, partition, wanted, |batch| {
                            path.send(&batch, &[], &mut |rows| {
                                steps.with_rows(&rows, |rows| Ok(direct.push(rows, allowance)?))
                            })
                        })
                        .await?;
                    }
                    Ok(direct)
                });
            }
            let mut directs = all(tasks).await?;
            if directs.is_empty() {
                directs.push(Direct::new(&self.plan, &now));
            }
            if !now.is_given_up() {
                parts.push(Direct::merge(directs)?);
            }
            interval = now.next().map(Arc::new);
        }
        Ok(Groups::merge(parts))
    }
}

/// The second half of a pass, on threads that may take their time.
async fn finish(
    plan: &Arc<Plan>,
    pass: &Arc<Pass>,
    runs: Vec<Run>,
    threads: usize,
    mut sums: Sums,
) -> Result<Sums, EngineError> {
    let (plan, pass) = (Arc::clone(plan), Arc::clone(pass));
    let prepared = tokio::task::spawn_blocking(move || Finish::new(&plan, &pass, runs));
    let finish = Arc::new(prepared.await.map_err(EngineError::Task)??);
    let mut tasks = JoinSet::new();
    for _ in 0..threads.max(1) {
        let finish = Arc::clone(&finish);
        tasks.spawn_blocking(move || Ok(finish.work()));
    }
    let parts = all(tasks).await?;
    let finish = Arc::into_inner(finish).ok_or(EngineError::Plan { what: "a task has not ended" })?;
    let merged = tokio::task::spawn_blocking(move || finish.merge(parts, &mut sums).map(|()| sums));
    Ok(merged.await.map_err(EngineError::Task)??)
}

/// The bounds of an aggregation, under a hash key.
fn plan(hash_key: HashKey, aggregation: &Aggregation, owner: Option<&DataType>) -> Result<Plan, EngineError> {
    let rules = (0..aggregation.measures.len())
        .map(|measure| rule(aggregation, measure))
        .collect::<Result<Vec<_>, _>>()?;
    let bounds = Bounds {
        groups_max: aggregation.bound.groups_max(),
        rows_max: aggregation.bound.rows_max(),
        rules: &rules,
        text_owners: matches!(owner, Some(DataType::BinaryView | DataType::Utf8View | DataType::Utf8)),
        width: aggregation.keys.len(),
        domain: aggregation.domain.as_deref(),
        values_max: VALUES_MAX,
    };
    Ok(Plan::new(hash_key, bounds)?)
}

/// What a measure does, and whether it counts every row.
fn rule(aggregation: &Aggregation, position: usize) -> Result<(Rule, bool), EngineError> {
    let measure = &aggregation.measures[position];
    let every = measure.counted.is_none();
    let in_range = |end: i128| i64::try_from(end).ok().filter(|end| end.unsigned_abs() <= 1 << 62);
    let pair = |(low, high): (i128, i128)| {
        let ends = in_range(low).zip(in_range(high));
        ends.ok_or(EngineError::Plan { what: "a measure's integers pass 2^62" })
    };
    Ok(match &measure.quantity {
        Quantity::Rows => (Rule::Rows, every),
        Quantity::People => (Rule::People, every),
        Quantity::PeopleCut => (Rule::PeopleCut, every),
        Quantity::Total { units, excess, .. } => {
            let (low, high) = pair(units.form.extremes(&units.grid))?;
            match excess {
                Excess::Clamp => (Rule::Clamp { low, high }, false),
                Excess::Thin { refinement } => (Rule::Thin { low, high, refinement: *refinement }, false),
            }
        }
        Quantity::Product { left, right, refinement } => {
            let most = i128::from(left.1.last_index()) * i128::from(right.1.last_index());
            let (low, high) = pair((-most, most))?;
            (Rule::Thin { low, high, refinement: *refinement }, false)
        }
        Quantity::Distinct { .. } => (Rule::Distinct, false),
        Quantity::Quantile { grid, .. } => match same_spread(aggregation, position) {
            Some(first) => (Rule::Same(first), false),
            None => {
                let last = u32::try_from(grid.last_index())
                    .map_err(|_| EngineError::Plan { what: "a quantile's grid has more than 2^32 points" })?;
                (Rule::Spread { last, bits: weight_bits(aggregation.bound.rows_max()) }, false)
            }
        },
    })
}

/// The first quantile of the same values on the same grid, if this one is not it.
fn same_spread(aggregation: &Aggregation, position: usize) -> Option<usize> {
    let measure = &aggregation.measures[position];
    let Quantity::Quantile { value, grid, .. } = &measure.quantity else { return None };
    aggregation.measures[..position].iter().position(|other| {
        let same = |other: &Quantity| matches!(other, Quantity::Quantile { value: of, grid: on, .. } if of == value && on == grid);
        other.counted == measure.counted && same(&other.quantity)
    })
}

/// What is computed from a row before bounding.
struct Steps {
    filter: Option<Scalar>,
    keys: Vec<Scalar>,
    measures: Vec<Step>,
}

struct Step {
    counted: Option<Scalar>,
    value: StepValue,
}

/// What is computed of a row for one measure.
enum StepValue {
    /// Only whether it counts.
    None,
    /// An integer.
    Integer(Scalar, Integers),
    /// The product of two.
    Product([(Scalar, Integers); 2]),
    /// A hash of whatever it is.
    Hash(Scalar, HashKey),
}

impl Steps {
    fn new(hash_key: &HashKey, aggregation: &Aggregation) -> Self {
        let measures = aggregation.measures.iter().enumerate().map(|(position, measure)| Step {
            counted: measure.counted.clone(),
            value: match &measure.quantity {
                Quantity::Rows | Quantity::People | Quantity::PeopleCut => StepValue::None,
                Quantity::Total { value, units, .. } => {
                    StepValue::Integer(value.clone(), Integers::new(units))
                }
                Quantity::Product { left, right, .. } => {
                    StepValue::Product([left, right].map(|(value, grid)| {
                        let form = Form::Linear { offset: -grid.last_index(), factor: 2 };
                        (value.clone(), Integers::new(&Units { grid: grid.clone(), form }))
                    }))
                }
                Quantity::Distinct { value } => StepValue::Hash(value.clone(), hash_key.clone()),
                // What another measure remembers already is not computed again.
                Quantity::Quantile { .. } if same_spread(aggregation, position).is_some() => StepValue::None,
                Quantity::Quantile { value, grid, .. } => {
                    let form = Form::Linear { offset: 0, factor: 1 };
                    StepValue::Integer(value.clone(), Integers::new(&Units { grid: grid.clone(), form }))
                }
            },
        });
        let keys = aggregation.keys.iter().map(|key| key.value.clone()).collect();
        let filter = aggregation.filter.clone();
        Self { filter, keys, measures: measures.collect() }
    }

    fn with_rows(
        &self,
        table: &Table,
        take: impl FnOnce(&Rows) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let (rows, columns) = (table.rows(), table.columns());
        let chosen = self.filter.as_ref().map(|filter| truths(filter, columns, rows)).transpose()?;
        let keys: Vec<ArrayRef> = self.keys.iter().map(|key| evaluate(key, columns, rows)).collect();
        let inputs =
            self.measures.iter().map(|step| step.input(columns, rows)).collect::<Result<Vec<_>, _>>()?;
        take(&Rows { count: rows, chosen, owner: table.owner(), keys: &keys, inputs: &inputs })
    }
}

/// One thread's people.
struct Bounded {
    steps: Arc<Steps>,
    run: Run,
}

/// Bounds rows, and keeps to the allowance.
impl Gathered for Bounded {
    fn take_in(&mut self, rows: &Table, allowance: usize) -> Result<(), EngineError> {
        self.steps.with_rows(rows, |rows| Ok(self.run.push(rows)?))?;
        if self.run.bytes() > allowance {
            self.run.relieve(allowance);
        }
        Ok(())
    }
}

impl Step {
    fn input(&self, columns: &[ArrayRef], rows: usize) -> Result<Input, EngineError> {
        let counted = self.counted.as_ref().map(|counted| truths(counted, columns, rows)).transpose()?;
        let values = match &self.value {
            StepValue::None => return Ok(counted.map_or(Input::Every, Input::Where)),
            StepValue::Integer(value, integers) => integers.apply(&evaluate(value, columns, rows)),
            StepValue::Product([left, right]) => {
                let [left, right] =
                    [left, right].map(|(value, integers)| integers.apply(&evaluate(value, columns, rows)));
                // Each is at most the last index of its grid, and the product of these at most 2^62.
                let products = left.values().iter().zip(right.values()).map(|(x, y)| x.saturating_mul(*y));
                let nulls = NullBuffer::union(left.nulls(), right.nulls());
                Int64Array::new(products.collect::<Vec<i64>>().into(), nulls)
            }
            StepValue::Hash(value, hash_key) => value_hashes(hash_key, &evaluate(value, columns, rows))?,
        };
        let (_, values, nulls) = values.into_parts();
        let counted = counted.map(NullBuffer::new);
        Ok(Input::Integers(Int64Array::new(values, NullBuffer::union(nulls.as_ref(), counted.as_ref()))))
    }
}
