//! One session: simple and extended queries, from the first ReadyForQuery until somebody leaves.
//!
//! **Guarantee.** Describing never charges. A statement is charged when it is executed, once for each execution of a portal and
//! once for each statement of a simple query; after an error, whatever comes before the next Sync is neither done nor charged.
//! Nothing is sent that the curator, the system catalog or the session's own state did not give. Whoever was removed, or has
//! another role, since they came in is told so with their next message, and has to come in again.

mod extended;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use pgwire::messages::PgWireBackendMessage as Outgoing;
use pgwire::messages::PgWireFrontendMessage as Incoming;
use pointillist_pg_catalog::{PgError, Settings};

use super::answer_rows::Rows;
use super::connection::Connection;
use super::copy;
use super::frames::FrameError;
use super::notices;
use super::outgoing::{self, Formats};
use super::portal::{Portals, Tag};
use super::prepared::{Prepared, PreparedStatements};
use super::refusal::Failure;
use super::session_settings::{self, statement_timeout};
use super::statement::{CopyFormat, CopyOptions};
use super::tokens::split;
use super::transaction::Transaction;

/// The most statements of one message.
const STATEMENTS_MAX: usize = 1_000;

/// Serves somebody who is let in, until they leave.
pub(crate) async fn run(connection: Connection) {
    let mut session = Session::new(connection);
    let why = session.serve().await;
    session.connection.frames.end(why).await;
}

/// A session and what it keeps.
pub(crate) struct Session {
    pub(crate) connection: Connection,
    pub(crate) transaction: Transaction,
    pub(crate) statements: PreparedStatements,
    pub(crate) portals: Portals,
    /// The settings that the client knows of.
    reported: BTreeMap<&'static str, String>,
    /// After an error of the extended protocol nothing is done until Sync.
    is_skipping: bool,
    /// How many questions were asked: their numbers in the log.
    pub(crate) asked: u64,
}

/// What came of a statement.
pub(crate) enum Output {
    /// There was none.
    Empty,
    /// A command is done.
    Done(String),
    /// It has rows.
    Rows { rows: Arc<Rows>, tag: Tag, notices: Vec<Failure> },
    /// Its rows go out as a file.
    Copy { rows: Arc<Rows>, options: CopyOptions, notices: Vec<Failure> },
}

/// Why something ends: the statement, or the connection.
#[derive(Debug)]
pub(crate) enum Trouble {
    Failure(Failure),
    Frames(FrameError),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<FrameError> for Trouble {
    fn from(error: FrameError) -> Self {
        Self::Frames(error)
    }
}

impl Session {
    fn new(connection: Connection) -> Self {
        let reported = connection.settings.reported().into_iter().collect();
        Self {
            connection,
            transaction: Transaction::default(),
            statements: PreparedStatements::default(),
            portals: Portals::default(),
            reported,
            is_skipping: false,
            asked: 0,
        }
    }

    /// Until somebody leaves; why it ends, where they should be told.
    async fn serve(&mut self) -> Option<PgError> {
        match self.cycle().await {
            Ok(why) => why,
            Err(error) => error.fatal(),
        }
    }

    async fn cycle(&mut self) -> Result<Option<PgError>, FrameError> {
        if let Err(Failure { sqlstate, message, hint, .. }) =
            session_settings::check(&self.connection.settings)
        {
            return Ok(Some(PgError { sqlstate, message, hint }));
        }
        self.ready().await?;
        loop {
            let mut stopping = self.connection.stopping.clone();
            let message = tokio::select! {
                message = self.connection.frames.read() => message,
                _ = stopping.wait_for(|stops| *stops) => {
                    let words = "terminating connection due to administrator command";
                    return Ok(Some(PgError::new("57P01", words)));
                }
            };
            match message {
                Ok(None | Some(Incoming::Terminate(_))) => return Ok(None),
                Ok(Some(_)) if !self.is_still_let_in() => {
                    let words = "terminating connection: who may come in has changed";
                    return Ok(Some(PgError::new("28000", words)));
                }
                Ok(Some(message)) => self.message(message).await?,
                Err(FrameError::Refused { kind, error }) => self.refused(kind, error).await?,
                Err(error) => return Err(error),
            }
            self.connection.frames.send_if_much().await?;
        }
    }

