//! A degree-bounded forest problem, made smaller without changing its value.
//!
//! **Setting.** A graph with capacities `c_v ≥ 0`. `f` is the largest total weight `x(E)` of weights `x ≥ 0`
//! on ties with `x(ties inside S) ≤ |S| − 1` for every set S of nodes, which says that x is a mean of
//! forests, and `x(ties at v) ≤ c_v` for every node.
//! **Guarantee.** [`Residual::of`] applies four steps as long as one applies. Each keeps `settled + f`, so f
//! of the graph is `settled` plus f of the residual.
//! 1. *No capacity left:* a node with `c_v = 0` loses its ties: they have weight 0.
//! 2. *A single tie:* if v has one tie, to u, and both have capacity, it is settled: u's capacity falls by
//!    one. For some best x gives it weight 1: as long as `x(uv) < 1`, raise it and lower another tie at u by
//!    the same amount; only sets with u and v notice, and for those `x(S) = x(S − v) + x(uv) ≤ |S| − 2 + 1`.
//! 3. *Capacity for all ties:* if `c_v` is at least the number of ties of v it never binds, because no tie
//!    weighs more than one. The node becomes *free*.
//! 4. *A tie between free nodes* is settled and contracted, parallel ties merged. For take the best x that
//!    gives it, e, most. If `x(e) < 1`, then e lies in sets of ties that are tight, `x(A) = rank(A)`, or else
//!    e could be raised. Tight sets that meet intersect in tight sets, so there is a smallest T that contains
//!    e. As `x(T) = rank(T) ≥ 1 > x(e)` there is another tie g in T with weight; moving a little weight from
//!    g to e overfills no tight set, and no capacity notices: the ends of e are free. That contradicts
//!    the choice of x. So `x(e) = 1`, what remains is a mean of forests of the contracted graph, and the
//!    other way round. Of parallel ties together at most weight 1 is used.
//!
//! In the residual every node that is not free, a *hub*, has more ties than capacity, and free nodes are tied
//! to hubs only.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::Graph;

/// The capacity of a node that is free.
pub(super) const FREE: u64 = u64::MAX;

/// Rows are sets whose order is the same in every run.
type Row = HashSet<u32, BuildHasherDefault<DefaultHasher>>;

/// What is left of a problem.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    /// Ties that were settled.
    pub settled: u64,
    /// The capacity of every node that is left; [`FREE`] without a bound.
    pub capacity: Vec<u64>,
    /// The neighbours of every node that is left, sorted.
    pub rows: Vec<Vec<u32>>,
}

impl Residual {
    /// The problem in which every node has the same capacity, reduced.
    pub fn of(graph: &Graph, degree: u64) -> Self {
        let mut work = Work {
            rows: (0..graph.nodes()).map(|node| graph.neighbours(node).iter().copied().collect()).collect(),
            capacity: vec![degree; graph.nodes() as usize],
            waiting: vec![true; graph.nodes() as usize],
            queue: (0..graph.nodes()).collect(),
            settled: 0,
        };
        while let Some(node) = work.queue.pop_front() {
            work.waiting[node as usize] = false;
            work.visit(node);
        }
        work.compacted()
    }

    /// The part of the problem at these nodes, which are whole connected components.
    pub fn part(&self, nodes: &[u32]) -> Self {
        let mut place = vec![u32::MAX; self.rows.len()];
        nodes.iter().zip(0..).for_each(|(node, new)| place[*node as usize] = new);
        let row = |node: &u32| self.rows[*node as usize].iter().map(|next| place[*next as usize]).collect();
        Self {
            settled: 0,
            capacity: nodes.iter().map(|node| self.capacity[*node as usize]).collect(),
            rows: nodes.iter().map(row).collect(),
        }
    }

    /// The connected component of every node, and how many nodes each has.
    pub fn components(&self) -> (Vec<u32>, Vec<u64>) {
        pieces(&self.rows, |_| true)
    }
}

/// The connected component of every chosen node, `u32::MAX` for others, and how many nodes each has.
pub(super) fn pieces(rows: &[Vec<u32>], chosen: impl Fn(u32) -> bool) -> (Vec<u32>, Vec<u64>) {
    let mut piece = vec![u32::MAX; rows.len()];
    let mut sizes = Vec::new();
    let mut stack = Vec::new();
    for start in 0..rows.len() as u32 {
        if piece[start as usize] != u32::MAX || !chosen(start) {
            continue;
        }
        let this = sizes.len() as u32;
        sizes.push(0);
        piece[start as usize] = this;
        stack.push(start);
        while let Some(node) = stack.pop() {
            sizes[this as usize] += 1;
            for next in &rows[node as usize] {
                if piece[*next as usize] == u32::MAX && chosen(*next) {
                    piece[*next as usize] = this;
                    stack.push(*next);
                }
            }
        }
    }
    (piece, sizes)
}

/// The problem while it is being reduced. A node without ties is gone.
struct Work {
    rows: Vec<Row>,
    capacity: Vec<u64>,
    queue: VecDeque<u32>,
    waiting: Vec<bool>,
    settled: u64,
}

impl Work {
    /// Looks at a node whose row or capacity may have shrunk.
    fn visit(&mut self, node: u32) {
        let place = node as usize;
        let ties = self.rows[place].len() as u64;
        if ties == 0 {
            return;
        }
        if self.capacity[place] == 0 {
            for next in std::mem::take(&mut self.rows[place]) {
                self.rows[next as usize].remove(&node);
                self.push(next);
            }
        } else if ties == 1 {
            let row = std::mem::take(&mut self.rows[place]);
            for next in row {
                self.rows[next as usize].remove(&node);
                let left = &mut self.capacity[next as usize];
                if *left > 0 {
                    self.settled += 1;
                    *left -= u64::from(*left != FREE);
                }
                self.push(next);
            }
        } else if self.capacity[place] != FREE && self.capacity[place] >= ties {
            self.capacity[place] = FREE;
            let free = |next: &u32| self.capacity[*next as usize] == FREE;
            let mut tied: Vec<u32> = self.rows[place].iter().copied().filter(free).collect();
            tied.sort_unstable();
            let merged = tied.into_iter().fold(node, |whole, next| self.contracted(whole, next));
            self.push(merged);
        }
    }

    /// Contracts the tie between two free nodes; the node that has more ties stays.
    fn contracted(&mut self, u: u32, v: u32) -> u32 {
        let (stays, goes) =
            if self.rows[u as usize].len() >= self.rows[v as usize].len() { (u, v) } else { (v, u) };
        self.settled += 1;
        self.rows[stays as usize].remove(&goes);
        for next in std::mem::take(&mut self.rows[goes as usize]) {
            if next == stays {
                continue;
            }
            self.rows[next as usize].remove(&goes);
            if !self.rows[next as usize].insert(stays) {
                self.push(next);
            }
            self.rows[stays as usize].insert(next);
        }
        stays
    }

    fn push(&mut self, node: u32) {
        if !std::mem::replace(&mut self.waiting[node as usize], true) {
            self.queue.push_back(node);
        }
    }

    fn compacted(self) -> Residual {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|node| !self.rows[*node].is_empty()).collect();
        let mut place = vec![0; self.rows.len()];
        kept.iter().zip(0..).for_each(|(node, new)| place[*node] = new);
        let row = |node: &usize| {
            let mut row: Vec<u32> = self.rows[*node].iter().map(|next| place[*next as usize]).collect();
            row.sort_unstable();
            row
        };
        Residual {
            settled: self.settled,
            capacity: kept.iter().map(|node| self.capacity[*node]).collect(),
            rows: kept.iter().map(row).collect(),
        }
    }
}
