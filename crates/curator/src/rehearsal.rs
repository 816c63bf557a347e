//! Rehearsals: the same question on rows that are made up from the catalog.
//!
//! **Guarantee.** No file is opened. The rows are a function of the plan and the catalog, both public, so an
//! answer about them is free, whatever the price in the question.

use pointillist_catalog::Catalog;
use pointillist_engine::{Engine, EngineError, EngineOptions, Groups};
use pointillist_noise::with_system_bits;
use pointillist_plan::PrivatePlan;
use pointillist_privacy::{EpsilonDelta, Price};
use pointillist_query::{Refusal, Statement};

use crate::answer::Answer;
use crate::ask::Ask;
use crate::error::AskError;
use crate::made_up_tables::made_up_tables;
use crate::release::{Released, rehearse_release};
use crate::reuse::{Recorded, conform};
use crate::rows::{no_rows, present};

/// How many people are made up.
pub(crate) const PEOPLE: u64 = 2_000;
/// How many rows each has at most.
pub(crate) const ROWS_EACH: u64 = 3;
/// How many rows public tables have.
const PUBLIC_ROWS: u64 = 100;

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
pub fn rehearse(catalog: &Catalog, ask: &Ask) -> Result<Rehearsal, AskError> {
    let statement = match ask.statement(catalog)? {
        Statement::Rows(statement) => *statement,
        Statement::Public(_) => return Err(not_rehearsed("public tables are free as they are").into()),
        Statement::Training(_) => {
            return Err(not_rehearsed("a model of made-up rows says nothing").into());
        }
        Statement::Synthesis(_) => {
            return Err(not_rehearsed("a sanitized table of made-up rows says nothing").into());
        }
        Statement::Evaluation(_) => {
            return Err(not_rehearsed("what something is worth by made-up rows says nothing").into());
        }
        Statement::Graph(_) => return Err(not_rehearsed("a graph has no rows to make up").into()),
    };
    let engine = Engine::new(EngineOptions::default()).map_err(|_| AskError::Failed)?;
    let released = |part: usize| -> Result<Released, AskError> {
        let plan = &statement.parts()[part];
        let groups = |public_rows: u64| {
            let tables = made_up_tables(catalog, &plan.aggregation.relation, public_rows)?;
            Some(engine.aggregate_rows(tables, &plan.aggregation))
        };
        let groups = match groups(PUBLIC_ROWS) {
            // Where rows are people, a row may find one public row: one there is enough.
            Some(Err(EngineError::ManyPartners)) => groups(1),
            tried => tried,
        };
        let groups = MadeUpGroups(groups.and_then(Result::ok).ok_or(AskError::Failed)?);
        with_system_bits(|bits| rehearse_release(&groups, plan, bits)).map_err(|_| AskError::Failed)
    };
    let releases = statement.releases().into_iter().map(released).collect::<Result<Vec<_>, _>>()?;
    let recorded = |part: usize| {
        let release = statement.release_of(part)?;
        let terms = Some(statement.parts()[statement.releases()[release]].terms());
        conform(&statement.parts()[part], &Recorded { terms, released: releases[release].clone() })
    };
    let parts: Option<Vec<(PrivatePlan, Released)>> = (0..statement.parts().len()).map(recorded).collect();
    let answer = present(&statement, &parts.ok_or(AskError::Failed)?, &no_rows)?;
    let price = statement.price();
    Ok(Rehearsal { answer, epsilon_at_delta: catalog.epsilon_at_delta(statement.scope(), &price), price })
}

fn not_rehearsed(what: &str) -> Refusal {
    Refusal::not_provable(what, "ask for the price of the real answer instead: that is free, too")
}