    /// Whether the access file as it stands knows this person, in this role and by this password.
    fn is_still_let_in(&self) -> bool {
        let (person, access) = (&self.connection.person, self.connection.service.access());
        access.person(&person.name).as_ref() == Some(person)
            && access.is_verified_by(&person.name, &self.connection.verifier)
    }

    async fn message(&mut self, message: Incoming) -> Result<(), FrameError> {
        match message {
            Incoming::Query(query) => self.simple(&query.query).await,
            Incoming::Sync(_) => {
                self.is_skipping = false;
                self.end_of_statements();
                self.ready().await
            }
            Incoming::Flush(_) => self.connection.frames.send().await,
            message if self.is_skipping && message.is_extended_query() => Ok(()),
            message => match self.extended(message).await {
                Ok(()) => Ok(()),
                Err(Trouble::Frames(error)) => Err(error),
                Err(Trouble::Failure(failure)) => {
                    self.is_skipping = true;
                    self.fail(&failure)
                }
            },
        }
    }

    /// A message whose body is not what its type says: the session goes on behind it.
    async fn refused(&mut self, kind: u8, error: PgError) -> Result<(), FrameError> {
        if self.is_skipping {
            return Ok(());
        }
        self.fail(&error.into())?;
        match kind {
            // Neither is followed by a Sync.
            b'Q' | b'F' => self.ready().await,
            _ => {
                self.is_skipping = true;
                Ok(())
            }
        }
    }

    /// Every statement of a message, up to the first that fails. What came before it is sent.
    async fn simple(&mut self, sql: &str) -> Result<(), FrameError> {
        self.is_skipping = false;
        self.connection.cancel.signal.clear();
        self.portals.remove("");
        self.statements.remove("");
        match split(sql) {
            Err(failure) => self.fail(&failure)?,
            Ok(statements) if statements.len() > STATEMENTS_MAX => {
                let words = format!("a message has at most {STATEMENTS_MAX} statements");
                self.fail(&Failure::new("54001", words).with_hint("send them in several messages"))?;
            }
            Ok(statements) if statements.is_empty() => self.put(&outgoing::empty_query())?,
            Ok(statements) => {
                for statement in &statements {
                    // Others on this thread come in between.
                    tokio::task::yield_now().await;
                    match self.simple_statement(statement, statements.len() > 1).await {
                        Ok(()) => {}
                        Err(Trouble::Frames(error)) => return Err(error),
                        Err(Trouble::Failure(failure)) => {
                            self.fail(&in_message(failure, sql, statement))?;
                            break;
                        }
                    }
                }
            }
        }
        self.end_of_statements();
        self.ready().await
    }

    async fn simple_statement(&mut self, sql: &str, one_of_many: bool) -> Result<(), Trouble> {
        let prepared = Arc::new(self.read(sql, &[])?);
        let output = self.perform(&prepared, &[], one_of_many).await?;
        let formats = self.formats_of(&prepared);
        match output {
            Output::Rows { rows, tag, notices } => {
                self.put(&outgoing::row_description(&rows.fields, &formats))?;
                self.send_rows(&rows, 0..rows.rows.len(), &formats).await?;
                self.notify(&notices)?;
                self.complete(tag.text(rows.rows.len()))?;
            }
            output => self.send_without_rows(output).await?,
        }
        Ok(())
    }

    /// Everything that is not rows.
    async fn send_without_rows(&mut self, output: Output) -> Result<(), FrameError> {
        match output {
            Output::Empty => self.put(&outgoing::empty_query()),
            Output::Done(tag) => self.complete(tag),
            Output::Copy { rows, options, notices } => {
                let is_binary = options.format == CopyFormat::Binary;
                self.put(&outgoing::copy_out(is_binary, rows.fields.len()))?;
                for data in copy::messages(&rows, &options) {
                    self.put(&outgoing::copy_data(data))?;
                    self.connection.frames.send_if_much().await?;
                }
                self.put(&outgoing::copy_done())?;
                self.notify(&notices)?;
                self.complete(format!("COPY {}", rows.rows.len()))
            }
            Output::Rows { rows, tag, .. } => self.complete(tag.text(rows.rows.len())),
        }
    }

