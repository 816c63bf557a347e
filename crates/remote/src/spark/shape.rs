//! Spark has seen the very statement, with its parameters, before anybody pays.
//!
//! **Guarantee.** Analysis, optimizer and planner took it under the settings of the session, so that whatever they fold or refuse they
//! did before the payment; and the columns that would come back are those that `rows.rs` reads.

use pointillist_lowering::Statement;
use pointillist_plan::Type;
use pointillist_spark::{ColumnType, Session, SparkError};

use super::{Refusal, parameter};

pub(super) fn check(session: &Session, statement: &Statement) -> Result<(), Refusal> {
    let parameters = parameter::bind(&statement.parameters);
    let columns = session.schema(&statement.text, &parameters).map_err(refused)?;
    let kinds = statement.keys.iter().map(|kind| match kind {
        Type::Boolean => ColumnType::Boolean,
        Type::Integer => ColumnType::Whole { bits: 64 },
        Type::Number => ColumnType::Double,
        Type::Text => ColumnType::Text,
        Type::Date => ColumnType::Date,
        Type::Timestamp => ColumnType::Timestamp,
    });
    let texts = std::iter::repeat_n(ColumnType::Text, 1 + statement.measures);
    if !columns.into_iter().map(|column| column.kind).eq(kinds.chain(texts)) {
        return Err(Refusal::Shape);
    }
    // The words are for people; that there is a plan is what counts.
    session.explain(&statement.text, &parameters).map(|_| ()).map_err(refused)
}

fn refused(error: SparkError) -> Refusal {
    match error {
        SparkError::Refused { condition } | SparkError::Failed { condition } => {
            Refusal::Plan { condition: condition.map_or_else(String::new, |condition| condition.to_string()) }
        }
        error => Refusal::of_call(error),
    }
}
