//! Rehearsals: the same question on rows that are made up from the catalog.
//!
//! **Guarantee.** No file is opened. The rows are a function of the plan and the catalog, both public, so an
//! answer about them is free, whatever the price in the question.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use pointillist_catalog::{Catalog, Value};
use pointillist_engine::{Engine, EngineOptions, Groups};
use pointillist_noise::with_system_bits;
use pointillist_plan::{Ownership, PrivatePlan, type_of_column};
use pointillist_privacy::{EpsilonDelta, Price};
use pointillist_query::{Options, Refusal, Statement, statement};

use crate::answer::Answer;
use crate::arrays::array;
use crate::error::AskError;
use crate::made_up;
use crate::release::{Released, rehearse_release};
use crate::reuse::{Recorded, conform};
use crate::rows::present;

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

/// An answer about nobody, and what a real one would cost.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The table, in the shape of a real one.
    pub answer: Answer,
    /// What a real answer costs.
    pub price: Price,
    /// The cost in ε at the δ that the owner reads ε at, rounded up; `None` for pure scopes and sums that have no ε.
    pub epsilon_at_delta: Option<EpsilonDelta>,
}

/// Answers a question about made-up people of the catalog's tables. It costs nothing and tells nothing.
///
/// # Errors
/// What is not answered about real people is not answered about these either. Graphs are not rehearsed.
pub fn rehearse(catalog: &Catalog, sql: &str, options: &Options) -> Result<Rehearsal, AskError> {
    let statement = match statement(catalog, sql, options)? {
        Statement::Rows(statement) => *statement,
        Statement::Graph(_) => return Err(not_rehearsed("a graph has no rows to make up").into()),
    };
    let engine = Engine::new(EngineOptions::default()).map_err(|_| AskError::Failed)?;
    let released = |part: usize| -> Result<Released, AskError> {
        let plan = &statement.parts()[part];
        let several = || not_rehearsed("only questions about one table are rehearsed");
        let rows = made_up_rows(catalog, plan).ok_or_else(several)?;
        let groups = engine.aggregate_rows(vec![rows], &plan.aggregation).map_err(|_| AskError::Failed)?;
        let groups = MadeUpGroups(groups);
        with_system_bits(|bits| rehearse_release(&groups, plan, bits)).map_err(|_| AskError::Failed)
    };
    let releases = statement.releases().into_iter().map(released).collect::<Result<Vec<_>, _>>()?;
    let recorded = |part: usize| {
        let release = statement.release_of(part)?;
        let terms = Some(statement.parts()[statement.releases()[release]].terms());
        conform(&statement.parts()[part], &Recorded { terms, released: releases[release].clone() })
    };
    let parts: Option<Vec<(PrivatePlan, Released)>> = (0..statement.parts().len()).map(recorded).collect();
    let answer = present(&statement, &parts.ok_or(AskError::Failed)?)?;
    let price = statement.price();
    Ok(Rehearsal { answer, epsilon_at_delta: catalog.epsilon_at_delta(statement.scope(), &price), price })
}

fn not_rehearsed(what: &str) -> Refusal {
    Refusal::not_provable(what, "ask for the price of the real answer instead: that is free, too")
}

/// Rows in the shape that a scan of the plan's table would have.
fn made_up_rows(catalog: &Catalog, plan: &PrivatePlan) -> Option<RecordBatch> {
    let scan = plan.aggregation.relation.table()?;
    let table = catalog.tables.get(&scan.table)?;
    let owners: Vec<i64> = (0..PEOPLE)
        .flat_map(|person| {
            let rows = 1 + made_up::mixed(person, u64::MAX) % ROWS_EACH;
            std::iter::repeat_n(person as i64, rows as usize)
        })
        .collect();
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (position, column) in scan.columns.iter().enumerate() {
        let declared = table.column_in_file(&column.name);
        let values: Vec<Value> = (0..owners.len() as u64)
            .map(|row| made_up::value(&column.kind, declared, made_up::mixed(row, position as u64)))
            .collect();
        let values = array(type_of_column(&column.kind), values.iter().map(Some));
        fields.push(Field::new(&column.name, values.data_type().clone(), true));
        arrays.push(values);
    }
    if let Ownership::People(_) = plan.aggregation.ownership() {
        fields.push(Field::new("owner", DataType::Int64, true));
        arrays.push(Arc::new(Int64Array::from(owners.clone())));
    }
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(owners.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).ok()
}