    async fn send_rows(
        &mut self,
        rows: &Rows,
        range: impl IntoIterator<Item = usize>,
        formats: &Formats,
    ) -> Result<(), FrameError> {
        for row in range {
            self.put(&outgoing::data_row(&rows.fields, &rows.rows[row], formats))?;
            self.connection.frames.send_if_much().await?;
        }
        Ok(())
    }

    /// The formats of a statement that was not bound: text, but for cursors that were declared binary.
    fn formats_of(&mut self, prepared: &Prepared) -> Formats {
        use super::statement::Command;
        match &prepared.command {
            Some(Command::Fetch { cursor, .. }) => self
                .portals
                .get_mut(cursor, "cursor")
                .map(|portal| portal.formats.clone())
                .unwrap_or_default(),
            _ => Formats::default(),
        }
    }

    pub(crate) fn put(&mut self, message: &Outgoing) -> Result<(), FrameError> {
        self.connection.frames.put(message)
    }

    pub(crate) fn notify(&mut self, notices: &[Failure]) -> Result<(), FrameError> {
        let level = self.connection.settings.get("client_min_messages").map(str::to_owned);
        for notice in notices.iter().filter(|notice| notices::is_wanted(notice, level.as_deref())) {
            self.put(&outgoing::notice(notice))?;
        }
        Ok(())
    }

    /// The end of a statement; settings that it changed are told before.
    fn complete(&mut self, tag: String) -> Result<(), FrameError> {
        self.report_settings()?;
        self.put(&outgoing::complete(tag))
    }

    fn report_settings(&mut self) -> Result<(), FrameError> {
        for (name, value) in self.connection.settings.reported() {
            if self.reported.get(name) != Some(&value) {
                self.put(&outgoing::parameter_status(name, &value))?;
                self.reported.insert(name, value);
            }
        }
        Ok(())
    }

    fn fail(&mut self, failure: &Failure) -> Result<(), FrameError> {
        self.transaction.fail();
        if let Some(settings) = self.transaction.end_implicitly(false) {
            self.connection.settings = settings;
        }
        self.put(&outgoing::error(failure))
    }

    /// What is not in a transaction ends with its statements.
    fn end_of_statements(&mut self) {
        if let Some(settings) = self.transaction.end_implicitly(true) {
            self.connection.settings = settings;
        }
        if !self.transaction.is_open() {
            self.portals.end_transaction(true);
        }
    }

    async fn ready(&mut self) -> Result<(), FrameError> {
        self.report_settings()?;
        self.put(&outgoing::ready(self.transaction.status()))?;
        self.connection.frames.send().await
    }

    /// Waits for something, until somebody cancels it or its time is over. What the curator began goes on, and stays paid.
    pub(crate) async fn interruptible<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Failure> {
        let late = async {
            match statement_timeout(&self.connection.settings) {
                Some(timeout) => tokio::time::sleep(timeout).await,
                None => std::future::pending().await,
            }
        };
        let cancelled = |why: &str| Failure::new("57014", format!("canceling statement due to {why}"));
        tokio::select! {
            biased;
            () = self.connection.cancel.signal.cancelled() => Err(cancelled("user request")),
            done = work => Ok(done),
            () = late => Err(cancelled("statement timeout")),
        }
    }

    pub(crate) fn settings(&mut self) -> &mut Settings {
        &mut self.connection.settings
    }
}

/// A failure of one statement, at its place in the whole message.
fn in_message(failure: Failure, message: &str, statement: &str) -> Failure {
    // The statement is a part of the message: how far it begins behind it is the difference of two addresses.
    let before = (statement.as_ptr() as usize).checked_sub(message.as_ptr() as usize);
    let before = before.and_then(|bytes| message.get(..bytes)).map_or(0, |before| before.chars().count());
    failure.behind(before)
}
