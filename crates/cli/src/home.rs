//! Where things are: the catalog, the folder it stands in, and the ledger beside it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pointillist_catalog::Catalog;
use pointillist_curator::{Curator, Settings};
use pointillist_errors::{Explanation, Kind};
use pointillist_ledger::{Audit, Place};

use crate::failure::Failure;
use crate::message::say;

/// Between two attempts to open a ledger that is in use.
const PAUSE: Duration = Duration::from_millis(50);

/// Which catalog.
#[derive(Clone, clap::Args)]
pub struct HomeArguments {
    /// The catalog; its folder holds the ledger
    #[arg(long, value_name = "PATH", default_value = "pointillist.toml")]
    pub catalog: PathBuf,
    /// How long to wait for another process that uses the ledger, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub wait: u64,
}

/// A catalog and its folder.
pub struct Home {
    /// Where sources are relative to, and where the ledger is.
    pub folder: PathBuf,
    /// What the owner declared.
    pub catalog: Catalog,
    /// How long to wait for another process that uses the ledger.
    wait: Duration,
}

impl Home {
    /// Reads the catalog.
    pub fn open(arguments: &HomeArguments) -> Result<Self, Failure> {
        Ok(Self { wait: Duration::from_secs(arguments.wait), ..Self::at(&arguments.catalog)? })
    }

    /// A catalog that was read or made elsewhere.
    pub fn new(folder: PathBuf, catalog: Catalog) -> Self {
        Self { folder, catalog, wait: Duration::ZERO }
    }

    /// Reads the catalog of this path.
    pub fn at(path: &Path) -> Result<Self, Failure> {
        Ok(Self::of(path, Catalog::load(path)?))
    }

    /// A catalog that was read from this path.
    pub fn of(path: &Path, catalog: Catalog) -> Self {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Self::new(folder, catalog)
    }

    /// Where the ledger is, and how the curator works: as the catalog says, beside it where it says nothing.
    pub fn settings(&self) -> Settings {
        let [ledger, anchor] = self.ledger_paths();
        Settings { place: Place::new(ledger, anchor), ..Settings::beside(&self.folder) }
    }

    /// The ledger's folder, and its anchor.
    pub fn ledger_paths(&self) -> [PathBuf; 2] {
        let home = self.folder.join(".pointillist");
        let service = &self.catalog.service;
        let declared = |path: &Option<String>, otherwise: &str| match path {
            Some(path) => self.folder.join(path),
            None => home.join(otherwise),
        };
        [declared(&service.ledger_folder, "ledger"), declared(&service.ledger_anchor, "anchor")]
    }

    /// The ledger as it stands, to read; `None` where nobody has asked anything yet.
    pub fn audit(&self) -> Result<Option<Audit>, Failure> {
        // With neither records nor an anchor a new ledger would be started: nothing is spent.
        let [ledger, anchor] = self.ledger_paths();
        let exists = ledger.join("ledger.sqlite").exists() || anchor.exists();
        exists.then(|| Audit::read(&self.settings().place)).transpose().map_err(Failure::from)
    }

    /// The curator: it locks the ledger, and waits a while for whoever holds it.
    pub fn curator(self) -> Result<Curator, Failure> {
        self.once_free(|| Ok(Curator::open(&self.folder, self.catalog.clone(), self.settings())?))
    }

    /// Opens what locks the ledger; while another process holds it, tries again until the patience is over.
    pub fn once_free<T>(&self, open: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
        let since = Instant::now();
        let mut told = false;
        loop {
            match open() {
                Err(failure) if failure.is_ledger_in_use() && since.elapsed() < self.wait => {
                    if !told {
                        say("waiting for another process that uses the ledger …");
                        told = true;
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(failure) if failure.is_ledger_in_use() && !self.wait.is_zero() => {
                    let words =
                        failure.explanation().map_or_else(String::new, |said| said.message().to_owned());
                    let words = format!("{words}, after {} seconds of waiting", self.wait.as_secs());
                    let hint = "stop the other process (a ledger has one writer), or wait longer with --wait SECONDS";
                    return Err(Failure::explained(
                        Explanation::new(Kind::LedgerInUse, words).with_hint(hint),
                    ));
                }
                opened => return opened,
            }
        }
    }
}
