//! Listening, reloading, stopping.
//!
//! **Stopping.** Nobody new is let in; what was asked is finished, recorded and sent; then [`Running::stop`] returns. A client that does
//! not read holds nothing up for longer than [`Limits::write`](crate::Limits).

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pointillist_access::Access;
use pointillist_curator::{Clock, Curator, Home, ReplyClock, StartError};
use pointillist_errors::{Explained, Kind};
use pointillist_pg_catalog::SystemCatalog;
use pointillist_publication::Shelf;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::log::{Log, LogTarget};
use crate::reload::{AtStart, ReloadError, Reloaded, Reloader};
use crate::service::{Declared, Service};
use crate::tls::{Tls, TlsError};
use crate::{Limits, control, http, wire};

/// The stack of a thread that parses. Brackets inside each other after FROM are the deepest that a statement gets, and 39 of them
/// fill 2 MiB in a debug build; `query` lets 48 through.
const STACK_BYTES: usize = 16 << 20;

/// Threads beside those of questions: descriptions, the system catalog, books, rehearsals.
const OTHER_THREADS: usize = 256;

/// How long threads that wait for nobody may take to end, once everything is sent.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// Where to listen, and how.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The Postgres wire; `None` closes that door. Port 0 is one that is free.
    pub postgres: Option<SocketAddr>,
    /// HTTP.
    pub http: Option<SocketAddr>,
    /// Certificates for both doors; without them only addresses of this machine are listened on.
    pub tls: Option<TlsFiles>,
    /// Limits.
    pub limits: Limits,
    /// The name of the database that PostgreSQL's clients connect to.
    pub database: String,
    /// The files that are read again when the service reloads; without them it does not.
    pub sources: Option<SourceFiles>,
    /// Where the log goes.
    pub log: LogTarget,
}

/// PEM files; read again when the service reloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain, the server's own first.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// The files that a service was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFiles {
    /// The catalog.
    pub catalog: PathBuf,
    /// Who may come in.
    pub access: PathBuf,
}

/// Where a server listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The Postgres wire.
    pub postgres: Option<SocketAddr>,
    /// HTTP.
    pub http: Option<SocketAddr>,
}

/// A server that does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The curator.
    #[error(transparent)]
    Curator(#[from] StartError),
    /// The certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// An address that cannot be listened on.
    #[error("{address} cannot be listened on: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// No address.
    #[error("`{text}` is no address")]
    NoAddress {
        /// What stands in its place.
        text: String,
    },
    /// Passwords, tokens and answers would travel in the open.
    #[error("{address} can be reached from other machines, and there is no certificate")]
    InTheOpen {
        /// The address.
        address: SocketAddr,
    },
    /// Nobody could come in.
    #[error("neither door is open")]
    NoDoor,
    /// Replies would tell how long they took.
    #[error("a server needs a clock on which replies leave")]
    NoClock,
    /// Threads.
    #[error("the server's threads cannot start: {0}")]
    Threads(std::io::Error),
}

impl Explained for ServeError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Curator(error) => return error.hint(),
            Self::Tls(error) => return error.hint(),
            Self::NoAddress { .. } => "write one such as 127.0.0.1:5433, or off".to_owned(),
            Self::Address { .. } => "choose another address, or end what listens there".to_owned(),
            Self::InTheOpen { .. } => {
                "give a certificate and its key, or listen on 127.0.0.1 and put a proxy with TLS before it"
                    .to_owned()
            }
            Self::NoDoor => "give --postgres or --http an address".to_owned(),
            Self::NoClock => "give [service] a quantum_ms".to_owned(),
            Self::Threads(_) => "look at how many threads the machine allows".to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Curator(error) => error.kind(),
            Self::Tls(error) => error.kind(),
            Self::InTheOpen { .. } => Kind::Refused,
            Self::NoAddress { .. } | Self::NoDoor => Kind::Request,
            Self::Address { .. } | Self::NoClock | Self::Threads(_) => Kind::Environment,
        }
    }
}

/// A server that runs, on threads of its own, until it is stopped or dropped.
pub struct Running {
    runtime: Option<Runtime>,
    service: Arc<Service>,
    reloader: Arc<Reloader>,
    addresses: Addresses,
    stopping: watch::Sender<bool>,
    doors: Vec<JoinHandle<()>>,
}

