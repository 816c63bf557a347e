//! A server that holds tables, and one question's session with it.
//!
//! The life of a question: [`Database::begin`] opens a transaction, locks the tables, looks at what they are and reads the
//! settings back; [`Session::prepare`] shows the planner the statement; somebody pays; [`Session::run`] runs it in that same
//! transaction. A session that is dropped rolls back. One question may run several statements, all over one snapshot.

use std::time::Duration;

use pointillist_lowering::{Dialect, Statement};
use pointillist_postgres::{Address, Canceller, Connection, Limits, Parameter, Password};

use super::{GroupRow, NoAnswer, Refusal, TableDescription, TableName};
use super::{explain, functions, lock, preflight, run, settings};

/// How long a server may take to look at its catalogs, or to plan a statement.
const LOOKING: Duration = Duration::from_secs(60);

/// How long is waited for what: functions of the service and of the plan, never of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For a connection.
    pub connect: Duration,
    /// For somebody who changes a table at this moment.
    pub lock: Duration,
    /// For each statement, on the server.
    pub statement: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            lock: Duration::from_secs(5),
            statement: Duration::from_secs(600),
        }
    }
}

/// A server that holds tables.
pub struct Database {
    address: Address,
    password: Option<Password>,
    trust_views: bool,
}

impl Database {
    /// With `trust_views` the owner vouches for the expressions of views and of row security (`preflight.rs`).
    pub fn new(address: Address, password: Option<Password>, trust_views: bool) -> Self {
        Self { address, password, trust_views }
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Opens a session for one question about these tables, before it is paid for. Looks at no row.
    pub fn begin(&self, names: &[TableName], times: &Times) -> Result<Session, Refusal> {
        // What is asked before the payment takes no longer than a lock does, and a moment.
        let limits = Limits { connect_timeout: times.connect, answer_timeout: times.lock + LOOKING };
        let connection = Connection::open(&self.address, self.password.as_ref(), &limits);
        let connection = connection.map_err(Refusal::of_call)?;
        let opening = settings::opening(times, self.trust_views);
        connection.batch(&opening).map_err(Refusal::of_call)?;
        // The locks first: the snapshot is taken by the first statement after them.
        let mut is_locked = Vec::with_capacity(names.len());
        for name in names {
            is_locked.push(lock::lock(&connection, name)?);
        }
        settings::confirm(&connection, times, self.trust_views)?;
        functions::confirm(&connection)?;
        let mut tables = Vec::with_capacity(names.len());
        for (name, is_locked) in names.iter().zip(is_locked) {
            preflight::check(&connection, name, self.trust_views)?;
            if !is_locked {
                return Err(Refusal::Forbidden { what: name.to_string() });
            }
            tables.push(TableDescription::read(&connection, name)?);
        }
        Ok(Session { connection, tables, time: times.statement })
    }

    /// What a table is on the server, for whoever writes or checks a catalog. Refuses what no question could read.
    pub fn describe(&self, name: &TableName, times: &Times) -> Result<TableDescription, Refusal> {
        let mut session = self.begin(std::slice::from_ref(name), times)?;
        session.tables.pop().ok_or(Refusal::Shape)
    }

    /// The tables of a schema that the role may read, for whoever writes a catalog.
    pub fn tables(&self, schema: &str, times: &Times) -> Result<Vec<String>, Refusal> {
        const TABLES: &str = "\
            SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1::text AND c.relkind IN ('r', 'p', 'm', 'v') AND NOT c.relispartition \
              AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT') \
            ORDER BY c.relname::text COLLATE \"C\"";
        let session = self.begin(&[], times)?;
        let parameters = [Parameter::Text(Some(schema.to_owned()))];
        let rows = session.connection.query(TABLES, &parameters).map_err(Refusal::of_call)?;
        Ok(rows.iter().filter_map(|row| Some(row.first()?.text()?.to_owned())).collect())
    }
}

/// One question's transaction.
pub struct Session {
    connection: Connection,
    tables: Vec<TableDescription>,
    time: Duration,
}

impl Session {
    /// The tables, in the order in which they were asked for.
    pub fn tables(&self) -> &[TableDescription] {
        &self.tables
    }

    /// Looks at the columns that a statement reads, and shows it to the planner, before it is paid for.
    pub fn prepare(&self, statement: &Statement) -> Result<(), Refusal> {
        if statement.dialect != Dialect::Postgres {
            return Err(Refusal::Shape);
        }
        for read in &statement.tables {
            let name = TableName::from_path(&read.path)?;
            // What was not looked at is not read.
            let table = self.tables.iter().find(|table| table.name == name);
            table.ok_or(Refusal::Missing { table: name.to_string() })?.check(&read.columns)?;
        }
        explain::explain(&self.connection, statement)
    }

    /// Runs a statement that was paid for.
    pub fn run(&self, statement: &Statement) -> Result<Vec<GroupRow>, NoAnswer> {
        run::run(&self.connection, statement, self.time)
    }

    /// Breaks off what runs, from another thread.
    pub fn canceller(&self) -> Canceller {
        self.connection.canceller()
    }
}
