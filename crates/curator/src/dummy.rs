//! Rehearsals: the same question on rows that are made up from the catalog.
//!
//! **Guarantee.** No file is opened. The rows are a function of the plan and the catalog, both public, so an
//! answer about them is free, whatever the price in the question.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use pointillist_catalog::{Catalog, Column, ColumnType, Value};
use pointillist_engine::{Engine, EngineOptions, Groups};
use pointillist_noise::with_system_bits;
use pointillist_plan::{Owner, PrivatePlan, Relation, type_of_column};
use pointillist_query::{Options, plan};

use crate::answer::Answer;
use crate::arrays::array;
use crate::error::AskError;
use crate::release::rehearse_release;

/// How many people are made up.
const PEOPLE: u64 = 2_000;
/// How many rows each has at most.
const ROWS_EACH: u64 = 3;

/// Groups of made-up rows: the only groups that are released without a receipt.
pub(crate) struct MadeUpGroups(Groups);

impl MadeUpGroups {
    pub(crate) fn groups(&self) -> &Groups {
        &self.0
    }
}

/// Answers a question about made-up people of the catalog's tables. It costs nothing and tells nothing.
pub fn rehearse(catalog: &Catalog, sql: &str, options: &Options) -> Result<Answer, AskError> {
    let plan = plan(catalog, sql, options)?;
    let engine = Engine::new(EngineOptions::default()).map_err(|_| AskError::Failed)?;
    let rows = made_up_rows(catalog, &plan).ok_or(AskError::Failed)?;
    let groups = engine.aggregate_rows(vec![rows], &plan.aggregation).map_err(|_| AskError::Failed)?;
    let groups = MadeUpGroups(groups);
    let released =
        with_system_bits(|bits| rehearse_release(&groups, &plan, bits)).map_err(|_| AskError::Failed)?;
    Answer::new(&plan, &released).map_err(|_| AskError::Failed)
}

/// Rows in the shape that a scan of the plan's table would have.
fn made_up_rows(catalog: &Catalog, plan: &PrivatePlan) -> Option<RecordBatch> {
    let Relation::Table { name, columns } = &plan.aggregation.relation;
    let table = catalog.tables.get(name)?;
    let owners: Vec<i64> = (0..PEOPLE)
        .flat_map(|person| {
            let rows = 1 + mixed(person, u64::MAX) % ROWS_EACH;
            std::iter::repeat_n(person as i64, rows as usize)
        })
        .collect();
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (position, column) in columns.iter().enumerate() {
        let declared = table.column_in_file(&column.name);
        let values: Vec<Value> = (0..owners.len() as u64)
            .map(|row| made_up(&column.kind, declared, mixed(row, position as u64)))
            .collect();
        let values = array(type_of_column(&column.kind), values.iter().map(Some));
        fields.push(Field::new(&column.name, values.data_type().clone(), true));
        arrays.push(values);
    }
    if let Owner::Column(_) = &plan.aggregation.owner {
        fields.push(Field::new("owner", DataType::Int64, true));
        arrays.push(Arc::new(Int64Array::from(owners.clone())));
    }
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(owners.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).ok()
}

/// A value of a column, chosen by a number: one of its public keys, or something between its bounds.
pub fn made_up(kind: &ColumnType, declared: Option<&Column>, choice: u64) -> Value {
    if let Some(keys) =
        declared.and_then(|declared| declared.public_keys.as_ref()).filter(|keys| !keys.is_empty())
    {
        return keys[(choice % keys.len() as u64) as usize].clone();
    }
    // Between zero and one; the sum of two makes middling values more common than extreme ones.
    let fraction = ((choice >> 40) as f64 + ((choice >> 8) & 0xff_ffff) as f64) / f64::from(1u32 << 25);
    let between = |lower: i64, upper: i64| {
        let width = (i128::from(upper) - i128::from(lower)) as f64;
        lower.saturating_add((width * fraction) as i64).clamp(lower, upper)
    };
    match kind {
        ColumnType::Boolean => Value::Boolean(choice.is_multiple_of(2)),
        ColumnType::Integer { bounds } => {
            let (lower, upper) = bounds.unwrap_or((0, 100));
            Value::Integer(between(lower, upper))
        }
        ColumnType::Number { bounds, .. } => {
            let (lower, upper) = match bounds {
                Some((lower, upper)) => (lower.to_f64_upper(), upper.to_f64_lower()),
                None => (0.0, 100.0),
            };
            Value::number(lower + (upper - lower) * fraction).unwrap_or(Value::Number(0.0))
        }
        ColumnType::Text => {
            Value::Text(["alpha", "beta", "gamma", "delta"][(choice % 4) as usize].to_owned())
        }
        ColumnType::Date { bounds } => {
            // 2025, unless the owner said otherwise.
            let (first, last) = bounds.unwrap_or((20_089, 20_453));
            Value::Date(between(i64::from(first), i64::from(last)) as i32)
        }
        ColumnType::Timestamp { bounds } => {
            const DAY: i64 = 86_400_000_000;
            let (first, last) = bounds.unwrap_or((20_089 * DAY, 20_453 * DAY));
            Value::Timestamp(between(first, last))
        }
    }
}

/// A number that looks random, from two: splitmix64's finisher. Made-up rows need variety, not secrecy.
pub fn mixed(row: u64, column: u64) -> u64 {
    let mut z =
        row.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(column.wrapping_mul(0xd1b5_4a32_d192_ed03));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
