//! How many ties there are, by the largest fractional choice of ties with bounded degrees.
//!
//! **Definition.** `f_D` is the maximum of `Σ x_e` over weights `0 ≤ x_e ≤ 1` on ties whose sum at every node
//! is at most D.
//! **Guarantee.** `f_D` does not fall when a node comes and rises by at most D; it never exceeds the number
//! of ties, and equals it when no degree exceeds D. The release of [`FlowEdges`] is ε-differentially private.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Proof.** Let w come. Weights without w, and zero on the ties of w, are weights with w: `f_D` does not
//! fall. Weights with w lose at most D when w goes, the sum at w: it rises by at most D. The same bounds hold
//! for `⌈f_D⌉`, because D is a whole number; `⌈f_D⌉` is what is released, with the threshold chosen as in
//! [`edges`](super::edges).
//! **Method.** Put every node twice, left and right, and let a tie `{u, v}` lead from left u to right v and
//! from left v to right u, one unit each, with at most D units through every left and every right node. The
//! maximum flow of this network is `2·f_D`: weights x give the flow x both ways, and the mean of both ways of
//! a flow gives weights back. So `2·f_D` is a whole number. Flows for one D are flows for a larger D, and are
//! continued from threshold to threshold by Dinic's algorithm.
//! **Source.** Kasiviswanathan, Nissim, Raskhodnikova and Smith (2013).
//! **Error.** `f_D` is at least what the projection keeps under the same threshold, since kept ties are such
//! weights, and at most twice as much. In practice errors are those of [`edges`](super::edges) or a little
//! less, at ten to a hundred times the work.
//! **Exactness.** Integers throughout.
//! **Not covered.** An upper end of the interval, as for [`edges`](super::edges). Timing.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Loss};

use super::edges::{count_by_degree, cut_note, edge_outlook};
use super::hubs;
use super::thresholded::ThresholdedCount;
use crate::{Answer, Draw, Graph, GraphError, Mechanism, Outlook};

/// The number of ties, from a maximum flow with bounded degrees.
#[derive(Clone, Debug)]
pub struct FlowEdges {
    count: ThresholdedCount,
}

impl FlowEdges {
    /// The count at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        Ok(Self { count: count_by_degree(epsilon)? })
    }

    fn values(&self, graph: &Graph) -> Vec<i128> {
        let doubled = doubled_extensions(graph, self.count.thresholds());
        doubled.into_iter().map(|flow| i128::from(flow.div_ceil(2))).collect()
    }
}

impl Mechanism for FlowEdges {
    fn name(&self) -> &'static str {
        "flow"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        edge_outlook()
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        let (values, floors) = (self.values(graph), hubs::indices(graph, self.count.thresholds()));
        self.count.counted(values, &floors)
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        self.count.read(released).map(|read| read.answer(cut_note(read.threshold)))
    }
}

/// The doubled values `2·f_D` for thresholds D that rise: a maximum flow, continued from threshold to
/// threshold.
pub fn doubled_extensions(graph: &Graph, thresholds: &[u64]) -> Vec<u64> {
    debug_assert!(thresholds.is_sorted(), "thresholds rise");
    let mut network = Network::new(graph);
    thresholds.iter().map(|threshold| network.maximize(*threshold)).collect()
}

/// The network and a flow in it. Left node u is `u`, right node v is `nodes + v`.
struct Network<'a> {
    graph: &'a Graph,
    nodes: usize,
    /// Where the row of each node begins among all rows.
    starts: Vec<usize>,
    /// The place of `(v, u)` among all rows, at the place of `(u, v)`.
    twins: Vec<usize>,
    /// Whether the way from left u to right v is used, at the place of `(u, v)`.
    used: Vec<bool>,
    /// How much passes through each left and each right node.
    load: Vec<u32>,
    flow: u64,
}

/// Not reached by a search.
const FAR: u32 = u32::MAX;

impl<'a> Network<'a> {
    fn new(graph: &'a Graph) -> Self {
        let nodes = graph.nodes() as usize;
        let mut starts = vec![0; nodes + 1];
        for node in 0..nodes {
            starts[node + 1] = starts[node] + graph.degree(node as u32) as usize;
        }
        // Rows are sorted: going through all of them in order meets the entries of every row in order.
        let mut next = starts.clone();
        let mut twins = vec![0; starts[nodes]];
        for (start, u) in starts.iter().zip(0..graph.nodes()) {
            for (place, v) in (*start..).zip(graph.neighbours(u)) {
                twins[place] = next[*v as usize];
                next[*v as usize] += 1;
            }
        }
        let used = vec![false; twins.len()];
        Self { graph, nodes, starts, twins, used, load: vec![0; 2 * nodes], flow: 0 }
    }

