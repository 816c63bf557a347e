//! k-cores: what is left when nodes with fewer than k ties are taken away again and again.
//!
//! Nodes wait in a line sorted by the ties they have left (Batagelj and Zaversnik, 2003). When a tie goes, its node
//! swaps places with the first of those that have equally many, which then begin one place later: constant time a
//! tie, so `O(n + m)` in all.

use crate::Graph;
use crate::kernel::degrees;

/// The core number of every node: the largest k whose k-core contains it.
pub fn numbers(graph: &Graph) -> Vec<u32> {
    let mut left: Vec<u32> = (0..graph.nodes()).map(|node| graph.degree(node)).collect();
    // Where in the line the nodes with each number of ties begin.
    let mut starts: Vec<u32> = Vec::new();
    let mut before = 0;
    for count in degrees::histogram(graph) {
        starts.push(before);
        before += count as u32;
    }
    let mut line = vec![0; left.len()];
    let mut places = vec![0; left.len()];
    let mut next = starts.clone();
    for node in 0..graph.nodes() {
        let place = &mut next[left[node as usize] as usize];
        line[*place as usize] = node;
        places[node as usize] = *place;
        *place += 1;
    }
    for turn in 0..line.len() {
        let node = line[turn];
        let level = left[node as usize];
        for other in graph.neighbours(node) {
            let ties = left[*other as usize];
            // Nodes that were taken before, or have no more ties left than this one, keep their number.
            if ties > level {
                let first_place = starts[ties as usize];
                let (first, place) = (line[first_place as usize], places[*other as usize]);
                line.swap(first_place as usize, place as usize);
                places[first as usize] = place;
                places[*other as usize] = first_place;
                starts[ties as usize] += 1;
                left[*other as usize] -= 1;
            }
        }
    }
    left
}

/// The largest core number: the degeneracy of the graph.
pub fn degeneracy(graph: &Graph) -> u32 {
    numbers(graph).into_iter().max().unwrap_or(0)
}
