//! Statements that compute something from released numbers, as text files like those of `sql.rs`.

use pointillist_errors::Explained;
use pointillist_plan::StatementPlan;

use super::fixture::catalog;
use super::sql::check;
use crate::{Options, Refusal, Statement, statement};

/// The plan of a statement about rows.
pub(super) fn planned(sql: &str) -> Result<StatementPlan, Refusal> {
    match statement(&catalog(), sql, &Options::default())? {
        Statement::Rows(plan) => Ok(*plan),
        Statement::Graph(_)
        | Statement::Training(_)
        | Statement::Evaluation(_)
        | Statement::Synthesis(_)
        | Statement::Public(_) => {
            Err(Refusal::not_provable("a graph has no rows to plan for", "ask about the graph"))
        }
    }
}

#[test]
fn these_statements_compute_something_from_what_is_released() {
    check("released", |sql| match planned(sql) {
        Ok(plan) => plan.to_string(),
        Err(refusal) => format!("REFUSED {}", refusal.explanation().text()),
    });
}

#[test]
fn these_statements_mix_what_cannot_be_mixed() {
    check("refused_released", |sql| match planned(sql) {
        Ok(plan) => format!("ANSWERED {plan}"),
        Err(refusal) => format!("{} {}", refusal.sqlstate(), refusal.explanation().text()),
    });
}