impl Running {
    /// Opens the curator and listens. Locks the ledger.
    ///
    /// # Errors
    /// When an address, a certificate or the curator does not open.
    pub fn start(home: Home, access: Access, options: ServerOptions) -> Result<Self, ServeError> {
        if options.postgres.is_none() && options.http.is_none() {
            return Err(ServeError::NoDoor);
        }
        for address in [options.postgres, options.http].into_iter().flatten() {
            if options.tls.is_none() && !address.ip().is_loopback() {
                return Err(ServeError::InTheOpen { address });
            }
        }
        let tls = options.tls.clone().map(Tls::load).transpose()?.map(Arc::new);
        let http_listener = options.http.map(listen).transpose()?;
        let postgres_listener = options.postgres.map(listen).transpose()?;
        quantum(&home)?;
        let at_start = AtStart::of(&home, options.tls.as_ref());
        let curator = home.curator(Clock::Declared)?;
        let declared = declared(curator, home, &options.database)?;
        let folder = declared.home.folder.clone();
        let log = Log::new(options.log.clone());
        let service = Arc::new(Service::new(declared, access, options.limits.clone(), log));
        let reloader = Arc::new(Reloader::new(Arc::clone(&service), options.sources, tls.clone(), at_start));
        service.set_reloader(&reloader);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("pointillist-server")
            .thread_stack_size(STACK_BYTES)
            .max_blocking_threads(options.limits.questions + OTHER_THREADS)
            .build()
            .map_err(ServeError::Threads)?;
        let (stopping, stop) = watch::channel(false);
        let mut doors = Vec::new();
        let mut addresses = Addresses::default();
        let entered = runtime.enter();
        if let Some((address, listener)) = http_listener {
            addresses.http = Some(address);
            let listener = inside(address, listener)?;
            let door = http::serve(Arc::clone(&service), listener, tls.clone(), stop.clone());
            doors.push(tokio::spawn(door));
        }
        if let Some((address, listener)) = postgres_listener {
            addresses.postgres = Some(address);
            let listener = inside(address, listener)?;
            let door = wire::serve(Arc::clone(&service), listener, tls, stop.clone());
            doors.push(tokio::spawn(door));
        }
        match control::listen(&folder) {
            Ok(control) => {
                doors.push(tokio::spawn(control::serve(Arc::clone(&reloader), control, stop)));
            }
            // A path may be too long for a socket; SIGHUP reaches us all the same.
            Err(error) => service.log.service("warning", &format!("no control socket: {error}")),
        }
        drop(entered);
        service.log.service("started", env!("CARGO_PKG_VERSION"));
        Ok(Self { runtime: Some(runtime), service, reloader, addresses, stopping, doors })
    }

    /// What its doors call.
    #[cfg(test)]
    pub(crate) fn service(&self) -> &Service {
        &self.service
    }

    /// Where it listens.
    pub fn addresses(&self) -> Addresses {
        self.addresses.clone()
    }

    /// Reads catalog, access file and certificates again. Whatever is wrong with them, the service goes on as it was.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn reload(&self) -> Result<Reloaded, ReloadError> {
        self.reloader.reload()
    }

    /// Serves until this process is told to end (SIGTERM, SIGINT), then stops as [`Running::stop`]. SIGHUP reloads.
    ///
    /// # Errors
    /// When the process cannot hear signals.
    pub fn until_told(mut self) -> std::io::Result<()> {
        let reloader = Arc::clone(&self.reloader);
        let told = async move {
            use tokio::signal::unix::{SignalKind, signal};
            let mut hang_up = signal(SignalKind::hangup())?;
            let mut terminate = signal(SignalKind::terminate())?;
            let mut interrupt = signal(SignalKind::interrupt())?;
            loop {
                tokio::select! {
                    _ = terminate.recv() => return Ok(()),
                    _ = interrupt.recv() => return Ok(()),
                    _ = hang_up.recv() => {
                        let reloader = Arc::clone(&reloader);
                        // What came of it is in the log.
                        let _ = tokio::task::spawn_blocking(move || reloader.reload()).await;
                    }
                }
            }
        };
        let told = self.runtime.as_ref().map_or(Ok(()), |runtime| runtime.block_on(told));
        self.end();
        told
    }

    /// Takes no new connection and no new question, waits until what was begun is recorded and sent, then returns. Not to be
    /// called from within a runtime.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        // Nobody listens any more only where everything has ended already.
        let _ = self.stopping.send(true);
        let doors = std::mem::take(&mut self.doors);
        let service = Arc::clone(&self.service);
        runtime.block_on(async move {
            for door in doors {
                // A door that panicked lets nobody in.
                let _ = door.await;
            }
            service.idle().await;
        });
        runtime.shutdown_timeout(LAST_MOMENTS);
        self.service.log.service("stopped", "everything that was asked is recorded and sent");
        self.service.log.close();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn listen(address: SocketAddr) -> Result<(SocketAddr, TcpListener), ServeError> {
    let failed = |source| ServeError::Address { address, source };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok((listener.local_addr().map_err(failed)?, listener))
}

/// The same listener for the runtime that is entered.
fn inside(address: SocketAddr, listener: TcpListener) -> Result<tokio::net::TcpListener, ServeError> {
    tokio::net::TcpListener::from_std(listener).map_err(|source| ServeError::Address { address, source })
}

/// The quantum of the clock on which replies leave.
pub(crate) fn quantum(home: &Home) -> Result<Duration, ServeError> {
    let ReplyClock { quantum, .. } = Clock::Declared.reply_clock(&home.catalog.service);
    quantum.filter(|quantum| !quantum.is_zero()).ok_or(ServeError::NoClock)
}

/// What both doors answer from. Fails where [`quantum`] does, and nowhere else.
pub(crate) fn declared(curator: Curator, home: Home, database: &str) -> Result<Declared, ServeError> {
    let quantum = quantum(&home)?;
    let system = SystemCatalog::new(&home.catalog, database);
    let shelf = Shelf::of(&home);
    Ok(Declared { curator, home, system, shelf, database: database.to_owned(), quantum })
}
