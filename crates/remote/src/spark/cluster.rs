//! A Spark Connect server that knows tables, and one question's session with it.
//!
//! The life of a question: [`Cluster::begin`] makes a session, its settings, and looks at what the tables are;
//! [`Session::prepare`] lets Spark plan the statement; somebody pays; [`Session::run`] runs it in that same session. When the
//! server has lost the session in between, its settings are gone and nothing runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pointillist_lowering::{Dialect, Statement};
use pointillist_spark::{Address, Operation, Progress, SessionOptions, Token};

use super::{GroupRow, NoAnswer, Refusal, TableDescription, TableName};
use super::{parameter, rows, settings, shape};

/// More than any answer of groups has.
const ANSWER_BYTES_MAX: usize = 1 << 32;

/// How long is waited for what: functions of the service and of the plan, never of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For a setting, a schema or a plan. A cluster that begins to work takes seconds.
    pub call: Duration,
    /// For each statement.
    pub statement: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { call: Duration::from_secs(120), statement: Duration::from_secs(3600) }
    }
}

/// A server that knows tables.
pub struct Cluster {
    address: Address,
    /// Read again for each session: tokens are short-lived, and files of them are exchanged.
    token: TokenPlace,
    trust_views: bool,
    ansi: bool,
}

enum TokenPlace {
    File(PathBuf),
    Environment(String),
}

impl Cluster {
    /// The server of a connection, whose token is in a file or in the environment, or nowhere. With `trust_views` the owner
    /// vouches for the expressions of views (`table.rs`).
    pub fn new(address: Address, connection: &str, token_file: Option<&Path>, trust_views: bool) -> Self {
        let token = match token_file {
            Some(file) => TokenPlace::File(file.to_owned()),
            None => TokenPlace::Environment(connection.to_owned()),
        };
        Self { address, token, trust_views, ansi: true }
    }

    /// The same in Spark's other mode, in which a forgotten guard would wrap and not fail: for tests that compare both.
    pub fn without_ansi(self) -> Self {
        Self { ansi: false, ..self }
    }

    /// Opens a session for one question about these tables, before it is paid for. Looks at no row.
    ///
    /// # Errors
    /// When the server is away, a setting does not stay, or a table is not one whose rows can be asked about.
    pub fn begin(&self, names: &[TableName], times: &Times) -> Result<Session, Refusal> {
        let options = SessionOptions {
            call_max: times.call,
            statement_max: times.statement,
            answer_bytes_max: ANSWER_BYTES_MAX,
        };
        let session = pointillist_spark::Session::open(&self.address, self.token()?, options);
        let session = session.map_err(Refusal::of_call)?;
        settings::make(&session, self.ansi)?;
        let tables = names.iter().map(|name| TableDescription::read(&session, name, self.trust_views));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        Ok(Session { session, tables, ansi: self.ansi })
    }

    /// What a table is, for whoever writes or checks a catalog. Refuses what no question could read.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn describe(&self, name: &TableName, times: &Times) -> Result<TableDescription, Refusal> {
        let mut session = self.begin(std::slice::from_ref(name), times)?;
        session.tables.pop().ok_or(Refusal::Shape)
    }

    fn token(&self) -> Result<Option<Token>, Refusal> {
        let token = match &self.token {
            TokenPlace::File(file) => Token::from_file(file).map(Some),
            TokenPlace::Environment(connection) => Token::from_environment(connection),
        };
        token.map_err(|error| Refusal::Token(error.to_string()))
    }
}

/// One question's session.
pub struct Session {
    session: pointillist_spark::Session,
    tables: Vec<TableDescription>,
    ansi: bool,
}

/// A statement that runs, for whoever wants to call it off.
#[derive(Clone, Debug)]
pub struct Running(Operation);

impl Session {
    /// The tables, in the order in which they were asked for.
    pub fn tables(&self) -> &[TableDescription] {
        &self.tables
    }

    /// Looks at the columns that a statement reads, and lets Spark plan it, before it is paid for.
    ///
    /// # Errors
    /// When a column is not there, or Spark does not take the statement.
    pub fn prepare(&self, statement: &Statement) -> Result<(), Refusal> {
        if statement.dialect != Dialect::Spark {
            return Err(Refusal::Shape);
        }
        for read in &statement.tables {
            let name = TableName::from_path(&read.path)?;
            // What was not looked at is not read.
            let table = self.tables.iter().find(|table| table.name == name);
            table.ok_or(Refusal::Missing { table: name.to_string() })?.check(&read.columns)?;
        }
        settings::confirm(&self.session, self.ansi)?;
        shape::check(&self.session, statement)
    }

    /// Runs a statement that was paid for.
    ///
    /// # Errors
    /// One, whatever happened: there is never a part of an answer.
    pub fn run(&self, statement: &Statement) -> Result<Vec<GroupRow>, NoAnswer> {
        let running = Self::running().map_err(|_| NoAnswer::of_rows())?;
        self.run_as(&running, statement, &mut |_| ())
    }

    /// A name for a run.
    ///
    /// # Errors
    /// When the operating system gives no random bits.
    pub fn running() -> Result<Running, Refusal> {
        Operation::new().map(Running).map_err(Refusal::of_call)
    }

    /// The same under a name by which another thread can call it off, and with news of how far it is.
    ///
    /// # Errors
    /// One, whatever happened: there is never a part of an answer.
    pub fn run_as(
        &self,
        running: &Running,
        statement: &Statement,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<GroupRow>, NoAnswer> {
        let parameters = parameter::bind(&statement.parameters);
        let answer = self.session.query(&running.0, &statement.text, &parameters, progress);
        let answer = answer.map_err(NoAnswer::of_call)?;
        rows::read(answer, &statement.keys, statement.measures).ok_or_else(NoAnswer::of_rows)
    }

    /// Calls a run off, from another thread. The run ends without an answer; nothing is said where it has ended already.
    pub fn call_off(&self, running: &Running) {
        // Whoever runs it hears of a server that is away.
        let _ = self.session.interrupt(&running.0);
    }
}
