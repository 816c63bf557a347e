//! `pointillist graph`: statistics of graphs under edge or node privacy.

pub mod arguments;
mod clustering;
mod count;
mod degrees;
mod explain;
mod extension;
mod inspect;
mod print;
mod synth;

use clap::Subcommand;

use crate::failure::Failure;

/// What is done with a graph.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph count triangles --graph contacts --epsilon 1
  pointillist graph count edges --file ca-GrQc.txt.gz --privacy node --epsilon 1 --json
  pointillist graph degrees --file contacts.csv --first-line names --privacy edge --epsilon 0.5 --plot degrees.svg
  pointillist graph explain 2-stars --graph contacts --epsilon 1
  pointillist graph synth --graph contacts --epsilon 1 --output made-up.csv

Edge privacy hides one tie between people who are known; node privacy hides a person with all their ties.
Exit codes: 2 the question is wrong, 3 it is refused for privacy or budget, 1 anything else.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Count edges, triangles, stars, components and more, privately
    Count(count::Arguments),
    /// The degree distribution, with a band where the truth lies
    Degrees(degrees::Arguments),
    /// The clustering coefficient
    Clustering(clustering::Arguments),
    /// A made-up graph with the released degrees and about the released triangles
    Synth(synth::Arguments),
    /// What an answer would cost and how wrong it might be; free
    Explain(explain::Arguments),
    /// Mechanisms for some graphs, extended to all graphs for twice the price: a theorem to look at, on tiny graphs
    Extension(extension::Arguments),
    /// Exact figures for the owner's eyes: not private, never to be published
    Inspect(inspect::Arguments),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.verb {
        Verb::Count(arguments) => count::run(arguments),
        Verb::Degrees(arguments) => degrees::run(arguments),
        Verb::Clustering(arguments) => clustering::run(arguments),
        Verb::Synth(arguments) => synth::run(arguments),
        Verb::Explain(arguments) => explain::run(arguments),
        Verb::Extension(arguments) => extension::run(arguments),
        Verb::Inspect(arguments) => inspect::run(arguments),
    }
}
