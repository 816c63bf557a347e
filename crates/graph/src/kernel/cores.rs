//! k-cores: what is left when nodes with fewer than k ties are taken away again and again.

use crate::Graph;

/// The core number of every node: the largest k whose k-core contains it.
pub fn numbers(graph: &Graph) -> Vec<u32> {
    let nodes = graph.nodes() as usize;
    let mut left: Vec<u32> = (0..graph.nodes()).map(|node| graph.degree(node)).collect();
    let mut gone = vec![false; nodes];
    let mut core = vec![0; nodes];
    let mut queue: std::collections::BTreeSet<(u32, u32)> = left.iter().copied().zip(0..).collect();
    let mut level = 0;
    while let Some((degree, node)) = queue.pop_first() {
        level = level.max(degree);
        core[node as usize] = level;
        gone[node as usize] = true;
        for next in graph.neighbours(node) {
            let next_left = &mut left[*next as usize];
            if !gone[*next as usize] {
                queue.remove(&(*next_left, *next));
                *next_left -= 1;
                queue.insert((*next_left, *next));
            }
        }
    }
    core
}

/// The largest core number: the degeneracy of the graph.
pub fn degeneracy(graph: &Graph) -> u32 {
    numbers(graph).into_iter().max().unwrap_or(0)
}
