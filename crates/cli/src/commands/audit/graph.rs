//! `pointillist audit graph`.

use std::path::PathBuf;

use pointillist_audit::Batch;
use pointillist_curator::{EdgeFile, NodeFile};
use pointillist_graph::read::FirstLine;
use pointillist_graph::{Method, Privacy, Question, Statistic};
use pointillist_privacy::Delta;
use serde_json::json;

use super::built_in::price;
use super::run::AuditArguments;
use crate::commands::graph::arguments::FirstLineWord;
use crate::failure::Failure;

/// Which statistic of which graph.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit graph
  pointillist audit graph triangles --file contacts.txt --privacy node --epsilon 1
  pointillist audit graph degrees --file contacts.txt --privacy edge --report degrees.html

The neighbours of your graph that are tried: with and without the tie or the person that is likely
to show most. What the audit prints was computed from the graph without noise: it is for the owner's
eyes.")]
pub struct Arguments {
    /// The statistic, as `pointillist graph` names it [default: every statistic, on small graphs]
    #[arg(value_name = "STATISTIC", requires = "file")]
    statistic: Option<String>,
    /// A file of ties
    #[arg(long, value_name = "PATH", requires = "statistic", requires = "privacy")]
    file: Option<PathBuf>,
    /// The ids of all nodes of --file, one a line
    #[arg(long, value_name = "PATH", requires = "file")]
    nodes: Option<PathBuf>,
    /// What --file begins with
    #[arg(long, value_name = "WHAT", requires = "file", value_enum, default_value = "edge")]
    first_line: FirstLineWord,
    /// What is protected: edge (one tie) or node (a person with all their ties)
    #[arg(long, value_name = "edge|node", requires = "file")]
    privacy: Option<String>,
    /// How the statistic is made private [default: the best known]
    #[arg(long, value_name = "METHOD", requires = "file")]
    method: Option<String>,
    /// The price that is claimed
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    /// The δ of methods that need one
    #[arg(long, value_name = "D", requires = "file")]
    delta: Option<String>,
    #[command(flatten)]
    audit: AuditArguments,
}

/// Audits statistics of graphs.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let epsilon = price(&arguments.epsilon)?;
    let (Some(path), Some(statistic)) = (&arguments.file, &arguments.statistic) else {
        let asked = json!({ "epsilon": arguments.epsilon });
        return arguments.audit.audit(Batch::graphs(&epsilon)?, asked);
    };
    let statistic: Statistic = statistic.parse()?;
    let privacy: Privacy = arguments.privacy.as_deref().unwrap_or_default().parse()?;
    let method: Option<Method> = arguments.method.as_deref().map(str::parse).transpose()?;
    let delta = arguments.delta.as_deref().map(Delta::parse).transpose().map_err(Failure::request)?;
    // Lists are looked at: what an audit prints is for the owner anyway.
    let list = |nodes: &PathBuf| NodeFile { path: nodes.clone(), first_line: Some(FirstLine::Detect) };
    let nodes = arguments.nodes.as_ref().map(list);
    let listed = nodes.is_some();
    let first_line = Some(arguments.first_line.first_line());
    let graph = EdgeFile { path: path.clone(), first_line, nodes }.load(privacy, &|_| {})?.graph;
    let question = Question { statistic, privacy, method: method.unwrap_or_default(), epsilon, delta };
    let batch = Batch::graph(&question, graph, listed, &path.display().to_string())?;
    let asked = json!({
        "statistic": statistic.to_string(),
        "file": path.display().to_string(),
        "privacy": arguments.privacy,
        "method": arguments.method,
        "epsilon": arguments.epsilon,
        "delta": arguments.delta,
    });
    arguments.audit.audit(batch, asked)
}
