//! A large forest within capacities, and a proof of how much larger one could be.
//!
//! **Guarantee.** For every connected component of a problem of `residual.rs`, [`bounds`] returns whole
//! numbers `lower ≤ f ≤ upper`.
//! **Proof.** *Lower:* a forest within the capacities has f at least its size; the forest that was found is
//! counted tie by tie, and a tie that closed a ring or exceeded a capacity would not be counted. *Upper:* for
//! every set H of nodes, `x(E) ≤ x(ties at H) + x(ties outside H) ≤ Σ_{v∈H} c_v + n − |H| − (pieces of the
//! graph without H)`, with H the empty set among them. So nothing below has to be right for the bounds to
//! hold; it has to be good for them to meet.
//! **Search.** After Fürer and Raghavachari (1994). Ties are taken greedily, those at scarce capacities last.
//! Then the forest grows as long as the following finds a tie. A node with capacity left is *good*. A tie
//! between good nodes of two trees joins them. A tie between good nodes of one tree closes a ring; adding it
//! and dropping a tie of the ring at a full node gives that node capacity, so all nodes of the ring become
//! good, and remember the tie. Good nodes that are tied in the forest form *clusters*; a ring is used only if
//! it leaves its cluster, so what a node needs to be relieved lies within clusters that were apart before,
//! and reliefs do not disturb each other. When nothing more becomes good, no tie leads from one cluster to
//! another: the full nodes that are left are H, and the bounds differ by the number of ties of the forest
//! inside H. Nodes of H then count as scarcer, and the search is repeated a few times.

use std::collections::VecDeque;

use super::residual::{FREE, Residual, pieces};

/// How often the search starts over with other priorities.
const ROUNDS: usize = 4;
/// No node.
const NONE: u32 = u32::MAX;

/// Bounds on f of one connected component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub lower: u64,
    pub upper: u64,
}

/// Bounds for every connected component of the problem, and which nodes stayed full in the last search that
/// left a gap.
pub(super) fn bounds(problem: &Residual, component: &[u32], sizes: &[u64]) -> (Vec<Bounds>, Vec<bool>) {
    let mut stayed_full = vec![false; problem.rows.len()];
    let mut best: Vec<Bounds> = sizes.iter().map(|size| Bounds { lower: 0, upper: size - 1 }).collect();
    let mut scarcity = vec![0u64; problem.rows.len()];
    for _ in 0..ROUNDS {
        let mut forest = Forest::greedy(problem, &scarcity);
        let full = loop {
            // A spanning forest cannot be improved on.
            let lower = forest.sizes(component, sizes.len());
            if lower.iter().zip(sizes).all(|(lower, size)| *lower == size - 1) {
                break Vec::new();
            }
            match forest.grow() {
                Step::Grown => {}
                Step::Stuck(full) => break full,
            }
        };
        let lower = forest.sizes(component, sizes.len());
        let upper = upper(problem, component, sizes, &full);
        for (best, (lower, upper)) in best.iter_mut().zip(lower.into_iter().zip(upper)) {
            best.lower = best.lower.max(lower);
            best.upper = best.upper.min(upper);
        }
        if best.iter().all(|best| best.lower == best.upper) {
            break;
        }
        stayed_full.fill(false);
        for node in full {
            scarcity[node as usize] += 1;
            stayed_full[node as usize] = true;
        }
    }
    (best, stayed_full)
}

/// The bound of a set H of nodes on every component, with no H at all where that is better.
fn upper(problem: &Residual, component: &[u32], sizes: &[u64], full: &[u32]) -> Vec<u64> {
    let mut inside = vec![false; problem.rows.len()];
    full.iter().for_each(|node| inside[*node as usize] = true);
    let mut bound = sizes.to_vec();
    for node in full {
        let bound = &mut bound[component[*node as usize] as usize];
        *bound = (*bound - 1).saturating_add(problem.capacity[*node as usize]);
    }
    let (piece, count) = pieces(&problem.rows, |node| !inside[node as usize]);
    let mut counted = vec![false; count.len()];
    for (node, piece) in piece.iter().enumerate() {
        if *piece != NONE && !std::mem::replace(&mut counted[*piece as usize], true) {
            bound[component[node] as usize] -= 1;
        }
    }
    bound.iter().zip(sizes).map(|(bound, size)| (*bound).min(size - 1)).collect()
}

