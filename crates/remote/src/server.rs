//! A connection of the catalog, and one question's session with what answers behind it.
//!
//! **One question, one session.** All releases of a question are prepared and run over one session: on PostgreSQL one
//! snapshot. A session is opened before the payment; its statements run after it.
//! **Payments.** Nothing here reads a row before [`Prepared::aggregate`] is called, which the curator does for whoever shows
//! a receipt.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pointillist_catalog::{ColumnType, Connection, RemoteTable, System, Value};
use pointillist_engine::{Choice, ChoiceKey, EngineError, Groups, Prepared};
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_lowering::{Dialect, Statement, StoredTable, StoredTables, check_column, lower};
use pointillist_plan::Aggregation;
use pointillist_postgres::Password;

use crate::postgres::{self, Database};
use crate::spark::{self, Cluster};

/// Who is told what is done now, and about how much of it is done, from 0 to 1.
pub type Tell = Arc<dyn Fn(&'static str, f64) + Send + Sync>;

/// What answers behind a connection.
pub struct Server(Place);

enum Place {
    Postgres(Database),
    Spark(Cluster),
}

/// One question's session: its tables looked at, none of their rows.
pub struct Session {
    talk: Talk,
    tables: StoredTables,
    tell: Option<Tell>,
}

enum Talk {
    Postgres(postgres::Session),
    Spark(spark::Session),
}

/// A key, its people and its totals.
type GroupRow = (Vec<Option<Value>>, Vec<i128>);

impl Server {
    /// The server of a connection; `folder` is where its password file is relative to. Opens nothing but that file.
    ///
    /// # Errors
    /// When the address is not understood, or the password cannot be had.
    pub fn of(connection: &Connection, folder: &Path) -> Result<Self, Explanation> {
        let Connection { name, url, trust_views, .. } = connection;
        let file = connection.password_file.as_ref().map(|file| folder.join(file));
        Ok(Self(match connection.system {
            System::Postgres => {
                let address =
                    pointillist_postgres::Address::parse(url).map_err(|error| error.explanation())?;
                let password = match &file {
                    Some(file) => Password::from_file(file).map(Some),
                    None => Password::from_environment(name),
                };
                let password = password.map_err(|error| error.explanation())?;
                Place::Postgres(Database::new(address, password, *trust_views))
            }
            System::Spark => {
                let address = pointillist_spark::Address::parse(url).map_err(|error| error.explanation())?;
                Place::Spark(Cluster::new(address, name, file.as_deref(), *trust_views))
            }
        }))
    }

    /// Opens a session for a question about these tables, by their names in the catalog. `statement` is how long one of its
    /// statements may take.
    ///
    /// # Errors
    /// When the server is away, or a table is not one whose rows can be asked about.
    pub fn begin(
        &self,
        tables: &BTreeMap<String, RemoteTable>,
        statement: Option<Duration>,
        tell: Option<Tell>,
    ) -> Result<Arc<Session>, Explanation> {
        let paths = tables.values().map(|table| table.path.as_slice());
        let (talk, stored): (Talk, Vec<StoredTable>) = match &self.0 {
            Place::Postgres(database) => {
                let refused = |error: postgres::Refusal| error.explanation();
                let names = paths.map(postgres::TableName::from_path).collect::<Result<Vec<_>, _>>();
                let mut times = postgres::Times::default();
                times.statement = statement.unwrap_or(times.statement);
                let session = database.begin(&names.map_err(refused)?, &times).map_err(refused)?;
                let stored = session.tables().iter().map(postgres::TableDescription::stored).collect();
                (Talk::Postgres(session), stored)
            }
            Place::Spark(cluster) => {
                let refused = |error: spark::Refusal| error.explanation();
                let names = paths.map(spark::TableName::from_path).collect::<Result<Vec<_>, _>>();
                let mut times = spark::Times::default();
                times.statement = statement.unwrap_or(times.statement);
                let session = cluster.begin(&names.map_err(refused)?, &times).map_err(refused)?;
                let stored = session.tables().iter().map(spark::TableDescription::stored).collect();
                (Talk::Spark(session), stored)
            }
        };
        let tables = tables.keys().cloned().zip(stored).collect();
        Ok(Arc::new(Session { talk, tables, tell }))
    }

    fn dialect(&self) -> Dialect {
        match &self.0 {
            Place::Postgres(_) => Dialect::Postgres,
            Place::Spark(_) => Dialect::Spark,
        }
    }

    /// Which of these columns of a table cannot be read as they are declared, and why; without a type, which cannot say whose
    /// row it is. Looks at no row.
    ///
    /// # Errors
    /// When the server is away, or the table is not one whose rows can be asked about.
    pub fn readable(
        &self,
        table: &RemoteTable,
        columns: &[(String, Option<ColumnType>)],
    ) -> Result<Vec<(String, Explanation)>, Explanation> {
        let stored = self.stored(table)?;
        let check = |(name, declared): &(String, Option<ColumnType>)| {
            let complaint = match stored.columns.get(name) {
                None => {
                    let words = format!("`{}` has no column `{name}`", table.path.join("."));
                    Explanation::new(Kind::DataUnavailable, words)
                        .with_hint("name it as the server does, with `name = \"…\"`; capitals count")
                }
                Some(stored) => {
                    check_column(self.dialect(), name, stored, declared.as_ref()).err()?.explanation()
                }
            };
            Some((name.clone(), complaint))
        };
        Ok(columns.iter().filter_map(check).collect())
    }

    /// What a table is on the server. Looks at no row.
    ///
    /// # Errors
    /// As [`Server::begin`].
    pub fn stored(&self, table: &RemoteTable) -> Result<StoredTable, Explanation> {
        let tables = BTreeMap::from([(String::new(), table.clone())]);
        let session = self.begin(&tables, None, None)?;
        let stored = session.tables.values().next().cloned();
        stored.ok_or_else(|| Explanation::new(Kind::DataUnavailable, "the server says nothing of the table"))
    }

    /// The tables of a schema that may be read there.
    ///
    /// # Errors
    /// When the server is away, or does not list its tables.
    pub fn tables(&self, schema: &str) -> Result<Vec<String>, Explanation> {
        match &self.0 {
            Place::Postgres(database) => {
                let tables = database.tables(schema, &postgres::Times::default());
                tables.map_err(|error| error.explanation())
            }
            Place::Spark(_) => Ok(Vec::new()),
        }
    }
}

impl Session {
    /// Prepares an aggregation: lowered, and seen by the server's planner.
    ///
    /// # Errors
    /// What cannot be done faithfully there, by name.
    pub fn prepare(self: &Arc<Self>, aggregation: &Aggregation) -> Result<Box<dyn Prepared>, Explanation> {
        let key = ChoiceKey::from_system().map_err(|error| error.explanation())?;
        let dialect = match &self.talk {
            Talk::Postgres(_) => Dialect::Postgres,
            Talk::Spark(_) => Dialect::Spark,
        };
        let statement = lower(dialect, &self.tables, aggregation, &key);
        let statement = statement.map_err(|error| error.explanation())?;
        match &self.talk {
            Talk::Postgres(session) => session.prepare(&statement).map_err(|error| error.explanation())?,
            Talk::Spark(session) => session.prepare(&statement).map_err(|error| error.explanation())?,
        }
        Ok(Box::new(Remote { session: Arc::clone(self), statement }))
    }

    fn run(&self, statement: &Statement) -> Option<Vec<GroupRow>> {
        match &self.talk {
            Talk::Postgres(session) => session.run(statement).ok(),
            Talk::Spark(session) => {
                let running = spark::Session::running().ok()?;
                let rows = session.run_as(&running, statement, &mut |progress| {
                    if let Some(tell) = &self.tell {
                        tell("tasks on Spark", progress.tasks_done as f64 / progress.tasks.max(1) as f64);
                    }
                });
                rows.ok()
            }
        }
    }
}

/// A statement that the server has planned.
struct Remote {
    session: Arc<Session>,
    statement: Statement,
}

impl Prepared for Remote {
    fn aggregate(&self, aggregation: &Aggregation, choice: &Choice) -> Result<Groups, EngineError> {
        let rows = match choice {
            Choice::Fresh => self.session.run(&self.statement),
            Choice::With(key) => {
                let statement = lower(self.statement.dialect, &self.session.tables, aggregation, key);
                self.session.run(&statement.map_err(|_| EngineError::Elsewhere)?)
            }
        };
        let rows = rows.ok_or(EngineError::Elsewhere)?;
        let groups = Groups::from_rows(aggregation.domain.as_deref(), aggregation.measures.len(), rows);
        groups.ok_or(EngineError::Elsewhere)
    }
}
