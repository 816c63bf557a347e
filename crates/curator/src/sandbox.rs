//! A curator to play with: audits ask it thousands of times, attacks use up its budget, tests and demonstrations show it.
//!
//! It plans, charges, reads and releases as every curator does, over files that it was given, in a [folder](PrivateFolder)
//! that nobody else can enter and that goes with it.
//!
//! **It protects nobody.** Its ledger is in memory: budgets, receipts and recorded answers are forgotten with it, and
//! [`Sandbox::forget`] forgets them at once, so that whoever asks it about real people has asked without a limit. For
//! that reason a sandbox is a type of its own: it has no place on disk, and no [`Curator`] is moved out of it.
//! **Guarantee.** It reads no file but those it was given: a catalog whose sources lie elsewhere is refused.

mod private_folder;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use pointillist_catalog::Catalog;
use pointillist_engine::EngineOptions;
use pointillist_errors::{Explained, Kind};

pub use private_folder::PrivateFolder;

use crate::{Ask, AskError, Curator, Reply, Settings, StartError};

/// A curator over given files, with a ledger in memory.
pub struct Sandbox {
    curator: Curator,
    settings: Settings,
    // Dropped after the curator, which holds files in it open.
    folder: PrivateFolder,
}

/// What a [`Sandbox`] is made of.
pub struct SandboxBuilder {
    catalog: Catalog,
    files: Vec<(PathBuf, Vec<u8>)>,
    engine: EngineOptions,
}

/// A sandbox that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The folder or a file in it cannot be written.
    #[error("a temporary folder could not be written: {0}")]
    Folder(#[from] io::Error),
    /// A file, or a source of the catalog, that is outside of the folder.
    #[error("a sandbox has files of its own, and `{path}` is outside of it")]
    Outside {
        /// Where it would be.
        path: String,
    },
    /// The curator does not open.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Sandbox {
    /// A sandbox of what this catalog declares.
    pub fn of(catalog: Catalog) -> SandboxBuilder {
        SandboxBuilder { catalog, files: Vec::new(), engine: EngineOptions::default() }
    }

    /// Asks, and pays from the budget in memory. The same question again has the answer that was recorded.
    ///
    /// # Errors
    /// As [`Curator::ask`].
    pub fn ask(&self, ask: &Ask) -> Result<Reply, AskError> {
        self.curator.ask(ask)
    }

    /// Forgets everything that was paid and answered: the next question is the first.
    ///
    /// # Errors
    /// When a curator cannot be opened again; this one is then as it was.
    pub fn forget(&mut self) -> Result<(), SandboxError> {
        let catalog = self.curator.catalog().clone();
        self.curator = curator(self.folder.path(), catalog, &self.settings)?;
        Ok(())
    }

    /// The curator inside, for quotes and balances. What it pays with is worth nothing outside.
    pub fn curator(&self) -> &Curator {
        &self.curator
    }
}

impl SandboxBuilder {
    /// A file at the path that the catalog names as a source.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>, contents: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), contents.into()));
        self
    }

    /// How many threads read; all processors otherwise.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.engine.threads = threads;
        self
    }

    /// Writes the files and opens the curator.
    ///
    /// # Errors
    /// When a path leads out of the folder, when a file cannot be written, and as [`Curator::open`].
    pub fn open(self) -> Result<Sandbox, SandboxError> {
        let Self { catalog, files, engine } = self;
        for source in sources(&catalog) {
            check_inside(Path::new(source))?;
        }
        let folder = PrivateFolder::new()?;
        for (path, contents) in files {
            check_inside(&path)?;
            let path = folder.path().join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, contents)?;
        }
        let settings = Settings { engine, ..Settings::beside(folder.path()) };
        let curator = curator(folder.path(), catalog, &settings)?;
        Ok(Sandbox { curator, settings, folder })
    }
}

fn curator(folder: &Path, catalog: Catalog, settings: &Settings) -> Result<Curator, StartError> {
    Curator::volatile(folder, catalog, settings.clone())
}