enum Step {
    /// The forest has one tie more.
    Grown,
    /// It cannot grow in this way; these nodes stayed full.
    Stuck(Vec<u32>),
}

struct Forest<'a> {
    problem: &'a Residual,
    rows: Vec<Vec<u32>>,
}

impl<'a> Forest<'a> {
    /// Takes ties as long as they close no ring and keep capacities, those at scarce nodes last.
    fn greedy(problem: &'a Residual, scarcity: &[u64]) -> Self {
        let nodes = problem.rows.len();
        let pressure = |node: usize| match problem.capacity[node] {
            FREE => 0,
            capacity => (problem.rows[node].len() as u64) * 1024 / capacity,
        };
        let mut order: Vec<(u64, u64, u32, u32)> = Vec::new();
        for u in 0..nodes {
            for v in problem.rows[u].iter().filter(|v| **v as usize > u) {
                let scarce = scarcity[u] + scarcity[*v as usize];
                order.push((scarce, pressure(u) + pressure(*v as usize), u as u32, *v));
            }
        }
        order.sort_unstable();
        let mut forest = Self { problem, rows: vec![Vec::new(); nodes] };
        let mut trees = Sets::new(nodes);
        for (_, _, u, v) in order {
            if forest.has_capacity(u) && forest.has_capacity(v) && trees.join(u, v) {
                forest.add(u, v);
            }
        }
        forest
    }

    /// How many ties of the forest each component has; ties that are not allowed do not count.
    fn sizes(&self, component: &[u32], components: usize) -> Vec<u64> {
        let mut sizes = vec![0; components];
        let mut trees = Sets::new(self.rows.len());
        let mut used = vec![0; self.rows.len()];
        for u in 0..self.rows.len() as u32 {
            for v in self.rows[u as usize].iter().filter(|v| **v > u) {
                let tied = self.problem.rows[u as usize].binary_search(v).is_ok();
                let room = |node: u32| used[node as usize] < self.problem.capacity[node as usize];
                if tied && room(u) && room(*v) && trees.join(u, *v) {
                    used[u as usize] += 1;
                    used[*v as usize] += 1;
                    sizes[component[u as usize] as usize] += 1;
                }
            }
        }
        sizes
    }

    fn has_capacity(&self, node: u32) -> bool {
        (self.rows[node as usize].len() as u64) < self.problem.capacity[node as usize]
    }

    fn add(&mut self, u: u32, v: u32) {
        self.rows[u as usize].push(v);
        self.rows[v as usize].push(u);
    }

    fn drop(&mut self, u: u32, v: u32) {
        self.rows[u as usize].retain(|next| *next != v);
        self.rows[v as usize].retain(|next| *next != u);
    }

    /// One tie more, or the nodes that stay full.
    fn grow(&mut self) -> Step {
        let mut marks = Marks::new(self);
        let mut queue: VecDeque<u32> =
            (0..self.rows.len() as u32).filter(|node| marks.good[*node as usize]).collect();
        while let Some(u) = queue.pop_front() {
            for place in 0..self.problem.rows[u as usize].len() {
                let v = self.problem.rows[u as usize][place];
                if !marks.good[v as usize] {
                    continue;
                }
                if marks.tree[u as usize] != marks.tree[v as usize] {
                    return match self.relieve(u, &marks).and_then(|()| self.relieve(v, &marks)) {
                        Some(()) => {
                            self.add(u, v);
                            Step::Grown
                        }
                        None => Step::Stuck(marks.full()),
                    };
                }
                marks.close_ring(u, v, self, &mut queue);
            }
        }
        Step::Stuck(marks.full())
    }

    /// Gives a good node capacity by the exchanges it remembers, the inner ones first. None when an exchange
    /// is not possible, which the clusters rule out.
    fn relieve(&mut self, node: u32, marks: &Marks) -> Option<()> {
        // No recursion: a chain of exchanges can be as long as the graph.
        let mut tasks = vec![Task::Relieve(node)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Relieve(node) if self.has_capacity(node) => {}
                Task::Relieve(node) => {
                    let (u, v) = marks.ring[node as usize];
                    tasks.extend([Task::Exchange(node), Task::Relieve(v), Task::Relieve(u)]);
                }
                Task::Exchange(node) => {
                    let (u, v) = marks.ring[node as usize];
                    let before = self.before(u, node)?;
                    self.add(u, v);
                    self.drop(before, node);
                }
            }
        }
        Some(())
    }

    /// The last node before the end of the way through the forest.
    fn before(&self, start: u32, end: u32) -> Option<u32> {
        let mut stack = vec![(start, NONE)];
        // In a forest every node is met once: more would mean a ring, and there would be no end.
        for _ in 0..self.rows.len() {
            let (node, from) = stack.pop()?;
            for next in self.rows[node as usize].iter().filter(|next| **next != from) {
                if *next == end {
                    return Some(node);
                }
                stack.push((*next, node));
            }
        }
        None
    }
}

