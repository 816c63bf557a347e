//! A catalog and its folder: where the ledger is, on which clock replies leave, and the ways in.
//!
//! Whoever opens a door says which [`Clock`] it has. An owner who sits at the machine sees how long a question takes
//! anyway; everybody else gets replies on the coarse clock that the catalog declares.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pointillist_catalog::{Catalog, Service, Table};
use pointillist_engine::MemoryRows;
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::{Ledger, LedgerReader, OpenError, Options, Place};

use crate::data_place::DataPlace;
use crate::{Curator, ReplyClock, Settings, StartError, Watcher};

/// Between two attempts to open a ledger that is in use.
const PAUSE: Duration = Duration::from_millis(50);

/// When replies leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// At once: for the owner, who sits at the machine.
    Immediate,
    /// As `[service]` of the catalog says, and on [`ReplyClock::SERVER`] where it is silent: for everybody else.
    Declared,
}

impl Clock {
    /// The clock, where the catalog says this about the service.
    pub fn reply_clock(self, service: &Service) -> ReplyClock {
        match self {
            Self::Immediate => ReplyClock::IMMEDIATE,
            Self::Declared => ReplyClock {
                quantum: match service.quantum_ms {
                    Some(milliseconds) => Some(Duration::from_millis(milliseconds.get())),
                    None => ReplyClock::SERVER.quantum,
                },
                // A catalog does not hold more than fit; more would be a longer wait, never a shorter one.
                quanta: service.quanta.map(|quanta| NonZeroU32::try_from(quanta).unwrap_or(NonZeroU32::MAX)),
            },
        }
    }
}

/// What to do while another process uses the ledger: try again for a while, and tell somebody once.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long to try; nothing is tried again at zero.
    pub longest: Duration,
    /// Called once, when waiting begins.
    pub waiting: fn(),
}

impl Patience {
    /// Tries once.
    pub const NONE: Self = Self { longest: Duration::ZERO, waiting: || {} };
}

/// A catalog and its folder.
#[derive(Clone, Debug)]
pub struct Home {
    /// Where sources are relative to, and where the ledger is unless the catalog says otherwise.
    pub folder: PathBuf,
    /// What the owner declared.
    pub catalog: Catalog,
    /// Tables of releases whose day has not come: the owner sees them, and nobody else.
    pub embargoed: BTreeMap<String, Table>,
    /// How long to wait for another process that uses the ledger.
    pub patience: Patience,
    /// Who is told how far long work is.
    pub watcher: Watcher,
    /// Rows that are in memory: those of `memory:visits` by the name `visits`.
    pub memory: BTreeMap<String, MemoryRows>,
}