    /// Continues to a maximum flow under a threshold at least as large as before.
    fn maximize(&mut self, threshold: u64) -> u64 {
        let threshold = u32::try_from(threshold).unwrap_or(u32::MAX);
        while let Some(levels) = self.levels(threshold) {
            self.send_along(&levels, threshold);
        }
        self.flow
    }

    /// How far every node is from a left node that may send more, up to the nearest right node that may take
    /// more; `None` if no such node is reached.
    fn levels(&self, threshold: u32) -> Option<Vec<u32>> {
        let mut levels = vec![FAR; 2 * self.nodes];
        let mut front: Vec<u32> = (0..self.nodes as u32).filter(|u| self.may_send(*u, threshold)).collect();
        front.iter().for_each(|u| levels[*u as usize] = 0);
        let mut level = 0;
        while !front.is_empty() {
            let mut right = Vec::new();
            let mut arrived = false;
            for u in &front {
                for (place, v) in (self.starts[*u as usize]..).zip(self.graph.neighbours(*u)) {
                    let at = self.nodes + *v as usize;
                    if !self.used[place] && levels[at] == FAR {
                        levels[at] = level + 1;
                        arrived |= self.load[at] < threshold;
                        right.push(*v);
                    }
                }
            }
            if arrived {
                return Some(levels);
            }
            front.clear();
            for v in &right {
                for (place, u) in (self.starts[*v as usize]..).zip(self.graph.neighbours(*v)) {
                    if levels[*u as usize] == FAR && self.used[self.twins[place]] {
                        levels[*u as usize] = level + 2;
                        front.push(*u);
                    }
                }
            }
            level += 2;
        }
        None
    }

    fn may_send(&self, node: u32, threshold: u32) -> bool {
        self.load[node as usize] < threshold.min(self.graph.degree(node))
    }

    /// Sends along ways that rise from level to level until there is none left.
    fn send_along(&mut self, levels: &[u32], threshold: u32) {
        let mut cursors = vec![0; levels.len()];
        let mut way = Vec::new();
        for root in (0..self.nodes).filter(|root| levels[*root] == 0) {
            way.push(root);
            while let Some(&at) = way.last() {
                if at >= self.nodes && self.load[at] < threshold {
                    self.send(&way, &cursors);
                    way.truncate(usize::from(self.load[root] < threshold));
                } else if let Some(next) = self.step(at, &mut cursors[at], levels) {
                    way.push(next);
                } else {
                    way.pop();
                    if let Some(&before) = way.last() {
                        cursors[before] += 1;
                    }
                }
            }
        }
    }

    /// The next node one level up that can be reached from here, the cursor left at the way to it.
    fn step(&self, at: usize, cursor: &mut usize, levels: &[u32]) -> Option<usize> {
        let is_left = at < self.nodes;
        let node = if is_left { at } else { at - self.nodes };
        let row = self.graph.neighbours(node as u32);
        while *cursor < row.len() {
            let place = self.starts[node] + *cursor;
            let other = row[*cursor] as usize;
            // Forward along an unused way, or back along a used one.
            let (open, next) = if is_left {
                (!self.used[place], self.nodes + other)
            } else {
                (self.used[self.twins[place]], other)
            };
            if open && levels[next] == levels[at] + 1 {
                return Some(next);
            }
            *cursor += 1;
        }
        None
    }

    fn send(&mut self, way: &[usize], cursors: &[usize]) {
        for at in &way[..way.len() - 1] {
            if *at < self.nodes {
                self.used[self.starts[*at] + cursors[*at]] = true;
            } else {
                let place = self.starts[*at - self.nodes] + cursors[*at];
                self.used[self.twins[place]] = false;
            }
        }
        // Nodes between the first and the last pass on as much as before.
        self.load[way[0]] += 1;
        self.load[way[way.len() - 1]] += 1;
        self.flow += 1;
    }
}

#[cfg(test)]
mod tests;
