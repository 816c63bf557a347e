//! A connection, for code that blocks.
//!
//! **Guarantee.** Every call returns by its deadline, answered or not. A call that was not answered has asked the server to
//! break the statement off and has closed the connection, so that a late answer can never be taken for that of the next
//! statement. What a call has returned, the server has said.
//!
//! A thread of the connection's own drives the socket (see `worker.rs`), so that it can be used from any thread, those of a
//! runtime among them, where it blocks but does not panic. One statement runs at a time.

use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use crate::worker::{self, Answer, Call, Task};
use crate::{Address, Canceller, Cell, ConnectionError, Parameter, Password};

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For a connection, from the first packet to the end of the login.
    pub connect_timeout: Duration,
    /// For the answer to a call that says no time of its own.
    pub answer_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect_timeout: Duration::from_secs(10), answer_timeout: Duration::from_secs(60) }
    }
}

/// What a statement takes and gives, as the server says without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The types of its parameters.
    pub parameters: Vec<String>,
    /// The names and types of its columns.
    pub columns: Vec<(String, String)>,
}

/// One session with a server. Closed when it is dropped.
pub struct Connection {
    calls: UnboundedSender<Call>,
    canceller: Canceller,
    answer_timeout: Duration,
}

impl Connection {
    /// Connects and logs in.
    pub fn open(
        address: &Address,
        password: Option<&Password>,
        limits: &Limits,
    ) -> Result<Self, ConnectionError> {
        let (calls, canceller) = worker::start(address, password, limits.connect_timeout)?;
        Ok(Self { calls, canceller, answer_timeout: limits.answer_timeout })
    }

    /// Runs statements that give nothing back, separated by semicolons.
    pub fn batch(&self, statements: &str) -> Result<(), ConnectionError> {
        self.call(Task::Batch(statements.to_owned()), self.answer_timeout).map(|_| ())
    }

    /// Runs one statement, and says how many rows it concerned.
    pub fn execute(&self, statement: &str, parameters: &[Parameter]) -> Result<u64, ConnectionError> {
        let task = Task::Execute(statement.to_owned(), parameters.to_vec());
        match self.call(task, self.answer_timeout)? {
            Answer::Count(rows) => Ok(rows),
            _ => Err(ConnectionError::Protocol),
        }
    }

    /// Runs one statement, and gives its rows.
    pub fn query(
        &self,
        statement: &str,
        parameters: &[Parameter],
    ) -> Result<Vec<Vec<Cell>>, ConnectionError> {
        self.query_within(self.answer_timeout, statement, parameters)
    }

    /// The same with a deadline of its own. Where the server does not answer by then, it is asked to break the statement off,
    /// and the connection is closed.
    pub fn query_within(
        &self,
        time: Duration,
        statement: &str,
        parameters: &[Parameter],
    ) -> Result<Vec<Vec<Cell>>, ConnectionError> {
        match self.call(Task::Query(statement.to_owned(), parameters.to_vec()), time)? {
            Answer::Rows(rows) => Ok(rows),
            _ => Err(ConnectionError::Protocol),
        }
    }

    /// What a statement takes and gives. It is parsed and not run.
    pub fn describe(&self, statement: &str) -> Result<Description, ConnectionError> {
        match self.call(Task::Describe(statement.to_owned()), self.answer_timeout)? {
            Answer::Description(description) => Ok(description),
            _ => Err(ConnectionError::Protocol),
        }
    }

    /// A handle that breaks off the running statement from another thread.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Whether nothing can be asked any more. A connection that was cut is found out by the next call at the latest.
    pub fn is_closed(&self) -> bool {
        self.calls.is_closed()
    }

    fn call(&self, task: Task, time: Duration) -> Result<Answer, ConnectionError> {
        let (reply, answer) = mpsc::sync_channel(1);
        self.calls.send(Call { task, time, reply }).map_err(|_| ConnectionError::Closed)?;
        answer.recv().unwrap_or(Err(ConnectionError::Closed))
    }
}
