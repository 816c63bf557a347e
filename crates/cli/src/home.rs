//! Where things are: the catalog, the folder it stands in, and the ledger beside it.

use std::path::{Path, PathBuf};

use pointillist_catalog::Catalog;
use pointillist_curator::{Curator, Settings};
use pointillist_ledger::{Audit, Place};

use crate::failure::Failure;

/// Which catalog.
#[derive(clap::Args)]
pub struct HomeArguments {
    /// The catalog; its folder holds the ledger
    #[arg(long, value_name = "PATH", default_value = "pointillist.toml")]
    pub catalog: PathBuf,
}

/// A catalog and its folder.
pub struct Home {
    /// Where sources are relative to, and where the ledger is.
    pub folder: PathBuf,
    /// What the owner declared.
    pub catalog: Catalog,
}

impl Home {
    /// Reads the catalog.
    pub fn open(arguments: &HomeArguments) -> Result<Self, Failure> {
        Self::at(&arguments.catalog)
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
        Self { folder, catalog }
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

    /// The curator: it locks the ledger.
    pub fn curator(self) -> Result<Curator, Failure> {
        let settings = self.settings();
        Ok(Curator::open(&self.folder, self.catalog, settings)?)
    }
}