enum Task {
    Relieve(u32),
    Exchange(u32),
}

/// What is known about nodes while the forest stands still.
struct Marks {
    good: Vec<bool>,
    /// The tie whose ring relieves a node that became good.
    ring: Vec<(u32, u32)>,
    tree: Vec<u32>,
    parent: Vec<u32>,
    depth: Vec<u32>,
    clusters: Sets,
    /// The node of a cluster that is nearest to the root, by the cluster's representative.
    top: Vec<u32>,
}

impl Marks {
    fn new(forest: &Forest) -> Self {
        let nodes = forest.rows.len();
        let mut marks = Self {
            good: (0..nodes as u32).map(|node| forest.has_capacity(node)).collect(),
            ring: vec![(NONE, NONE); nodes],
            tree: vec![NONE; nodes],
            parent: vec![NONE; nodes],
            depth: vec![0; nodes],
            clusters: Sets::new(nodes),
            top: (0..nodes as u32).collect(),
        };
        let mut stack = Vec::new();
        for root in 0..nodes as u32 {
            if marks.tree[root as usize] != NONE {
                continue;
            }
            marks.tree[root as usize] = root;
            stack.push(root);
            while let Some(node) = stack.pop() {
                for next in &forest.rows[node as usize] {
                    if marks.tree[*next as usize] == NONE {
                        marks.tree[*next as usize] = root;
                        marks.parent[*next as usize] = node;
                        marks.depth[*next as usize] = marks.depth[node as usize] + 1;
                        stack.push(*next);
                    }
                }
            }
        }
        for node in 0..nodes as u32 {
            let parent = marks.parent[node as usize];
            if parent != NONE && marks.good[node as usize] && marks.good[parent as usize] {
                marks.join(node, parent);
            }
        }
        marks
    }

    /// Makes all nodes of the ring that the tie `uv` closes good, and one cluster.
    fn close_ring(&mut self, u: u32, v: u32, forest: &Forest, queue: &mut VecDeque<u32>) {
        loop {
            let (a, b) = (self.clusters.find(u), self.clusters.find(v));
            if a == b {
                return;
            }
            let depth = |cluster: u32| self.depth[self.top[cluster as usize] as usize];
            let top = self.top[if depth(a) >= depth(b) { a } else { b } as usize];
            // Two clusters of one tree: the deeper one is not at the root.
            let above = self.parent[top as usize];
            if self.good[above as usize] {
                self.join(top, above);
                continue;
            }
            self.good[above as usize] = true;
            self.ring[above as usize] = (u, v);
            queue.push_back(above);
            for next in &forest.rows[above as usize] {
                if self.good[*next as usize] {
                    self.join(above, *next);
                }
            }
        }
    }

    fn join(&mut self, u: u32, v: u32) {
        let tops = [u, v].map(|node| self.top[self.clusters.find(node) as usize]);
        self.clusters.join(u, v);
        let higher =
            if self.depth[tops[0] as usize] <= self.depth[tops[1] as usize] { tops[0] } else { tops[1] };
        let joined = self.clusters.find(u);
        self.top[joined as usize] = higher;
    }

    fn full(&self) -> Vec<u32> {
        (0..self.good.len() as u32).filter(|node| !self.good[*node as usize]).collect()
    }
}

/// Disjoint sets of nodes.
pub(super) struct Sets {
    above: Vec<u32>,
}

impl Sets {
    pub fn new(nodes: usize) -> Self {
        Self { above: (0..nodes as u32).collect() }
    }

    pub fn find(&mut self, mut node: u32) -> u32 {
        while self.above[node as usize] != node {
            let next = self.above[node as usize];
            self.above[node as usize] = self.above[next as usize];
            node = self.above[node as usize];
        }
        node
    }

    /// Whether the two sets were apart, and are one now.
    pub fn join(&mut self, u: u32, v: u32) -> bool {
        let (u, v) = (self.find(u), self.find(v));
        self.above[u as usize] = v;
        u != v
    }
}
