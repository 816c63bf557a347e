//! What is built in: every mechanism, randomizer and statistic, and leaks that are planted.

use pointillist_audit as audit;
use pointillist_audit::{AuditError, Canaries, Subject};
use pointillist_local::Protocol;
use pointillist_privacy::{Delta, Epsilon};
use serde_json::json;

use super::bench::{BenchArguments, Suspect};
use super::questions::{Questions, questions};
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
    bench: BenchArguments,
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
    bench: BenchArguments,
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
    bench: BenchArguments,
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
    bench: BenchArguments,
}

/// Respondents in one run.
const RESPONDENTS: usize = 10_000;
/// The δ of graph statistics that need one: large, so that it can be measured.
const GRAPH_DELTA: &str = "0.02";

/// Audits mechanisms.
pub fn mechanisms(arguments: &Mechanisms) -> Result<(), Failure> {
    let epsilon = price(&arguments.epsilon)?;
    let mut suspects = real(audit::mechanisms(&epsilon).map_err(|error| not_at(&epsilon, &error))?);
    choose(&mut suspects, &arguments.names)?;
    let mut canaries = audit::canaries(&epsilon)?;
    canaries.retain(|subject| chosen(&subject.name(), &arguments.names));
    let asked = json!({ "epsilon": arguments.epsilon, "names": arguments.names });
    arguments.bench.audit("mechanisms", asked, suspects, canaries)
}

/// Audits randomizers.
pub fn local(arguments: &Local) -> Result<(), Failure> {
    let Some(line) = &arguments.line else {
        let epsilon = price(&arguments.epsilon)?;
        return arguments.bench.audit(
            "local randomizers",
            json!({ "epsilon": arguments.epsilon }),
            real(audit::local(&epsilon)?),
            respondents(&epsilon)?,
        );
    };
    let protocol: Protocol = line.parse().map_err(Failure::request)?;
    let subject: Box<dyn Subject> = Box::new(audit::protocol_subject(protocol.clone(), None)?);
    let canaries: Box<dyn Canaries> = Box::new(audit::local_canaries(protocol, RESPONDENTS)?);
    arguments.bench.audit(line, json!({ "method": line }), vec![subject.into()], vec![canaries])
}

/// Audits what is broken.
pub fn planted(arguments: &Planted) -> Result<(), Failure> {
    let mut suspects = leaks();
    choose(&mut suspects, &arguments.names)?;
    arguments.bench.audit("planted leaks", json!({ "names": arguments.names }), suspects, Vec::new())
}

/// Audits everything.
pub fn all(arguments: &All) -> Result<(), Failure> {
    let epsilon = price(&arguments.epsilon)?;
    let mut suspects = real(audit::mechanisms(&epsilon).map_err(|error| not_at(&epsilon, &error))?);
    suspects.extend(real(audit::local(&epsilon)?));
    suspects.extend(real(graph_subjects(&epsilon)?));
    let Questions { subjects, crowds } = questions(&epsilon)?;
    suspects.extend(real(subjects));
    suspects.extend(leaks());
    let mut canaries = audit::canaries(&epsilon)?;
    canaries.extend(crowds);
    canaries.extend(respondents(&epsilon)?);
    let asked = json!({ "epsilon": arguments.epsilon });
    arguments.bench.audit("everything that is built in", asked, suspects, canaries)
}

/// Every statistic of graphs, on small graphs.
pub fn graph_subjects(epsilon: &Epsilon) -> Result<Vec<Box<dyn Subject>>, Failure> {
    let delta = Delta::parse(GRAPH_DELTA).map_err(Failure::request)?;
    audit::graphs(epsilon, &delta).map_err(|error| not_at(epsilon, &error))
}

/// What is real.
pub fn real(subjects: Vec<Box<dyn Subject>>) -> Vec<Suspect> {
    subjects.into_iter().map(Suspect::from).collect()
}

fn leaks() -> Vec<Suspect> {
    audit::planted().into_iter().chain(audit::planted_worlds()).map(Suspect::from).collect()
}

fn respondents(epsilon: &Epsilon) -> Result<Vec<Box<dyn Canaries>>, Failure> {
    let mut canaries: Vec<Box<dyn Canaries>> = Vec::new();
    for line in [
        format!("randomized-response epsilon={epsilon}"),
        format!("k-ary-response values=4 epsilon={epsilon}"),
        format!("local-hashing values=8 epsilon={epsilon}"),
    ] {
        let protocol: Protocol = line.parse().map_err(Failure::request)?;
        canaries.push(Box::new(audit::local_canaries(protocol, RESPONDENTS)?));
    }
    Ok(canaries)
}

/// The price that is claimed.
pub fn price(epsilon: &str) -> Result<Epsilon, Failure> {
    Epsilon::parse(epsilon).map_err(Failure::request)
}

/// One of many takes no such price; its own hint speaks of parameters that nobody gave here.
fn not_at(epsilon: &Epsilon, error: &AuditError) -> Failure {
    let text = error.to_string();
    let what = text.lines().next().unwrap_or_default();
    Failure::Request(format!(
        "not everything here takes ε = {epsilon}: {what}\n\
         hint: audit at a price that shows something, such as 1"
    ))
}

fn chosen(subject: &str, names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|name| begins(subject, name))
}

/// Whether a name begins like this, in small or large letters.
fn begins(subject: &str, name: &str) -> bool {
    subject.to_lowercase().starts_with(&name.to_lowercase())
}

/// Keeps what is named.
fn choose(suspects: &mut Vec<Suspect>, names: &[String]) -> Result<(), Failure> {
    let unknown =
        names.iter().find(|name| suspects.iter().all(|suspect| !begins(&suspect.subject.name(), name)));
    if let Some(unknown) = unknown {
        let known: Vec<String> = suspects.iter().map(|suspect| suspect.subject.name()).collect();
        return Err(Failure::Request(format!(
            "nothing here is called {unknown}\nhint: choose from {}",
            known.join(", ")
        )));
    }
    suspects.retain(|suspect| chosen(&suspect.subject.name(), names));
    Ok(())
}
