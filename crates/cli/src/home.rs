//! Which catalog a command is about.

use std::path::PathBuf;
use std::sync::Once;
use std::time::Duration;

pub use pointillist_curator::Home;
use pointillist_curator::{Clock, Curator, Patience};

use pointillist_publication::with_releases;
use pointillist_render::decimals::readable;

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

    /// Reads the catalog and opens its curator.
    pub fn curator(&self) -> Result<Curator, Failure> {
        Ok(self.open()?.curator(CLOCK)?)
    }
}
