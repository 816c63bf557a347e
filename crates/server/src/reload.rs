//! Reading catalog, access file and certificates again, while questions are being answered.
//!
//! **Guarantee.** All or nothing: where anything is not understood, or is not what the ledger was told, the service goes on as it was.
//! Questions that have begun finish under the catalog that they began with; what is asked afterwards is asked of the new
//! one, by a curator that has read nothing yet, so that no name is answered from what was kept under it before.

use std::sync::{Arc, Mutex, PoisonError};

use pointillist_access::{Access, AccessError};
use pointillist_curator::{Clock, Curator, Home, StartError};
use pointillist_errors::{Explained, Kind};
use pointillist_publication::with_releases;

use crate::server::{ServeError, SourceFiles, declared};
use crate::service::{Declared, Service};
use crate::tls::{Tls, TlsError};

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// In words, one a line: what is declared now, and what was left out.
    pub words: Vec<String>,
}

/// Why everything stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The server has no files.
    #[error("this server was not started from files, and has nothing to read again")]
    NoFiles,
    /// The ledger is locked where it is.
    #[error("the catalog names another place for the ledger than the one that is in use")]
    LedgerMoved,
    /// The catalog, or that it does not agree with the ledger.
    #[error(transparent)]
    Catalog(#[from] StartError),
    /// The access file.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Anything else that would not start.
    #[error(transparent)]
    Server(#[from] ServeError),
}

impl Explained for ReloadError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFiles | Self::LedgerMoved => Some("stop it, and start it again".to_owned()),
            Self::Catalog(error) => error.hint(),
            Self::Access(error) => error.hint(),
            Self::Tls(error) => error.hint(),
            Self::Server(error) => error.hint(),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::NoFiles | Self::LedgerMoved => Kind::Environment,
            Self::Catalog(error) => error.kind(),
            Self::Access(error) => error.kind(),
            Self::Tls(error) => error.kind(),
            Self::Server(error) => error.kind(),
        }
    }
}

/// Who reads again.
pub(crate) struct Reloader {
    service: Arc<Service>,
    files: Option<SourceFiles>,
    tls: Option<Arc<Tls>>,
    /// One at a time: whoever comes second reads what is there then.
    turn: Mutex<()>,
}

impl Reloader {
    pub(crate) fn new(service: Arc<Service>, files: Option<SourceFiles>, tls: Option<Arc<Tls>>) -> Self {
        Self { service, files, tls, turn: Mutex::new(()) }
    }

    /// Reads everything again, and says in the log what came of it.
    pub(crate) fn reload(&self) -> Result<Reloaded, ReloadError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let reloaded = self.read_again();
        match &reloaded {
            Ok(reloaded) => {
                self.service.metrics.reloaded();
                self.service.log.service("reloaded", &reloaded.words.join("; "));
            }
            Err(error) => self.service.log.service("not_reloaded", &error.explanation().text()),
        }
        reloaded
    }

    fn read_again(&self) -> Result<Reloaded, ReloadError> {
        let files = self.files.as_ref().ok_or(ReloadError::NoFiles)?;
        let (home, warnings) = with_releases(Home::open(&files.catalog)?);
        let access = Access::load(&files.access)?;
        let before = self.service.declared();
        let curator = under(&before, &home)?;
        let catalog = &home.catalog;
        let mut words = vec![format!(
            "{} tables, {} graphs, {} tables of releases, {} people",
            catalog.tables.len(),
            catalog.graphs.len(),
            catalog.released.len(),
            access.people().count(),
        )];
        words.extend(warnings);
        let declared = declared(curator, home, &before.database)?;
        // Last of all that may be wrong: a certificate takes its place as it is read.
        self.tls.as_ref().map_or(Ok(()), |tls| tls.reload())?;
        self.service.replace(declared, access);
        Ok(Reloaded { words })
    }
}

/// A curator of another catalog over the same ledger, which has read nothing.
fn under(before: &Declared, home: &Home) -> Result<Curator, ReloadError> {
    let (old, new) = (before.home.place(), home.place());
    if (old.directory(), old.anchor()) != (new.directory(), new.anchor()) {
        return Err(ReloadError::LedgerMoved);
    }
    let clock = Clock::Declared.reply_clock(&home.catalog.service);
    Ok(before.curator.redeclared(home.catalog.clone())?.with_reply_clock(clock))
}
