//! Common neighbours of pairs of nodes, adjacent or not.
//!
//! For a pair let a be its common neighbours and b the nodes outside the pair that are tied to exactly one of the
//! two. With s changes of ties the pair gets at most `a + ⌊(s + min(s, b))/2⌋` common neighbours, and no more than
//! there are other nodes: a node that is tied to one of the two takes one change, any other takes two. With
//! `D = 2a + b`, which is the sum of both degrees, less 2 if the pair is tied, that is `⌊min(2a + 2s, D + s)/2⌋`: it
//! grows with a and with D, for every s.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::Graph;
use crate::kernel::degrees;
use crate::kernel::wedges::{Bound, scan};

/// The largest number of common neighbours over all pairs of nodes, adjacent or not: the local sensitivity of the
/// number of triangles under edge privacy.
pub fn max(graph: &Graph) -> u32 {
    let largest = Largest(AtomicU32::new(0));
    scan(graph, &largest);
    largest.0.into_inner()
}

/// The pairs that decide how many common neighbours any pair can have after any number of changes: points `(a, b)`, a
/// rising, b falling.
///
/// Every pair of the graph is *dominated* by a point `(a, b)`: it has at most a common neighbours, and its `2a + b`
/// is at most the point's. Every point is some pair's, and no point dominates another. So the largest
/// `a + ⌊(s + min(s, b))/2⌋` over the points is the largest over all pairs, for every s. A function
/// that grows with a and with b but not with `2a + b` needs other points. Empty when there are fewer than two nodes.
pub fn frontier(graph: &Graph) -> Vec<(u32, u32)> {
    let steps = degrees::max(graph) as usize + 1;
    let stairs = Stairs((0..steps).map(|_| AtomicU64::new(0)).collect());
    scan(graph, &stairs);
    let mut heights = stairs.0.into_iter().map(AtomicU64::into_inner).chain([0]).peekable();
    let mut points = Vec::new();
    let mut common = 0;
    while let (Some(height), Some(next)) = (heights.next(), heights.peek()) {
        if height > *next {
            // At most as many nodes as there are.
            let one_side = height - 1 - 2 * u64::from(common);
            points.push((common, one_side as u32));
        }
        common += 1;
    }
    points
}

/// The largest number of common neighbours seen.
struct Largest(AtomicU32);

impl Bound for Largest {
    fn improves(&self, common: u32, _: u32, _: u32) -> bool {
        common > self.0.load(Ordering::Relaxed)
    }

    fn insert(&self, common: u32, _: u32, _: u32, _: bool) {
        self.0.fetch_max(common, Ordering::Relaxed);
    }
}

/// For every a, one more than the largest D of the pairs seen that have at least a common neighbours; zero if there is
/// none. It falls as a rises, once all threads are done. Each entry alone belongs to a pair that was seen.
struct Stairs(Vec<AtomicU64>);

impl Bound for Stairs {
    /// A pair with so many common neighbours at most and a D of at most `high + low` adds nothing if some pair that was
    /// seen dominates all such pairs.
    fn improves(&self, common: u32, high: u32, low: u32) -> bool {
        u64::from(high) + u64::from(low) + 1 > self.0[common as usize].load(Ordering::Relaxed)
    }

    fn insert(&self, common: u32, high: u32, low: u32, tied: bool) {
        let height = u64::from(high) + u64::from(low) + 1 - 2 * u64::from(tied);
        // As many steps as common neighbours were counted, at most. Whoever wrote a larger height goes on down the
        // stairs with it, so this can stop there.
        for step in self.0[..=common as usize].iter().rev() {
            if step.fetch_max(height, Ordering::Relaxed) >= height {
                break;
            }
        }
    }
}
