//! `pointillist graph count`: one number.

use pointillist_graph::Statistic;

use super::arguments::GraphArguments;
use super::print;
use crate::failure::Failure;

/// What is counted.
#[derive(clap::Args)]
#[command(after_help = "\
Statistics: nodes, edges, max-degree, degree-bound, degeneracy, components, triangles, 2-stars to 8-stars,
2-triangles to 8-triangles, four-cliques, rectangles.

Examples:
  pointillist graph count triangles --graph contacts --epsilon 1
  pointillist graph count triangles --file ca-GrQc.txt.gz --privacy edge --epsilon 1 --json
  pointillist graph count triangles --file ca-GrQc.txt.gz --privacy edge --epsilon 1 --method ladder
  pointillist graph count components --file contacts.txt --nodes people.txt --privacy edge --epsilon 0.5")]
pub struct Arguments {
    /// What to count
    #[arg(value_name = "STATISTIC")]
    statistic: String,
    #[command(flatten)]
    graph: GraphArguments,
}

/// Counts and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let statistic = arguments.statistic.parse()?;
    let elsewhere = match statistic {
        Statistic::Degrees => Some("graph degrees"),
        Statistic::GlobalClustering | Statistic::AverageClustering => Some("graph clustering"),
        _ => None,
    };
    if let Some(command) = elsewhere {
        let what = format!("{statistic} are more than a count");
        return Err(Failure::wrong(what, format!("use `pointillist {command}`")));
    }
    let answered = arguments.graph.answer(statistic)?;
    print::figure(&statistic.to_string(), &answered, arguments.graph.json)
}