impl Home {
    /// Reads the catalog of this path.
    ///
    /// # Errors
    /// When there is none, and when it is not understood.
    pub fn open(path: &Path) -> Result<Self, StartError> {
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

    /// A catalog that was made elsewhere, with sources relative to this folder.
    pub fn new(folder: PathBuf, catalog: Catalog) -> Self {
        Self {
            folder,
            catalog,
            embargoed: BTreeMap::new(),
            patience: Patience::NONE,
            watcher: Watcher::default(),
            memory: BTreeMap::new(),
        }
    }

    /// The same with more patience for a ledger in use.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The ledger's folder or database, and its anchor: as the catalog says, beside it where it says nothing.
    pub fn place(&self) -> Place {
        let service = &self.catalog.service;
        self.ledger_place(service.ledger_store.as_deref(), service.ledger_anchor.as_deref())
    }

    /// Where the ledger is, and how a curator behind this clock works.
    pub fn settings(&self, clock: Clock) -> Settings {
        Settings {
            place: self.place(),
            reply_clock: clock.reply_clock(&self.catalog.service),
            watcher: self.watcher.clone(),
            memory: self.memory.clone(),
            ..Settings::beside(&self.folder)
        }
    }

    /// Where rows are.
    pub fn data_place(&self) -> DataPlace {
        DataPlace::folder(&self.folder).with_memory(self.memory.clone())
    }

    /// A curator whose ledger is in memory, and on no disk: budgets, receipts and recorded answers are forgotten with it, and
    /// whoever opens another one starts anew. For an owner whose rows are gone with the process as well.
    ///
    /// # Errors
    /// When the catalog contradicts itself, or private rows are somewhere else than in memory: what a disk keeps, a ledger on a disk
    /// must count.
    pub fn volatile_curator(&self, clock: Clock) -> Result<Curator, StartError> {
        if let Some(name) = self.data_place().outside_of_memory(&self.catalog) {
            return Err(StartError::NotInMemory { name: name.to_owned() });
        }
        Curator::volatile(&self.folder, self.catalog.clone(), self.settings(clock))
    }

    /// The ledger as it stands, to read: nothing is locked. `None` where nobody has asked anything yet.
    ///
    /// # Errors
    /// When the ledger is not safe to use as it is.
    pub fn reader(&self) -> Result<Option<LedgerReader>, OpenError> {
        // With neither records nor an anchor a new ledger would be started: nothing is spent.
        LedgerReader::read_if_any(&self.place())
    }

    /// The ledger to write, for the owner's decisions. Locks it.
    ///
    /// # Errors
    /// When the ledger is in use for longer than the patience lasts, or not safe to use as it is.
    pub fn ledger(&self) -> Result<Ledger, StartError> {
        let place = self.place();
        self.once_free(|| Ok(Ledger::open(&place, Options::default())?))
    }

    /// The curator. Locks the ledger.
    ///
    /// # Errors
    /// As [`Home::ledger`], and when the catalog and the ledger do not agree.
    pub fn curator(&self, clock: Clock) -> Result<Curator, StartError> {
        self.once_free(|| Curator::open(&self.folder, self.catalog.clone(), self.settings(clock)))
    }

    /// Opens what locks the ledger; while another process holds it, tries again until the patience is over.
    fn once_free<T>(&self, open: impl Fn() -> Result<T, StartError>) -> Result<T, StartError> {
        let Patience { longest, waiting } = self.patience;
        let since = Instant::now();
        let mut told = false;
        loop {
            match open() {
                Err(error) if error.kind() == Kind::LedgerInUse && since.elapsed() < longest => {
                    if !told {
                        waiting();
                        told = true;
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(StartError::Ledger(error)) if error.kind() == Kind::LedgerInUse && !longest.is_zero() => {
                    return Err(StartError::InUse { error, waited: longest });
                }
                opened => return opened,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOG: &str = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n";

    fn home(folder: &Path, more: &str) -> Home {
        let path = folder.join("pointillist.toml");
        std::fs::write(&path, format!("{CATALOG}{more}")).unwrap();
        Home::open(&path).unwrap()
    }

    /// Specification: what `[service]` declares is the clock of a home that is opened for others, and only of that.
    #[test]
    fn the_declared_clock_is_that_of_whoever_serves_others() {
        let folder = tempfile::tempdir().unwrap();
        let clock = |milliseconds: u64, quanta: Option<u32>| ReplyClock {
            quantum: Some(Duration::from_millis(milliseconds)),
            quanta: quanta.and_then(NonZeroU32::new),
        };
        for (service, declared) in [
            ("", ReplyClock::SERVER),
            ("[service]\nquantum_ms = 250\n", clock(250, None)),
            ("[service]\nquantum_ms = 250\nquanta = 8\n", clock(250, Some(8))),
            ("[service]\nquanta = 3\n", clock(100, Some(3))),
        ] {
            let home = home(folder.path(), service);
            assert_eq!(home.settings(Clock::Declared).reply_clock, declared, "{service}");
            assert_eq!(home.settings(Clock::Immediate).reply_clock, ReplyClock::IMMEDIATE, "{service}");
        }
        let home = home(folder.path(), "[service]\nquantum_ms = 250\nquanta = 8\n");
        let curator = home.curator(Clock::Declared).unwrap();
        assert_eq!(curator.reply_clock.due(), Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_ledger_is_read_while_it_is_written_and_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path(), "");
        assert!(home.reader().unwrap().is_none(), "nobody has asked anything yet");
        let curator = home.curator(Clock::Immediate).unwrap();
        let reader = home.reader().unwrap().expect("a ledger");
        assert!(reader.balance("people").is_some());
        let patience = Patience { longest: Duration::from_millis(120), waiting: || {} };
        assert!(matches!(home.ledger(), Err(StartError::Ledger(OpenError::Locked { .. }))));
        let patient = home.clone().with_patience(patience);
        let error = patient.ledger().map(|_| ()).unwrap_err();
        assert!(matches!(error, StartError::InUse { .. }) && error.kind() == Kind::LedgerInUse, "{error}");
        drop(curator);
        patient.ledger().expect("nobody uses it any more");
    }

    #[test]
    fn the_ledger_is_where_the_catalog_says() {
        let folder = tempfile::tempdir().unwrap();
        let place = |more: &str| home(folder.path(), more).place();
        let beside = folder.path().join(".pointillist");
        assert_eq!(place("").directory(), beside.join("ledger"));
        assert_eq!(place("").anchor(), beside.join("anchor"));
        let declared = place("[ledger]\nfolder = \"state\"\nanchor = \"/elsewhere/anchor\"\n");
        assert_eq!(declared.directory(), folder.path().join("state"));
        assert_eq!(declared.anchor(), Path::new("/elsewhere/anchor"));
    }
}
