//! Statistics of graphs under audit: a graph, and the same graph with one tie or one person more or less.
//!
//! **Neighbours.** Under edge privacy graphs over the same people that differ in one tie; under node privacy graphs that
//! differ in one person with all their ties, everybody else keeping their label.
//! **Seen.** The released integers, all of them and nothing else: what answers say is computed from them.
//!
//! | file | its idea |
//! | --- | --- |
//! | `change.rs` | one tie or one person comes or goes |
//! | `search.rs` | which changes of a given graph are likely to show |
//! | `small.rs` | small graphs that mechanisms find hard, with the change that hurts |

mod change;
mod search;
mod small;

use std::collections::VecDeque;

use pointillist_graph::{Graph, GraphError, Mechanism, Method, Privacy, Public, Question, Statistic, plan};
use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon};

use crate::{AuditError, Observation, Profile, Side, Subject, no_pair};

pub use change::{Change, GraphPair};
pub use search::graph_pairs;
pub(super) use small::{NODES, edge_pairs, fours, node_pairs, star};

/// So many releases are drawn from one counting at most.
const STOCK_MAX: usize = 4096;

/// A question about a graph, asked of both sides of pairs of neighbours.
pub struct GraphSubject {
    profile: Profile,
    mechanism: Box<dyn Mechanism>,
    pairs: Vec<GraphPair>,
    stocks: Vec<[Stock; 2]>,
}

/// Fresh releases of one side that nobody has seen yet. A graph is counted once for many of them; how many doubles each
/// time, so that a side that is hardly looked at costs little.
#[derive(Default)]
struct Stock {
    unseen: VecDeque<Vec<i128>>,
    last: usize,
}

/// Audits the mechanism that answers a question, on these pairs.
///
/// # Errors
/// When the question is refused, or a pair is not one of neighbours of its privacy.
pub fn graph_subject(
    question: &Question,
    public: &Public,
    pairs: Vec<GraphPair>,
) -> Result<GraphSubject, AuditError> {
    let mechanism = plan(question, public)?;
    for pair in &pairs {
        pair.check(question.privacy, public.nodes)?;
    }
    let name = format!("{} under {} privacy by {}", question.statistic, question.privacy, question.method);
    let releases_a_second = speed(mechanism.name());
    let profile = Profile { releases_a_second, ..Profile::new(name, mechanism.loss()) }
        .with_neighbours(pairs.iter().map(|pair| pair.name.clone()));
    let stocks = pairs.iter().map(|_| Default::default()).collect();
    Ok(GraphSubject { profile, mechanism, pairs, stocks })
}

/// About how many releases a second a mechanism draws from a small graph: smooth sensitivities and the choice of a
/// threshold are exact, and cost a fraction of a millisecond.
fn speed(mechanism: &str) -> usize {
    match mechanism {
        "student-t" => 1000,
        "projection" | "flow" | "packing" | "forest" | "ladder" => 8000,
        smooth if smooth.starts_with("smooth") => 3000,
        _ => 50_000,
    }
}

impl Subject for GraphSubject {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn release(
        &mut self,
        pair: usize,
        side: Side,
        bits: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        let stock =
            self.stocks.get_mut(pair).map(|sides| &mut sides[side.index()]).ok_or_else(|| no_pair(pair))?;
        if stock.unseen.is_empty() {
            stock.last = (2 * stock.last).clamp(1, STOCK_MAX);
            let changed;
            let graph: &Graph = match side {
                Side::Left => &self.pairs[pair].graph,
                Side::Right => {
                    changed = self.pairs[pair].change.of(&self.pairs[pair].graph);
                    &changed
                }
            };
            let draw = self.mechanism.counted(graph);
            stock.unseen.extend((0..stock.last).map(|_| draw(bits)));
        }
        Ok(Observation::list(stock.unseen.pop_front().unwrap_or_default()))
    }
}

/// Every statistic by every method that answers it, under both kinds of privacy, on small graphs that are hard.
pub fn graphs(epsilon: &Epsilon, delta: &Delta) -> Result<Vec<Box<dyn Subject>>, AuditError> {
    let boxed = |subject| Box::new(subject) as Box<dyn Subject>;
    Ok(answered(epsilon, delta)?.into_iter().map(|(_, subject)| boxed(subject)).collect())
}

/// The questions that are answered, each with its subject.
fn answered(epsilon: &Epsilon, delta: &Delta) -> Result<Vec<(Question, GraphSubject)>, AuditError> {
    let mut subjects = Vec::new();
    for (statistic, method, privacy) in questions() {
        let (nodes, pairs) = match privacy {
            Privacy::Edge => (Some(NODES), edge_pairs()),
            Privacy::Node => (None, node_pairs()),
        };
        let (epsilon, delta) = (epsilon.clone(), Some(delta.clone()));
        let question = Question { statistic, privacy, method, epsilon, delta };
        let public = Public { nodes, listed: true };
        match plan(&question, &public) {
            Ok(_) => subjects.push((question.clone(), graph_subject(&question, &public, pairs)?)),
            // What no mechanism answers releases nothing.
            Err(GraphError::Refused { .. }) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(subjects)
}

/// Everything that can be asked.
fn questions() -> impl Iterator<Item = (Statistic, Method, Privacy)> {
    let numbered = (2..=8).flat_map(|k| [Statistic::Stars(k), Statistic::KTriangles(k)]);
    let statistics = [
        Statistic::Nodes,
        Statistic::Edges,
        Statistic::MaxDegree,
        Statistic::DegreeBound,
        Statistic::Degeneracy,
        Statistic::Components,
        Statistic::Triangles,
        Statistic::FourCliques,
        Statistic::Rectangles,
        Statistic::Degrees,
        Statistic::GlobalClustering,
        Statistic::AverageClustering,
    ];
    let methods = [
        Method::Auto,
        Method::Smooth,
        Method::StudentT,
        Method::NoisyMaxDegree,
        Method::NoisyCommonNeighbours,
        Method::Ladder,
        Method::ProposeTestRelease(NODES as u64 / 2),
        Method::Projection,
        Method::Flow,
        Method::Packing,
        Method::Restricted,
    ];
    statistics.into_iter().chain(numbered).flat_map(move |statistic| {
        methods.into_iter().flat_map(move |method| {
            [Privacy::Edge, Privacy::Node].map(|privacy| (statistic, method, privacy))
        })
    })
}

#[cfg(test)]
mod tests;
