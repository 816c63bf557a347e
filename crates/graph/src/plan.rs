//! From a question to the mechanism that answers it. Only public things are looked at.

use pointillist_privacy::{Delta, Epsilon};

use crate::edge::clustering::{AverageClustering, GlobalClustering};
use crate::edge::degrees::DegreeDistribution;
use crate::edge::k_triangles::KTriangleCount;
use crate::edge::ladder::LadderTriangles;
use crate::edge::propose_test_release::ProposedTriangles;
use crate::edge::stars::StarCount;
use crate::edge::triangles::{SmoothKind, SmoothTriangles};
use crate::edge::two_step::{Bound, TwoStepTriangles};
use crate::edge::unit_count::{Counted, UnitCount};
use crate::node::degeneracy::Degeneracy;
use crate::node::degree_bound::{DegreeBound, max_degree_refusal};
use crate::node::degrees::ProjectedDegrees;
use crate::node::edges::ProjectedEdges;
use crate::node::flow::FlowEdges;
use crate::node::forest_components::ForestComponents;
use crate::node::nodes::NodeCount;
use crate::node::patterns_release::{PackedPatterns, Pattern};
use crate::node::reduction::Reduced;
use crate::node::stars::ProjectedStars;
use crate::{GraphError, Mechanism, Method, Privacy, Statistic};

/// A question about a graph and what it may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub statistic: Statistic,
    /// What is protected.
    pub privacy: Privacy,
    /// By which method it is answered.
    pub method: Method,
    /// The pure part of the price, all of it for pure mechanisms.
    pub epsilon: Epsilon,
    /// The probability of failure that some methods need; never spent by others.
    pub delta: Option<Delta>,
}

/// What everybody may know about a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Public {
    /// How many nodes there are: known under edge privacy, private under node privacy.
    pub nodes: Option<u32>,
    /// Whether a list says which nodes there are, be it public or private. Without one they are the ids that occur.
    pub listed: bool,
}

/// The mechanism that answers a question.
pub fn plan(question: &Question, public: &Public) -> Result<Box<dyn Mechanism>, GraphError> {
    match question.privacy {
        Privacy::Edge => {
            let nodes = public.nodes.ok_or_else(|| {
                GraphError::refused(
                    "edge privacy hides ties between nodes that everybody knows, and no list says which these are",
                    "give a public list of nodes, or ask under node privacy",
                )
            })?;
            edge(question, nodes)
        }
        Privacy::Node => {
            if !public.listed && counts_nodes(question) {
                return Err(GraphError::refused(
                    "without a list of nodes, people who know only one other person vanish with that person",
                    "give a list of all nodes, or ask for edges, triangles, stars or the degeneracy",
                ));
            }
            node(question)
        }
    }
}

/// Whether a node without ties counts. A person whose ties are taken away takes along everybody who is tied to nobody
/// else, unless a list names them: a mechanism that hides one node hides a hub with its thousand leaves only with a list.
fn counts_nodes(question: &Question) -> bool {
    match question.statistic {
        Statistic::Nodes
        | Statistic::Degrees
        | Statistic::Components
        | Statistic::DegreeBound
        | Statistic::GlobalClustering => true,
        Statistic::Edges
        | Statistic::MaxDegree
        | Statistic::Degeneracy
        | Statistic::Triangles
        | Statistic::Stars(_)
        | Statistic::KTriangles(_)
        | Statistic::AverageClustering
        | Statistic::FourCliques
        | Statistic::Rectangles => question.method == Method::Restricted,
    }
}

