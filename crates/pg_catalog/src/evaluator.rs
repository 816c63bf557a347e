//! `SELECT` over system tables, and over nothing.

use pointillist_query::Refusal;

use crate::{PgError, PgType, PgValue, Settings, SystemCatalog};

/// The session that asks.
pub struct Session<'s> {
    /// Who.
    pub user: &'s str,
    /// The database that they are connected to.
    pub database: &'s str,
    /// The number of their connection.
    pub backend_pid: i32,
    /// What they have set. `set_config` changes it.
    pub settings: &'s mut Settings,
}

/// Where a statement belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// To the system catalog: it reads system tables, or none at all. Free.
    System,
    /// To the curator: it names what is declared, or what nobody knows.
    Curator,
    /// To nobody: it mixes the two.
    Mixed,
}

/// Where a query belongs, by the names after FROM wherever they stand.
///
/// # Errors
/// When the text is no query.
pub fn route(system: &SystemCatalog, sql: &str) -> Result<Route, Refusal> {
    let _ = (system, sql);
    Ok(Route::Curator)
}

/// A statement about the system catalog, parsed once.
#[derive(Clone, Debug)]
pub struct Question {}

/// What a statement gives, before it is executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The types of `$1`, `$2`, …
    pub parameters: Vec<PgType>,
    /// Names and types of the columns.
    pub columns: Vec<(String, PgType)>,
}

/// What a statement gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Names and types of the columns.
    pub columns: Vec<(String, PgType)>,
    /// The rows.
    pub rows: Vec<Vec<PgValue>>,
}

impl Question {
    /// Parses; `declared` are the types that the client gives its parameters, `None` where it leaves them to us.
    ///
    /// # Errors
    /// What is not understood, with its SQLSTATE.
    pub fn parse(sql: &str, declared: &[Option<PgType>]) -> Result<Self, PgError> {
        let _ = (sql, declared);
        Err(PgError::new("0A000", "the system catalog is empty"))
    }

    /// The types of parameters and columns.
    ///
    /// # Errors
    /// 42P01, 42703, 42883 for names that are not known; others as PostgreSQL.
    pub fn describe(&self, system: &SystemCatalog, session: &Session<'_>) -> Result<Described, PgError> {
        let _ = (system, session);
        Err(PgError::new("0A000", "the system catalog is empty"))
    }

    /// The rows, for these parameters.
    ///
    /// # Errors
    /// As [`Question::describe`]; and 54001 when the steps are used up.
    pub fn execute(
        &self,
        system: &SystemCatalog,
        session: &mut Session<'_>,
        parameters: &[PgValue],
    ) -> Result<Outcome, PgError> {
        let _ = (system, session, parameters);
        Err(PgError::new("0A000", "the system catalog is empty"))
    }
}
