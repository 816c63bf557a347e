//! Reading catalog, access file and certificates again, while questions are being answered.
//!
//! **Guarantee.** All or nothing: where anything is not understood, or is not what the ledger was told, the service goes on as it was, and so
//! does the ledger. New shares are written into it last of all, when everything else has been read and found usable.
//! Questions that have begun finish under the catalog that they began with; what is asked afterwards is asked of the new
//! one, by a curator that has read nothing yet, so that no name is answered from what was kept under it before.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pointillist_access::{Access, AccessError};
use pointillist_catalog::Doors;
use pointillist_curator::{Clock, Curator, Home, StartError};
use pointillist_errors::{Explained, Kind};
use pointillist_publication::with_releases;

use crate::declared_options::{declared_tls, waiting_for_restart};
use crate::server::{ServeError, SourceFiles, TlsFiles, declared, quantum};
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
            Self::Catalog(error) if error.kind() == Kind::BudgetChanged => Some(
                "if that is meant: stop the server, run `pointillist budget grant --yes`, and start it again"
                    .to_owned(),
            ),
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

/// What a server was started with, of what is read once.
pub(crate) struct AtStart {
    doors: Doors,
    /// Whether the certificate is the one that the catalog names; else somebody named it at the start, and that goes on.
    tls_is_declared: bool,
}

impl AtStart {
    pub(crate) fn of(home: &Home, tls: Option<&TlsFiles>) -> Self {
        let tls_is_declared = declared_tls(home).as_ref() == tls;
        Self { doors: home.catalog.service.doors.clone(), tls_is_declared }
    }
}

/// Who reads again.
pub(crate) struct Reloader {
    service: Arc<Service>,
    files: Option<SourceFiles>,
    tls: Option<Arc<Tls>>,
    at_start: AtStart,
    /// One at a time: whoever comes second reads what is there then.
    turn: Mutex<()>,
}

impl Reloader {
    pub(crate) fn new(
        service: Arc<Service>,
        files: Option<SourceFiles>,
        tls: Option<Arc<Tls>>,
        at_start: AtStart,
    ) -> Self {
        Self { service, files, tls, at_start, turn: Mutex::new(()) }
    }

    /// The file of the catalog, where there is one.
    pub(crate) fn catalog_file(&self) -> Option<PathBuf> {
        self.files.as_ref().map(|files| files.catalog.clone())
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
        let tls_files = declared_tls(&home).filter(|_| self.at_start.tls_is_declared);
        let certificate = self.tls.as_ref().map(|tls| tls.read(tls_files)).transpose()?;
        quantum(&home)?;
        let before = self.service.declared();
        let catalog = &home.catalog;
        let mut words = vec![format!(
            "{}, {}, {} of releases, {}",
            counted(catalog.tables.len(), "table", "tables"),
            counted(catalog.graphs.len(), "graph", "graphs"),
            counted(catalog.released.len(), "table", "tables"),
            counted(access.people().count(), "person", "people"),
        )];
        words.extend(warnings);
        let waiting = waiting_for_restart(&self.at_start.doors, &catalog.service.doors);
        if !waiting.is_empty() {
            words.push(format!("waits for a restart: {}", waiting.join(", ")));
        }
        // Last of all that may be refused: the ledger writes down what is new as it agrees.
        let curator = under(&before, &home)?;
        let declared = declared(curator, home, &before.database)?;
        if let (Some(tls), Some(certificate)) = (&self.tls, certificate) {
            tls.put(certificate);
        }
        self.service.replace(declared, access);
        Ok(Reloaded { words })
    }
}

