//! Tables stay as they are from the first look until the question is answered.
//!
//! **Guarantee.** Every table of a question is locked `ACCESS SHARE` before the transaction takes its snapshot, and stays so
//! until the transaction ends: nobody drops or rewrites it, changes a column's type, or adds a policy in between. Others
//! read and write rows meanwhile, which the snapshot does not see.
//! **Not covered.** `LOCK TABLE` asks for a right to the whole table and does not know materialized views; where it fails, an
//! empty `SELECT` takes the same lock, a moment after the snapshot. Attaching a partition is not
//! stopped by this lock in any case.

use pointillist_postgres::{Connection, ConnectionError};

use super::{Refusal, TableName};

/// Locks a table, and says whether that succeeded. Why it did not is found by name in the catalogs.
pub(super) fn lock(connection: &Connection, table: &TableName) -> Result<bool, Refusal> {
    let whole = format!("LOCK TABLE {} IN ACCESS SHARE MODE", table.quoted());
    let empty = format!("SELECT FROM {} WHERE false", table.quoted());
    for statement in [whole, empty] {
        match attempt(connection, &statement)?.as_deref() {
            None => return Ok(true),
            // No such table, no such schema.
            Some("42P01" | "3F000") => return Err(Refusal::Missing { table: table.to_string() }),
            // The time for locks is over, or that for statements.
            Some("55P03" | "57014") => return Err(Refusal::Locked { table: table.to_string() }),
            Some(_) => {}
        }
    }
    Ok(false)
}

/// Runs a statement in a savepoint: `None` if it succeeded, and otherwise its SQLSTATE, with the transaction as before.
fn attempt(connection: &Connection, statement: &str) -> Result<Option<String>, Refusal> {
    match connection.batch(&format!("SAVEPOINT attempt; {statement}; RELEASE SAVEPOINT attempt")) {
        Ok(()) => Ok(None),
        Err(ConnectionError::Server { sqlstate }) => {
            connection.batch("ROLLBACK TO SAVEPOINT attempt").map_err(Refusal::of_call)?;
            Ok(Some(sqlstate))
        }
        Err(error) => Err(Refusal::of_call(error)),
    }
}
