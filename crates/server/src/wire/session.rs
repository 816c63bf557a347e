//! One session: what it is asked, and what it answers.

use pointillist_pg_catalog::PgError;

use super::connection::Connection;

/// Serves somebody who is let in, until they leave.
pub(crate) async fn run(connection: Connection) {
    connection.frames.end(Some(PgError::new("0A000", "sessions are not served yet"))).await;
}
