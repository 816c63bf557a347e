//! `pointillist audit`: attempts to refute our own promises by measuring them.

mod built_in;
mod graph;
mod query;
mod render;
mod run;

use clap::Subcommand;

use crate::failure::Failure;

/// What is audited.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit mechanisms
  pointillist audit mechanisms laplace geometric --releases 100000 --report audit.html
  pointillist audit local \"k-ary-response values=3 epsilon=1\"
  pointillist audit graph triangles --file contacts.txt --privacy node
  pointillist audit query \"SELECT region, COUNT(*) FROM visits GROUP BY region\" --epsilon 1
  pointillist audit planted
  pointillist audit all --json

An audit draws many releases on two neighbouring data sets, lets events and trained classifiers
compete at telling them apart, and states a lower bound on the loss that is true with the confidence
it names. A claim is refuted where a much stricter bound exceeds it. A bound below the claim proves
nothing: it says that this adversary did not do better.

Exit codes: 0 every claim held and every planted leak was caught, 1 one did not, 2 the request is
wrong, 3 the question is refused.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Every mechanism, or those that are named
    Mechanisms(built_in::Mechanisms),
    /// Every local randomizer, or the one of this line
    Local(built_in::Local),
    /// Every statistic of graphs on small graphs, or one statistic on your graph
    Graph(graph::Arguments),
    /// A question in SQL, asked of the real curator in worlds that differ in one person
    Query(query::Arguments),
    /// Releases that are broken on purpose: the audit must catch each
    Planted(built_in::Planted),
    /// Everything that is built in, and every planted leak
    All(built_in::All),
}

/// Audits.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Mechanisms(arguments) => built_in::mechanisms(arguments),
        Verb::Local(arguments) => built_in::local(arguments),
        Verb::Graph(arguments) => graph::run(arguments),
        Verb::Query(arguments) => query::run(arguments),
        Verb::Planted(arguments) => built_in::planted(arguments),
        Verb::All(arguments) => built_in::all(arguments),
    }
}
