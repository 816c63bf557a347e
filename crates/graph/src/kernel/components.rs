//! Connected components.

use crate::Graph;

/// How many pieces the graph falls into, isolated nodes included.
pub fn count(graph: &Graph) -> u32 {
    let mut seen = vec![false; graph.nodes() as usize];
    let mut pieces = 0;
    let mut stack = Vec::new();
    for start in 0..graph.nodes() {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        pieces += 1;
        stack.push(start);
        while let Some(node) = stack.pop() {
            for next in graph.neighbours(node) {
                if !std::mem::replace(&mut seen[*next as usize], true) {
                    stack.push(*next);
                }
            }
        }
    }
    pieces
}
