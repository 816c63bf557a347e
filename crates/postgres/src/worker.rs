//! The thread that drives a connection's socket.
//!
//! It owns a runtime of one thread, in which the driver's two halves live: the one that reads and writes bytes, and the one
//! that asks. Calls come in through a channel, one at a time, and the thread ends when nobody can call any more, when the
//! connection is gone, or when a call was not answered in time.

use std::future::poll_fn;
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls};

use crate::address::Host;
use crate::connection::Description;
use crate::tls::Verified;
use crate::{Address, Canceller, Cell, ConnectionError, Parameter, Password};

/// How long a dead peer of an idle connection stays unnoticed, about.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// How long a server may take to hear that a session is over.
const GOODBYE: Duration = Duration::from_secs(1);

/// Something to do, the time that it may take, and where its answer goes.
pub(crate) struct Call {
    pub(crate) task: Task,
    pub(crate) time: Duration,
    pub(crate) reply: SyncSender<Result<Answer, ConnectionError>>,
}

pub(crate) enum Task {
    Batch(String),
    Execute(String, Vec<Parameter>),
    Query(String, Vec<Parameter>),
    Describe(String),
}

pub(crate) enum Answer {
    Done,
    Count(u64),
    Rows(Vec<Vec<Cell>>),
    Description(Description),
}

/// Starts a thread, connects in it, and gives where to send calls.
pub(crate) fn start(
    address: &Address,
    password: Option<&Password>,
    within: Duration,
) -> Result<(UnboundedSender<Call>, Canceller), ConnectionError> {
    let (config, tls) = config(address, password)?;
    let server = address.to_string();
    let (calls, incoming) = unbounded_channel();
    let (opened, opening) = mpsc::sync_channel(1);
    let work = move || {
        let runtime = match runtime() {
            Ok(runtime) => runtime,
            Err(error) => return drop(opened.send(Err(error))),
        };
        runtime.block_on(async move {
            let connected = tokio::time::timeout(within, connect(&config, tls.clone())).await;
            let (client, driving) = match connected {
                Ok(Ok(connected)) => connected,
                Ok(Err(error)) => {
                    return drop(opened.send(Err(ConnectionError::from_opening(&error, &server))));
                }
                Err(_) => return drop(opened.send(Err(ConnectionError::Timeout))),
            };
            let canceller = Canceller { token: client.cancel_token(), tls, within };
            if opened.send(Ok(canceller.clone())).is_ok() {
                serve(client, incoming, &canceller).await;
            } else {
                drop(client);
            }
            // The server is told that the session is over, and does not have to find out by a socket that is gone.
            let _ = tokio::time::timeout(GOODBYE, driving).await;
        });
        // A name that is still being looked up is not waited for.
        runtime.shutdown_background();
    };
    std::thread::Builder::new()
        .name("postgres".to_owned())
        .spawn(work)
        .map_err(|_| ConnectionError::Thread)?;
    let canceller = opening.recv().unwrap_or(Err(ConnectionError::Closed))?;
    Ok((calls, canceller))
}

/// A runtime of one thread.
pub(crate) fn runtime() -> Result<Runtime, ConnectionError> {
    Builder::new_current_thread().enable_all().build().map_err(|_| ConnectionError::Thread)
}

fn config(
    address: &Address,
    password: Option<&Password>,
) -> Result<(Config, Option<Verified>), ConnectionError> {
    let mut config = Config::new();
    config.user(address.user()).dbname(address.database()).port(address.port());
    config.application_name("pointillist").keepalives_idle(KEEPALIVE);
    let tls = match address.host() {
        Host::Socket(directory) => {
            config.host_path(directory).ssl_mode(SslMode::Disable);
            None
        }
        Host::Plain { name, .. } => {
            config.host(name).ssl_mode(SslMode::Disable);
            None
        }
        Host::Verified { name, roots } => {
            config.host(name).ssl_mode(SslMode::Require);
            Some(Verified::with_roots(roots)?)
        }
    };
    if let Some(password) = password {
        config.password(password.bytes());
    }
    Ok((config, tls))
}

async fn connect(
    config: &Config,
    tls: Option<Verified>,
) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
    match tls {
        Some(tls) => {
            let (client, connection) = config.connect(tls).await?;
            Ok((client, tokio::spawn(drive(connection))))
        }
        None => {
            let (client, connection) = config.connect(NoTls).await?;
            Ok((client, tokio::spawn(drive(connection))))
        }
    }
}

/// Moves bytes until the connection ends. Message by message, because the driver would otherwise write the server's notices
/// into the log of the program, and notices quote rows too.
async fn drive<S, T>(mut connection: tokio_postgres::Connection<S, T>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(_)) = poll_fn(|context| connection.poll_message(context)).await {}
}

async fn serve(client: Client, mut calls: UnboundedReceiver<Call>, canceller: &Canceller) {
    while let Some(Call { task, time, reply }) = calls.recv().await {
        match tokio::time::timeout(time, answer(&client, task)).await {
            Ok(answer) => {
                let is_closed = client.is_closed();
                if is_closed {
                    // Before the caller hears of it, so that it finds the connection closed.
                    calls.close();
                }
                let _ = reply.send(answer);
                if is_closed {
                    return;
                }
            }
            Err(_) => {
                calls.close();
                let _ = reply.send(Err(ConnectionError::Timeout));
                // The caller does not wait for this: a server that is cut off does not hear it either.
                let _ = canceller.request().await;
                return;
            }
        }
    }
}

async fn answer(client: &Client, task: Task) -> Result<Answer, ConnectionError> {
    let failed = |error: tokio_postgres::Error| ConnectionError::from_call(&error);
    match task {
        Task::Batch(statements) => {
            client.batch_execute(&statements).await.map(|()| Answer::Done).map_err(failed)
        }
        Task::Execute(statement, parameters) => {
            client.execute(&statement, &borrowed(&parameters)).await.map(Answer::Count).map_err(failed)
        }
        Task::Query(statement, parameters) => rows(client, &statement, &parameters).await.map(Answer::Rows),
        Task::Describe(statement) => {
            let statement = client.prepare(&statement).await.map_err(failed)?;
            let columns = statement.columns().iter();
            Ok(Answer::Description(Description {
                parameters: statement.params().iter().map(|kind| kind.name().to_owned()).collect(),
                columns: columns.map(|c| (c.name().to_owned(), c.type_().name().to_owned())).collect(),
            }))
        }
    }
}

async fn rows(
    client: &Client,
    statement: &str,
    parameters: &[Parameter],
) -> Result<Vec<Vec<Cell>>, ConnectionError> {
    let failed = |error: tokio_postgres::Error| ConnectionError::from_call(&error);
    let statement = client.prepare(statement).await.map_err(failed)?;
    let unreadable = |index: usize| {
        let type_name = statement.columns()[index].type_().name().to_owned();
        ConnectionError::Unreadable { column: index + 1, type_name }
    };
    // Before it runs, so that a type that is not read costs nothing.
    if let Some(index) = statement.columns().iter().position(|column| !Cell::reads(column.type_())) {
        return Err(unreadable(index));
    }
    let rows = client.query(&statement, &borrowed(parameters)).await.map_err(failed)?;
    let cell = |row: &tokio_postgres::Row, index| row.try_get(index).map_err(|_| unreadable(index));
    rows.iter().map(|row| (0..row.len()).map(|index| cell(row, index)).collect()).collect()
}

fn borrowed(parameters: &[Parameter]) -> Vec<&(dyn ToSql + Sync)> {
    parameters.iter().map(|parameter| parameter as &(dyn ToSql + Sync)).collect()
}