/// A curator of another catalog over the same ledger, which has read nothing.
fn under(before: &Declared, home: &Home) -> Result<Curator, ReloadError> {
    let (old, new) = (before.home.place(), home.place());
    if old != new {
        return Err(ReloadError::LedgerMoved);
    }
    let clock = Clock::Declared.reply_clock(&home.catalog.service);
    Ok(before.curator.redeclared(home.catalog.clone())?.with_reply_clock(clock))
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::SocketAddr;
    use std::path::Path;

    use super::*;
    use crate::server::{Running, ServerOptions};
    use crate::tls::tests::write_certificate;
    use crate::{LogTarget, TlsFiles};

    const CATALOG: &str = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[service]\nquantum_ms = 1\n\
                           tls = { certificate = \"old/server.pem\", key = \"old/server.key\" }\n";
    const SHARE: &str = "[analyst.ben]\nshares = { people = { rho = 0.1, delta = 0 } }\n";

    fn started(folder: &Path, tls: Option<TlsFiles>) -> Running {
        for name in ["old", "new"] {
            fs::create_dir_all(folder.join(name)).unwrap();
            write_certificate(&folder.join(name));
        }
        let sources =
            SourceFiles { catalog: folder.join("pointillist.toml"), access: folder.join("access.toml") };
        fs::write(&sources.catalog, CATALOG).unwrap();
        Access::edit(&sources.access, |_| Ok(())).unwrap();
        let home = Home::open(&sources.catalog).unwrap();
        let options = ServerOptions {
            http: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
            tls: tls.or_else(|| declared_tls(&home)),
            database: "d".to_owned(),
            log: LogTarget::Nowhere,
            sources: Some(sources.clone()),
            ..ServerOptions::default()
        };
        let access = Access::load(&sources.access).unwrap();
        Running::start(home, access, options).unwrap_or_else(|error| panic!("{error}"))
    }

    fn share_of_ben(running: &Running) -> bool {
        let share = running.service().declared().curator.ledger().share("people", "ben").unwrap();
        share.is_some_and(|share| share.granted.is_some())
    }

    /// Specification: a reload that is refused has changed nothing, in the ledger neither, whatever it was refused for.
    #[test]
    fn what_is_refused_is_not_in_the_ledger() {
        let folder = tempfile::tempdir().unwrap();
        let running = started(folder.path(), None);
        let path = |name: &str| folder.path().join(name);
        fs::write(path("pointillist.toml"), format!("{CATALOG}{SHARE}")).unwrap();
        for file in ["old/server.pem", "old/server.key", "access.toml"] {
            let kept = fs::read(path(file)).unwrap();
            fs::write(path(file), "broken").unwrap();
            assert!(running.reload().is_err(), "{file}");
            assert!(!share_of_ben(&running), "{file}");
            fs::write(path(file), kept).unwrap();
        }
        running.reload().unwrap();
        assert!(share_of_ben(&running));
        fs::write(path("pointillist.toml"), format!("{CATALOG}{SHARE}").replace("0.1", "0.2")).unwrap();
        let hint = running.reload().unwrap_err().hint().unwrap();
        assert!(hint.contains("stop the server") && hint.contains("budget grant --yes"), "{hint}");
    }

    /// Specification: new paths of a certificate are taken; addresses and limits wait, and that is said.
    #[test]
    fn certificates_may_move_and_addresses_wait() {
        let folder = tempfile::tempdir().unwrap();
        let running = started(folder.path(), None);
        let edited = CATALOG.replace("old/", "new/").replace(
            "quantum_ms = 1\n",
            "quantum_ms = 1\nhttp = \"127.0.0.1:1\"\nlimits = { connections = 9 }\n",
        );
        fs::write(folder.path().join("pointillist.toml"), edited).unwrap();
        fs::remove_dir_all(folder.path().join("old")).unwrap();
        let words = running.reload().unwrap().words;
        assert_eq!(words.last().map(String::as_str), Some("waits for a restart: http, limits"), "{words:?}");
    }

    /// Specification: a certificate that was named at the start stays that one.
    #[test]
    fn a_certificate_of_the_command_line_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("own")).unwrap();
        let (own, _) = write_certificate(&folder.path().join("own"));
        let running = started(folder.path(), Some(own.clone()));
        fs::remove_dir_all(folder.path().join("old")).unwrap();
        running.reload().unwrap();
        fs::write(&own.certificate, "broken").unwrap();
        assert!(matches!(running.reload(), Err(ReloadError::Tls(_))));
    }
}