/// Everything that the catalog would have read.
fn sources(catalog: &Catalog) -> impl Iterator<Item = &String> {
    let graphs = catalog.graphs.values().flat_map(|graph| [Some(&graph.source), graph.nodes.as_ref()]);
    catalog.tables.values().map(|table| &table.source).chain(graphs.flatten())
}

fn check_inside(path: &Path) -> Result<(), SandboxError> {
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    is_inside.then_some(()).ok_or_else(|| SandboxError::Outside { path: path.display().to_string() })
}

impl Explained for SandboxError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Folder(_) => Some("look at the space that TMPDIR has left".to_owned()),
            Self::Outside { .. } => Some("give it the file, and name it by a path inside".to_owned()),
            Self::Start(error) => error.hint(),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Folder(_) => Kind::Environment,
            Self::Outside { .. } => Kind::Request,
            Self::Start(error) => error.kind(),
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::OWNER;
    use pointillist_privacy::Amount;
    use pointillist_query::Options;

    use super::*;
    use crate::Paid;

    const CATALOG: &str = "
[scope.people]
model = \"pure\"
budget = { epsilon = 1 }
[table.visits]
scope = \"people\"
source = \"data/visits.csv\"
privacy_unit = \"row\"
[table.visits.columns]
age = { type = \"integer\", lower = 0, upper = 120 }
";

    fn ask() -> Ask {
        let mut options = Options::default();
        options.set("epsilon", "1").unwrap();
        Ask { options, ..Ask::new("SELECT COUNT(*) FROM visits", OWNER) }
    }

    fn spent(sandbox: &Sandbox) -> Amount {
        sandbox.curator().ledger().balance("people").unwrap().unwrap().spent
    }

    /// Specification: the rules of the ledger hold in a sandbox, until it is told to forget.
    #[test]
    fn a_sandbox_charges_once_and_forgets_when_told() {
        let catalog = Catalog::parse(CATALOG).unwrap();
        let mut sandbox = Sandbox::of(catalog).file("data/visits.csv", "age\n30\n40\n").open().unwrap();
        assert_eq!(spent(&sandbox), Amount::ZERO);
        let first = sandbox.ask(&ask()).unwrap();
        assert_eq!(first.paid, Paid::InFull);
        assert_eq!(sandbox.ask(&ask()).unwrap().paid, Paid::Nothing);
        let another = Ask { sql: "SELECT SUM(age) FROM visits".to_owned(), ..ask() };
        assert!(matches!(sandbox.ask(&another), Err(AskError::NotCharged(_))));
        sandbox.forget().unwrap();
        assert_eq!(spent(&sandbox), Amount::ZERO);
        assert_eq!(sandbox.ask(&another).unwrap().paid, Paid::InFull);
    }

    /// Specification: nothing outside of the folder is read or written.
    #[test]
    fn paths_that_lead_out_are_refused() {
        for outside in ["/etc/visits.csv", "../visits.csv", "data/../../visits.csv"] {
            let catalog = Catalog::parse(&CATALOG.replace("data/visits.csv", outside)).unwrap();
            let refused = Sandbox::of(catalog).open();
            assert!(matches!(refused, Err(SandboxError::Outside { .. })), "{outside}");
            let catalog = Catalog::parse(CATALOG).unwrap();
            let refused = Sandbox::of(catalog).file(outside, "age\n").open();
            assert!(matches!(refused, Err(SandboxError::Outside { .. })), "{outside}");
        }
    }

    #[test]
    fn everything_goes_with_the_sandbox() {
        let catalog = Catalog::parse(CATALOG).unwrap();
        let sandbox = Sandbox::of(catalog).file("data/visits.csv", "age\n30\n").open().unwrap();
        let folder = sandbox.folder.path().to_owned();
        assert!(folder.join("data/visits.csv").exists());
        drop(sandbox);
        assert!(!folder.exists());
    }
}
