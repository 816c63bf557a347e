//! The statement itself, after the payment.
//!
//! **Guarantee.** What comes back is every group of the statement over one snapshot, or [`NoAnswer`]. A statement that is cut
//! short, by a time, a cancel, a full disk, a crash or a network, gives no groups at all: rows are handed on after the server
//! has said that they are complete. The client's deadline lies after the server's, so that a server that still answers says
//! so itself; a connection that was cut is given up by it.

use std::time::Duration;

use pointillist_lowering::Statement;
use pointillist_postgres::Connection;

use super::{GroupRow, NoAnswer, parameter, rows};

/// How much later than the server we give up.
const GRACE: Duration = Duration::from_secs(10);

pub(super) fn run(
    connection: &Connection,
    statement: &Statement,
    time: Duration,
) -> Result<Vec<GroupRow>, NoAnswer> {
    let parameters = parameter::bind(&statement.parameters);
    let rows = connection.query_within(time.saturating_add(GRACE), &statement.text, &parameters);
    let rows = rows.map_err(NoAnswer::of_call)?;
    rows::read(rows, &statement.keys, statement.measures).ok_or_else(NoAnswer::of_rows)
}
