//! What is built in: every mechanism, and leaks that are planted.

use pointillist_attack::AttackError;
use pointillist_attack::audit::{Canaries, Subject};
use pointillist_privacy::Epsilon;

use super::bench::{BenchArguments, Suspect};
use crate::failure::Failure;

/// Which mechanisms, at which price.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit mechanisms
  pointillist audit mechanisms laplace --epsilon 0.5 --releases 200000 --report laplace.html

`pointillist mechanisms` lists the names.")]
pub struct Mechanisms {
    /// Names, or their beginnings [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The price that each mechanism claims
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    #[command(flatten)]
    bench: BenchArguments,
}

/// Which leaks.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit planted
  pointillist audit planted laplace --report planted.html

Each is a release that a careless implementer could have written, with the claim that the right one would make. An
audit that does not catch them is not worth its time.")]
pub struct Planted {
    /// Names, or their beginnings [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    bench: BenchArguments,
}

/// At which price.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pointillist audit all --report audit.html")]
pub struct All {
    /// The price that each release claims
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    #[command(flatten)]
    bench: BenchArguments,
}

/// Audits mechanisms.
pub fn mechanisms(arguments: &Mechanisms) -> Result<(), Failure> {
    todo
}
