//! What to expect of a graph's statistics under either kind of privacy, before anything is declared or paid.
//!
//! **Guarantee.** Nothing is read: the outlook is a function of the price and of a made-up size, so that it says nothing about any graph,
//! declared or not.

use pointillist_errors::{Explained, Explanation};
use pointillist_graph::{Method, Privacy, Public, Question, Statistic, plan};
use pointillist_privacy::{Delta, Epsilon};

use crate::quote::GraphQuote;

/// Outlooks are for a graph of this many nodes.
pub const TYPICAL_NODES: u32 = 10_000;

/// A statistic, and what to expect of it.
#[derive(Clone, Debug)]
pub struct GraphOutlook {
    /// What is asked.
    pub statistic: Statistic,
    /// Where one tie is hidden; why not, where there is no such mechanism.
    pub edge: Result<GraphQuote, Explanation>,
    /// Where one person is hidden, with all their ties.
    pub node: Result<GraphQuote, Explanation>,
}

/// Every statistic at this price.
pub fn graph_outlooks(epsilon: &Epsilon) -> Vec<GraphOutlook> {
    let quote = |statistic: Statistic, privacy: Privacy| {
        let delta = Delta::parse("1e-9").ok();
        let question = Question { statistic, privacy, method: Method::Auto, epsilon: epsilon.clone(), delta };
        let known = Public { nodes: (privacy == Privacy::Edge).then_some(TYPICAL_NODES), listed: true };
        let mechanism = plan(&question, &known).map_err(|error| error.explanation())?;
        Ok(GraphQuote::new(&question, mechanism.as_ref()))
    };
    let outlook = |statistic: Statistic| GraphOutlook {
        statistic,
        edge: quote(statistic, Privacy::Edge),
        node: quote(statistic, Privacy::Node),
    };
    Statistic::names().iter().filter_map(|name| name.parse().ok()).map(outlook).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: hiding a person takes no smaller error bar than hiding a tie.
    #[test]
    fn hiding_a_person_costs_more() {
        let outlooks = graph_outlooks(&Epsilon::parse("1").unwrap());
        assert!(outlooks.len() > 8);
        assert!(outlooks.iter().all(|outlook| outlook.edge.is_ok() || outlook.node.is_ok()));
        for outlook in &outlooks {
            let error = |quote: &Result<GraphQuote, Explanation>| quote.as_ref().ok()?.error_95;
            if let (Some(edge), Some(node)) = (error(&outlook.edge), error(&outlook.node)) {
                assert!(edge <= node, "{}: {edge} {node}", outlook.statistic);
            }
        }
    }
}
