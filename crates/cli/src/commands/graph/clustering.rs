//! `pointillist graph clustering`: how often friends of friends are friends.

use pointillist_graph::Statistic;

use super::arguments::GraphArguments;
use super::print;
use crate::failure::Failure;

/// Which coefficient.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph clustering --graph contacts --epsilon 1
  pointillist graph clustering --average --file contacts.txt --privacy edge --epsilon 1 --json")]
pub struct Arguments {
    /// The mean over nodes in place of 3·triangles / 2-stars
    #[arg(long)]
    average: bool,
    #[command(flatten)]
    graph: GraphArguments,
}

/// Computes and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let statistic =
        if arguments.average { Statistic::AverageClustering } else { Statistic::GlobalClustering };
    let answered = arguments.graph.answer(statistic)?;
    print::figure("clustering", &answered, arguments.graph.json)
}
