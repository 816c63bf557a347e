//! Which catalog a command is about.

use std::path::PathBuf;
use std::sync::Once;
use std::time::Duration;

use pointillist_access::Access;
use pointillist_catalog::Catalog;
pub use pointillist_curator::Home;
use pointillist_curator::{Clock, Curator, Patience};

use pointillist_publication::with_releases;
use pointillist_render::decimals::readable;
use pointillist_server::access_file;

use crate::failure::Failure;
use crate::message::say;

/// The owner sits at the machine, or has let somebody sit there: replies come as soon as they are ready.
pub const CLOCK: Clock = Clock::Immediate;

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

impl HomeArguments {
    /// Reads the catalog.
    pub fn open(&self) -> Result<Home, Failure> {
        let waiting = || say("waiting for another process that uses the ledger …");
        let patience = Patience { longest: Duration::from_secs(self.wait), waiting };
        let (home, warnings) = with_releases(Home::open(&self.catalog)?.with_patience(patience));
        // A shell opens its home with every statement.
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            warnings.iter().for_each(|warning| say(format_args!("note: {}", readable(warning))))
        });
        Ok(home)
    }

    /// The access file beside the catalog; a new one, which lets nobody in, where there is none. Without a catalog nothing is made.
    /// A catalog that is not understood is no hindrance: people are let out all the same.
    pub fn access_file(&self) -> Result<PathBuf, Failure> {
        Ok(access_file(&self.folder()?)?)
    }

    /// Everybody who may come in. Makes nothing.
    pub fn access(&self) -> Result<Access, Failure> {
        let path = self.folder()?.join(".pointillist").join("access.toml");
        Ok(if path.exists() { Access::load(&path)? } else { Access::new()? })
    }

    fn folder(&self) -> Result<PathBuf, Failure> {
        if !self.catalog.exists() {
            return Ok(Home::open(&self.catalog)?.folder);
        }
        Ok(Home::of(&self.catalog, Catalog::default()).folder)
    }

    /// Reads the catalog and opens its curator.
    pub fn curator(&self) -> Result<Curator, Failure> {
        Ok(self.open()?.curator(CLOCK)?)
    }
}
