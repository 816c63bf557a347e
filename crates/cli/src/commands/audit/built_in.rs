//! What is built in: every mechanism, randomizer and statistic, and leaks that are planted.

use pointillist_audit::Batch;
use pointillist_privacy::Epsilon;
use serde_json::json;

use super::run::AuditArguments;
use crate::failure::Failure;

/// Which mechanisms, at which price.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit mechanisms
  pointillist audit mechanisms laplace --epsilon 0.5 --releases 200000 --report laplace.html

`pointillist mechanisms` lists the names; small and large letters are the same.")]
pub struct Mechanisms {
    /// Names, or their beginnings [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The price that each mechanism claims
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    audit: AuditArguments,
}

/// Which randomizer.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit local
  pointillist audit local \"k-ary-response values=3 epsilon=1\" --releases 100000
  pointillist audit local \"rappor values=5 f=0.5 p=0.25 q=0.75\" --report rappor.html

A line is what `pointillist local plan` and the head of every file of reports say.")]
pub struct Local {
    /// The line that sets a method up [default: every method]
    #[arg(value_name = "METHOD")]
    line: Option<String>,
    /// The price that each method claims
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true, conflicts_with = "line")]
    epsilon: String,
    #[command(flatten)]
    audit: AuditArguments,
}

/// Which leaks.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit planted
  pointillist audit planted laplace --report planted.html

Each is a release that a careless implementer could have written, with the claim that the right one
would make. An audit that does not catch them is not worth its time.")]
pub struct Planted {
    /// Names, or their beginnings [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    audit: AuditArguments,
}

/// At which price.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit all
  pointillist audit all --releases 100000 --report audit.html --json")]
pub struct All {
    /// The price that each release claims
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    audit: AuditArguments,
}

/// Audits mechanisms.
pub fn mechanisms(Mechanisms { names, epsilon, audit }: &Mechanisms) -> Result<(), Failure> {
    let batch = Batch::mechanisms(&price(epsilon)?, names)?;
    audit.audit(batch, json!({ "epsilon": epsilon, "names": names }))
}

/// Audits randomizers.
pub fn local(Local { line, epsilon, audit }: &Local) -> Result<(), Failure> {
    match line {
        Some(line) => audit.audit(Batch::local_method(line)?, json!({ "method": line })),
        None => audit.audit(Batch::local(&price(epsilon)?)?, json!({ "epsilon": epsilon })),
    }
}

/// Audits what is broken.
pub fn planted(Planted { names, audit }: &Planted) -> Result<(), Failure> {
    audit.audit(Batch::planted(names)?, json!({ "names": names }))
}

/// Audits everything.
pub fn all(All { epsilon, audit }: &All) -> Result<(), Failure> {
    audit.audit(Batch::everything(&price(epsilon)?)?, json!({ "epsilon": epsilon }))
}

/// The price that is claimed.
pub fn price(epsilon: &str) -> Result<Epsilon, Failure> {
    Epsilon::parse(epsilon).map_err(Failure::request)
}
