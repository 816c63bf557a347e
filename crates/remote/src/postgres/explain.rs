//! The planner has seen the very statement before anybody pays.
//!
//! **Guarantee.** A statement that runs was planned before, in the same session, under the same settings, in the same snapshot
//! and with the same parameters bound: what fails at planning (columns, rights, collations, constants that are folded, nesting
//! that is too deep) is a refusal and not a failure after the payment. Its columns have the types that they will be read by.
//!
//! What the planner says is thrown away: its estimates are made from statistics of private rows.

use pointillist_lowering::Statement;
use pointillist_plan::Type;
use pointillist_postgres::{Connection, ConnectionError};

use super::{Refusal, parameter};

pub(super) fn explain(connection: &Connection, statement: &Statement) -> Result<(), Refusal> {
    let parameters = parameter::bind(&statement.parameters);
    let described = connection.describe(&statement.text).map_err(refusal)?;
    let keys = statement.keys.iter().map(|kind| type_name(*kind));
    let numbers = std::iter::repeat_n("text", statement.measures + 1);
    let types = described.columns.iter().map(|(_, kind)| kind.as_str());
    if !types.eq(keys.chain(numbers)) {
        return Err(Refusal::Shape);
    }
    let text = format!("EXPLAIN (COSTS OFF) {}", statement.text);
    connection.query(&text, &parameters).map(drop).map_err(refusal)
}

/// What a key of a type comes back as.
fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "bool",
        Type::Integer => "int8",
        Type::Number => "float8",
        Type::Text => "text",
        Type::Date => "date",
        Type::Timestamp => "timestamp",
    }
}

fn refusal(error: ConnectionError) -> Refusal {
    match error {
        ConnectionError::Server { sqlstate } => Refusal::Plan { sqlstate },
        other => Refusal::of_call(other),
    }
}
