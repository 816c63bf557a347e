//! What every private statistic of a graph can do.

use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use crate::{Answer, Graph};

/// A private statistic with its public settings. All of them were checked when it was made: once a graph is at hand,
/// nothing can fail.
pub trait Mechanism: Send + Sync {
    /// The mechanism's name, for people and for scripts.
    fn name(&self) -> &'static str;

    /// What a release costs, for the neighbours that the mechanism's file names.
    fn loss(&self) -> Loss;

    /// How wrong an answer may be, from public quantities alone.
    fn outlook(&self) -> Outlook;

    /// Everything that leaves: the only step that sees the graph. The integers are private, all together, at
    /// [`Mechanism::loss`].
    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128>;

    /// Counts once and draws as often as wanted, each time as [`Mechanism::release`] would: for simulations by whoever
    /// holds the graph. Every draw is a release and costs as much.
    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        Box::new(move |bits| self.release(graph, bits))
    }

    /// What released integers mean: a function of them and of public settings, so it costs nothing and can be repeated.
    /// `None` when these integers were not released by this mechanism.
    fn present(&self, released: &[i128]) -> Option<Answer>;
}

/// Draws one release.
pub type Draw<'a> = Box<dyn Fn(&mut dyn SecureBits) -> Vec<i128> + 'a>;

/// What is known about an answer before it is paid for.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The error that is exceeded with probability at most 5 %, where it does not depend on the graph.
    pub error_95: Option<f64>,
    /// The same in words: what the error depends on, what it is for typical graphs, what is cut off.
    pub words: Vec<String>,
}
