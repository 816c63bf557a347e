//! A graph that its owner holds in memory: what is released of it, and what is exact.
//!
//! **Guarantee.** As for every one-off ([`super`]). What is refused is refused by the question, by whether there is a list of
//! nodes and, under edge privacy, by how many nodes there are; never by a tie.
//! **A list.** `listed` says that the nodes are those of a list, which names people whether or not they know anybody. Nodes
//! that are known from ties alone vanish with the last of their ties: under node privacy nothing is released that counts them.

use pointillist_graph::kernel::{common_neighbours, components, cores, degrees, stars, triangles};
use pointillist_graph::read::Loaded;
use pointillist_graph::{
    Mechanism, Method, Privacy, Public, Question, ReleasedNumbers, Statistic, SyntheticGraph,
};
use pointillist_noise::with_system_bits;

use super::{Assumption, FileFacts, GraphInspection, OneOff, OneOffError, OneOffQuote};
use crate::Answer;

/// A graph in memory, for its owner's one-offs.
#[derive(Clone, Debug)]
pub struct HeldGraph {
    loaded: Loaded,
    listed: bool,
    assumed: Option<Assumption>,
}

/// A made-up graph, and the two answers that it was made of.
pub struct OneOffSynthesis {
    /// The graph, and how far it is from the answers.
    pub made_up: SyntheticGraph,
    /// How many nodes have at least each degree.
    pub degrees: OneOff,
    /// How many triangles there are.
    pub triangles: OneOff,
}

impl HeldGraph {
    /// A graph whose nodes are those of a list, or those that occur.
    pub fn new(loaded: Loaded, listed: bool) -> Self {
        Self { loaded, listed, assumed: None }
    }

    /// The same, where reading it took something for granted.
    pub(super) fn assuming(self, assumed: Option<Assumption>) -> Self {
        Self { assumed, ..self }
    }

    /// The graph and how it was read. As private as the people in it.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// What an answer would cost and how wrong it might be: from the question and, under edge privacy, how many nodes there
    /// are.
    ///
    /// # Errors
    /// When the question is refused.
    pub fn quote(&self, question: &Question) -> Result<OneOffQuote, OneOffError> {
        OneOffQuote::new(question, &self.public(question.privacy))
    }

    /// A private answer. Every further one adds to the loss, and nobody counts.
    ///
    /// # Errors
    /// When the question is refused, or there is no randomness.
    pub fn release(&self, question: &Question) -> Result<OneOff, OneOffError> {
        let mechanism = self.mechanism(question)?;
        let released = with_system_bits(|bits| mechanism.release(&self.loaded.graph, bits))?;
        let statistic = mechanism.present(&released).ok_or(OneOffError::Unpresentable)?;
        let answer = Answer::of_graph(&statistic, mechanism.name(), None);
        let ids = !self.listed && question.privacy == Privacy::Edge;
        let assumptions = ids.then_some(Assumption::IdsArePublic).into_iter().chain(self.assumed).collect();
        Ok(OneOff { answer, loss: mechanism.loss(), assumptions })
    }

    /// A made-up graph from a released distribution of degrees and a released count of triangles. `each` is the price of
    /// either, with the method and the δ of the triangles; both together lose the sum of what they say.
    ///
    /// # Errors
    /// When one of the two questions is refused, before anything is released; when triangles are not answered; and when there
    /// is no randomness.
    pub fn synthesize(&self, each: &Question) -> Result<OneOffSynthesis, OneOffError> {
        let triangles = Question { statistic: Statistic::Triangles, ..each.clone() };
        let degrees =
            Question { statistic: Statistic::Degrees, method: Method::Auto, delta: None, ..each.clone() };
        // Half of the answers make no graph: what is refused is refused before anything is released.
        self.mechanism(&triangles)?;
        let degrees = self.release(&degrees)?;
        let triangles = self.release(&triangles)?;
        let released = ReleasedNumbers::new(&degrees.answer.estimates(), &triangles.answer.estimates())?;
        Ok(OneOffSynthesis { made_up: SyntheticGraph::new(&released)?, degrees, triangles })
    }

    /// Everything exactly. **For the owner's eyes.**
    pub fn inspect(&self) -> GraphInspection {
        let Loaded { graph, lines, skipped, outside, ended_in_quotes, first_line } = &self.loaded;
        GraphInspection {
            nodes: graph.nodes(),
            edges: graph.edges(),
            max_degree: degrees::max(graph).into(),
            triangles: triangles::count(graph),
            max_common_neighbours: common_neighbours::max(graph).into(),
            two_stars: stars::count(graph, 2),
            components: components::count(graph).into(),
            degeneracy: cores::degeneracy(graph).into(),
            file: FileFacts {
                lines: *lines,
                skipped: *skipped,
                outside: *outside,
                ended_in_quotes: *ended_in_quotes,
                first_line: *first_line,
            },
        }
    }

    /// What everybody may know.
    fn public(&self, privacy: Privacy) -> Public {
        let nodes = (privacy == Privacy::Edge).then(|| self.loaded.graph.nodes());
        Public { nodes, listed: self.listed }
    }

    fn mechanism(&self, question: &Question) -> Result<Box<dyn Mechanism>, OneOffError> {
        Ok(pointillist_graph::plan(question, &self.public(question.privacy))?)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::{Explained as _, Kind};
    use pointillist_graph::Graph;
    use pointillist_graph::read::FirstLine;
    use pointillist_privacy::Epsilon;

    use super::*;

    fn held(listed: bool) -> HeldGraph {
        let graph = Graph::from_pairs(5, [(0, 1), (1, 2), (2, 0), (2, 3)]);
        let first_line = FirstLine::Edge;
        let loaded = Loaded { graph, lines: 4, skipped: 0, outside: 0, ended_in_quotes: false, first_line };
        HeldGraph::new(loaded, listed)
    }

    fn question(statistic: Statistic, privacy: Privacy) -> Question {
        let epsilon = Epsilon::parse("1000").unwrap();
        Question { statistic, privacy, method: Method::default(), epsilon, delta: None }
    }

    /// Specification: without a list, nodes are taken to be public under edge privacy, which is said, and are not counted
    /// under node privacy.
    #[test]
    fn a_list_of_nodes_is_what_the_owner_says_it_is() {
        let edges = question(Statistic::Edges, Privacy::Edge);
        assert_eq!(held(false).release(&edges).unwrap().assumptions, [Assumption::IdsArePublic]);
        assert!(held(true).release(&edges).unwrap().assumptions.is_empty());
        let nodes = question(Statistic::Nodes, Privacy::Node);
        assert_eq!(held(false).release(&nodes).unwrap_err().kind(), Kind::Privacy);
        assert!(held(true).release(&nodes).is_ok());
        assert_eq!(held(true).inspect().triangles, 1);
    }

    /// Specification: at a high price the made-up graph has the degrees and the triangles of the graph; where triangles cannot
    /// be asked for, nothing is released.
    #[test]
    fn a_graph_is_made_up_from_two_releases() {
        // Degrees are wrong with a probability below 1e-20; noise at smooth sensitivity takes no more than about 100.
        let asked = Question {
            epsilon: Epsilon::parse("100").unwrap(),
            ..question(Statistic::Triangles, Privacy::Edge)
        };
        let made = held(true).synthesize(&asked).unwrap();
        assert_eq!((made.made_up.graph.nodes(), made.made_up.distance.ties), (5, 4));
        let refused = Question { method: Method::Packing, ..asked };
        assert!(held(true).synthesize(&refused).is_err());
    }
}
