//! From a question to the mechanism that answers it. Only public things are looked at.

use pointillist_privacy::{Delta, Epsilon};

use crate::edge::unit_count::{Counted, UnitCount};
use crate::node::nodes::NodeCount;
use crate::{GraphError, Mechanism, Method, Privacy, Statistic};

/// A question about a graph and what it may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub statistic: Statistic,
    /// What is protected.
    pub privacy: Privacy,
    /// How.
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
}

/// The mechanism that answers a question.
pub fn plan(question: &Question, _public: &Public) -> Result<Box<dyn Mechanism>, GraphError> {
    let epsilon = &question.epsilon;
    let unit = |counted| UnitCount::new(counted, epsilon).map(boxed);
    match (question.privacy, question.statistic) {
        (Privacy::Edge, Statistic::Edges) => unit(Counted::Edges),
        (Privacy::Edge, Statistic::Components) => unit(Counted::Components),
        (Privacy::Edge, Statistic::MaxDegree) => unit(Counted::MaxDegree),
        (Privacy::Node, Statistic::Nodes) => NodeCount::new(epsilon).map(boxed),
        (privacy, statistic) => Err(GraphError::refused(
            format!("{statistic} are not released under {privacy} privacy"),
            "ask for edges, components or max-degree under edge privacy, or nodes under node privacy",
        )),
    }
}

fn boxed<M: Mechanism + 'static>(mechanism: M) -> Box<dyn Mechanism> {
    Box::new(mechanism)
}
