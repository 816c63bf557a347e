//! Work shared among threads in order: whoever is free takes the next few items.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::Graph;

/// Below so many nodes and ties, threads cost more than they save.
const SMALL: u64 = 1 << 12;

/// Whether a graph is too small for threads.
pub(super) fn is_small(graph: &Graph) -> bool {
    u64::from(graph.nodes()) + graph.edges() < SMALL
}

/// Does `step` for the items `0 .. items`, in rising order up to a few that run at the same time, until one answers
/// `false`. Every worker has a state of its own; all states come back.
pub(super) fn in_order<S: Send>(
    items: u32,
    alone: bool,
    new: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, u32) -> bool + Sync,
) -> Vec<S> {
    let next = AtomicU32::new(0);
    let worker = || {
        let mut state = None;
        // First items are often the heavy ones, so blocks start small.
        let take = |start: u32| (start < items).then(|| start.saturating_add(1 + start / 64).min(items));
        while let Ok(start) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            let state = state.get_or_insert_with(&new);
            let end = take(start).expect("this worker took these items");
            if !(start..end).all(|item| step(state, item)) {
                next.store(items, Ordering::Relaxed);
            }
        }
        state
    };
    if alone || rayon::current_num_threads() == 1 {
        return worker().into_iter().collect();
    }
    (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).filter_map(|_| worker()).collect()
}