fn edge(question: &Question, nodes: u32) -> Result<Box<dyn Mechanism>, GraphError> {
    let Question { statistic, method, epsilon, .. } = question;
    let unit = |counted| UnitCount::new(counted, epsilon).map(boxed);
    let smooth = |noise| SmoothTriangles::new(epsilon, nodes, noise).map(boxed);
    let two_step = |bound| TwoStepTriangles::new(epsilon, delta(question)?, nodes, bound).map(boxed);
    match (*statistic, *method) {
        (Statistic::Edges, Method::Auto) => unit(Counted::Edges),
        (Statistic::Components, Method::Auto) => unit(Counted::Components),
        (Statistic::MaxDegree, Method::Auto) => unit(Counted::MaxDegree),
        (Statistic::Degeneracy, Method::Auto) => unit(Counted::Degeneracy),
        (Statistic::Triangles, Method::Auto | Method::Smooth) => smooth(SmoothKind::PowerTail),
        (Statistic::Triangles, Method::StudentT) => smooth(SmoothKind::StudentT),
        (Statistic::Triangles, Method::Ladder) => LadderTriangles::new(epsilon, nodes).map(boxed),
        (Statistic::Triangles, Method::NoisyMaxDegree) => two_step(Bound::MaxDegree),
        (Statistic::Triangles, Method::NoisyCommonNeighbours) => two_step(Bound::CommonNeighbours),
        (Statistic::Triangles, Method::ProposeTestRelease(bound)) => {
            ProposedTriangles::new(epsilon, delta(question)?, nodes, bound).map(boxed)
        }
        (Statistic::Stars(leaves), Method::Auto | Method::Smooth) => {
            StarCount::new(leaves, epsilon, nodes).map(boxed)
        }
        (Statistic::KTriangles(count), Method::Auto | Method::Smooth) => {
            KTriangleCount::new(count, epsilon, nodes).map(boxed)
        }
        (Statistic::Degrees, Method::Auto) => DegreeDistribution::new(epsilon, nodes).map(boxed),
        (Statistic::GlobalClustering, Method::Auto | Method::Smooth) => {
            GlobalClustering::new(epsilon, nodes).map(boxed)
        }
        (Statistic::AverageClustering, Method::Auto | Method::Smooth) => {
            AverageClustering::new(epsilon, nodes).map(boxed)
        }
        (Statistic::Nodes, _) => Err(GraphError::refused(
            "under edge privacy the nodes are public, and there is nothing to ask",
            "count the list of nodes",
        )),
        (Statistic::DegreeBound, _) => Err(GraphError::refused(
            "a bound for all but a few nodes is what node privacy offers in place of the largest degree",
            "ask for max-degree: under edge privacy it can be had",
        )),
        (Statistic::FourCliques | Statistic::Rectangles, _) => Err(GraphError::refused(
            format!("{statistic} are counted under node privacy only"),
            "ask for triangles or 2-triangles",
        )),
        (_, method) => Err(wrong_method(question, method)),
    }
}

fn node(question: &Question) -> Result<Box<dyn Mechanism>, GraphError> {
    let Question { statistic, method, epsilon, .. } = question;
    let packed = |pattern| PackedPatterns::new(pattern, epsilon).map(boxed);
    let reduced = || Reduced::new(*statistic, epsilon, delta(question)?).map(boxed);
    match (*statistic, *method) {
        (Statistic::Nodes, Method::Auto) => NodeCount::new(epsilon).map(boxed),
        (Statistic::Degeneracy, Method::Auto) => Degeneracy::new(epsilon).map(boxed),
        (Statistic::DegreeBound, Method::Auto) => DegreeBound::new(epsilon).map(boxed),
        (Statistic::Edges, Method::Auto | Method::Projection) => ProjectedEdges::new(epsilon).map(boxed),
        (Statistic::Edges, Method::Flow) => FlowEdges::new(epsilon).map(boxed),
        (Statistic::Degrees, Method::Auto | Method::Projection) => ProjectedDegrees::new(epsilon).map(boxed),
        (Statistic::Triangles, Method::Auto | Method::Packing) => packed(Pattern::Triangles),
        (Statistic::FourCliques, Method::Auto | Method::Packing) => packed(Pattern::FourCliques),
        (Statistic::Rectangles, Method::Auto | Method::Packing) => packed(Pattern::Rectangles),
        (Statistic::Stars(leaves), Method::Auto | Method::Projection) => {
            ProjectedStars::new(leaves, epsilon).map(boxed)
        }
        (Statistic::Components, Method::Auto) => ForestComponents::new(epsilon).map(boxed),
        (Statistic::GlobalClustering, Method::Auto) => reduced(),
        (
            Statistic::Components
            | Statistic::GlobalClustering
            | Statistic::Edges
            | Statistic::Triangles
            | Statistic::Stars(_),
            Method::Restricted,
        ) => reduced(),
        (Statistic::MaxDegree, _) => Err(max_degree_refusal()),
        (Statistic::KTriangles(_) | Statistic::AverageClustering, _) => Err(GraphError::refused(
            format!("no mechanism for {statistic} under node privacy is known to us that tells anything"),
            "ask for triangles or global-clustering, or under edge privacy",
        )),
        (_, method) => Err(wrong_method(question, method)),
    }
}

/// The δ of a method that needs one.
fn delta(question: &Question) -> Result<&Delta, GraphError> {
    question.delta.as_ref().ok_or_else(|| {
        GraphError::refused(
            "this method may fail with a small probability δ, and there is none to spend",
            "give a δ such as 1e-9, or another method",
        )
    })
}

fn wrong_method(question: &Question, method: Method) -> GraphError {
    let Question { statistic, privacy, .. } = question;
    GraphError::refused(
        format!("the method {method} does not answer {statistic} under {privacy} privacy"),
        "leave the method out: the best known is taken",
    )
}

fn boxed<M: Mechanism + 'static>(mechanism: M) -> Box<dyn Mechanism> {
    Box::new(mechanism)
}

#[cfg(test)]
mod tests;
